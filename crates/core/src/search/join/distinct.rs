//! Equal fingerprints, collapsed before a join and expanded after it.

use super::Pair;

/// Distinct fingerprints, ascending, each with its owners.
///
/// A million documents with one fingerprint are one value here; their half a trillion pairs are
/// enumerated only by [`Distinct::equal_pairs`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinct<I> {
    values: Vec<u64>,
    /// The start of each value's owners, and the end of the last ones.
    offsets: Vec<usize>,
    ids: Vec<I>,
}

impl<I: Copy + Ord> Distinct<I> {
    /// Collapses fingerprints, each with the number of its owner.
    pub fn new(mut owned: Vec<(u64, I)>) -> Self {
        owned.sort_unstable();
        Distinct::from_sorted(&owned)
    }

    /// Collapses fingerprints that are sorted, each with the number of its owner.
    pub fn from_sorted(owned: &[(u64, I)]) -> Self {
        debug_assert!(owned.is_sorted());
        let (mut values, mut offsets) = (vec![], vec![0]);
        for run in owned.chunk_by(|a, b| a.0 == b.0) {
            values.push(run[0].0);
            offsets.push(offsets[offsets.len() - 1] + run.len());
        }
        Distinct { values, offsets, ids: owned.iter().map(|&(_, id)| id).collect() }
    }

    /// The distinct fingerprints, ascending: the input of the join.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// The owners of a fingerprint, ascending; empty if it is not there.
    pub fn owners(&self, fingerprint: u64) -> &[I] {
        match self.values.binary_search(&fingerprint) {
            Ok(place) => &self.ids[self.offsets[place]..self.offsets[place + 1]],
            Err(_) => &[],
        }
    }

    /// The owners of each fingerprint that has several.
    pub fn repeated(&self) -> impl Iterator<Item = &[I]> {
        let owners = self.offsets.windows(2).map(|pair| &self.ids[pair[0]..pair[1]]);
        owners.filter(|owners| owners.len() > 1)
    }

    /// Calls `sink` with every pair of owners of one fingerprint, the smaller number first.
    pub fn equal_pairs(&self, sink: &mut dyn FnMut(I, I)) {
        for owners in self.repeated() {
            for (place, &b) in owners.iter().enumerate() {
                owners[..place].iter().for_each(|&a| sink(a, b));
            }
        }
    }

    /// Calls `sink` with every pair of owners of two fingerprints, the smaller number first.
    pub fn expand(&self, (a, b): Pair, sink: &mut dyn FnMut(I, I)) {
        for &left in self.owners(a) {
            self.owners(b).iter().for_each(|&right| sink(left.min(right), left.max(right)));
        }
    }
}
