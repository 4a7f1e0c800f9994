//! Which pairs are right.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use thiserror::Error;

/// Pairs that a person labelled as duplicates, by id. All other pairs are taken for different.
#[derive(Debug, Clone, Default)]
pub struct Truth {
    pairs: Vec<(String, String)>,
}

/// What is wrong with a file of labelled pairs.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TruthError {
    /// A line without two columns.
    #[error(
        "line {line}: expected two ids with a tab between them, found `{found}`\nhint: `twindex pairs` writes such a file"
    )]
    Columns {
        /// Counted from 1.
        line: usize,
        /// What is there, shortened.
        found: String,
    },
    /// Nothing to compare with.
    #[error("it has no pairs\nhint: leave --truth out to compare with the cosine of word counts")]
    Empty,
}

/// A line of a message is long enough.
const SHOWN_CHARACTERS: usize = 60;

impl Truth {
    /// Reads two ids a line, tab-separated; more columns and a first line that begins with `left` are skipped.
    pub fn from_tsv(text: &str) -> Result<Truth, TruthError> {
        let mut pairs = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            if line.is_empty() || (number == 0 && line.split('\t').next() == Some("left")) {
                continue;
            }
            let mut columns = line.split('\t');
            match (columns.next(), columns.next()) {
                (Some(left), Some(right)) if !left.is_empty() && !right.is_empty() => {
                    pairs.push((left.to_owned(), right.to_owned()));
                }
                _ => {
                    let found = line.chars().take(SHOWN_CHARACTERS).collect();
                    return Err(TruthError::Columns { line: number + 1, found });
                }
            }
        }
        if pairs.is_empty() { Err(TruthError::Empty) } else { Ok(Truth { pairs }) }
    }

    /// The ids that are labelled.
    pub fn ids(&self) -> HashSet<&str> {
        self.pairs.iter().flat_map(|(left, right)| [left.as_str(), right.as_str()]).collect()
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs; never of a truth that was read.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The pairs as places in a list of ids, the smaller first; pairs with an id that is not in the list are left out.
    pub(crate) fn places<'i>(&self, ids: impl IntoIterator<Item = &'i str>) -> HashSet<(u32, u32)> {
        let place: HashMap<&str, u32> = ids.into_iter().zip(0..).collect();
        let places = self.pairs.iter().filter_map(|(left, right)| {
            let (a, b) = (*place.get(left.as_str())?, *place.get(right.as_str())?);
            (a != b).then(|| (a.min(b), a.max(b)))
        });
        places.collect()
    }
}

/// What the recipe was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reference {
    /// Labelled pairs.
    Truth,
    /// Pairs whose counts of units have at least this cosine.
    Cosine(f64),
}

/// The cosine that makes two documents near-duplicates in the evaluation of the probabilistic-matching paper (Figure 6).
pub(crate) const REFERENCE_COSINE: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_with_or_without_a_header() {
        let with = Truth::from_tsv("left\tright\tjaccard\na\tb\t0.7\r\n\nb\tc\t0.9\n").unwrap();
        assert_eq!(with.places(["c", "b", "a"]), HashSet::from([(1, 2), (0, 1)]));
        assert_eq!(with.places(["c", "b"]), HashSet::from([(0, 1)]));
        assert_eq!(Truth::from_tsv("a\tb").unwrap().len(), 1);
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = Truth::from_tsv("a\tb\nonly one\n").unwrap_err();
        assert_eq!(error, TruthError::Columns { line: 2, found: "only one".to_owned() });
        assert_eq!(Truth::from_tsv("left\tright\n").unwrap_err(), TruthError::Empty);
    }
}
