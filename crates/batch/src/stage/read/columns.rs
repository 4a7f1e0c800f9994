//! The columns of the reading stage.

use twindex_core::search::Width;

use super::{Digest, ReadState};
use crate::error::{BatchError, Result};
use crate::work::{ColumnWriter, Fact, FingerprintStore, Place, SKIPPED, TextStore, WorkFolder};

/// The columns that the stage appends to.
pub(super) struct Columns {
    rows: ColumnWriter,
    facts: ColumnWriter,
    fingerprints: FingerprintStore,
    ids: ColumnWriter,
    id_ends: ColumnWriter,
    places: ColumnWriter,
    texts: TextStore,
    skipped: ColumnWriter,
}

/// The number of reasons that are counted by name.
const MOST_REASONS: usize = 50;
const OTHER_REASONS: &str = "other records";

const END_BYTES: usize = size_of::<u64>();

impl Columns {
    /// Opens the columns and truncates them to the lengths in `state`.
    pub(super) fn open(work: &WorkFolder, state: &ReadState, width: Width) -> Result<Self> {
        let column = |name: &str, bytes: u64| ColumnWriter::open(&work.file(name), bytes);
        let documents = u64::from(state.documents);
        Ok(Columns {
            rows: column("rows", state.rows)?,
            facts: column("facts", documents * Fact::BYTES as u64)?,
            fingerprints: FingerprintStore::open(work, width, documents, state.fingerprint_bytes)?,
            ids: column("ids", state.id_bytes)?,
            id_ends: column("id-ends", documents * END_BYTES as u64)?,
            places: column("places", documents * Place::BYTES as u64)?,
            texts: TextStore::open(work, state.text_store.0, state.text_store.1)?,
            skipped: column(SKIPPED, state.skipped_bytes)?,
        })
    }

    pub(super) fn append(&mut self, digest: &Digest, state: &mut ReadState) -> Result<()> {
        let documents = digest.id_ends.len() as u32;
        // The largest number means "none".
        if u32::MAX - state.documents <= documents {
            return Err(BatchError::TooMany);
        }
        let id_base = self.ids.bytes();
        self.rows.append(&digest.rows)?;
        self.facts.append(&digest.facts)?;
        self.fingerprints.append(&digest.digests)?;
        self.ids.append(&digest.ids)?;
        for &end in &digest.id_ends {
            self.id_ends.append(&(id_base + end as u64).to_le_bytes())?;
        }
        self.places.append(&digest.places)?;
        self.texts.append(&digest.texts)?;
        for message in &digest.skipped {
            self.skipped.append(message.as_bytes())?;
            self.skipped.append(b"\n")?;
        }
        state.batches += 1;
        state.documents += documents;
        state.against += if digest.is_against { documents } else { 0 };
        state.skipped += digest.skipped.len() as u64;
        state.against_skipped += if digest.is_against { digest.skipped.len() as u64 } else { 0 };
        state.without_keep_field += digest.without_keep_field;
        state.null_texts += digest.null_texts;
        state.without_words += digest.without_words;
        if !digest.is_against {
            for (reason, count) in &digest.others {
                // Archives have a dozen kinds of records, and content types of any name.
                let is_known = state.others.contains_key(reason) || state.others.len() < MOST_REASONS;
                let reason = if is_known { reason } else { OTHER_REASONS };
                *state.others.entry(reason.to_owned()).or_default() += count;
            }
        }
        state.row_bytes += digest.row_bytes;
        state.rows += digest.rows.len() as u64;
        state.against_rows += if digest.is_against { digest.rows.len() as u64 } else { 0 };
        Ok(())
    }

    /// Flushes all columns, and records their lengths in `state`.
    pub(super) fn flush(&mut self, state: &mut ReadState) -> Result<()> {
        for column in [&mut self.rows, &mut self.facts, &mut self.id_ends, &mut self.places] {
            column.flush()?;
        }
        state.fingerprint_bytes = self.fingerprints.flush()?;
        state.id_bytes = self.ids.flush()?;
        state.text_store = self.texts.flush()?;
        state.skipped_bytes = self.skipped.flush()?;
        Ok(())
    }
}
