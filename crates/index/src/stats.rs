//! The figures of an index.

use std::sync::atomic::Ordering::Relaxed;

use serde::Serialize;

use crate::error::{IndexError, Result};
use crate::postings::PostingSet;
use crate::settings::Search;
use crate::state::State;

/// The figures of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// Documents, expired ones that were not yet removed included.
    pub documents: u64,
    /// Removed documents that segments may still hold: tombstones.
    pub removed: u64,
    /// Documents that are searched: fingerprints in memory, or documents with keys.
    pub fingerprints: u64,
    /// Fingerprints of paragraphs in memory.
    pub paragraphs: u64,
    /// Of those, documents that are not in a segment yet.
    pub buffered: u64,
    /// Sealed segments of documents.
    pub segments: u64,
    /// How fingerprints are searched.
    pub search: Search,
    /// The share of what the recipe's search proposes that this index is expected to propose.
    pub share_of_candidates: f64,
    /// Bytes of memory that fingerprints and keys take.
    pub memory_bytes: u64,
    /// Bytes of the files.
    pub disk_bytes: u64,
    /// Merges of segments since the index was opened.
    pub merges: u64,
    /// Fingerprints that those merges wrote.
    pub merged_fingerprints: u64,
    /// Expired documents that were removed since the index was opened.
    pub expired: u64,
    /// Why segments could not be sealed, merged or saved lately.
    pub maintenance_failure: Option<String>,
}

impl State {
    pub(crate) fn stats(&self) -> Result<Stats> {
        let view = self.view.load();
        let postings = |figure: fn(&PostingSet) -> usize| view.postings.as_ref().map_or(0, figure);
        let reader = self.store.read()?;
        let store = self.store.path();
        let store_bytes = std::fs::metadata(store).map_err(IndexError::io(store))?.len();
        Ok(Stats {
            documents: reader.len()?,
            removed: reader.tombstone_count()?,
            fingerprints: (view.documents.len() + postings(PostingSet::len)) as u64,
            paragraphs: view.paragraphs.len() as u64,
            buffered: (view.documents.buffered() + postings(PostingSet::buffered)) as u64,
            segments: (view.documents.sealed().len() + postings(|set| set.sealed().len())) as u64,
            search: self.search,
            share_of_candidates: self.search.share_of_candidates(),
            memory_bytes: (view.documents.bytes() + postings(PostingSet::bytes) + view.paragraphs.bytes())
                as u64,
            disk_bytes: store_bytes + self.files.bytes()?,
            merges: self.totals.merges.load(Relaxed),
            merged_fingerprints: self.totals.merged_fingerprints.load(Relaxed),
            expired: self.totals.expired.load(Relaxed),
            maintenance_failure: None,
        })
    }
}
