//! From a question to an answer: the shelf proposes, the evidence decides.
//!
//! ```text
//! near: for each number the distance of the whole text and the paragraphs that are near
//! nearest first:  record there?  not expired?  whole text or a paragraph passes the rule -> a match
//! ```

use std::collections::BTreeMap;

use crate::answer::{Answer, Match};
use crate::decide::{Near, NearParagraph, decide};
use crate::error::Result;
use crate::question::{Pipelines, Question};
use crate::settings::Search;
use crate::shelf::Candidate;
use crate::store::Documents;
use crate::time::{Timestamp, is_over};
use crate::view::{Next, View};

/// Of a paragraph that very many documents have, no more than this are looked at: it is a part of a template.
const PARAGRAPH_CANDIDATES: usize = 1_000;

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

/// Documents of which only paragraphs are near come last.
const FAR: u32 = u64::BITS + 1;

impl Asked<'_> {
    /// The matches among the documents, the nearest first, of equally near ones the oldest first.
    pub(crate) fn find(&self, question: &Question<'_>, documents: &impl Documents) -> Result<Found> {
        let mut found = Found::default();
        let near = self.near(question, documents, &mut found.more)?;
        let mut order: Vec<(u32, u32)> =
            near.iter().map(|(&number, near)| (near.distance.unwrap_or(FAR), number)).collect();
        order.sort_unstable();
        for (distance, number) in order {
            let Some(record) = documents.record(number)? else {
                if documents.is_buried(number)? {
                    continue;
                }
                return Err(documents.damaged(number, "record"));
            };
            if is_over(record.expires, self.now) || self.except == Some(record.id.as_str()) {
                continue;
            }
            if found.matches.len() == self.limit {
                found.more = true;
                break;
            }
            let decided = decide(question, number, &near[&number], record, documents, self.pipelines)?;
            found.matches.extend(decided.map(|found| Ranked { distance, number, found }));
        }
        Ok(found)
    }

    /// Everything that is near, by document number.
    fn near(
        &self,
        question: &Question<'_>,
        documents: &impl Documents,
        more: &mut bool,
    ) -> Result<BTreeMap<u32, Near>> {
        let mut near: BTreeMap<u32, Near> = BTreeMap::new();
        let mut found: Vec<Candidate> = vec![];
        let radius = question.radius(self.radius);
        self.view.documents.search(question.probe.query(), radius, self.since.document, &mut found);
        for candidate in &found {
            near.entry(candidate.number).or_default().distance = Some(candidate.distance);
        }
        for (left, paragraph) in question.paragraphs.iter().enumerate() {
            found.clear();
            self.view.paragraphs.search(
                paragraph.probe.query(),
                self.radius,
                self.since.paragraph,
                &mut found,
            );
            found.sort_unstable();
            *more |= found.len() > PARAGRAPH_CANDIDATES;
            for candidate in found.iter().take(PARAGRAPH_CANDIDATES) {
                let Some((first, row)) = documents.paragraphs_around(candidate.number)? else {
                    if documents.is_paragraph_buried(candidate.number)? {
                        continue;
                    }
                    return Err(documents.damaged(candidate.number, "paragraph"));
                };
                let right = (candidate.number - first) as usize;
                let (place, fingerprint) = row.places[right];
                if fingerprint.distance(paragraph.probe.fingerprint) != candidate.distance {
                    return Err(documents.damaged(row.document, "paragraphs"));
                }
                let both = NearParagraph { left, right, place, distance: candidate.distance };
                near.entry(row.document).or_default().paragraphs.push(both);
            }
        }
        Ok(near)
    }
}

impl Found {
    /// Joins what was found among other documents.
    pub(crate) fn join(&mut self, other: Found, limit: usize) {
        self.more |= other.more;
        self.matches.extend(other.matches);
        self.matches.sort_by_key(|ranked| (ranked.distance, ranked.number));
        if self.matches.len() > limit {
            self.matches.truncate(limit);
            self.more = true;
        }
    }

    /// The answer to a question.
    pub(crate) fn answer(self, question: &Question<'_>, search: Search) -> Answer {
        let matches = self.matches.into_iter().map(|ranked| ranked.found).collect();
        Answer { fingerprint: question.printed(), matches, more: self.more, recall: search.recall() }
    }
}
