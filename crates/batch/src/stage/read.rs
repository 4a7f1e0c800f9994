//! Stage one: every document is read once.
//!
//! Worker threads parse rows, make fingerprints and compress texts; the columns grow in input order:
//!
//! ```text
//! rows          one byte a row: is it a document?
//! facts         one record a document, see Fact
//! fingerprints, fingerprint-ends   see FingerprintStore
//! ids, id-ends  the ids one after another, and where each ends (u64)
//! texts, text-places   see TextStore
//! skipped       a line for each bad row that was left out
//! ```
//!
//! A checkpoint now and then records how many batches are done and how long each column is.

use serde::{Deserialize, Serialize};
use twindex_core::group::{KeepKey, KeepValue};
use twindex_core::search::Method;
use twindex_core::{Pipeline, PipelineScratch, hash};
use twindex_corpus::{Batch, FieldValue, Reader, Row, Source};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{BatchError, Result};
use crate::held_rows::{self, HeldBatch, HeldRows};
use crate::job::{Job, Mode, OnError};
use crate::parallel;
use crate::progress::{Progress, Unit};
use crate::record::{Fact, row_status};
use crate::work::{
    ColumnWriter, FingerprintStore, PackedFingerprints, PackedTexts, TextPacker, TextStore, WorkFolder,
};

/// The size of a batch: large enough that threads seldom meet, small enough that many fit into memory. Part of what a
/// resumed job relies on, so it never depends on options.
pub(crate) const BATCH_BYTES: usize = 1 << 20;

/// How far the stage has come; at its end, what was read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ReadState {
    batches: u64,
    /// Documents so far.
    pub(crate) documents: u32,
    /// Of these, documents that can only be witnesses. They come first.
    pub(crate) against: u32,
    /// Rows that were left out.
    pub(crate) skipped: u64,
    /// Documents without the field that the keep policy reads.
    pub(crate) without_keep_field: u64,
    /// Bytes of rows.
    pub(crate) row_bytes: u64,
    rows: u64,
    /// Of these, rows of collections that can only be witnesses, bad ones included.
    pub(crate) against_rows: u64,
    fingerprint_bytes: u64,
    id_bytes: u64,
    text_store: (u64, u64),
    skipped_bytes: u64,
}

/// Reads `against` and then `inputs`, from where an earlier run stopped. The rows of `inputs` come with it if they are worth
/// holding and all were read just now.
pub(crate) fn run(
    job: &Job,
    against: &[Source],
    inputs: &[Source],
    pipeline: &Pipeline,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<(ReadState, Option<HeldRows>)> {
    let checkpoint: Option<ReadState> = work.checkpoint("read")?;
    if work.is_done("read") {
        let state = checkpoint
            .ok_or_else(|| BatchError::damaged(work.path(), "a finished stage left no checkpoint"))?;
        return Ok((state, None));
    }
    let mut state = checkpoint.unwrap_or_default();
    let total = against.iter().chain(inputs).map(|source| source.bytes).sum();
    progress.begin("read", total, Unit::Bytes);
    let mut columns = Columns::open(work, &state, pipeline.method())?;
    let mut input = Input::open(job, against, inputs, state.batches)?;
    let mut held = (state.batches == 0).then(HeldRows::default);
    let mut since_checkpoint = 0;
    parallel::ordered_with(
        job.threads,
        || input.next(),
        |buffers, numbered| digest(job, pipeline, buffers, numbered),
        |digest: Digest| {
            since_checkpoint += digest.row_bytes;
            columns.append(&digest, &mut state)?;
            progress.position(digest.input_position);
            match (digest.held, &mut held) {
                (Some(batch), Some(held)) => held.push(batch),
                _ if digest.is_against => {}
                _ => held = None,
            }
            if since_checkpoint >= job.pace.checkpoint_bytes {
                since_checkpoint = 0;
                columns.settle(&mut state, work)?;
                work.make_lasting()?;
                work.save_checkpoint("read", &state)?;
            }
            Ok(())
        },
    )?;
    columns.settle(&mut state, work)?;
    work.save_checkpoint("read", &state)?;
    work.mark_done("read")?;
    progress.end();
    Ok((state, held))
}

/// The batches of a job in their order, those of `against` first.
pub(super) struct Input {
    readers: Vec<(Reader, bool)>,
    bytes_before: u64,
    /// Bytes of rows that were given out.
    row_bytes: u64,
    /// So many of them have texts that stay plain.
    plain_bytes: u64,
    /// So many bytes of rows may still be held.
    room: u64,
}

impl Input {
    pub(super) fn open(job: &Job, against: &[Source], inputs: &[Source], skip: u64) -> Result<Self> {
        // Until its first checkpoint a job is brief, and its work folder small.
        let plain_bytes = job.pace.checkpoint_bytes;
        let room = HeldRows::room(job, inputs);
        let mut input = Input { readers: vec![], bytes_before: 0, row_bytes: 0, plain_bytes, room };
        // Taken from the back.
        input.readers.push((Reader::open(inputs, &job.read)?, false));
        if !against.is_empty() {
            input.readers.push((Reader::open(against, &job.read)?, true));
        }
        for _ in 0..skip {
            input.next()?;
        }
        Ok(input)
    }

    pub(super) fn next(&mut self) -> Result<Option<NumberedBatch>> {
        while let Some((reader, is_against)) = self.readers.last_mut() {
            if let Some(batch) = reader.next_batch(BATCH_BYTES)? {
                let position = reader.compressed_bytes_read();
                let bytes = batch.raw_bytes() as u64;
                let plain_texts = self.row_bytes < self.plain_bytes;
                self.row_bytes += bytes;
                let is_against = *is_against;
                let memory = held_rows::memory(&batch) as u64;
                let held_at = (!is_against && memory <= self.room).then_some(position);
                if !is_against {
                    // What is behind a batch that does not fit is of no use without it.
                    self.room = if held_at.is_some() { self.room - memory } else { 0 };
                }
                let input_position = self.bytes_before + position;
                return Ok(Some(NumberedBatch { batch, is_against, held_at, plain_texts, input_position }));
            }
            self.bytes_before += reader.compressed_bytes_read();
            self.readers.pop();
        }
        Ok(None)
    }
}

pub(super) struct NumberedBatch {
    pub(super) batch: Batch,
    is_against: bool,
    /// How far into the inputs the batch goes, if it is held.
    held_at: Option<u64>,
    plain_texts: bool,
    pub(super) input_position: u64,
}

/// What a worker makes of a batch.
#[derive(Default)]
struct Digest {
    is_against: bool,
    input_position: u64,
    row_bytes: u64,
    without_keep_field: u64,
    rows: Vec<u8>,
    facts: Vec<u8>,
    fingerprints: PackedFingerprints,
    ids: Vec<u8>,
    /// Where each id ends in `ids`.
    id_ends: Vec<usize>,
    texts: PackedTexts,
    skipped: Vec<String>,
    /// The rows themselves, if they are held.
    held: Option<HeldBatch>,
}

/// What a worker uses again for batch after batch: memory that is given back has to be cleared before it comes again.
#[derive(Default)]
struct Buffers {
    pipeline: PipelineScratch,
    packer: TextPacker,
}

fn digest(job: &Job, pipeline: &Pipeline, buffers: &mut Buffers, numbered: NumberedBatch) -> Result<Digest> {
    let NumberedBatch { batch, is_against, held_at, plain_texts, input_position } = numbered;
    let mut digest =
        Digest { is_against, input_position, row_bytes: batch.raw_bytes() as u64, ..Digest::default() };
    let mut rows = Vec::with_capacity(batch.len());
    for row in batch.parse(&job.read) {
        // A protected document is never weighed against others, so nothing is asked of its fields.
        let keep = |row: Row| Ok((if is_against { KeepKey(0) } else { keep_key(job, &row)? }, row));
        match row.map_err(BatchError::from).and_then(keep) {
            Ok(row) => {
                digest.rows.push(row_status::DOCUMENT);
                rows.push(row);
            }
            Err(error) if job.on_error == OnError::Skip => {
                digest.rows.push(row_status::LEFT_OUT);
                digest.skipped.push(error.of_row());
            }
            Err(error) => return Err(error),
        }
    }
    let mut has_features = Vec::with_capacity(rows.len());
    let texts = rows.iter().map(|(_, row)| (row.text.as_str(), row.markup));
    let mut fingerprints = vec![];
    pipeline.fingerprints(texts, &mut buffers.pipeline, &mut fingerprints, &mut has_features);
    digest.fingerprints = PackedFingerprints::new(pipeline.method(), fingerprints);

    let texts = rows.iter().map(|(_, row)| row.text.as_str());
    let packed = buffers.packer.pack(texts, plain_texts);
    digest.texts = packed.map_err(BatchError::work(std::path::Path::new("texts")))?;
    for ((keep, row), has_features) in rows.iter().zip(has_features) {
        let id = row.id_or_position();
        let fact = Fact {
            content: hash::content(row.text.as_bytes()),
            id: xxh3_64(id.as_bytes()),
            keep: *keep,
            markup: row.markup,
            has_features,
        };
        digest.without_keep_field += u64::from(fact.keep == KeepKey::LAST);
        digest.facts.extend(fact.encode());
        digest.ids.extend(id.as_bytes());
        digest.id_ends.push(digest.ids.len());
    }
    digest.held = held_at.map(|input_position| HeldBatch { batch, input_position });
    Ok(digest)
}

fn keep_key(job: &Job, row: &Row) -> Result<KeepKey> {
    let Mode::Dedup(policy) = &job.mode else { return Ok(KeepKey(0)) };
    let value = row.extra.first().and_then(Option::as_ref).map(|value| match value {
        FieldValue::Integer(value) => KeepValue::Integer(*value),
        FieldValue::Number(value) => KeepValue::Number(*value),
        FieldValue::Text(value) => KeepValue::Text(value),
    });
    let key = policy.key(row.text.len() as u64, value);
    key.map_err(|error| BatchError::Keep { position: row.position.clone(), error })
}

/// The columns that the stage appends to.
struct Columns {
    rows: ColumnWriter,
    facts: ColumnWriter,
    fingerprints: FingerprintStore,
    ids: ColumnWriter,
    id_ends: ColumnWriter,
    texts: TextStore,
    skipped: ColumnWriter,
}

impl Columns {
    fn open(work: &WorkFolder, state: &ReadState, method: &Method) -> Result<Self> {
        let column = |name: &str, bytes: u64| ColumnWriter::open(&work.file(name), bytes);
        let documents = u64::from(state.documents);
        Ok(Columns {
            rows: column("rows", state.rows)?,
            facts: column("facts", documents * Fact::BYTES as u64)?,
            fingerprints: FingerprintStore::open(work, method, documents, state.fingerprint_bytes)?,
            ids: column("ids", state.id_bytes)?,
            id_ends: column("id-ends", documents * 8)?,
            texts: TextStore::open(work, state.text_store.0, state.text_store.1)?,
            skipped: column("skipped", state.skipped_bytes)?,
        })
    }

    fn append(&mut self, digest: &Digest, state: &mut ReadState) -> Result<()> {
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
        for &end in &digest.id_ends {
            self.id_ends.append(&(id_base + end as u64).to_le_bytes())?;
        }
        self.texts.append(&digest.texts)?;
        for message in &digest.skipped {
            self.skipped.append(message.as_bytes())?;
            self.skipped.append(b"\n")?;
        }
        state.batches += 1;
        state.documents += documents;
        state.against += if digest.is_against { documents } else { 0 };
        state.skipped += digest.skipped.len() as u64;
        state.without_keep_field += digest.without_keep_field;
        state.row_bytes += digest.row_bytes;
        state.rows += digest.rows.len() as u64;
        state.against_rows += if digest.is_against { digest.rows.len() as u64 } else { 0 };
        Ok(())
    }

    fn settle(&mut self, state: &mut ReadState, work: &WorkFolder) -> Result<()> {
        self.rows.settle(work)?;
        self.facts.settle(work)?;
        state.fingerprint_bytes = self.fingerprints.settle(work)?;
        state.id_bytes = self.ids.settle(work)?;
        self.id_ends.settle(work)?;
        state.text_store = self.texts.settle(work)?;
        state.skipped_bytes = self.skipped.settle(work)?;
        Ok(())
    }
}
