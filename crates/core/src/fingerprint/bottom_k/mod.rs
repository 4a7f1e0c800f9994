//! Bottom-k MinHash: the `k` smallest distinct shingle hashes.
//!
//! One hash function, one pass, O(k) memory:
//!
//! ```text
//! for each shingle hash h: if h < limit: put h into the buffer
//!                           if the buffer is full: sort, dedup, keep k, limit = the k-th
//! ```
//!
//! Two estimators of the Jaccard similarity J of the full sets:
//!
//! * [`BottomK::sketch_jaccard`]: |A ∩ B| / |A ∪ B| of the two sketches. Biased low if the sets
//!   differ in size.
//! * [`BottomK::union_estimate`]: of the k smallest of A ∪ B, the share in both. Unbiased; its
//!   standard error is at most `sqrt(J (1 - J) / k)`.
//!
//! A sketch with fewer than `k` hashes holds every shingle of its document; for two such sketches
//! both are exact.

pub mod article;
mod bitmap;
mod sketcher;
mod sketches;
mod threshold;

use crate::hash;

pub use bitmap::Bitmap;
pub use sketcher::Sketcher;
pub use sketches::{MOST_HASHES, Sketches};
pub use threshold::JaccardThreshold;

/// A bottom-k sketch: at most `k` distinct hashes, ascending.
///
/// ```
/// use twindex_core::fingerprint::BottomK;
///
/// let a = BottomK::new(4, [50, 10, 40, 20, 30, 10]);
/// let b = BottomK::new(4, [60, 10, 20, 35]);
/// assert_eq!(a.hashes(), [10, 20, 30, 40]);
/// assert_eq!(a.sketch_jaccard(&b), 2.0 / 6.0, "10 and 20 of 10, 20, 30, 35, 40 and 60");
/// assert_eq!(a.union_estimate(&b), 2.0 / 4.0, "10 and 20 of 10, 20, 30 and 35");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BottomK {
    k: usize,
    hashes: Vec<u64>,
}

/// The buffer holds `BUFFER * k` hashes before it is pruned: large enough that pruning is rare.
const BUFFER: usize = 4;

impl BottomK {
    /// The sketch of a stream of hashes.
    pub fn new(k: usize, hashes: impl IntoIterator<Item = u64>) -> Self {
        let hashes = hashes.into_iter();
        let mut buffer = Vec::with_capacity((BUFFER * k).min(hashes.size_hint().0));
        let mut limit = u64::MAX;
        for hash in hashes {
            // `<=` while the limit is the largest value, so that a hash of all ones is not lost.
            if hash < limit || limit == u64::MAX {
                buffer.push(hash);
                if buffer.len() == BUFFER * k {
                    limit = prune(&mut buffer, k);
                }
            }
        }
        prune(&mut buffer, k);
        // Many sketches are kept in memory, so free the unused capacity.
        buffer.shrink_to_fit();
        BottomK { k, hashes: buffer }
    }

    /// A sketch of these ascending, distinct hashes (as stored before).
    pub fn from_sorted(k: usize, hashes: Vec<u64>) -> Self {
        debug_assert!(hashes.is_sorted_by(|a, b| a < b) && hashes.len() <= k);
        BottomK { k, hashes }
    }

    /// The hashes, ascending.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// |A ∩ B| / |A ∪ B| of the two sketches; 0 when both are empty.
    pub fn sketch_jaccard(&self, other: &BottomK) -> f64 {
        let common = common_hashes(&self.hashes, &other.hashes);
        let union = self.hashes.len() + other.hashes.len() - common;
        if union == 0 { 0.0 } else { common as f64 / union as f64 }
    }

    /// Of the k smallest hashes of the union, the share that is in both; 0 when both are empty.
    pub fn union_estimate(&self, other: &BottomK) -> f64 {
        let (a, b, k) = (self.hashes.as_slice(), other.hashes.as_slice(), self.k.min(other.k));
        let (mut i, mut j, mut both) = (0, 0, 0);
        // Each step of the merge consumes one hash of the union.
        while i < a.len() && j < b.len() && i + j - both < k {
            let (x, y) = (a[i], b[j]);
            both += usize::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        let distinct = (a.len() + b.len() - both).min(k);
        if distinct == 0 { 0.0 } else { both as f64 / distinct as f64 }
    }
}

/// Sorts, removes repetitions, keeps the `k` smallest. Returns the new limit: the k-th, if there
/// are that many.
fn prune(buffer: &mut Vec<u64>, k: usize) -> u64 {
    hash::distinct(buffer);
    buffer.truncate(k);
    if buffer.len() == k { buffer.last().copied().unwrap_or(u64::MAX) } else { u64::MAX }
}

/// How many values two ascending lists of distinct values share.
pub fn common_hashes(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        count += usize::from(a[i] == b[j]);
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The definition.
    fn naive(k: usize, hashes: &[u64]) -> Vec<u64> {
        hashes.iter().copied().collect::<BTreeSet<_>>().into_iter().take(k).collect()
    }

    proptest! {
        #[test]
        fn equals_the_definition(k in 1usize..20, hashes in prop::collection::vec(prop_oneof![0u64..50, any::<u64>(), Just(u64::MAX)], 0..400)) {
            let sketch = BottomK::new(k, hashes.iter().copied());
            prop_assert_eq!(sketch.hashes(), naive(k, &hashes));
        }

        #[test]
        fn the_estimate_is_the_share_of_the_smallest_of_the_union(
            k in 1usize..20,
            other_k in 1usize..20,
            a in prop::collection::vec(0u64..60, 0..40),
            b in prop::collection::vec(0u64..60, 0..40),
        ) {
            let (a, b) = (BottomK::new(k, a), BottomK::new(other_k, b));
            let union = naive(k.min(other_k), &[a.hashes(), b.hashes()].concat());
            let both = union.iter().filter(|hash| a.hashes().contains(hash) && b.hashes().contains(hash)).count();
            prop_assert_eq!(a.union_estimate(&b), both as f64 / union.len().max(1) as f64);
        }

        #[test]
        fn small_sets_are_exact(a in prop::collection::btree_set(0u64..60, 0..30), b in prop::collection::btree_set(0u64..60, 0..30)) {
            let exact = if a.is_empty() && b.is_empty() { 0.0 } else { a.intersection(&b).count() as f64 / a.union(&b).count() as f64 };
            let (a, b) = (BottomK::new(64, a), BottomK::new(64, b));
            prop_assert_eq!(a.sketch_jaccard(&b), exact);
            prop_assert_eq!(a.union_estimate(&b), exact);
        }
    }
}
