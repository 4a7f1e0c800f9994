//! How much a feature counts.

mod idf;
mod weigher;

pub use idf::{DocumentFrequencies, FREQUENCY_BYTES, FrequencyCounter, FrequencyError};
pub(super) use weigher::parts;
pub use weigher::{Weighed, Weigher};

use serde::{Deserialize, Serialize};

use crate::hash;

/// The weight of a feature inside its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// How often the feature occurs.
    #[default]
    Count,
    /// One, however often it occurs.
    One,
    /// How often it occurs, as a part of the count of the commonest feature of the document.
    Normalised,
    /// How often it occurs, times its rarity in the collection. Without a table of frequencies the
    /// same as `count`.
    TfIdf,
    /// Words of four characters or more and nouns weigh more: the formula of Yu, Hu and Zhang
    /// (2016). Nouns are known where Chinese is segmented into words (`text.han = "word"`). Needs
    /// `feature.unit = "word"`, and in a simhash `simhash.size = 1`.
    LengthNoun,
}

/// The distinct units of a document with their counts: the vector of the cosine measure.
///
/// ```
/// use twindex_core::feature::TermCounts;
///
/// let counts = TermCounts::new(&[5, 2, 5]);
/// assert_eq!(counts.as_slice(), [(2, 1), (5, 2)]);
/// assert_eq!(counts.total(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TermCounts(Vec<(u64, u32)>);

impl TermCounts {
    /// Counts the given unit hashes.
    pub fn new(units: &[u64]) -> Self {
        TermCounts(hash::counted(units))
    }

    /// The sums of the weights of each unit, given in any order.
    pub fn weighted(weights: impl IntoIterator<Item = (u64, u16)>) -> Self {
        let mut sorted: Vec<(u64, u32)> =
            weights.into_iter().map(|(unit, weight)| (unit, u32::from(weight))).collect();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a.0 == b.0);
        let sum =
            |run: &[(u64, u32)]| run.iter().fold(0, |sum: u32, (_, weight)| sum.saturating_add(*weight));
        TermCounts(runs.map(|run| (run[0].0, sum(run))).collect())
    }

    /// Pairs of hash and count by ascending, distinct hashes; `None` if they are not.
    pub fn from_sorted(counts: Vec<(u64, u32)>) -> Option<Self> {
        counts.is_sorted_by(|a, b| a.0 < b.0).then_some(TermCounts(counts))
    }

    /// How many bytes this takes on the heap.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(u64, u32)>()
    }

    /// How many units there are in all.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|&(_, count)| u64::from(count)).sum()
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
        assert_eq!(TermCounts::weighted([(5, 2), (1, 7), (5, 3)]).as_slice(), [(1, 7), (5, 5)]);
        assert_eq!(TermCounts::new(&[5, 1, 5, 5]).total(), 4);
    }
}
