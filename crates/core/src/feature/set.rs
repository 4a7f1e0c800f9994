//! The set of a document's distinct shingles.

use super::Shingler;
use crate::hash;

/// Distinct feature hashes in ascending order.
///
/// ```
/// use twindex_core::feature::FeatureSet;
///
/// assert_eq!(FeatureSet::new(vec![9, 3, 9]).as_slice(), [3, 9]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FeatureSet(Vec<u64>);

impl FeatureSet {
    /// The set of the given hashes, in any order, repetitions allowed.
    pub fn new(mut hashes: Vec<u64>) -> Self {
        hash::distinct(&mut hashes);
        FeatureSet(hashes)
    }

    /// The set of hashes that are ascending and distinct; `None` if they are not.
    pub fn from_sorted(hashes: Vec<u64>) -> Option<Self> {
        hashes.is_sorted_by(|a, b| a < b).then_some(FeatureSet(hashes))
    }

    /// The set of the shingles of a sequence of units.
    pub fn of(shingler: &Shingler, units: &[u64]) -> Self {
        let mut set = FeatureSet::new(shingler.shingle_hashes(units));
        // A text that repeats itself has far fewer features than shingles.
        set.0.shrink_to_fit();
        set
    }

    /// The hashes, ascending.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// How many bytes the set takes on the heap.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u64>()
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the document has no feature at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
