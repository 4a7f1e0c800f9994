//! Taking in fingerprints that were made elsewhere.
//!
//! A large batch is written in the order of its ids, because a table that is filled in order is filled several times
//! faster.

use super::document;
use crate::document::{Imported, validate_id};
use crate::error::{IndexError, Result};
use crate::state::State;
use crate::store::Record;

/// Imports are committed in pieces: the more, the more ids share a page that is written. Some 300 MB of memory.
const LEAST_BATCH: usize = 4_000_000;

/// Ids are random, so a piece writes nearly every page of the table of ids again. Pieces that grow with the index keep that
/// in proportion to what is added.
const PART_OF_INDEX: usize = 2;

impl State {
    /// Adds fingerprints; how many. An id that is there is replaced; of equal ids the last counts.
    pub(crate) fn import(&self, documents: impl IntoIterator<Item = Imported>) -> Result<u64> {
        let mut documents = documents.into_iter();
        let mut imported = 0u64;
        loop {
            let size = LEAST_BATCH.max(self.view.load().documents.len() / PART_OF_INDEX);
            let batch: Vec<Imported> = documents.by_ref().take(size).collect();
            if batch.is_empty() {
                return Ok(imported);
            }
            for (position, document) in (imported..).zip(&batch) {
                let position = usize::try_from(position).unwrap_or(usize::MAX);
                validate_id(&document.id)
                    .map_err(|reason| IndexError::InvalidDocument { position, reason })?;
            }
            imported += batch.len() as u64;
            self.import_batch(batch)?;
        }
    }

    fn import_batch(&self, mut batch: Vec<Imported>) -> Result<()> {
        // Stable: of equal ids the last one stays the last.
        batch.sort_by(|a, b| a.id.cmp(&b.id));
        let _lock = self.lock();
        self.commit(|commit| {
            let mut batch = batch.into_iter().peekable();
            while let Some(Imported { id, fingerprint, expires }) = batch.next() {
                if batch.peek().is_some_and(|next| next.id == id) {
                    continue;
                }
                if let Some((number, before)) = document(&*commit.tables, &id)? {
                    commit.tables.bury(number, &before)?;
                }
                let (has_words, html) = (true, false);
                let record =
                    Record { id, fingerprint, has_words, html, expires, content: None, paragraphs: None };
                commit.insert(record, None, None)?;
            }
            Ok(())
        })
    }
}
