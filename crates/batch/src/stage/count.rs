//! Stage zero, where the recipe weighs by rarity: in how many documents is each term?
//!
//! Only the table is kept: `idf` in the work folder, in the format of [`DocumentFrequencies`]. A
//! killed job counts again from the start: the stage is as fast as reading.

use std::fs;

use twindex_core::feature::{DocumentFrequencies, FrequencyCounter};
use twindex_core::{Engine, EngineScratch};
use twindex_corpus::Source;

use crate::error::{BatchError, Result};
use crate::job::{Job, OnError};
use crate::parallel;
use crate::progress::{Progress, Unit};
use crate::stage::read::Input;
use crate::work::WorkFolder;

const STAGE: &str = "idf";

/// Counts the terms of `against` and `inputs`, unless an earlier run did.
pub(crate) fn run(
    job: &Job,
    against: &[Source],
    inputs: &[Source],
    engine: &Engine,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<DocumentFrequencies> {
    let vocabulary = job.recipe.vocabulary();
    if work.is_finished(STAGE) {
        let path = work.file(STAGE);
        let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
        let table = DocumentFrequencies::from_bytes(&bytes, vocabulary);
        return table.map_err(|error| BatchError::damaged(&path, error.to_string()));
    }
    progress.begin("count", against.iter().chain(inputs).map(|source| source.bytes).sum(), Unit::Bytes);
    let counter = FrequencyCounter::default();
    let mut input = Input::open(job, against, inputs, 0)?;
    parallel::ordered_with(
        job.threads,
        || input.next(),
        |scratch: &mut EngineScratch, numbered| {
            for row in numbered.batch.parse(&job.read) {
                match row {
                    Ok(row) => engine.count_terms(&row.text, row.markup, scratch, &counter),
                    // The next stage lists it.
                    Err(_) if job.on_error == OnError::Skip => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(numbered.input_position)
        },
        |position| {
            progress.position(position);
            Ok(())
        },
    )?;
    let table = counter.finish();
    let path = work.file(STAGE);
    fs::write(&path, table.to_bytes(vocabulary)).map_err(BatchError::work(&path))?;
    work.finish(STAGE, &())?;
    progress.end();
    Ok(table)
}
