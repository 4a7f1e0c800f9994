//! From candidates to matches: the segments propose, the evidence decides.
//!
//! ```text
//! candidate documents, nearest first, then documents of candidate paragraphs, oldest first:
//!     not removed, not expired, whole text or a paragraph passes the rule -> a match
//! until the limit is reached
//! ```

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;

use super::answer::{Answer, Match};
use super::candidates::{Candidates, ParagraphCandidate, within};
use super::decide::{ParagraphPair, decide};
use super::keyed::Walk;
use super::text::QueryText;
use crate::engines::Engines;
use crate::error::Result;
use crate::postings::Probed;
use crate::segments::View;
use crate::settings::Search;
use crate::store::{Documents, NextNumbers, Record, Row};
use crate::time::{Timestamp, is_over};

/// Finds the matches of a text in a view.
#[derive(Clone, Copy)]
pub(crate) struct Matcher<'a> {
    pub(crate) view: &'a View,
    pub(crate) engines: &'a Engines,
    pub(crate) radius: u32,
    /// The id of a document to leave out.
    pub(crate) except: Option<&'a str>,
    /// Only documents and paragraphs with these numbers or larger ones are searched.
    pub(crate) since: NextNumbers,
    pub(crate) page: Page,
    /// The posting lists that were read of numbers before `since`.
    pub(crate) probed: &'a [Probed],
    /// The folder of the segments, for errors.
    pub(crate) segments: &'a Path,
    pub(crate) now: Timestamp,
}

/// Which of the matches are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    /// How many, and a witness if it comes later.
    pub(crate) limit: usize,
    /// Matches up to this one were listed before.
    pub(crate) after: Option<Cursor>,
    /// Whether the search ends with the first witness, or where none can follow.
    pub(crate) up_to_witness: bool,
}

impl Page {
    /// The first matches.
    pub(crate) fn first(limit: usize) -> Page {
        Page { limit, after: None, up_to_witness: false }
    }
}

/// The matches of a query.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) matches: Vec<RankedMatch>,
    pub(crate) more: bool,
    /// Where the search stopped before the limit was reached.
    stopped: Option<Cursor>,
    /// Whether a witness was found that is not among the matches.
    has_other_witness: bool,
    /// The posting lists that were read, or would have been if they were there.
    pub(crate) probed: Vec<Probed>,
}

/// A place in the order of matches: rank and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cursor {
    rank: u32,
    number: u32,
}

impl Cursor {
    /// What an answer gave.
    pub(crate) fn of(value: u64) -> Cursor {
        Cursor { rank: (value >> u32::BITS) as u32, number: value as u32 }
    }

    pub(super) fn new(rank: u32, number: u32) -> Cursor {
        Cursor { rank, number }
    }

    /// The number, if the rank is this one; `None` if it is a later one.
    pub(super) fn in_keys(self, rank: u32) -> Option<u32> {
        (self.rank == rank).then_some(self.number)
    }

    /// As a number in answers.
    fn value(self) -> u64 {
        u64::from(self.rank) << u32::BITS | u64::from(self.number)
    }
}

/// A match with its rank.
#[derive(Debug)]
pub(crate) struct RankedMatch {
    pub(crate) distance: u32,
    pub(crate) number: u32,
    pub(crate) matched: Match,
}

/// The most pairs of paragraphs that are listed of one document, and of all documents of an answer:
/// two pages of hundreds of similar items have more of them than is worth reading.
const LISTED_OF_ONE: usize = 1_000;
const LISTED: usize = 10_000;

/// The same for all matches of a new document: a batch may have a thousand documents.
const LISTED_OF_NEW: usize = 1_000;

/// The pairs that are compared even beyond these limits: one is enough to make a document a match.
const FEWEST_OF_ONE: usize = 16;

/// The rank of documents of which only paragraphs match: they come last.
const FAR: u32 = u64::BITS + 1;

impl<'a> Matcher<'a> {
    /// The matches among the documents, the nearest first, of equally near ones the oldest first.
    pub(crate) fn find(&self, query: &QueryText<'_>, documents: &impl Documents) -> Result<Matches> {
        self.matches(self.candidates(query), query, documents)
    }

    /// The candidates of a text.
    pub(crate) fn candidates<'c>(&self, query: &'c QueryText<'_>) -> Candidates<'c>
    where
        'a: 'c,
    {
        Candidates::find(query, self.view, self.radius, self.since, self.probed)
    }

    /// The matches among candidates.
    pub(crate) fn matches(
        &self,
        mut candidates: Candidates<'_>,
        query: &QueryText<'_>,
        documents: &impl Documents,
    ) -> Result<Matches> {
        let probed = std::mem::take(&mut candidates.absent);
        let found = Matches { more: candidates.more, probed, ..Matches::default() };
        let builder = MatchBuilder { matcher: *self, query, documents, found, beyond: 0, listed: 0 };
        builder.build(candidates)
    }
}

/// The matches so far.
pub(super) struct MatchBuilder<'a, D> {
    pub(super) matcher: Matcher<'a>,
    query: &'a QueryText<'a>,
    pub(super) documents: &'a D,
    pub(super) found: Matches,
    /// Documents compared beyond the limit, in search of a witness.
    beyond: usize,
    /// Pairs of paragraphs listed so far.
    listed: usize,
}

/// The most documents that are compared beyond the limit in search of a witness. Like the limit of
/// hot buckets in a job, it bounds the cost of thousands of pages of one template.
const MOST_BEYOND: usize = 64;

impl<D: Documents> MatchBuilder<'_, D> {
    fn build(mut self, candidates: Candidates<'_>) -> Result<Matches> {
        let Candidates { mut documents, paragraphs, keyed, .. } = candidates;
        let mut seen = HashSet::new();
        if let Some(keyed) = keyed
            && self.keyed(keyed, &paragraphs, &mut seen)? == Walk::Stopped
        {
            return Ok(self.found);
        }
        while let Some(Reverse(candidate)) = documents.pop() {
            if !paragraphs.is_empty() {
                seen.insert(candidate.number);
            }
            let Some(record) = self.living(candidate.number)? else { continue };
            if self.is_listed(candidate.distance, candidate.number) {
                if self.lacks_witness() && self.beyond < MOST_BEYOND {
                    self.beyond += 1;
                    self.note_witness(candidate.number, candidate.distance, record)?;
                }
                continue;
            }
            if self.is_full() {
                if !self.lacks_witness() || self.beyond == MOST_BEYOND {
                    return Ok(self.found);
                }
                self.beyond += 1;
            }
            let pairs = self.shared_paragraphs(candidate.number, &record, &paragraphs)?;
            self.decide(candidate.number, Some(candidate.distance), &pairs, record)?;
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
            if self.is_listed(FAR, row.document) {
                continue;
            }
            if self.is_full() {
                return Ok(self.found);
            }
            let number = row.document;
            let pairs = self.pairs(shared, &(first, row))?;
            self.decide(number, None, &pairs, record)?;
        }
        Ok(self.found)
    }

    /// The paragraphs of a document that are candidates.
    pub(super) fn shared_paragraphs(
        &mut self,
        number: u32,
        record: &Record,
        paragraphs: &[ParagraphCandidate],
    ) -> Result<Vec<ParagraphPair>> {
        let Some((first, count)) = record.paragraphs else { return Ok(vec![]) };
        let shared = within(paragraphs, u64::from(first)..u64::from(first) + u64::from(count));
        let Some(paragraph) = shared.first() else { return Ok(vec![]) };
        let row = self.row(paragraph.number)?.filter(|(_, row)| row.document == number);
        let damaged = || self.documents.damaged(number, "paragraphs");
        self.pairs(shared, &row.ok_or_else(damaged)?)
    }

    /// Whether a match was on an earlier page.
    fn is_listed(&self, rank: u32, number: u32) -> bool {
        self.matcher.page.after.is_some_and(|after| Cursor { rank, number } <= after)
    }

    /// Whether the limit is reached. Called when there may be another match.
    pub(super) fn is_full(&mut self) -> bool {
        let is_full = self.found.matches.len() >= self.matcher.page.limit;
        self.found.more |= is_full;
        is_full
    }

    /// Whether no witness was found.
    pub(super) fn lacks_witness(&self) -> bool {
        !self.found.has_witness()
    }

    /// Notes whether a document of an earlier page is a witness.
    pub(super) fn note_witness(&mut self, number: u32, rank: u32, record: Record) -> Result<()> {
        let MatchBuilder { matcher, query, documents, found, .. } = self;
        let decided = decide(query, number, Some(rank), &[], record, *documents, matcher.engines)?;
        found.has_other_witness |= decided.is_some_and(|decided| decided.may_go);
        Ok(())
    }

    /// Adds a document behind the end of the page to the matches if it is a witness.
    pub(super) fn add_witness(&mut self, number: u32, rank: u32, record: Record) -> Result<()> {
        let MatchBuilder { matcher, query, documents, found, .. } = self;
        let decided = decide(query, number, Some(rank), &[], record, *documents, matcher.engines)?;
        let witness = decided.filter(|decided| decided.may_go);
        found.matches.extend(witness.map(|matched| RankedMatch { distance: rank, number, matched }));
        Ok(())
    }

    /// The document of that number; `None` if it was removed, has expired or is left out.
    pub(super) fn living(&self, number: u32) -> Result<Option<Record>> {
        let Some(record) = self.documents.record(number)? else {
            return match self.documents.is_removed(number)? {
                true => Ok(None),
                false => Err(self.documents.damaged(number, "record")),
            };
        };
        let counts = !is_over(record.expires, self.matcher.now) && self.matcher.except != Some(&record.id);
        Ok(counts.then_some(record))
    }

    /// The paragraphs of the document that contains `paragraph`, with the number of the first;
    /// `None` if it was removed.
    fn row(&self, paragraph: u32) -> Result<Option<(u32, Row)>> {
        let row = self.documents.paragraphs_around(paragraph)?;
        if row.is_none() && !self.documents.is_paragraph_removed(paragraph)? {
            return Err(self.documents.damaged(paragraph, "paragraph"));
        }
        Ok(row)
    }

    /// The candidate paragraphs of one document; of very many, the nearest of each.
    fn pairs(
        &mut self,
        shared: &[ParagraphCandidate],
        (first, row): &(u32, Row),
    ) -> Result<Vec<ParagraphPair>> {
        let mut all = vec![];
        for &ParagraphCandidate { number, left, distance } in shared {
            let right = (number - first) as usize;
            let damaged = || self.documents.damaged(row.document, "paragraphs");
            let &(place, fingerprint) = row.places.get(right).ok_or_else(damaged)?;
            if fingerprint.distance(self.query.paragraphs[left].search.fingerprint) != distance {
                return Err(damaged());
            }
            all.push(ParagraphPair { left, right, place, distance });
        }
        // In the order of the query, and for each of its paragraphs the nearest first.
        all.sort_unstable_by_key(|pair| (pair.left, pair.distance, pair.right));
        let is_new = self.matcher.except.is_some();
        let in_all = if is_new { LISTED_OF_NEW } else { LISTED };
        let most = LISTED_OF_ONE.min(in_all.saturating_sub(self.listed)).max(FEWEST_OF_ONE);
        if all.len() > most {
            self.found.more = true;
            all = nearest_of_each(&all, most);
        }
        Ok(all)
    }

    /// Adds a document to the matches if the evidence decides so.
    pub(super) fn decide(
        &mut self,
        number: u32,
        near: Option<u32>,
        pairs: &[ParagraphPair],
        record: Record,
    ) -> Result<()> {
        let MatchBuilder { matcher, query, documents, found, listed, .. } = self;
        let decided = decide(query, number, near, pairs, record, *documents, matcher.engines)?;
        // Beyond the limit only a witness counts.
        let has_room = found.matches.len() < matcher.page.limit;
        if let Some(decided) = decided.filter(|decided| has_room || decided.may_go) {
            *listed += decided.paragraphs.len();
            let distance = near.unwrap_or(FAR);
            found.matches.push(RankedMatch { distance, number, matched: decided });
        }
        Ok(())
    }
}

/// At most `most` pairs: an equal share for each paragraph of the query, the nearest first.
fn nearest_of_each(all: &[ParagraphPair], most: usize) -> Vec<ParagraphPair> {
    let of_each = || all.chunk_by(|a, b| a.left == b.left);
    let room = (most / of_each().count()).max(1);
    of_each().flat_map(|pairs| &pairs[..pairs.len().min(room)]).copied().take(most).collect()
}

impl Matches {
    /// The search ends before this place, and the next page begins there.
    pub(super) fn stop_before(&mut self, place: Cursor) {
        self.more = true;
        self.stopped = place.number.checked_sub(1).map(|number| Cursor { number, ..place });
    }

    /// No matches, where none of these posting lists is there.
    pub(crate) fn none(probed: Vec<Probed>) -> Matches {
        Matches { probed, ..Matches::default() }
    }

    /// They are all there is: there are no other pages.
    pub(crate) fn be_the_only_page(&mut self) {
        self.stopped = None;
    }

    /// Joins the matches among other documents.
    pub(crate) fn join(&mut self, other: Matches, limit: usize) {
        self.more |= other.more;
        self.has_other_witness |= other.has_other_witness;
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

    /// Whether a witness was found.
    pub(crate) fn has_witness(&self) -> bool {
        self.has_other_witness || self.witness().is_some()
    }

    /// Where the next page begins, if there is one.
    pub(crate) fn next(&self) -> Option<Cursor> {
        let last = self.matches.last().map(|last| Cursor { rank: last.distance, number: last.number });
        self.stopped.or(last).filter(|_| self.more)
    }

    /// The position of the witness: the nearest match for which the text may go.
    pub(crate) fn witness(&self) -> Option<usize> {
        self.matches.iter().position(|ranked| ranked.matched.may_go)
    }

    /// The matches as the answer to a query, with at most `limit` of them.
    pub(crate) fn answer(mut self, query: &QueryText<'_>, search: Search, limit: usize) -> Answer {
        let seen = self.has_witness();
        if let Some(end) = self.stopped {
            // A witness behind the end of the page is listed on its own page.
            self.matches.retain(|ranked| Cursor { rank: ranked.distance, number: ranked.number } <= end);
        }
        if self.matches.len() > limit {
            self.more = true;
            self.matches.truncate(limit);
        }
        let next = self.next().map(Cursor::value);
        let matches: Vec<Match> = self.matches.into_iter().map(|ranked| ranked.matched).collect();
        let covers = matches.iter().filter(|matched| matched.covers);
        Answer {
            seen: Some(seen),
            fingerprint: query.printed(),
            covers: covers.map(|matched| matched.id.clone()).collect(),
            matches,
            more: self.more,
            next,
            share_of_candidates: search.share_of_candidates(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Place;
    use crate::query::DecidedBy;

    /// Matches with these distances; of the whole text or not.
    fn found(matches: &[(u32, bool)]) -> Matches {
        let ranked = |(number, &(distance, whole)): (u32, &(u32, bool))| RankedMatch {
            distance,
            number,
            matched: Match {
                id: number.to_string(),
                distance: Some(distance),
                verified: true,
                evidence: DecidedBy::Sketch,
                whole,
                may_go: whole,
                covers: false,
                rule: None,
                scores: None,
                paragraphs: vec![],
                expires: None,
            },
        };
        Matches { matches: (0..).zip(matches).map(ranked).collect(), ..Matches::default() }
    }

    #[test]
    fn a_match_of_the_whole_text_survives_the_limit() {
        let distances = |found: &Matches| found.matches.iter().map(|it| it.distance).collect::<Vec<_>>();
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
        let pair = |left: usize, distance: u32| ParagraphPair {
            left,
            right: 0,
            place: Place { start: 0, end: 0 },
            distance,
        };
        let all: Vec<ParagraphPair> =
            (0..4).flat_map(|left| (0..10).map(move |distance| pair(left, distance))).collect();
        let kept: Vec<(usize, u32)> =
            nearest_of_each(&all, 8).iter().map(|pair| (pair.left, pair.distance)).collect();
        assert_eq!(kept, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]);
        assert_eq!(nearest_of_each(&all, 3).len(), 3);
    }
}
