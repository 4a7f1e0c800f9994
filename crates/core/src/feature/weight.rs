//! How much a feature counts.

use serde::{Deserialize, Serialize};

/// The weight of a feature inside its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// How often it occurs.
    #[default]
    Count,
    /// One, however often it occurs.
    One,
}

/// The distinct units of a document with their counts: the vector of the cosine measure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TermCounts(Vec<(u64, u32)>);

impl TermCounts {
    /// Counts the given unit hashes.
    pub fn new(units: &[u64]) -> Self {
        let mut sorted = units.to_vec();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b);
        TermCounts(runs.map(|run| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX))).collect())
    }

    /// How many bytes the counts take on the heap.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(u64, u32)>()
    }

    /// How many units there are in all.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|&(_, count)| u64::from(count)).sum()
    }

    /// The Jaccard similarity of the distinct units.
    pub fn jaccard(&self, other: &TermCounts) -> f64 {
        let (a, b) = (&self.0, &other.0);
        let (mut i, mut j, mut common) = (0, 0, 0usize);
        while i < a.len() && j < b.len() {
            let (left, right) = (a[i].0, b[j].0);
            common += usize::from(left == right);
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        let union = a.len() + b.len() - common;
        if union == 0 { 0.0 } else { common as f64 / union as f64 }
    }

    /// Pairs of hash and count, by ascending hash.
    pub fn as_slice(&self) -> &[(u64, u32)] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(TermCounts::new(&[5, 1, 5, 5]).as_slice(), [(1, 1), (5, 3)]);
        assert!(TermCounts::new(&[]).as_slice().is_empty());
        let (a, b) = (TermCounts::new(&[5, 1, 5, 5]), TermCounts::new(&[5, 2, 3]));
        assert_eq!((a.total(), a.jaccard(&b), a.jaccard(&a)), (4, 0.25, 1.0));
    }
}
