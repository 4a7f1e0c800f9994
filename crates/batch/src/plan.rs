//! An estimate of what a job will cost, before it starts.
//!
//! A few megabytes of the inputs are read and some of their documents fingerprinted; the rest is
//! assumed to be alike. Collections are often sorted by source, so the sample comes from several
//! offsets where the format allows that.

use std::time::Instant;

use serde::Serialize;
use twindex_core::{Digests, Engine, EngineScratch};
use twindex_corpus::{Batch, Compression, CorpusError, ReadOptions, Reader, Row, Source};

use crate::error::Result;
use crate::job::{BATCH_BYTES, Job};
use crate::memory::{check_words, held_bytes, within_memory};
use crate::sources;
use crate::work::{Fact, HELD_PART, MOST_EVIDENCE_BYTES, Place};

/// Counting terms in a first pass takes as long as reading.
const COUNTING: f64 = 1.0;

/// What a job is expected to need.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// Input files.
    pub files: u64,
    /// Their size on disk.
    pub input_bytes: u64,
    /// Documents, estimated unless the sample was everything.
    pub documents: u64,
    /// Bytes of rows after decompression, estimated likewise.
    pub row_bytes: u64,
    /// Peak memory in bytes.
    pub memory_bytes: u64,
    /// Peak size of the work folder.
    pub work_bytes: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Whether documents and bytes are counted rather than estimated.
    pub exact: bool,
}

/// The size of the sample: files, bytes in all, and offsets in a file. The first two megabytes
/// alone predicted 277,000 documents for the Linux sources, which have 78,574.
const SAMPLE_FILES: usize = 8;
const SAMPLE_BYTES: usize = 2 << 20;
const SAMPLE_PLACES: u64 = 64;

/// Rows are counted in windows of at most this size at each of these places.
const WINDOW_BYTES: u64 = 64 << 10;

/// Where rows are long, fewer places are visited: at most this many times the sample size is read.
const MOST_SAMPLES: u64 = 4;

/// Places are visited in steps of this many, so that the first few are spread over the file. Odd:
/// every one is visited once.
const STEP: u64 = 37;

/// One in `FINGERPRINTED` documents is fingerprinted: more would not improve the estimate, and
/// small jobs wait for it.
const FINGERPRINTED: usize = 8;

/// Texts compress to less than half of their size, nearly always.
const TEXT_COMPRESSION: f64 = 0.5;

/// The place of a text, the place of a row, the end of an id, and a typical id.
const PLACE_AND_ID_BYTES: u64 = 20 + Place::BYTES as u64 + 8 + 20;

/// A key with its document while keys are sorted.
const KEY_BYTES: u64 = size_of::<(u64, u32)>() as u64;

/// Bytes of evidence for each byte of text: eight for each shingle and sixteen for each distinct
/// word.
const EVIDENCE_FOR_TEXT: f64 = 3.0;

/// The share of the text whose documents are compared with others.
const COMPARED: f64 = 0.5;

/// Candidates: sixteen pairs for each document, and sixteen bytes a pair in runs and their merge.
const CANDIDATE_BYTES: u64 = 16 * 16;

/// Time of the later stages, and of writing the kept rows, relative to reading and fingerprinting,
/// which is measured (Linux sources, posts, generated pages).
const LATER_STAGES: f64 = 1.2;
const WRITING_ROWS: f64 = 0.8;

impl Plan {
    /// Looks at a sample of the inputs.
    pub(crate) fn new(job: &Job, sources: &[Source], engine: &Engine) -> Result<Plan> {
        let sample = Sample::take(job, sources, engine)?;
        let input_bytes: u64 = sources.iter().map(|source| source.bytes).sum();
        let scale = if sample.is_everything || sample.input_bytes == 0 {
            1.0
        } else {
            input_bytes as f64 / sample.input_bytes as f64
        };
        let documents = if sources.iter().all(|source| source.format.is_file_per_document()) {
            sources.len() as u64
        } else {
            (sample.found.documents * scale).round() as u64
        };
        let row_bytes = (sample.found.row_bytes * scale).round() as u64;
        let text_bytes = sample.found.text_bytes * scale;
        let width = engine.width().typical as u64;
        let column_bytes = Fact::BYTES as u64 + width + PLACE_AND_ID_BYTES;
        let key_bytes = documents * engine.typical_keys() as u64 * KEY_BYTES;
        let fixed = held_bytes(job, engine, documents);
        let left = job.memory.saturating_sub(fixed);
        let evidence = (EVIDENCE_FOR_TEXT * COMPARED * text_bytes) as u64;
        let held_evidence = evidence.min(MOST_EVIDENCE_BYTES as u64).min(left);
        let columns = documents * column_bytes;
        let held = columns.min(left / HELD_PART as u64);
        // Sorting keys and comparing documents happen one after the other.
        let working = (held_evidence.max(2 * key_bytes) + held).min(left);
        let texts = copied_bytes(job, sources, row_bytes as f64, text_bytes);
        let mut times = if job.outputs.kept.is_some() { LATER_STAGES + WRITING_ROWS } else { LATER_STAGES };
        if job.recipe.needs_frequencies() && job.frequencies.is_none() {
            times += COUNTING;
        }
        Ok(Plan {
            files: sources.len() as u64,
            input_bytes,
            documents,
            row_bytes,
            memory_bytes: fixed + working,
            work_bytes: texts + columns + documents * CANDIDATE_BYTES + (evidence - held_evidence),
            // Reading scales with the threads; the later stages are counted as if they did not.
            seconds: sample.found.seconds * scale * (1.0 / job.threads as f64 + times),
            exact: sample.is_everything,
        })
    }
}

/// What the work folder holds of texts and rows.
fn copied_bytes(job: &Job, sources: &[Source], row_bytes: f64, text_bytes: f64) -> u64 {
    let expected = sources.iter().map(sources::unpacked_bytes).sum::<u64>();
    let is_small = expected < job.pace.checkpoint_bytes;
    let (mut rows, mut texts) = (0.0, 0.0);
    for source in sources {
        let share = sources::unpacked_bytes(source) as f64 / expected.max(1) as f64;
        let (is_packed, stands_alone) =
            (source.compression != Compression::None, source.format.rows_stand_alone());
        // A small job unpacks compressed sources into the work folder. Other texts are copied,
        // unless their rows can be read again.
        if is_small && is_packed && (stands_alone || job.outputs.want_rows()) {
            rows += row_bytes * share;
        }
        if !stands_alone || is_packed && !is_small {
            texts += text_bytes * share;
        }
    }
    // Texts before the first checkpoint are not compressed.
    let plain = texts.min(job.pace.checkpoint_bytes as f64);
    (rows + plain + (texts - plain) * TEXT_COMPRESSION) as u64
}

/// Some of the files, with their contents extrapolated from the rows that were read.
#[derive(Default)]
struct Sample {
    found: Found,
    /// The size of these files.
    input_bytes: u64,
    is_everything: bool,
}

/// Totals of some rows, and the time to read and fingerprint them.
#[derive(Default, Clone, Copy)]
struct Found {
    /// Bad rows included.
    rows: f64,
    documents: f64,
    row_bytes: f64,
    text_bytes: f64,
    seconds: f64,
}

impl Sample {
    fn take(job: &Job, sources: &[Source], engine: &Engine) -> Result<Sample> {
        let mut sample = Sample { is_everything: sources.len() <= SAMPLE_FILES, ..Sample::default() };
        let read = within_memory(job);
        let mut sampler = Sampler { job, read, engine, scratch: EngineScratch::default(), is_warm: false };
        let step = sources.len().div_ceil(SAMPLE_FILES).max(1);
        let limit = SAMPLE_BYTES / sources.len().clamp(1, SAMPLE_FILES);
        for source in sources.iter().step_by(step) {
            let (found, is_whole) = sampler.source(source, limit)?;
            sample.found += found;
            sample.input_bytes += source.bytes;
            sample.is_everything &= is_whole;
        }
        Ok(sample)
    }
}

/// Reads and fingerprints some rows.
struct Sampler<'j> {
    job: &'j Job,
    /// How the job reads, within its memory.
    read: ReadOptions,
    engine: &'j Engine,
    scratch: EngineScratch,
    /// The first rows take longer: tables are built and memory is touched.
    is_warm: bool,
}

impl Sampler<'_> {
    /// Estimates the contents of a source from about `limit` bytes; true if that is all of it.
    fn source(&mut self, source: &Source, limit: usize) -> Result<(Found, bool)> {
        if source.bytes > limit as u64
            && let Some(found) = self.places(source, limit as u64)?
        {
            return Ok((found, false));
        }
        let mut reader = Reader::open(std::slice::from_ref(source), &self.read)?;
        let (mut found, started) = (Found::default(), Instant::now());
        while found.row_bytes < limit as f64 {
            match self.next(&mut reader, BATCH_BYTES.min(limit))? {
                Some(rows) => found += rows,
                None => return Ok((found, true)),
            }
        }
        let share = match source.row_count()? {
            Some(rows) => found.rows / rows.max(1) as f64,
            None => {
                // A stream is unpacked as it is read.
                found.seconds = found.seconds.max(started.elapsed().as_secs_f64());
                reader.compressed_bytes_read() as f64 / source.bytes.max(1) as f64
            }
        };
        Ok((found.times(1.0 / share.clamp(f64::MIN_POSITIVE, 1.0)), false))
    }

    /// The same from rows at several offsets, if the format can be entered there. Contents are
    /// measured by the byte. Rows are counted in windows of one size: an offset hits a long row
    /// more often than a short one.
    fn places(&mut self, source: &Source, limit: u64) -> Result<Option<Found>> {
        let (mut found, mut counted, mut visited) = (Found::default(), 0, 0);
        let window = WINDOW_BYTES.min(source.bytes / SAMPLE_PLACES);
        for place in (0..SAMPLE_PLACES).map(|place| place * STEP % SAMPLE_PLACES) {
            if found.row_bytes > (MOST_SAMPLES * limit) as f64 {
                break;
            }
            visited += 1;
            let offset = source.bytes / SAMPLE_PLACES * place;
            let Some(mut reader) = Reader::from_offset(source, offset, &self.read)? else {
                return Ok(None);
            };
            counted += Reader::rows_within(source, offset, window)?.unwrap_or(0);
            found += self.next(&mut reader, (limit / SAMPLE_PLACES) as usize)?.unwrap_or_default();
        }
        let found = found.times(source.bytes as f64 / found.row_bytes.max(1.0));
        let documents = counted as f64 * source.bytes as f64 / (window * visited) as f64;
        // Rows longer than the windows: none was counted.
        let documents = if counted == 0 { found.documents } else { documents };
        Ok(Some(Found { documents, ..found }))
    }

    /// Measures the next rows.
    fn next(&mut self, reader: &mut Reader, target: usize) -> Result<Option<Found>> {
        let batch = match reader.next_batch(target) {
            // The stage that reads will say so, with the row's number.
            Err(CorpusError::RowTooLong { .. }) => None,
            next => next?,
        };
        let Some(batch) = batch else { return Ok(None) };
        if !std::mem::replace(&mut self.is_warm, true) {
            self.rows(&batch);
        }
        Ok(Some(self.rows(&batch)))
    }

    fn rows(&mut self, batch: &Batch) -> Found {
        let started = Instant::now();
        let parsed = batch.parse(&self.read);
        let all = parsed.len() as f64;
        // The stage that reads refuses those that have too many words.
        let fits = |row: &Row<'_>| check_words(self.job, row).is_ok();
        let rows: Vec<Row<'_>> = parsed.into_iter().flatten().filter(fits).collect();
        let parsing = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let texts = rows.iter().step_by(FINGERPRINTED).map(|row| (row.text.as_ref(), row.markup));
        let read: usize = texts.clone().map(|(text, _)| text.len()).sum();
        self.engine.digests(texts, &mut self.scratch, &mut Digests::default());
        let text_bytes = rows.iter().map(|row| row.text.len()).sum::<usize>() as f64;
        // Documents that were not fingerprinted are assumed to take as long for each byte.
        let fingerprints = started.elapsed().as_secs_f64() * text_bytes / read.max(1) as f64;
        let row_bytes = batch.raw_bytes() as f64;
        let documents = rows.len() as f64;
        Found { rows: all, documents, row_bytes, text_bytes, seconds: parsing + fingerprints }
    }
}

impl Found {
    fn times(self, factor: f64) -> Found {
        Found {
            rows: self.rows * factor,
            documents: self.documents * factor,
            row_bytes: self.row_bytes * factor,
            text_bytes: self.text_bytes * factor,
            seconds: self.seconds * factor,
        }
    }
}

impl std::ops::AddAssign for Found {
    fn add_assign(&mut self, other: Found) {
        self.rows += other.rows;
        self.documents += other.documents;
        self.row_bytes += other.row_bytes;
        self.text_bytes += other.text_bytes;
        self.seconds += other.seconds;
    }
}
