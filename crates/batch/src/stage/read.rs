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
//! A checkpoint now and then records how many batches are done and how long each column is. A job that is too brief for one keeps its
//! columns in memory, but for texts, skipped rows and the bytes of rows: it would write them only to read them again. [`Read::settle`]
//! makes files of them.

mod columns;

use serde::{Deserialize, Serialize};
use twindex_core::group::{KeepKey, KeepValue};
use twindex_core::{Pipeline, PipelineScratch, hash};
use twindex_corpus::{Batch, Compression, FieldValue, Reader, Row, Source};
use xxhash_rust::xxh3::xxh3_64;

use crate::documents::{Documents, HELD_PART};
use crate::error::{BatchError, Result};
use crate::held_rows::{self, HeldBatch, HeldRows};
use crate::job::{Job, Mode, OnError};
use crate::parallel;
use crate::plan::working_memory;
use crate::progress::{Progress, Unit};
use crate::record::{Fact, row_status};
use crate::work::{PackedFingerprints, PackedTexts, TextPacker, WorkFolder, with_room};
use columns::Columns;

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

/// What the stage leaves.
pub(crate) struct Read {
    pub(crate) state: ReadState,
    pub(crate) documents: Documents,
    /// The rows of the inputs, if they are worth holding and all were read just now.
    pub(crate) held: Option<HeldRows>,
}

impl Read {
    /// Makes sure that a killed job need not read again.
    pub(crate) fn settle(&self, work: &WorkFolder) -> Result<()> {
        if work.is_done("read") {
            return Ok(());
        }
        self.documents.settle(work)?;
        finish(&self.state, work)
    }
}

/// Reads `against` and then `inputs`, from where an earlier run stopped.
pub(crate) fn run(
    job: &Job,
    against: &[Source],
    inputs: &[Source],
    pipeline: &Pipeline,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<Read> {
    let checkpoint: Option<ReadState> = work.checkpoint("read")?;
    if work.is_done("read") {
        let state = checkpoint
            .ok_or_else(|| BatchError::damaged(work.path(), "a finished stage left no checkpoint"))?;
        return Ok(Read { state, documents: Documents::open(work, pipeline.method())?, held: None });
    }
    let mut state = checkpoint.unwrap_or_default();
    let total = against.iter().chain(inputs).map(|source| source.bytes).sum();
    progress.begin("read", total, Unit::Bytes);
    let expected = against.iter().chain(inputs).map(unpacked_bytes).sum::<u64>();
    let mut columns = if state.batches == 0 && expected < job.pace.checkpoint_bytes {
        let room = working_memory(job, pipeline.method(), 0)? / HELD_PART;
        Columns::in_memory(work, pipeline.method(), expected as usize, room as u64)?
    } else {
        Columns::open(work, &state, pipeline.method())?
    };
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
            if columns.are_too_large() {
                columns.settle(&mut state, work)?;
            }
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
    if columns.are_files() {
        columns.settle(&mut state, work)?;
        finish(&state, work)?;
    }
    progress.end();
    let documents = columns.finish(&mut state, pipeline.method(), work)?;
    Ok(Read { state, documents, held })
}

fn finish(state: &ReadState, work: &WorkFolder) -> Result<()> {
    work.save_checkpoint("read", state)?;
    work.mark_done("read")
}

/// About how many bytes a file unpacks to.
fn unpacked_bytes(source: &Source) -> u64 {
    /// Text unpacks to three to six times its size.
    const UNPACKED: u64 = 4;
    if source.compression == Compression::None { source.bytes } else { source.bytes * UNPACKED }
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
    /// Bytes of the fingerprints and of the ids of the batch before: about as many come again, and growing to them would touch twice as
    /// much memory.
    expected: (usize, usize),
}

fn digest(job: &Job, pipeline: &Pipeline, buffers: &mut Buffers, numbered: NumberedBatch) -> Result<Digest> {
    let NumberedBatch { batch, is_against, held_at, plain_texts, input_position } = numbered;
    let (expected_fingerprints, expected_ids) = buffers.expected;
    let mut digest = Digest {
        is_against,
        input_position,
        row_bytes: batch.raw_bytes() as u64,
        rows: Vec::with_capacity(batch.len()),
        facts: Vec::with_capacity(batch.len() * Fact::BYTES),
        ids: Vec::with_capacity(with_room(expected_ids)),
        id_ends: Vec::with_capacity(batch.len()),
        ..Digest::default()
    };
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
    let mut fingerprints = Vec::with_capacity(with_room(expected_fingerprints));
    pipeline.fingerprints(texts, &mut buffers.pipeline, &mut fingerprints, &mut has_features);
    buffers.expected.0 = fingerprints.len();
    digest.fingerprints = PackedFingerprints::new(pipeline.method(), fingerprints, rows.len());

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
    buffers.expected.1 = digest.ids.len();
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
