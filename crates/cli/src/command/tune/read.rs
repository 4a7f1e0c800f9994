//! The sample of a collection, drawn while it is read.

use std::path::Path;

use anyhow::Result;
use twindex_batch::{Progress, Unit, parallel};
use twindex_core::kernel::Kernel;
use twindex_core::{Document, Engine, EngineScratch, Recipe};
use twindex_corpus::{Batch, ReadOptions};
use twindex_tune::{Sample, Sampler, Truth};

use crate::arguments::{OnError, TuneOptions};
use crate::command::choice;
use crate::command::input::Input;
use crate::progress::Bars;

/// Large enough that threads rarely contend, small enough that many fit into memory.
const BATCH_BYTES: usize = 1 << 20;

/// What a thread makes of a batch: documents with their smallest shingle, and what it left out.
type Analysed = (Vec<(Document, Option<u64>)>, Vec<String>);

/// Reads everything once and keeps the sample.
pub(super) fn sample(
    options: &TuneOptions,
    recipe: &Recipe,
    kernel: Kernel,
    truth: Option<&Truth>,
    bars: &Bars,
) -> Result<Sample> {
    let engine = Engine::new(recipe, kernel)?;
    let read = ReadOptions { whole_rows: false, ..choice::read(&options.read) };
    let outputs: Vec<(&str, &Path)> = [("--output", &options.output), ("--report", &options.report)]
        .into_iter()
        .filter_map(|(option, path)| Some((option, path.as_deref()?)))
        .collect();
    let mut input = Input::open(&options.inputs, &outputs, &read)?;
    let labelled = truth.map(Truth::ids).unwrap_or_default();
    let mut sampler = Sampler::new(options.sample as usize);
    bars.begin("read", input.bytes(), Unit::Bytes);
    parallel::ordered(
        choice::threads(options.threads),
        || Ok(input.next_batch(BATCH_BYTES)?),
        |(batch, position)| Ok((analyse(&engine, &read, options.on_error, &batch)?, position)),
        |((documents, skipped), position): (Analysed, u64)| {
            for (document, smallest) in documents {
                let must = labelled.contains(document.id.as_str());
                sampler.offer(document, smallest, must);
            }
            if !options.quiet {
                skipped.iter().for_each(|message| bars.say(&format!("skipped: {message}")));
            }
            bars.position(position);
            Ok(())
        },
    )?;
    bars.end();
    Ok(sampler.finish())
}

fn analyse(
    engine: &Engine,
    read: &ReadOptions,
    on_error: OnError,
    batch: &Batch,
) -> twindex_batch::Result<Analysed> {
    let mut scratch = EngineScratch::default();
    let (mut documents, mut skipped) = (Vec::with_capacity(batch.len()), vec![]);
    for row in batch.parse(read) {
        let row = match row {
            Ok(row) => row,
            Err(error) if on_error == OnError::Skip => {
                skipped.push(error.to_string());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let evidence = engine.evidence(&row.text, row.markup, &mut scratch);
        let smallest = evidence.features.as_slice().first().copied();
        documents.push((
            Document {
                id: row.id_or_position().into_owned(),
                text: row.text.into_owned(),
                markup: row.markup,
            },
            smallest,
        ));
    }
    Ok((documents, skipped))
}
