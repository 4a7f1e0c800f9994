//! Stage one: every document is read once.
//!
//! Worker threads parse rows, make fingerprints and note where texts are; the columns grow in input
//! order:
//!
//! ```text
//! rows          one byte a row: is it a document?
//! facts         one record a document, see Fact
//! fingerprints, fingerprint-ends   see FingerprintStore
//! ids, id-ends  the ids one after another, and where each ends (u64)
//! places        where each row stands, see Place
//! texts, text-places   see TextStore
//! unpacked-N    what a small job unpacks of the source N
//! skipped       a line for each bad row that was left out
//! ```
//!
//! A checkpoint every 256 MB of rows records how many batches are done and how long each column is.

mod columns;

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use twindex_core::group::{KeepKey, KeepValue};
use twindex_core::{Digests, Engine, EngineScratch};
use twindex_corpus::{Batch, FieldValue, ReadOptions, Reader, Row, Source, TextBuffer};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{BatchError, Result};
use crate::job::{BATCH_BYTES, Job, Mode, OnError};
use crate::memory::{check_words, within_memory};
use crate::parallel;
use crate::progress::{Progress, Unit};
use crate::sources;
use crate::work::unpacked::Unpacking;
use crate::work::{
    Documents, Fact, PackedTexts, Place, RowSources, TextPacker, WorkFolder, row_status, stay_in_place,
    with_room,
};
use columns::Columns;

/// How far the stage has come; at its end, what was read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ReadState {
    batches: u64,
    /// The stamp of the engine that made the fingerprints.
    stamp: u64,
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
    /// What the inputs hold besides documents, by reason.
    pub(crate) others: BTreeMap<String, u64>,
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
    /// The numbers of the sources that have an unpacked copy.
    pub(crate) unpacked: Vec<u32>,
}

/// What the stage leaves.
pub(crate) struct Read {
    pub(crate) state: ReadState,
    pub(crate) documents: Documents,
}

/// Reads `against` and then `inputs`, from where an earlier run stopped.
pub(crate) fn run(
    job: &Job,
    against: &[Source],
    inputs: &[Source],
    engine: &Engine,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<Read> {
    let rows = || RowSources::new(against.iter().chain(inputs), &job.read, work);
    let stamp = engine.stamp();
    let new = || ReadState { stamp: stamp.get(), ..ReadState::default() };
    let mut state: ReadState = work.recorded("read")?.unwrap_or_else(new);
    stamp.check(state.stamp).map_err(|error| BatchError::damaged(&job.work, error.to_string()))?;
    if work.is_finished("read") {
        return Ok(Read { state, documents: Documents::open(work, engine.width(), rows())? });
    }
    let total = against.iter().chain(inputs).map(|source| source.bytes).sum();
    progress.begin("read", total, Unit::Bytes);
    let mut columns = Columns::open(work, &state, engine.width())?;
    let mut input = Input::open(job, against, inputs, state.batches)?;
    let expected = against.iter().chain(inputs).map(sources::unpacked_bytes).sum::<u64>();
    if state.batches == 0 && expected < job.pace.checkpoint_bytes {
        input.unpack_into(work, job.pace.checkpoint_bytes);
    }
    let mut since_checkpoint = 0;
    let read = within_memory(job);
    parallel::ordered_with(
        job.threads,
        || input.next(),
        |buffers, numbered| digest(job, &read, engine, buffers, numbered),
        |digest: Digest| {
            since_checkpoint += digest.row_bytes;
            columns.append(&digest, &mut state)?;
            progress.position(digest.input_position);
            if since_checkpoint >= job.pace.checkpoint_bytes {
                since_checkpoint = 0;
                columns.flush(&mut state)?;
                work.record("read", &state)?;
                work.checkpoint()?;
            }
            Ok(())
        },
    )?;
    state.unpacked = input.finish();
    columns.flush(&mut state)?;
    drop(columns);
    work.finish("read", &state)?;
    progress.end();
    Ok(Read { state, documents: Documents::open(work, engine.width(), rows())? })
}

/// The batches of a job in their order, those of `against` first.
pub(super) struct Input<'a> {
    readers: Vec<(Reader, bool)>,
    bytes_before: u64,
    /// Bytes of rows that were given out.
    row_bytes: u64,
    /// Copied texts are compressed only after this many bytes of rows.
    plain_bytes: u64,
    /// The source of the last batch.
    current: Option<Current>,
    /// All sources, in their order.
    sources: Vec<&'a Source>,
    /// How many of these are of `against`.
    against: usize,
    /// Whether all rows of the inputs are read again.
    wants_rows: bool,
    unpacking: Option<Unpacking<'a>>,
    large: Arc<LargeRows>,
}

impl<'a> Input<'a> {
    pub(super) fn open(job: &Job, against: &'a [Source], inputs: &'a [Source], skip: u64) -> Result<Self> {
        let mut input = Input {
            readers: vec![],
            bytes_before: 0,
            row_bytes: 0,
            // Until its first checkpoint a job is small, and so is its work folder.
            plain_bytes: job.pace.checkpoint_bytes,
            sources: against.iter().chain(inputs).collect(),
            against: against.len(),
            current: None,
            wants_rows: job.outputs.want_rows(),
            unpacking: None,
            large: Arc::default(),
        };
        let read = within_memory(job);
        // Taken from the back.
        input.readers.push((Reader::open(inputs, &read)?, false));
        if !against.is_empty() {
            input.readers.push((Reader::open(against, &read)?, true));
        }
        for _ in 0..skip {
            input.next()?;
        }
        Ok(input)
    }

    /// From now on copies unpacked sources to the work folder, up to `room` bytes.
    fn unpack_into(&mut self, work: &'a WorkFolder, room: u64) {
        self.unpacking = Some(Unpacking::new(work, room));
    }

    pub(super) fn next(&mut self) -> Result<Option<NumberedBatch>> {
        while let Some((reader, is_against)) = self.readers.last_mut() {
            if let Some(batch) = reader.next_batch(BATCH_BYTES)? {
                let (is_against, position) = (*is_against, reader.compressed_bytes_read());
                let turn = (batch.raw_bytes() > LARGE_BATCH).then(|| LargeRows::turn(&self.large));
                let source = self.current(batch.source(), is_against);
                let texts = self.texts_of(&batch, source, is_against)?;
                self.row_bytes += batch.raw_bytes() as u64;
                let input_position = self.bytes_before + position;
                let source = source.number;
                return Ok(Some(NumberedBatch { batch, is_against, source, texts, input_position, turn }));
            }
            self.bytes_before += reader.compressed_bytes_read();
            self.readers.pop();
        }
        Ok(None)
    }

    /// Where the texts of a batch are kept.
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

    /// Finds the source. Sources come in their order, so it is the last one or a later one; a file
    /// of `against` may be an input, too.
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

    /// At the end: the numbers of the sources that have an unpacked copy.
    fn finish(self) -> Vec<u32> {
        self.unpacking.map_or(vec![], Unpacking::finish)
    }
}

/// A source that is being read.
#[derive(Clone, Copy)]
struct Current {
    number: u32,
    /// Whether its rows are read again where they are.
    stays_in_place: bool,
}

/// Where the texts of a batch are kept.
#[derive(Clone, Copy)]
enum TextsOf {
    /// In the rows of the source with this number, which are read again.
    InRows { source: u32 },
    /// In the work folder, compressed unless `plain`.
    Copied { plain: bool },
}

pub(super) struct NumberedBatch {
    pub(super) batch: Batch,
    is_against: bool,
    /// The number of the source of the first row.
    source: u32,
    texts: TextsOf,
    pub(super) input_position: u64,
    turn: Option<Turn>,
}

/// A batch of more bytes is one long row, and a thread takes several times as much memory for it:
/// threads take turns.
const LARGE_BATCH: usize = 4 * BATCH_BYTES;

/// Lets one long row be worked on at a time.
#[derive(Default)]
struct LargeRows {
    busy: Mutex<bool>,
    freed: Condvar,
}

impl LargeRows {
    /// Waits until no other long row is worked on. The threads that do so need nothing of the one
    /// that waits.
    fn turn(rows: &Arc<LargeRows>) -> Turn {
        let mut busy = rows.busy.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy {
            busy = rows.freed.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        *busy = true;
        Turn(Arc::clone(rows))
    }
}

/// The turn of a long row; ends when it is dropped.
struct Turn(Arc<LargeRows>);

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.busy.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.freed.notify_all();
    }
}

/// A batch as a worker leaves it.
#[derive(Default)]
struct Digest {
    is_against: bool,
    input_position: u64,
    row_bytes: u64,
    without_keep_field: u64,
    null_texts: u64,
    without_words: u64,
    others: Vec<(String, u64)>,
    rows: Vec<u8>,
    facts: Vec<u8>,
    digests: Digests,
    ids: Vec<u8>,
    /// Where each id ends in `ids`.
    id_ends: Vec<usize>,
    places: Vec<u8>,
    texts: PackedTexts,
    skipped: Vec<String>,
}

/// Buffers that a worker reuses: freed memory costs page faults when it is allocated again.
#[derive(Default)]
struct Buffers {
    engine: EngineScratch,
    packer: TextPacker,
    texts: TextBuffer,
    /// Bytes of the fingerprints and of the ids of the last batch, to reserve for the next one:
    /// growing step by step would touch twice as much memory.
    expected: (usize, usize),
}

fn digest(
    job: &Job,
    read: &ReadOptions,
    engine: &Engine,
    buffers: &mut Buffers,
    numbered: NumberedBatch,
) -> Result<Digest> {
    let NumberedBatch { batch, is_against, source, texts, input_position, turn } = numbered;
    let (expected_fingerprints, expected_ids) = buffers.expected;
    let mut digest = Digest {
        is_against,
        input_position,
        row_bytes: batch.raw_bytes() as u64,
        others: batch.others().map(|(reason, count)| (reason.to_owned(), count)).collect(),
        rows: Vec::with_capacity(batch.len()),
        facts: Vec::with_capacity(batch.len() * Fact::BYTES),
        ids: Vec::with_capacity(with_room(expected_ids)),
        id_ends: Vec::with_capacity(batch.len()),
        places: Vec::with_capacity(batch.len() * Place::BYTES),
        ..Digest::default()
    };
    let mut rows = Vec::with_capacity(batch.len());
    for (number, row) in batch.parse_with(read, &mut buffers.texts).into_iter().enumerate() {
        let row = row.map_err(BatchError::from);
        let checked = row.and_then(|row| {
            check_words(job, &row)?;
            Ok((keep_key(job, &row, is_against)?, row))
        });
        match checked {
            Ok(row) => {
                digest.rows.push(row_status::DOCUMENT);
                digest.places.extend(Place::of_row(source, number, &row.1.position)?.encode());
                rows.push(row);
            }
            Err(error) if job.on_error == OnError::Skip => {
                digest.rows.push(row_status::LEFT_OUT);
                digest.skipped.push(one_line(error.to_string()));
            }
            Err(error) => return Err(error),
        }
    }
    let documents = rows.iter().map(|(_, row)| (row.text.as_ref(), row.markup));
    digest.digests.fingerprints.reserve(with_room(expected_fingerprints));
    engine.digests(documents, &mut buffers.engine, &mut digest.digests);
    buffers.expected.0 = digest.digests.fingerprints.len();

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
    let known = digest.digests.contents.iter().zip(&digest.digests.features);
    for ((keep, row), (&content, &features)) in rows.iter().zip(known) {
        let has_features = features > 0;
        let id = row.id_or_position();
        let fact = Fact {
            content,
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
    drop(rows);
    // What a long row took would stay with every thread that had one.
    if turn.is_some() {
        *buffers = Buffers::default();
    }
    Ok(digest)
}

fn keep_key(job: &Job, row: &Row, is_against: bool) -> Result<KeepKey> {
    // Documents of `against` and those without text are never removed, so that the policy's field
    // is not needed.
    if is_against || row.is_null {
        return Ok(KeepKey(0));
    }
    let Mode::Dedup(policy) = &job.mode else { return Ok(KeepKey(0)) };
    let value = row.extra.first().and_then(Option::as_ref).and_then(|value| match value {
        FieldValue::Integer(value) => Some(KeepValue::Integer(*value)),
        FieldValue::Number(value) => Some(KeepValue::Number(*value)),
        FieldValue::Text(value) => Some(KeepValue::Text(value)),
        FieldValue::List(_) => None,
    });
    let key = policy.key(row.text.len() as u64, value);
    key.map_err(|error| BatchError::Keep { position: row.position.clone(), error })
}

/// The message as one line.
fn one_line(message: String) -> String {
    if message.contains(['\n', '\r']) { message.replace(['\n', '\r'], " ") } else { message }
}
