//! The candidates of a query: what the segments propose, before the store is read.
//!
//! A candidate is a number and a distance. Most queries have no candidates and never read the
//! store. Candidates are verified only until the answer is full, so a common template costs no more
//! than the listed matches, and a few more if a witness is wanted.
//!
//! ```text
//! documents   a heap: the nearest first, of equally near ones the oldest
//! paragraphs  by number: those of a document are neighbours, older documents come first
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use twindex_core::search::Query;

use super::text::QueryText;
use crate::postings::{DocumentKeys, Key, PostingSet, Probed, choose};
use crate::segments::{Candidate, View};
use crate::store::NextNumbers;

/// The most candidates of one paragraph: with more it is part of a template.
const PARAGRAPH_CANDIDATES: usize = 1_000;

/// The most candidates of all paragraphs of a query, about. With hundreds of paragraphs each has a
/// smaller share, but at least [`FEWEST_CANDIDATES`].
const ALL_CANDIDATES: usize = 200_000;
const FEWEST_CANDIDATES: usize = 8;

/// Paragraphs that are searched as one batch, so that their cache misses overlap.
const BATCH: usize = 64;

/// The search for paragraphs stops after this many candidates, about a second's work: a text of
/// thousands of common paragraphs must not keep a service busy.
const MOST_SEEN: usize = 20_000_000;

/// The candidates of a query.
#[derive(Debug, Default)]
pub(crate) struct Candidates<'a> {
    /// The posting lists to read, in an index by keys.
    pub(crate) keyed: Option<KeyedCandidates<'a>>,
    /// The posting lists to read, if none of them is there: a later search of newer documents
    /// probes the same.
    pub(crate) absent: Vec<Probed>,
    /// Documents whose whole texts are within the radius.
    pub(crate) documents: BinaryHeap<Reverse<Candidate>>,
    /// Paragraphs within the radius of a paragraph of the query, ascending.
    pub(crate) paragraphs: Vec<ParagraphCandidate>,
    /// Whether paragraphs were left out.
    pub(crate) more: bool,
}

/// A paragraph within the radius of one of the query's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ParagraphCandidate {
    pub(crate) number: u32,
    /// The position of the paragraph in the query.
    pub(crate) left: usize,
    pub(crate) distance: u32,
}

/// The posting lists that a query reads.
#[derive(Debug)]
pub(crate) struct KeyedCandidates<'a> {
    pub(crate) postings: &'a PostingSet,
    pub(crate) keys: &'a DocumentKeys,
    pub(crate) lists: Vec<Probed>,
}

impl<'a> Candidates<'a> {
    /// Everything in the view within the radius, from the numbers of `since` on. `probed` are the
    /// lists that were read of the numbers before.
    pub(crate) fn find(
        text: &'a QueryText<'_>,
        view: &'a View,
        radius: u32,
        since: NextNumbers,
        probed: &[Probed],
    ) -> Candidates<'a> {
        let mut found = Candidates::default();
        let mut documents = vec![];
        // A text without words is a duplicate of nothing, not even of its equal.
        if let (Some(postings), Some(keys)) = (&view.postings, &text.keys) {
            let (lists, is_there) = if probed.is_empty() {
                choose(postings, &keys.groups)
            } else {
                let keys: Vec<Key> = probed.iter().map(|probed| probed.key).collect();
                let lengths = postings.lengths(&keys, since.document);
                (probed.to_vec(), lengths.iter().any(|length| *length > 0))
            };
            match is_there {
                true => found.keyed = Some(KeyedCandidates { postings, keys, lists }),
                false => found.absent = lists,
            }
        } else if text.has_words && view.postings.is_none() {
            view.documents.search(&[text.search.query()], radius, since.document, |_, candidate| {
                documents.push(Reverse(candidate));
            });
        }
        found.documents = documents.into();
        if text.paragraphs.is_empty() {
            return found;
        }
        let queries: Vec<Query<'_>> =
            text.paragraphs.iter().map(|paragraph| paragraph.search.query()).collect();
        let most = (ALL_CANDIDATES / queries.len()).clamp(FEWEST_CANDIDATES, PARAGRAPH_CANDIDATES);
        let mut seen = 0;
        for (batch, queries) in queries.chunks(BATCH).enumerate() {
            if seen > MOST_SEEN {
                found.more = true;
                break;
            }
            let mut nearest: Vec<Nearest> = vec![Nearest::default(); queries.len()];
            view.paragraphs.search(queries, radius, since.paragraph, |left, candidate| {
                seen += 1;
                nearest[left].push(candidate, most);
            });
            for (mut nearest, left) in nearest.into_iter().zip(batch * BATCH..) {
                nearest.cut(most);
                found.more |= nearest.more;
                let paragraph =
                    |Candidate { distance, number }| ParagraphCandidate { number, left, distance };
                found.paragraphs.extend(nearest.candidates.into_iter().map(paragraph));
            }
        }
        found.paragraphs.sort_unstable();
        found
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.keyed.is_none() && self.documents.is_empty() && self.paragraphs.is_empty()
    }
}

/// The nearest of many candidates, in the memory of a few.
#[derive(Debug, Clone, Default)]
struct Nearest {
    candidates: Vec<Candidate>,
    /// Whether some were left out.
    more: bool,
}

impl Nearest {
    fn push(&mut self, candidate: Candidate, most: usize) {
        self.candidates.push(candidate);
        if self.candidates.len() == 2 * most {
            self.cut(most);
        }
    }

    fn cut(&mut self, most: usize) {
        if self.candidates.len() > most {
            self.more = true;
            self.candidates.select_nth_unstable(most);
            self.candidates.truncate(most);
        }
    }
}

/// The paragraphs whose numbers are in the range. `paragraphs` is ascending.
pub(crate) fn within(paragraphs: &[ParagraphCandidate], numbers: Range<u64>) -> &[ParagraphCandidate] {
    let place = |number: u64| paragraphs.partition_point(|it| u64::from(it.number) < number);
    &paragraphs[place(numbers.start)..place(numbers.end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_of_sorting_everything() {
        let all: Vec<Candidate> = (0..1_000u32)
            .map(|number| Candidate { distance: number * 7_919 % 13, number: number * 31 % 1_000 })
            .collect();
        for most in [1, 8, 999, 1_000] {
            let mut nearest = Nearest::default();
            all.iter().for_each(|&candidate| nearest.push(candidate, most));
            nearest.cut(most);
            nearest.candidates.sort_unstable();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            assert_eq!(nearest.candidates, sorted[..most]);
            assert_eq!(nearest.more, most < all.len());
        }
    }
}
