//! The sketches of a collection, stored contiguously.

/// Many bottom-k sketches in one array: eight bytes per hash and eight per document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketches {
    hashes: Vec<u64>,
    ends: Vec<usize>,
}

/// The most hashes of a sketch: positions inside a sketch are stored in sixteen bits.
pub const MOST_HASHES: usize = u16::MAX as usize;

impl Sketches {
    /// Room for `documents` sketches of `size` hashes.
    pub fn with_capacity(documents: usize, size: usize) -> Self {
        Sketches { hashes: Vec::with_capacity(documents * size), ends: Vec::with_capacity(documents) }
    }

    /// Appends a sketch: ascending, distinct hashes, at most [`MOST_HASHES`] of them.
    pub fn push(&mut self, hashes: &[u64]) {
        debug_assert!(hashes.is_sorted_by(|a, b| a < b) && hashes.len() <= MOST_HASHES);
        self.hashes.extend_from_slice(hashes);
        self.ends.push(self.hashes.len());
    }

    /// The hashes of one sketch, ascending.
    #[inline]
    pub fn get(&self, document: usize) -> &[u64] {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        &self.hashes[start..self.ends[document]]
    }

    /// How many sketches there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many hashes all sketches hold together.
    pub fn hashes(&self) -> usize {
        self.hashes.len()
    }

    /// Every sketch, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.len()).map(|document| self.get(document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let lists: [&[u64]; 4] = [&[1, 5], &[], &[0, 2, 3], &[u64::MAX]];
        let mut sketches = Sketches::with_capacity(4, 2);
        lists.iter().for_each(|list| sketches.push(list));
        assert_eq!(sketches.iter().collect::<Vec<_>>(), lists);
        assert_eq!((sketches.len(), sketches.hashes()), (4, 6));
    }
}
