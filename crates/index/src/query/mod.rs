//! Answering queries.
//!
//! ```text
//! text -> QueryText -> segments: Candidates -> store: evidence -> decide -> Matches -> Answer
//! ```

mod answer;
mod candidates;
mod decide;
mod keyed;
mod matches;
mod needed;
mod passage;
mod text;

pub use answer::{Answer, DEFAULT_LIMIT, DecidedBy, Match, MatchScores, ParagraphMatch, Query};
pub(crate) use matches::{Cursor, Matcher, Matches, Page};
pub use needed::Needed;
pub(crate) use text::QueryText;

use std::cell::RefCell;
use std::sync::Arc;

use twindex_core::EngineScratch;

use crate::document::Stored;
use crate::error::{IndexError, Result};
use crate::postings::Probed;
use crate::segments::View;
use crate::settings::Evidence;
use crate::state::State;
use crate::store::{Documents, NextNumbers, Reader, Record, StoredEvidence};
use crate::time::{Timestamp, is_over};

thread_local! {
    /// Buffers that a thread reuses from query to query.
    static SCRATCH: RefCell<EngineScratch> = RefCell::default();
}

impl State {
    /// The documents that match a text.
    pub(crate) fn check(&self, query: &Query<'_>, now: Timestamp) -> Result<Answer> {
        let with_paragraphs = self.settings.paragraphs;
        let text = SCRATCH.with_borrow_mut(|scratch| {
            let text = query.text.into();
            QueryText::new(&self.engines, text, query.markup, with_paragraphs, false, scratch)
        });
        let page = Page { after: query.after.map(Cursor::of), ..Page::first(query.limit) };
        let (matches, _) = self.find(&text, None, page, now)?;
        Ok(matches.answer(&text, self.search, query.limit))
    }

    /// The matches of a text, and the next numbers of the view in which they were found.
    pub(crate) fn find(
        &self,
        text: &QueryText<'_>,
        except: Option<&str>,
        page: Page,
        now: Timestamp,
    ) -> Result<(Matches, NextNumbers)> {
        let mut view = self.view.load_full();
        loop {
            let matcher = self.matcher(&view, except, NextNumbers::default(), page, &[], now);
            let candidates = matcher.candidates(text);
            if candidates.is_empty() {
                return Ok((Matches::none(candidates.absent), view.next));
            }
            // First the view, then the store: everything in a view was committed before.
            let matches = matcher.matches(candidates, text, &self.store.read()?);
            let current = self.view.load_full();
            match matches {
                // A document removed since the view was taken, tombstone included, looks like
                // damage.
                Err(IndexError::Damaged { .. }) if !Arc::ptr_eq(&view, &current) => view = current,
                matches => return Ok((matches?, view.next)),
            }
        }
    }

    /// A matcher of the documents of a view.
    pub(crate) fn matcher<'a>(
        &'a self,
        view: &'a View,
        except: Option<&'a str>,
        since: NextNumbers,
        page: Page,
        probed: &'a [Probed],
        now: Timestamp,
    ) -> Matcher<'a> {
        let radius = self.settings.recipe.simhash.radius;
        let (engines, segments) = (&self.engines, self.files.folder());
        Matcher { view, engines, radius, except, since, page, probed, segments, now }
    }

    /// The document of that id.
    pub(crate) fn get(&self, id: &str, now: Timestamp) -> Result<Option<Stored>> {
        let reader = self.store.read()?;
        match reader.find(id)? {
            Some((number, record)) => self.stored(&reader, number, record, now),
            None => Ok(None),
        }
    }

    /// The document of that number.
    pub(crate) fn numbered(&self, number: u32, now: Timestamp) -> Result<Option<Stored>> {
        let reader = self.store.read()?;
        match reader.record(number)? {
            Some(record) => self.stored(&reader, number, record, now),
            None => Ok(None),
        }
    }

    fn stored(
        &self,
        reader: &Reader<'_>,
        number: u32,
        record: Record,
        now: Timestamp,
    ) -> Result<Option<Stored>> {
        if is_over(record.expires, now) {
            return Ok(None);
        }
        let (evidence, text) = match reader.evidence(number)? {
            None => (Evidence::None, None),
            Some(StoredEvidence::Features(..)) => (Evidence::Features, None),
            Some(StoredEvidence::Sketch(..)) => (Evidence::Sketch, None),
            Some(StoredEvidence::Text(text)) => (Evidence::Text, Some(text)),
        };
        Ok(Some(Stored {
            fingerprint: (record.has_words && !self.settings.is_keyed())
                .then(|| record.fingerprint.to_string()),
            evidence,
            expires: record.expires,
            html: record.html,
            text,
            id: record.id,
        }))
    }
}
