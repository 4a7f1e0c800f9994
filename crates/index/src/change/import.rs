//! Importing fingerprints that were made elsewhere.
//!
//! A large batch is sorted by id, because filling a table in the order of its keys is several times
//! faster.

use crate::document::{Imported, validate_id};
use crate::error::{IndexError, Result};
use crate::state::State;
use crate::store::{Documents, Record};

/// The fewest documents of a commit: with more of them, more ids share a written page. They take
/// some 300 MB of memory.
const LEAST_BATCH: usize = 4_000_000;

/// A commit has at least this part of the documents in the index: ids are random, so a commit
/// rewrites nearly every page of the table of ids, and commits that grow with the index keep the
/// cost linear.
const PART_OF_INDEX: usize = 2;

impl State {
    /// Adds fingerprints; how many. An id that is there is replaced; of equal ids the last counts.
    pub(crate) fn import(&self, documents: impl IntoIterator<Item = Imported>) -> Result<u64> {
        if self.settings.is_keyed() {
            return Err(IndexError::InvalidSettings(
                "a simhash was to be imported, and the recipe of this index finds documents by other keys; \
                 make an index with --recipe simhash for it",
            ));
        }
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
        // A stable sort: of equal ids the last one stays last.
        batch.sort_by(|a, b| a.id.cmp(&b.id));
        let _lock = self.lock();
        self.commit(|commit| {
            let mut batch = batch.into_iter().peekable();
            while let Some(Imported { id, fingerprint, expires }) = batch.next() {
                if batch.peek().is_some_and(|next| next.id == id) {
                    continue;
                }
                if let Some((number, before)) = commit.tables.find(&id)? {
                    commit.tables.remove(number, &before)?;
                }
                let (has_words, html) = (true, false);
                let record =
                    Record { id, fingerprint, has_words, html, expires, content: None, paragraphs: None };
                commit.insert(record, None, None, None)?;
            }
            Ok(())
        })
    }
}
