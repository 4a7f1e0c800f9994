//! Changing an index: one writer at a time, many callers in one commit.
//!
//! A caller prepares its documents, puts them into the queue and then waits for the writer's lock.
//! The first to get the lock commits the whole queue, so that callers share the cost of a sync; the
//! others find their verdicts ready.
//!
//! Matches are searched before the lock is taken, on all cores; under the lock only documents that
//! were added since are searched.

mod add;
mod expiry;
mod import;
mod prepare;
mod verdict;

pub(crate) use add::Queue;
pub use verdict::{AddOptions, Outcome, TakenId, Verdict, given_id};

use std::sync::Arc;

use crate::error::{IndexError, Result};
use crate::postings::DocumentKeys;
use crate::segments::View;
use crate::state::State;
use crate::store::{Documents, EncodedEvidence, Record, Row, Tables};

/// An open commit: the tables, and the view that readers get when it is done.
struct Commit<'a, 't> {
    state: &'a State,
    tables: &'a mut Tables<'t>,
    view: View,
}

impl State {
    /// Makes a change of documents. The caller holds the lock.
    fn commit<T>(&self, work: impl FnOnce(&mut Commit<'_, '_>) -> Result<T>) -> Result<T> {
        self.store.check_space()?;
        let (value, view) = self.store.change(|tables| {
            let view = View::clone(&self.view.load());
            let before = view.next;
            let mut commit = Commit { state: self, tables: &mut *tables, view };
            let value = work(&mut commit)?;
            let Commit { view, .. } = commit;
            if view.next != before {
                tables.set_next(view.next)?;
            }
            Ok((value, view))
        })?;
        self.view.store(Arc::new(view));
        Ok(value)
    }

    /// Removes a document; whether it was there.
    pub(crate) fn remove(&self, id: &str) -> Result<bool> {
        let _lock = self.lock();
        if self.store.read()?.number(id)?.is_none() {
            return Ok(false);
        }
        self.store.change(|tables| {
            let Some((number, record)) = tables.find(id)? else { return Ok(false) };
            tables.remove(number, &record)?;
            Ok(true)
        })
    }
}

impl Commit<'_, '_> {
    /// Adds a document under the next number, with its paragraphs under theirs.
    fn insert(
        &mut self,
        mut record: Record,
        evidence: Option<EncodedEvidence>,
        keys: Option<&DocumentKeys>,
        mut row: Option<Row>,
    ) -> Result<()> {
        let next = &mut self.view.next;
        let number = u32::try_from(next.document).map_err(|_| IndexError::Exhausted)?;
        next.document += 1;
        if let Some(row) = &mut row {
            let first = u32::try_from(next.paragraph).map_err(|_| IndexError::Exhausted)?;
            let count = row.places.len() as u32;
            // The last paragraph needs a number too.
            first.checked_add(count).ok_or(IndexError::Exhausted)?;
            next.paragraph += u64::from(count);
            row.document = number;
            record.paragraphs = Some((first, count));
            for (paragraph, (_, fingerprint)) in (first..).zip(&row.places) {
                self.view.paragraphs.push(*fingerprint, paragraph);
            }
        }
        let evidence = evidence.map(|evidence| evidence.sealed(number));
        let fingerprint = keys.map(DocumentKeys::fingerprint);
        self.tables.insert(number, &record, evidence.as_deref(), fingerprint, row.as_ref())?;
        match &mut self.view.postings {
            Some(postings) => keys.into_iter().for_each(|keys| postings.push(number, &keys.stored)),
            None => self.view.documents.push(record.fingerprint, number),
        }
        Ok(())
    }
}
