//! The prefix of a sketch: its first hashes in the global order.

use super::HashFrequencies;
use crate::fingerprint::{BottomK, JaccardThreshold};

/// The prefix filter for sketch Jaccard >= `threshold`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SketchPrefix {
    /// The least sketch Jaccard of a candidate.
    pub threshold: JaccardThreshold,
}

/// A hash of a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PrefixHash {
    pub(super) hash: u64,
    /// Its frequency according to the global order.
    pub(super) frequency: u16,
}

impl SketchPrefix {
    /// The filter for sketch Jaccard >= `threshold`.
    pub fn new(threshold: f64) -> Self {
        SketchPrefix { threshold: JaccardThreshold::new(threshold) }
    }

    /// The prefix length of a sketch of `size`: if none of these hashes is shared, too few remain.
    pub fn length(self, size: usize) -> usize {
        (size + 1).saturating_sub(self.threshold.least_shared(size))
    }

    /// Puts the prefix of a sketch into `prefix`, rare hashes first, equally rare ones ascending.
    /// `order` is a buffer.
    pub(super) fn of(
        self,
        hashes: &[u64],
        frequencies: &HashFrequencies,
        order: &mut Vec<u32>,
        prefix: &mut Vec<PrefixHash>,
    ) {
        let length = self.length(hashes.len());
        order.clear();
        // Frequency and place in one number: hashes ascend, so that their places order them.
        order.extend(
            hashes.iter().zip(0u32..).map(|(&hash, place)| u32::from(frequencies.of(hash)) << 16 | place),
        );
        if length < order.len() {
            order.select_nth_unstable(length);
        }
        order[..length].sort_unstable();
        prefix.clear();
        prefix.extend(order[..length].iter().map(|&entry| PrefixHash {
            hash: hashes[(entry & 0xffff) as usize],
            frequency: (entry >> 16) as u16,
        }));
    }

    /// Appends the keys of a sketch for a bucket join: its prefix, without the hashes that no other
    /// counted sketch has.
    pub fn keys(self, hashes: &[u64], frequencies: &HashFrequencies, keys: &mut Vec<u64>) {
        let mut prefix = vec![];
        self.of(hashes, frequencies, &mut vec![], &mut prefix);
        keys.extend(prefix.iter().filter(|key| key.frequency != SINGLETON).map(|key| key.hash));
    }

    /// The exact decision about a pair that shares a key.
    pub fn is_candidate(self, a: &BottomK, b: &BottomK) -> bool {
        let common = crate::fingerprint::common_hashes(a.hashes(), b.hashes());
        self.threshold.accepts(common, a.hashes().len(), b.hashes().len())
    }
}

/// Counted once: in this sketch and in no other. (The frequency of a hash that was never counted is
/// 0.)
pub(super) const SINGLETON: u16 = 1;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every pair that brute force finds shares a key, in any order of hashes.
        #[test]
        fn the_prefix_misses_nothing(
            a in prop::collection::btree_set(0u64..40, 0..24),
            b in prop::collection::btree_set(0u64..40, 0..24),
            others in prop::collection::vec(0u64..40, 0..200),
            counted in any::<bool>(),
            threshold in 0.05f64..1.0,
        ) {
            let (a, b) = (BottomK::new(16, a), BottomK::new(16, b));
            let mut frequencies = HashFrequencies::default();
            if counted {
                frequencies = HashFrequencies::with_slots(1);
                others.iter().for_each(|&hash| frequencies.add([hash]));
                frequencies.add(a.hashes().iter().copied());
                frequencies.add(b.hashes().iter().copied());
            }
            let prefix = SketchPrefix::new(threshold);
            if prefix.is_candidate(&a, &b) {
                let keys = |sketch: &BottomK| { let mut keys = vec![]; prefix.keys(sketch.hashes(), &frequencies, &mut keys); keys };
                let (a, b) = (keys(&a), keys(&b));
                prop_assert!(a.iter().any(|key| b.contains(key)));
            }
        }
    }

    #[test]
    fn prefix_lengths() {
        let prefix = SketchPrefix::new(0.5);
        assert_eq!([0, 1, 2, 3, 128].map(|size| prefix.length(size)), [0, 1, 2, 2, 65]);
    }

    #[test]
    fn rare_hashes_come_first_and_singletons_are_no_keys() {
        let mut frequencies = HashFrequencies::with_slots(1 << 16);
        for (hash, times) in [(1u64, 9), (2, 1), (3, 2), (4, 5)] {
            (0..times).for_each(|_| frequencies.add([hash]));
        }
        let (mut prefix, mut keys) = (vec![], vec![]);
        SketchPrefix::new(0.5).of(&[1, 2, 3, 4], &frequencies, &mut vec![], &mut prefix);
        assert_eq!(prefix.iter().map(|key| key.hash).collect::<Vec<_>>(), [2, 3, 4]);
        SketchPrefix::new(0.5).keys(&[1, 2, 3, 4], &frequencies, &mut keys);
        assert_eq!(keys, [3, 4]);
    }
}
