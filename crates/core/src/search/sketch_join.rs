//! The exact join of bottom-k sketches, by prefix filter.
//!
//! Let sketch Jaccard |A ∩ B| / |A ∪ B| be at least t. Then A shares at least ⌈t |A|⌉ of its own hashes with B. Put the
//! hashes of every sketch in one global order (here: ascending); if A and B shared none of A's first |A| - ⌈t |A|⌉ + 1
//! hashes and B's first |B| - ⌈t |B|⌉ + 1, too few would remain. So those first hashes, the *prefix*, are keys that every
//! such pair has in common: complete, and the sketches themselves then decide exactly.

use crate::fingerprint::BottomK;

/// The prefix filter for sketch Jaccard >= `threshold`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SketchPrefix {
    /// The least sketch Jaccard of a candidate.
    pub threshold: f64,
}

impl SketchPrefix {
    /// How many hashes of a sketch of `size` are keys.
    pub fn length(self, size: usize) -> usize {
        // Rounding down the required overlap by a hair keeps the filter complete under floating-point error.
        let required = (self.threshold * size as f64 - 1e-9).ceil().max(1.0) as usize;
        (size + 1).saturating_sub(required).min(size)
    }

    /// Appends the keys of a sketch.
    pub fn keys(self, sketch: &BottomK, keys: &mut Vec<u64>) {
        keys.extend_from_slice(&sketch.hashes()[..self.length(sketch.hashes().len())]);
    }

    /// The exact decision about a pair that shares a key.
    pub fn is_candidate(self, a: &BottomK, b: &BottomK) -> bool {
        a.sketch_jaccard(b) >= self.threshold
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every pair that brute force finds shares a key.
        #[test]
        fn the_prefix_misses_nothing(
            a in prop::collection::btree_set(0u64..40, 0..24),
            b in prop::collection::btree_set(0u64..40, 0..24),
            threshold in 0.05f64..1.0,
        ) {
            let (a, b) = (BottomK::new(16, a), BottomK::new(16, b));
            let prefix = SketchPrefix { threshold };
            if prefix.is_candidate(&a, &b) {
                let keys = |sketch| { let mut keys = vec![]; prefix.keys(sketch, &mut keys); keys };
                let (a, b) = (keys(&a), keys(&b));
                prop_assert!(a.iter().any(|key| b.contains(key)));
            }
        }
    }

    #[test]
    fn prefix_lengths() {
        let prefix = SketchPrefix { threshold: 0.5 };
        assert_eq!([0, 1, 2, 3, 128].map(|size| prefix.length(size)), [0, 1, 2, 2, 65]);
    }
}
