//! Before stage one: which documents of an index does the job need?
//!
//! ```text
//! inputs -> index: matches of each document -> their numbers -> known-N.jsonl, oldest first
//! ```
//!
//! The rest of the job reads that file as it reads any collection of witnesses, so that nothing but
//! the search differs. It is made once: a resumed job goes on with the documents that it found,
//! whatever was added to the index since.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Map, Value};
use twindex_core::{Engine, Markup};
use twindex_corpus::{Batch, Format, Reader, Source};
use twindex_index::{Index, Needed, Stored, Timestamp, given_id};

use crate::error::{BatchError, Result};
use crate::job::{BATCH_BYTES, Job, Mode};
use crate::parallel;
use crate::progress::{Progress, Unit};
use crate::work::WorkFolder;

/// The field of ids, unless the job names another.
const ID: &str = "id";

/// Writes the documents of an index that match documents of the inputs, and returns them as a
/// source. `number` is that of the index among those of the job.
pub(crate) fn run(
    job: &Job,
    (number, name, index): (usize, &str, &Index),
    inputs: &[Source],
    engine: &Engine,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<Source> {
    let stage = format!("known-{number}");
    let path = work.file(&format!("{stage}.jsonl"));
    if !work.is_finished(&stage) {
        let now = Timestamp::now();
        let numbers = needed(job, index, inputs, now, progress)?;
        write(job, index, &numbers, engine, now, &path)?;
        work.finish(&stage, &numbers.len())?;
    }
    let source = Source::of_file(&path, Some(Format::Jsonl))?;
    Ok(Source { name: name.to_owned(), ..source })
}

/// The numbers of the documents that the job compares with its own.
fn needed(
    job: &Job,
    index: &Index,
    inputs: &[Source],
    now: Timestamp,
    progress: &dyn Progress,
) -> Result<BTreeSet<u32>> {
    let needed = match job.mode {
        Mode::Dedup(_) => Needed::UpToWitness,
        Mode::Pairs => Needed::All,
    };
    let mut reader = Reader::open(inputs, &job.read)?;
    let mut numbers = BTreeSet::new();
    progress.begin("index", inputs.iter().map(|source| source.bytes).sum(), Unit::Bytes);
    parallel::ordered(
        job.threads,
        || Ok(reader.next_batch(BATCH_BYTES)?.map(|batch| (batch, reader.compressed_bytes_read()))),
        |(batch, position): (Batch, u64)| {
            let mut found = vec![];
            // Bad rows are reported by the stage that reads documents.
            for row in batch.parse(&job.read).into_iter().flatten().filter(|row| !row.is_null) {
                found.extend(index.needed(&row.text, row.markup, needed, now)?);
            }
            Ok((found, position))
        },
        |(found, position)| {
            numbers.extend(found);
            progress.position(position);
            Ok(())
        },
    )?;
    progress.end();
    Ok(numbers)
}

fn write(
    job: &Job,
    index: &Index,
    numbers: &BTreeSet<u32>,
    engine: &Engine,
    now: Timestamp,
    path: &Path,
) -> Result<()> {
    let mut out = BufWriter::new(File::create(path).map_err(BatchError::work(path))?);
    let id_field: Vec<String> =
        job.read.id_field.as_ref().map_or_else(|| vec![ID.to_owned()], |field| field.segments().to_vec());
    for &number in numbers {
        let Some(Stored { id, text: Some(text), html, .. }) = index.numbered(number, now)? else { continue };
        let mut row = Map::new();
        set(&mut row, &id_field, given_id(&id).to_owned());
        // Rows of JSON are plain text. What is visible of a page has the same features.
        let markup = if html { Markup::Html } else { Markup::None };
        let text = if html { engine.analyzer().visible(&text, markup).into_owned() } else { text };
        set(&mut row, job.read.text_field.segments(), text);
        let mut line = Value::Object(row).to_string();
        line.push('\n');
        out.write_all(line.as_bytes()).map_err(BatchError::work(path))?;
    }
    out.flush().map_err(BatchError::work(path))
}

/// Sets a field; names before the last lead into objects.
fn set(row: &mut Map<String, Value>, names: &[String], value: String) {
    match names {
        [] => {}
        [last] => _ = row.insert(last.clone(), Value::String(value)),
        [first, rest @ ..] => {
            let inner = row.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                set(inner, rest, value);
            }
        }
    }
}
