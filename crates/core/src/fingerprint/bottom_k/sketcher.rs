//! From the words of a document to its sketch.
//!
//! Nearly every shingle of a long document is too large for the sketch, and should cost one
//! comparison. Of n shingle hashes the k-th smallest is near k / n of the range, so the limit
//! starts there, plus a few standard deviations:
//!
//! ```text
//! limit = (k + DEVIATIONS * sqrt(k) + MORE) / n of the range take every shingle hash <= limit;
//! when the buffer is full: sort, dedup, keep k, limit = the k-th fewer than k distinct ones at the
//! end, and shingles were dropped: restart with a wider limit
//! ```
//!
//! The result equals that of taking everything: a limit that kept k distinct hashes kept the k
//! smallest. Restarts are rare in prose; a very repetitive text widens the limit until it admits
//! everything.
//!
//! Memory is that of the buffer, a few times k hashes, for any document length.

use super::BottomK;
use crate::hash;
use crate::kernel::Kernel;

/// Makes sketches of `k` hashes over shingles of `size` words.
///
/// ```
/// use twindex_core::fingerprint::{BottomK, Sketcher};
/// use twindex_core::hash::shingle;
/// use twindex_core::kernel::Kernel;
///
/// let words: Vec<u64> = (0..1000).collect();
/// let sketch = Sketcher::new(128, 3, Kernel::best()).sketch(&words);
/// let shingles = words.windows(3).map(|words| shingle(words.iter().copied()));
/// assert_eq!(sketch, BottomK::new(128, shingles));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sketcher {
    k: usize,
    size: usize,
    kernel: Kernel,
}

/// How many standard deviations the limit leaves room for: fewer than k hashes remain for one in
/// ten thousand documents without repetitions.
const DEVIATIONS: f64 = 3.7;

/// Added for small k, where deviations mean little.
const MORE: f64 = 4.0;

/// The share of distinct shingles in a long document, estimated low: sorting some more hashes costs
/// less than reading the document twice.
const DISTINCT: f64 = 0.6;

/// The factor by which a limit that was too narrow is widened.
const WIDEN: f64 = 4.0;

/// Words between two checks of the buffer: the kernel is called for this many at once.
const STRIDE: usize = 1024;

/// The buffer is pruned when it holds `BUFFER * k` hashes: large enough that pruning is rare.
const BUFFER: usize = 4;

impl Sketcher {
    /// Sketches of `k` hashes over shingles of `size` words; 0 is taken as 1 for either.
    pub fn new(k: usize, size: usize, kernel: Kernel) -> Self {
        Sketcher { k: k.max(1), size: size.max(1), kernel }
    }

    /// Puts the `k` smallest distinct shingle hashes of a document into `sketch`, ascending.
    /// `words` are the hashes of its words in order; if there are fewer than a shingle needs, all
    /// of them together are the only shingle.
    pub fn sketch_into(&self, words: &[u64], sketch: &mut Vec<u64>) {
        sketch.clear();
        if words.is_empty() {
            return;
        }
        if words.len() < self.size {
            sketch.push(hash::shingle(words.iter().copied()));
            return;
        }
        // The size of a shingle as a constant, so that the loop over its words is unrolled.
        match self.size {
            1 => self.sketch_sized::<1>(words, sketch),
            2 => self.sketch_sized::<2>(words, sketch),
            3 => self.sketch_sized::<3>(words, sketch),
            4 => self.sketch_sized::<4>(words, sketch),
            5 => self.sketch_sized::<5>(words, sketch),
            6 => self.sketch_sized::<6>(words, sketch),
            7 => self.sketch_sized::<7>(words, sketch),
            8 => self.sketch_sized::<8>(words, sketch),
            _ => self.sketch_any(words, sketch),
        }
    }

    /// The sketch of a document.
    pub fn sketch(&self, words: &[u64]) -> BottomK {
        let mut hashes = vec![];
        self.sketch_into(words, &mut hashes);
        BottomK::from_sorted(self.k, hashes)
    }

    fn sketch_sized<const SIZE: usize>(&self, words: &[u64], sketch: &mut Vec<u64>) {
        let shingles = words.len() + 1 - SIZE;
        let wanted = self.k as f64 + DEVIATIONS * (self.k as f64).sqrt() + MORE;
        let mut share = wanted / (DISTINCT * shingles as f64);
        while !self.try_limit::<SIZE>(words, limit_of(share), sketch) {
            share *= WIDEN;
        }
    }

    /// Collects the hashes up to `limit`; false if they are too few and others were above it.
    fn try_limit<const SIZE: usize>(&self, words: &[u64], limit: u64, sketch: &mut Vec<u64>) -> bool {
        sketch.clear();
        let mut current = limit;
        let mut start = 0;
        // Neighbouring pieces share all words but one of a shingle.
        while start + SIZE <= words.len() {
            let end = words.len().min(start + STRIDE + SIZE - 1);
            self.kernel.shingles_up_to::<SIZE>(&words[start..end], current, sketch);
            start += STRIDE;
            if sketch.len() >= BUFFER * self.k {
                prune(sketch, self.k);
                if sketch.len() == self.k {
                    current = sketch.last().copied().unwrap_or(current);
                }
            }
        }
        prune(sketch, self.k);
        sketch.len() == self.k || limit == u64::MAX
    }

    /// Shingles of an unusual size: all of them, in one buffer.
    fn sketch_any(&self, words: &[u64], sketch: &mut Vec<u64>) {
        for window in words.windows(self.size) {
            sketch.push(hash::shingle(window.iter().copied()));
            if sketch.len() >= BUFFER * self.k {
                prune(sketch, self.k);
            }
        }
        prune(sketch, self.k);
    }
}

/// The largest hash of a share of the range; from 1 on, everything.
fn limit_of(share: f64) -> u64 {
    // The conversion saturates.
    (share * u64::MAX as f64) as u64
}

/// Sorts, drops repetitions, keeps the `k` smallest.
fn prune(hashes: &mut Vec<u64>, k: usize) {
    // Selecting before sorting would lose hashes if there are repetitions.
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(k);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::feature::{Shingler, Unit};
    use crate::hash::{WordHash, mix};

    /// The definition.
    fn naive(k: usize, size: usize, words: &[u64]) -> Vec<u64> {
        let shingles = Shingler::new(Unit::Word, size, WordHash::default()).shingle_hashes(words);
        shingles.into_iter().collect::<BTreeSet<_>>().into_iter().take(k).collect()
    }

    proptest! {
        #[test]
        fn equals_the_definition(
            k in 1usize..40,
            size in 1usize..=10,
            words in prop::collection::vec(prop_oneof![0u64..3, 0u64..500].prop_map(mix), 0..700),
        ) {
            for kernel in Kernel::available() {
                let sketch = Sketcher::new(k, size, kernel).sketch(&words);
                prop_assert_eq!(sketch.hashes(), naive(k, size, &words), "{}", kernel.name());
            }
        }
    }

    /// Several strides, a limit that must be widened (the same page a hundred times), and one that
    /// is pruned on the way.
    #[test]
    fn long_documents() {
        let page: Vec<u64> = (0..400).map(mix).collect();
        let repeated: Vec<u64> = (0..100).flat_map(|_| page.clone()).collect();
        let prose: Vec<u64> = (0..50_000).map(|i| mix(i * i % 7919)).collect();
        for words in [repeated, prose] {
            for (k, size) in [(128, 3), (1, 1), (1_000, 5), (600, 8)] {
                let expected = naive(k, size, &words);
                for kernel in Kernel::available() {
                    assert_eq!(
                        Sketcher::new(k, size, kernel).sketch(&words).hashes(),
                        expected,
                        "{k} {size}"
                    );
                }
            }
        }
    }
}
