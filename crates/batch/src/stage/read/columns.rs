//! The columns that the stage appends to, in memory or in files.

use twindex_core::search::Method;

use super::{Digest, ReadState};
use crate::documents::Documents;
use crate::error::{BatchError, Result};
use crate::place::Place;
use crate::record::Fact;
use crate::skipped;
use crate::work::{ColumnWriter, FingerprintStore, RowSources, TextStore, WorkFolder};

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
    /// So many bytes may be in memory; none if the columns are files.
    room: u64,
}

/// A row has more bytes, nearly always: room is made for as many documents, and used only as far as they come.
const LEAST_ROW_BYTES: usize = 64;

const END_BYTES: usize = size_of::<u64>();

impl Columns {
    /// New columns in memory, for inputs of about `expected` bytes, while they take no more than `room`.
    pub(super) fn in_memory(work: &WorkFolder, method: &Method, expected: usize, room: u64) -> Result<Self> {
        let column = |name: &str, bytes: usize| ColumnWriter::in_memory(&work.file(name), bytes);
        let file = |name: &str| ColumnWriter::open(&work.file(name), 0);
        let expected = expected.min(room as usize);
        let documents = expected / LEAST_ROW_BYTES;
        Ok(Columns {
            rows: file("rows")?,
            facts: column("facts", documents * Fact::BYTES),
            fingerprints: FingerprintStore::in_memory(work, method, expected, documents),
            ids: column("ids", expected),
            id_ends: column("id-ends", documents * END_BYTES),
            places: column("places", documents * Place::BYTES),
            texts: TextStore::in_memory(work, documents)?,
            skipped: file(skipped::NAME)?,
            room,
        })
    }

    /// Whether they are files: from the start, or since they were settled.
    pub(super) fn are_files(&self) -> bool {
        self.room == 0
    }

    /// Whether they take more memory than they may.
    pub(super) fn are_too_large(&self) -> bool {
        let columns = [&self.facts, &self.ids, &self.id_ends, &self.places];
        let bytes: u64 = columns.into_iter().map(ColumnWriter::bytes).sum();
        let (fingerprints, ends) = self.fingerprints.bytes();
        !self.are_files() && bytes + fingerprints + ends + self.texts.bytes().1 > self.room
    }

    /// The columns as they are, to be read; `state` then says how long they are.
    pub(super) fn finish(
        mut self,
        state: &mut ReadState,
        method: &Method,
        rows: RowSources,
        work: &WorkFolder,
    ) -> Result<Documents> {
        self.rows.settle(work)?;
        state.skipped_bytes = self.skipped.settle(work)?;
        state.fingerprint_bytes = self.fingerprints.bytes().0;
        state.id_bytes = self.ids.bytes();
        state.text_store = self.texts.bytes();
        Ok(Documents::of(
            self.facts.finish()?,
            self.fingerprints.finish(method)?,
            [self.ids.finish()?, self.id_ends.finish()?, self.places.finish()?],
            self.texts.finish(rows)?,
        ))
    }

    pub(super) fn open(work: &WorkFolder, state: &ReadState, method: &Method) -> Result<Self> {
        let column = |name: &str, bytes: u64| ColumnWriter::open(&work.file(name), bytes);
        let documents = u64::from(state.documents);
        Ok(Columns {
            rows: column("rows", state.rows)?,
            facts: column("facts", documents * Fact::BYTES as u64)?,
            fingerprints: FingerprintStore::open(work, method, documents, state.fingerprint_bytes)?,
            ids: column("ids", state.id_bytes)?,
            id_ends: column("id-ends", documents * END_BYTES as u64)?,
            places: column("places", documents * Place::BYTES as u64)?,
            texts: TextStore::open(work, state.text_store.0, state.text_store.1)?,
            skipped: column(skipped::NAME, state.skipped_bytes)?,
            room: 0,
        })
    }

    pub(super) fn append(&mut self, digest: &Digest, state: &mut ReadState) -> Result<()> {
        let documents = digest.id_ends.len() as u32;
        // One number is taken: it stands for "none".
        if u32::MAX - state.documents <= documents {
            return Err(BatchError::TooMany);
        }
        let id_base = self.ids.bytes();
        self.rows.append(&digest.rows)?;
        self.facts.append(&digest.facts)?;
        self.fingerprints.append(&digest.fingerprints)?;
        self.ids.append(&digest.ids)?;
        self.id_ends.append_all(digest.id_ends.iter().map(|&end| (id_base + end as u64).to_le_bytes()))?;
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
        state.row_bytes += digest.row_bytes;
        state.rows += digest.rows.len() as u64;
        state.against_rows += if digest.is_against { digest.rows.len() as u64 } else { 0 };
        Ok(())
    }

    pub(super) fn settle(&mut self, state: &mut ReadState, work: &WorkFolder) -> Result<()> {
        self.rows.settle(work)?;
        self.facts.settle(work)?;
        state.fingerprint_bytes = self.fingerprints.settle(work)?;
        state.id_bytes = self.ids.settle(work)?;
        self.id_ends.settle(work)?;
        self.places.settle(work)?;
        state.text_store = self.texts.settle(work)?;
        state.skipped_bytes = self.skipped.settle(work)?;
        self.room = 0;
        Ok(())
    }
}
