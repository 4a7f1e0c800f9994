//! Stage one: every document is read once.
//!
//! Worker threads parse rows, make fingerprints and note where texts are; the columns grow in input order:
//!
//! ```text
//! rows          one byte a row: is it a document?
//! facts         one record a document, see Fact
//! fingerprints, fingerprint-ends   see FingerprintStore
//! ids, id-ends  the ids one after another, and where each ends (u64)
//! places        where each row stands, see Place
//! texts, text-places   see TextStore
//! unpacked-N    what a brief job unpacks of the source N
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
use twindex_corpus::{Batch, FieldValue, Reader, Row, Source};
use xxhash_rust::xxh3::xxh3_64;

use crate::documents::{Documents, HELD_PART};
use crate::error::{BatchError, Result};
use crate::job::{Job, Mode, OnError};
use crate::parallel;
use crate::place::Place;
use crate::plan::working_memory;
use crate::progress::{Progress, Unit};
use crate::record::{Fact, row_status};
use crate::skipped;
use crate::sources;
use crate::work::unpacked::{self, Unpacking};
use crate::work::{
    PackedFingerprints, PackedTexts, RowSources, TextPacker, WorkFolder, stay_in_place, with_room,
};
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
    /// Of these, rows of collections that can only be witnesses.
    pub(crate) against_skipped: u64,
    /// Documents without the field that the keep policy reads.
    pub(crate) without_keep_field: u64,
    /// Documents of the inputs whose text is null.
    pub(crate) null_texts: u64,
    /// Documents of the inputs that have a text, and no words in it.
    pub(crate) without_words: u64,
    /// Bytes of rows.
    pub(crate) row_bytes: u64,
    /// Rows, bad ones included.
    pub(crate) rows: u64,
    /// Of these, rows of collections that can only be witnesses, bad ones included.
    pub(crate) against_rows: u64,
    fingerprint_bytes: u64,
    id_bytes: u64,
    text_store: (u64, u64),
    skipped_bytes: u64,
    /// The numbers of the sources of which there is an unpacked copy.
    pub(crate) unpacked: Vec<u32>,
}

/// What the stage leaves.
pub(crate) struct Read {
    pub(crate) state: ReadState,
    pub(crate) documents: Documents,
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
    let rows = || RowSources::new(against.iter().chain(inputs), &job.read, work);
    let checkpoint: Option<ReadState> = work.checkpoint("read")?;
    if work.is_done("read") {
        let state = checkpoint
            .ok_or_else(|| BatchError::damaged(work.path(), "a finished stage left no checkpoint"))?;
        let documents = Documents::open(work, pipeline.method(), rows())?;
        return Ok(Read { state, documents });
    }
    let mut state = checkpoint.unwrap_or_default();
    let total = against.iter().chain(inputs).map(|source| source.bytes).sum();
    let sources = (against.len() + inputs.len()) as u32;
    progress.begin("read", total, Unit::Bytes);
    let expected = against.iter().chain(inputs).map(sources::unpacked_bytes).sum::<u64>();
    let is_brief = state.batches == 0 && expected < job.pace.checkpoint_bytes;
    let mut columns = if is_brief {
        let room = working_memory(job, pipeline.method(), 0)? / HELD_PART;
        Columns::in_memory(work, pipeline.method(), expected as usize, room as u64)?
    } else {
        Columns::open(work, &state, pipeline.method())?
    };
    let mut input = Input::open(job, against, inputs, state.batches)?;
    if is_brief {
        input.unpack_into(work, job.pace.checkpoint_bytes);
    }
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
            if since_checkpoint >= job.pace.checkpoint_bytes {
                since_checkpoint = 0;
                columns.settle(&mut state, work)?;
                work.make_lasting()?;
                if is_brief {
                    // Not as brief as it seemed: places in copies are saved, so the copies must last.
                    unpacked::settle(work, sources)?;
                }
                work.save_checkpoint("read", &state)?;
            }
            Ok(())
        },
    )?;
    state.unpacked = input.finish()?;
    if columns.are_files() {
        columns.settle(&mut state, work)?;
        finish(&state, work)?;
    }
    progress.end();
    let documents = columns.finish(&mut state, pipeline.method(), rows(), work)?;
    Ok(Read { state, documents })
}

fn finish(state: &ReadState, work: &WorkFolder) -> Result<()> {
    work.save_checkpoint("read", state)?;
    work.mark_done("read")
}

/// The batches of a job in their order, those of `against` first.
pub(super) struct Input<'a> {
    readers: Vec<(Reader, bool)>,
    bytes_before: u64,
    /// Bytes of rows that were given out.
    row_bytes: u64,
    /// So many of them have texts that stay plain, if they are copied.
    plain_bytes: u64,
    /// What is known of the source of the last batch.
    current: Option<Current>,
    /// All sources, in their order.
    sources: Vec<&'a Source>,
    /// Of these, rows of `against`.
    against: usize,
    /// Whether the rows of the inputs are read again as a whole.
    wants_rows: bool,
    unpacking: Option<Unpacking<'a>>,
}

impl<'a> Input<'a> {
    pub(super) fn open(job: &Job, against: &'a [Source], inputs: &'a [Source], skip: u64) -> Result<Self> {
        let mut input = Input {
            readers: vec![],
            bytes_before: 0,
            row_bytes: 0,
            // Until its first checkpoint a job is brief, and its work folder small.
            plain_bytes: job.pace.checkpoint_bytes,
            sources: against.iter().chain(inputs).collect(),
            against: against.len(),
            current: None,
            wants_rows: job.outputs.want_rows(),
            unpacking: None,
        };
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

    /// From now on what is unpacked is written down, up to so many bytes.
    fn unpack_into(&mut self, work: &'a WorkFolder, room: u64) {
        self.unpacking = Some(Unpacking::new(work, room));
    }

    pub(super) fn next(&mut self) -> Result<Option<NumberedBatch>> {
        while let Some((reader, is_against)) = self.readers.last_mut() {
            if let Some(batch) = reader.next_batch(BATCH_BYTES)? {
                let (is_against, position) = (*is_against, reader.compressed_bytes_read());
                let source = self.current(batch.source(), is_against);
                let texts = self.texts_of(&batch, source, is_against)?;
                self.row_bytes += batch.raw_bytes() as u64;
                let input_position = self.bytes_before + position;
                let source = source.number;
                return Ok(Some(NumberedBatch { batch, is_against, source, texts, input_position }));
            }
            self.bytes_before += reader.compressed_bytes_read();
            self.readers.pop();
        }
        Ok(None)
    }

    /// What becomes of the texts of a batch.
    fn texts_of(&mut self, batch: &Batch, source: Current, is_against: bool) -> Result<TextsOf> {
        let Current { number, stays_in_place } = source;
        let stands_alone = batch.source().format.rows_stand_alone();
        let is_copied = match &mut self.unpacking {
            Some(unpacking) if stands_alone || self.wants_rows && !is_against => {
                unpacking.append(number, batch)?
            }
            _ => false,
        };
        Ok(if stays_in_place || is_copied && stands_alone {
            TextsOf::InRows { source: number }
        } else {
            TextsOf::Copied { plain: self.row_bytes < self.plain_bytes }
        })
    }

    /// Which source this is. They come in their order, so it is the last one or behind it; a file of `against` may be an input, too.
    fn current(&mut self, source: &Source, is_against: bool) -> Current {
        let first = if is_against { 0 } else { self.against };
        let from = self.current.map_or(first, |current| first.max(current.number as usize));
        let ahead = self.sources[from..].iter().position(|&ahead| ahead == source).unwrap_or(0);
        let number = (from + ahead) as u32;
        if let Some(current) = self.current.filter(|current| current.number == number) {
            return current;
        }
        *self.current.insert(Current { number, stays_in_place: stay_in_place(source) })
    }

    /// Everything was read: the numbers of the sources of which there is an unpacked copy.
    fn finish(self) -> Result<Vec<u32>> {
        self.unpacking.map_or(Ok(vec![]), Unpacking::finish)
    }
}

/// A source that is being read.
#[derive(Clone, Copy)]
struct Current {
    number: u32,
    /// Whether its rows are read again where they are.
    stays_in_place: bool,
}

/// What becomes of the texts of a batch.
#[derive(Clone, Copy)]
enum TextsOf {
    /// They are read again by the places of their rows in the source of that number.
    InRows { source: u32 },
    /// They are copied, compressed or not.
    Copied { plain: bool },
}

pub(super) struct NumberedBatch {
    pub(super) batch: Batch,
    is_against: bool,
    /// The number of the source of the first row.
    source: u32,
    texts: TextsOf,
    pub(super) input_position: u64,
}

/// What a worker makes of a batch.
#[derive(Default)]
struct Digest {
    is_against: bool,
    input_position: u64,
    row_bytes: u64,
    without_keep_field: u64,
    null_texts: u64,
    without_words: u64,
    rows: Vec<u8>,
    facts: Vec<u8>,
    fingerprints: PackedFingerprints,
    ids: Vec<u8>,
    /// Where each id ends in `ids`.
    id_ends: Vec<usize>,
    places: Vec<u8>,
    texts: PackedTexts,
    skipped: Vec<String>,
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
    let NumberedBatch { batch, is_against, source, texts, input_position } = numbered;
    let (expected_fingerprints, expected_ids) = buffers.expected;
    let mut digest = Digest {
        is_against,
        input_position,
        row_bytes: batch.raw_bytes() as u64,
        rows: Vec::with_capacity(batch.len()),
        facts: Vec::with_capacity(batch.len() * Fact::BYTES),
        ids: Vec::with_capacity(with_room(expected_ids)),
        id_ends: Vec::with_capacity(batch.len()),
        places: Vec::with_capacity(batch.len() * Place::BYTES),
        ..Digest::default()
    };
    let mut rows = Vec::with_capacity(batch.len());
    for (number, row) in batch.parse(&job.read).into_iter().enumerate() {
        let row = row.map_err(BatchError::from);
        match row.and_then(|row| Ok((keep_key(job, &row, is_against)?, row))) {
            Ok(row) => {
                digest.rows.push(row_status::DOCUMENT);
                digest.places.extend(Place::of_row(source, number, &row.1.position)?.encode());
                rows.push(row);
            }
            Err(error) if job.on_error == OnError::Skip => {
                digest.rows.push(row_status::LEFT_OUT);
                digest.skipped.push(skipped::line(error.of_row()));
            }
            Err(error) => return Err(error),
        }
    }
    let mut has_features = Vec::with_capacity(rows.len());
    let documents = rows.iter().map(|(_, row)| (row.text.as_ref(), row.markup));
    let mut fingerprints = Vec::with_capacity(with_room(expected_fingerprints));
    pipeline.fingerprints(documents, &mut buffers.pipeline, &mut fingerprints, &mut has_features);
    buffers.expected.0 = fingerprints.len();
    digest.fingerprints = PackedFingerprints::new(pipeline.method(), fingerprints, rows.len());

    digest.texts = match texts {
        TextsOf::InRows { source } => {
            let documents =
                digest.rows.iter().enumerate().filter(|(_, status)| **status == row_status::DOCUMENT);
            PackedTexts::in_rows(source, documents.filter_map(|(row, _)| batch.place(row)))
        }
        TextsOf::Copied { plain } => {
            let texts = rows.iter().map(|(_, row)| row.text.as_ref());
            let packed = buffers.packer.pack(texts, plain);
            packed.map_err(BatchError::work(std::path::Path::new("texts")))?
        }
    };
    for ((keep, row), has_features) in rows.iter().zip(has_features) {
        let id = row.id_or_position();
        let fact = Fact {
            content: hash::content(row.text.as_bytes()),
            id: xxh3_64(id.as_bytes()),
            keep: *keep,
            markup: row.markup,
            has_features,
            is_null: row.is_null,
        };
        digest.null_texts += u64::from(row.is_null && !is_against);
        digest.without_words += u64::from(!has_features && !row.is_null && !is_against);
        digest.without_keep_field += u64::from(fact.keep == KeepKey::LAST);
        digest.facts.extend(fact.encode());
        digest.ids.extend(id.as_bytes());
        digest.id_ends.push(digest.ids.len());
    }
    buffers.expected.1 = digest.ids.len();
    Ok(digest)
}

fn keep_key(job: &Job, row: &Row, is_against: bool) -> Result<KeepKey> {
    // A protected document is never weighed against others, nor is one without a text: nothing is asked of their fields.
    if is_against || row.is_null {
        return Ok(KeepKey(0));
    }
    let Mode::Dedup(policy) = &job.mode else { return Ok(KeepKey(0)) };
    let value = row.extra.first().and_then(Option::as_ref).map(|value| match value {
        FieldValue::Integer(value) => KeepValue::Integer(*value),
        FieldValue::Number(value) => KeepValue::Number(*value),
        FieldValue::Text(value) => KeepValue::Text(value),
    });
    let key = policy.key(row.text.len() as u64, value);
    key.map_err(|error| BatchError::Keep { position: row.position.clone(), error })
}
