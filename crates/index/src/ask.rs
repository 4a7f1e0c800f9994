//! From a question to an answer: the shelf proposes, the evidence decides.
//!
//! ```text
//! near:  documents within the radius, and paragraphs
//! documents that are near as a whole, the nearest first, then documents that share paragraphs, the oldest first:
//!     record there?  not expired?  whole text or a paragraph passes the rule -> a match, until there are enough
//! ```

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::answer::{Answer, Match};
use crate::decide::{Both, decide};
use crate::error::Result;
use crate::near::{Near, NearParagraph, within};
use crate::question::{Pipelines, Question};
use crate::settings::Search;
use crate::store::{Documents, Record, Row};
use crate::time::{Timestamp, is_over};
use crate::view::{Next, View};

/// What is asked, and of whom.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) view: &'a View,
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) radius: u32,
    /// A document that does not count.
    pub(crate) except: Option<&'a str>,
    /// Only documents from here on count.
    pub(crate) since: Next,
    pub(crate) limit: usize,
    /// Whether a match for which the text may go must be among the matches, if there is any: beyond the limit, if need be.
    pub(crate) wants_witness: bool,
    pub(crate) now: Timestamp,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) matches: Vec<Ranked>,
    pub(crate) more: bool,
}

/// A match and where it stands.
#[derive(Debug)]
pub(crate) struct Ranked {
    pub(crate) distance: u32,
    pub(crate) number: u32,
    pub(crate) found: Match,
}

/// Pairs of paragraphs that are listed of a document, and of all documents of an answer: a page of hundreds of like items has
/// more of them with another such page than anybody reads.
const LISTED_OF_ONE: usize = 1_000;
const LISTED: usize = 10_000;

/// The same for a document that is added: there may be a thousand of them in a batch.
const LISTED_OF_NEW: usize = 1_000;

/// Where these are used up, so many of a document are still looked at: one of them decides whether it is a match.
const FEWEST_OF_ONE: usize = 16;

/// Documents of which only paragraphs are near come last.
const FAR: u32 = u64::BITS + 1;

impl Asked<'_> {
    /// The matches among the documents, the nearest first, of equally near ones the oldest first.
    pub(crate) fn find(&self, question: &Question<'_>, documents: &impl Documents) -> Result<Found> {
        self.choose(self.near(question), question, documents)
    }

    /// What may match.
    pub(crate) fn near(&self, question: &Question<'_>) -> Near {
        Near::find(question, self.view, self.radius, self.since)
    }

    /// The matches among what is near.
    pub(crate) fn choose(
        &self,
        near: Near,
        question: &Question<'_>,
        documents: &impl Documents,
    ) -> Result<Found> {
        let found = Found { matches: vec![], more: near.more };
        Choice { asked: *self, question, documents, found, beyond: 0, listed: 0 }.of(near)
    }
}

/// An answer in progress.
struct Choice<'a, D> {
    asked: Asked<'a>,
    question: &'a Question<'a>,
    documents: &'a D,
    found: Found,
    /// Documents that were compared beyond the limit, for a witness.
    beyond: usize,
    /// Pairs of paragraphs so far.
    listed: usize,
}

/// Documents that are compared beyond the limit of an answer while a witness is looked for: as the limit of hot buckets in a
/// job, it bounds what thousands of pages of one template cost, of which none may go for another.
const MOST_BEYOND: usize = 64;

impl<D: Documents> Choice<'_, D> {
    fn of(mut self, near: Near) -> Result<Found> {
        let Near { mut wholes, paragraphs, .. } = near;
        let mut seen = HashSet::new();
        while let Some(Reverse(candidate)) = wholes.pop() {
            if !paragraphs.is_empty() {
                seen.insert(candidate.number);
            }
            let Some(record) = self.living(candidate.number)? else { continue };
            if self.is_full() {
                if !self.lacks_witness() || self.beyond == MOST_BEYOND {
                    return Ok(self.found);
                }
                self.beyond += 1;
            }
            let mut both = vec![];
            if let Some((first, count)) = record.paragraphs {
                let numbers = u64::from(first)..u64::from(first) + u64::from(count);
                let shared = within(&paragraphs, numbers);
                if let Some(paragraph) = shared.first() {
                    let row = self.row(paragraph.number)?.filter(|(_, row)| row.document == candidate.number);
                    let damaged = || self.documents.damaged(candidate.number, "paragraphs");
                    both = self.both(shared, &row.ok_or_else(damaged)?)?;
                }
            }
            self.decide(candidate.number, Some(candidate.distance), &both, record)?;
        }
        let mut rest = paragraphs.as_slice();
        while let Some(paragraph) = rest.first() {
            let Some((first, row)) = self.row(paragraph.number)? else {
                rest = &rest[1..];
                continue;
            };
            let shared = within(rest, u64::from(first)..u64::from(first) + row.places.len() as u64);
            rest = &rest[shared.len()..];
            if seen.contains(&row.document) {
                continue;
            }
            let Some(record) = self.living(row.document)? else { continue };
            if self.is_full() {
                return Ok(self.found);
            }
            let number = row.document;
            let both = self.both(shared, &(first, row))?;
            self.decide(number, None, &both, record)?;
        }
        Ok(self.found)
    }

    /// Whether as many matches are there as are listed. Called when there may be another.
    fn is_full(&mut self) -> bool {
        let is_full = self.found.matches.len() >= self.asked.limit;
        self.found.more |= is_full;
        is_full
    }

    /// Whether a witness is wanted and none is there.
    fn lacks_witness(&self) -> bool {
        self.asked.wants_witness && self.found.witness().is_none()
    }

    /// The document of that number, if it is there and counts.
    fn living(&self, number: u32) -> Result<Option<Record>> {
        let Some(record) = self.documents.record(number)? else {
            return match self.documents.is_buried(number)? {
                true => Ok(None),
                false => Err(self.documents.damaged(number, "record")),
            };
        };
        let counts = !is_over(record.expires, self.asked.now) && self.asked.except != Some(&record.id);
        Ok(counts.then_some(record))
    }

    /// The paragraphs of the document that has this one, with the number of the first; `None` if it was removed.
    fn row(&self, paragraph: u32) -> Result<Option<(u32, Row)>> {
        let row = self.documents.paragraphs_around(paragraph)?;
        if row.is_none() && !self.documents.is_paragraph_buried(paragraph)? {
            return Err(self.documents.damaged(paragraph, "paragraph"));
        }
        Ok(row)
    }

    /// The near paragraphs of one document, with their places in it; of very many, the nearest of each.
    fn both(&mut self, shared: &[NearParagraph], (first, row): &(u32, Row)) -> Result<Vec<Both>> {
        let mut all = vec![];
        for &NearParagraph { number, left, distance } in shared {
            let right = (number - first) as usize;
            let damaged = || self.documents.damaged(row.document, "paragraphs");
            let &(place, fingerprint) = row.places.get(right).ok_or_else(damaged)?;
            if fingerprint.distance(self.question.paragraphs[left].probe.fingerprint) != distance {
                return Err(damaged());
            }
            all.push(Both { left, right, place, distance });
        }
        // In the order of the text that was asked about, and there the nearest first.
        all.sort_unstable_by_key(|both| (both.left, both.distance, both.right));
        let is_new = self.asked.except.is_some();
        let in_all = if is_new { LISTED_OF_NEW } else { LISTED };
        let most = LISTED_OF_ONE.min(in_all.saturating_sub(self.listed)).max(FEWEST_OF_ONE);
        if all.len() > most {
            self.found.more = true;
            all = nearest_of_each(&all, most);
        }
        Ok(all)
    }

    /// Lets the evidence decide about a document.
    fn decide(&mut self, number: u32, near: Option<u32>, both: &[Both], record: Record) -> Result<()> {
        let Choice { asked, question, documents, found, listed, .. } = self;
        let decided = decide(question, number, near, both, record, *documents, asked.pipelines)?;
        // Beyond the limit only a witness counts.
        let has_room = found.matches.len() < asked.limit;
        if let Some(decided) = decided.filter(|decided| has_room || decided.may_go) {
            *listed += decided.paragraphs.len();
            let distance = near.unwrap_or(FAR);
            found.matches.push(Ranked { distance, number, found: decided });
        }
        Ok(())
    }
}

/// At most so many: of each paragraph of the question as many as there is room for, the nearest first.
fn nearest_of_each(all: &[Both], most: usize) -> Vec<Both> {
    let of_each = || all.chunk_by(|a, b| a.left == b.left);
    let room = (most / of_each().count()).max(1);
    of_each().flat_map(|both| &both[..both.len().min(room)]).copied().take(most).collect()
}

impl Found {
    /// Joins what was found among other documents.
    pub(crate) fn join(&mut self, other: Found, limit: usize) {
        self.more |= other.more;
        self.matches.extend(other.matches);
        self.matches.sort_by_key(|ranked| (ranked.distance, ranked.number));
        if self.matches.len() > limit {
            // The first witness stays, beyond the limit if need be.
            let witness = self.witness().filter(|&witness| witness >= limit);
            self.matches.truncate(witness.map_or(limit, |witness| witness + 1));
            self.matches.drain(limit..witness.unwrap_or(limit));
            self.more = true;
        }
    }

    /// Where the nearest match is for which the text may go.
    pub(crate) fn witness(&self) -> Option<usize> {
        self.matches.iter().position(|ranked| ranked.found.may_go)
    }

    /// The answer to a question.
    pub(crate) fn answer(self, question: &Question<'_>, search: Search) -> Answer {
        let matches = self.matches.into_iter().map(|ranked| ranked.found).collect();
        Answer { fingerprint: question.printed(), matches, more: self.more, recall: search.recall() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{DecidedBy, Place};

    /// Matches with these distances; of the whole text or not.
    fn found(matches: &[(u32, bool)]) -> Found {
        let ranked = |(number, &(distance, whole)): (u32, &(u32, bool))| Ranked {
            distance,
            number,
            found: Match {
                id: number.to_string(),
                distance: Some(distance),
                verified: true,
                evidence: DecidedBy::Sketch,
                whole,
                may_go: whole,
                rule: None,
                scores: None,
                paragraphs: vec![],
                expires: None,
            },
        };
        Found { matches: (0..).zip(matches).map(ranked).collect(), more: false }
    }

    #[test]
    fn a_match_of_the_whole_text_survives_the_limit() {
        let distances = |found: &Found| found.matches.iter().map(|it| it.distance).collect::<Vec<_>>();
        let mut all = found(&[(0, false), (1, false)]);
        all.join(found(&[(3, true), (2, false), (4, true)]), 2);
        assert_eq!((distances(&all), all.witness(), all.more), (vec![0, 1, 3], Some(2), true));
        let mut all = found(&[(0, false), (1, true)]);
        all.join(found(&[(2, true)]), 2);
        assert_eq!((distances(&all), all.more), (vec![0, 1], true));
        let mut all = found(&[(0, false)]);
        all.join(found(&[(1, false)]), 1);
        assert_eq!((distances(&all), all.witness()), (vec![0], None));
    }

    #[test]
    fn of_many_pairs_each_paragraph_keeps_its_nearest() {
        let both =
            |left: usize, distance: u32| Both { left, right: 0, place: Place { start: 0, end: 0 }, distance };
        let all: Vec<Both> =
            (0..4).flat_map(|left| (0..10).map(move |distance| both(left, distance))).collect();
        let kept: Vec<(usize, u32)> =
            nearest_of_each(&all, 8).iter().map(|both| (both.left, both.distance)).collect();
        assert_eq!(kept, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]);
        assert_eq!(nearest_of_each(&all, 3).len(), 3);
    }
}
