//! Which pairs are right.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

/// Pairs that a person labelled, by id.
#[derive(Debug, Clone, Default)]
pub struct Truth {
    /// Duplicates. All other pairs that count are taken for different.
    right: Pairs,
    /// Pairs that count neither way.
    ignored: Pairs,
    /// If there are any, only these count, and those that are right.
    judged: Option<Pairs>,
}

type Pairs = Vec<(String, String)>;

/// Labels as places in a list of documents, the smaller first.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    pub(crate) right: HashSet<(u32, u32)>,
    ignored: HashSet<(u32, u32)>,
    judged: Option<HashSet<(u32, u32)>>,
}

impl Labels {
    /// Whether a pair is right; `None` if it does not count.
    pub(crate) fn of(&self, pair: (u32, u32)) -> Option<bool> {
        let is_right = self.right.contains(&pair);
        let is_judged = self.judged.as_ref().is_none_or(|judged| judged.contains(&pair));
        (is_right || is_judged && !self.ignored.contains(&pair)).then_some(is_right)
    }
}

/// What is wrong with a file of labelled pairs.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TruthError {
    /// A line without two columns.
    #[error("line {line}: expected two ids with a tab between them, found `{found}`")]
    Columns {
        /// Counted from 1.
        line: usize,
        /// What is there, shortened.
        found: String,
    },
    /// Nothing to compare with.
    #[error("it has no pairs")]
    Empty,
}

/// A line of a message is long enough.
const SHOWN_CHARACTERS: usize = 60;

impl Truth {
    /// Duplicates, two ids a line, tab-separated; more columns and a first line that begins with
    /// `left` are skipped.
    pub fn from_tsv(text: &str) -> Result<Truth, TruthError> {
        let right = pairs(text)?;
        if right.is_empty() { Err(TruthError::Empty) } else { Ok(Truth { right, ..Truth::default() }) }
    }

    /// The same with pairs that count neither way, in the same form.
    pub fn ignoring(self, text: &str) -> Result<Truth, TruthError> {
        Ok(Truth { ignored: pairs(text)?, ..self })
    }

    /// The same, where besides the duplicates only these pairs count, in the same form.
    pub fn judged_only(self, text: &str) -> Result<Truth, TruthError> {
        Ok(Truth { judged: Some(pairs(text)?), ..self })
    }

    /// The ids that are labelled.
    pub fn ids(&self) -> HashSet<&str> {
        let pairs = self.right.iter().chain(self.judged.iter().flatten());
        pairs.flat_map(|(left, right)| [left.as_str(), right.as_str()]).collect()
    }

    /// How many pairs are right.
    pub fn len(&self) -> usize {
        self.right.len()
    }

    /// Whether no pair is; never of a truth that was read.
    pub fn is_empty(&self) -> bool {
        self.right.is_empty()
    }

    /// The labels of a list of ids; pairs with an id that is not in the list are left out.
    pub(crate) fn labels<'i>(&self, ids: impl IntoIterator<Item = &'i str>) -> Labels {
        let place: HashMap<&str, u32> = ids.into_iter().zip(0..).collect();
        let places = |pairs: &Pairs| {
            let place = |(left, right): &(String, String)| {
                let (a, b) = (*place.get(left.as_str())?, *place.get(right.as_str())?);
                (a != b).then(|| (a.min(b), a.max(b)))
            };
            pairs.iter().filter_map(place).collect()
        };
        Labels {
            right: places(&self.right),
            ignored: places(&self.ignored),
            judged: self.judged.as_ref().map(places),
        }
    }
}

fn pairs(text: &str) -> Result<Pairs, TruthError> {
    let mut pairs = vec![];
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
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_with_or_without_a_header() {
        let with = Truth::from_tsv("left\tright\tjaccard\na\tb\t0.7\r\n\nb\tc\t0.9\n").unwrap();
        assert_eq!(with.labels(["c", "b", "a"]).right, HashSet::from([(1, 2), (0, 1)]));
        assert_eq!(with.labels(["c", "b"]).right, HashSet::from([(0, 1)]));
        assert_eq!(Truth::from_tsv("a\tb").unwrap().len(), 1);
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = Truth::from_tsv("a\tb\nonly one\n").unwrap_err();
        assert_eq!(error, TruthError::Columns { line: 2, found: "only one".to_owned() });
        assert_eq!(Truth::from_tsv("left\tright\n").unwrap_err(), TruthError::Empty);
    }

    #[test]
    fn some_pairs_count_neither_way() {
        let truth = Truth::from_tsv("a\tb").unwrap().ignoring("c\ta\na\tb").unwrap();
        let labels = truth.labels(["a", "b", "c"]);
        assert_eq!([(0, 1), (0, 2), (1, 2)].map(|pair| labels.of(pair)), [Some(true), None, Some(false)]);
        let labels = truth.judged_only("b\tc").unwrap().labels(["a", "b", "c", "d"]);
        assert_eq!([(0, 1), (1, 2), (0, 3)].map(|pair| labels.of(pair)), [Some(true), Some(false), None]);
    }
}
