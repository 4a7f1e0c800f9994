//! Changing an index: one writer at a time, many callers in one commit.
//!
//! A caller prepares its documents, puts them into the queue and then waits for the writer's lock. Whoever gets the lock
//! first commits everything that is queued, so the price of reaching the disk is shared; the others find their verdicts
//! ready.
//!
//! Matches are looked for before the lock is taken, on all cores; under the lock only documents that came since are.

mod add;
mod expiry;
mod import;
mod prepare;

pub(crate) use add::Queue;

use std::sync::Arc;

use crate::error::{IndexError, Result};
use crate::evidence;
use crate::state::State;
use crate::store::{Documents, Record, Row, Tables};
use crate::view::View;

/// A commit that is being made: the tables, and the view that readers get when it is done.
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
            let Some((number, record)) = document(tables, id)? else { return Ok(false) };
            tables.bury(number, &record)?;
            Ok(true)
        })
    }
}

impl Commit<'_, '_> {
    /// Adds a document under the next number, with its paragraphs under theirs.
    fn insert(&mut self, mut record: Record, evidence: Option<Vec<u8>>, mut row: Option<Row>) -> Result<()> {
        let next = &mut self.view.next;
        let number = u32::try_from(next.document).map_err(|_| IndexError::Exhausted)?;
        next.document += 1;
        if let Some(row) = &mut row {
            let first = u32::try_from(next.paragraph).map_err(|_| IndexError::Exhausted)?;
            let count = row.places.len() as u32;
            // The last of them needs a number, too.
            first.checked_add(count).ok_or(IndexError::Exhausted)?;
            next.paragraph += u64::from(count);
            row.document = number;
            record.paragraphs = Some((first, count));
            for (paragraph, (_, fingerprint)) in (first..).zip(&row.places) {
                self.view.paragraphs.push(*fingerprint, paragraph);
            }
        }
        let evidence = evidence.map(|bytes| evidence::sealed_for(number, bytes));
        self.tables.insert(number, &record, evidence.as_deref(), row.as_ref())?;
        self.view.documents.push(record.fingerprint, number);
        Ok(())
    }
}

/// The document of that id with its number.
fn document(documents: &impl Documents, id: &str) -> Result<Option<(u32, Record)>> {
    let Some(number) = documents.number(id)? else { return Ok(None) };
    let record = documents.record(number)?.ok_or_else(|| documents.damaged(number, "record"))?;
    if record.id != id {
        return Err(documents.damaged(number, "id"));
    }
    Ok(Some((number, record)))
}
