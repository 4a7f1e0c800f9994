//! `twindex idf`, and the tables that it makes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use twindex_batch::parallel;
use twindex_batch::{Progress, Unit};
use twindex_core::feature::{DocumentFrequencies, FrequencyCounter};
use twindex_core::kernel::Kernel;
use twindex_core::{Engine, EngineScratch, Recipe};
use twindex_corpus::{AtomicFile, Batch, ReadOptions};

use crate::arguments::{IdfOptions, OnError};
use crate::command::choice;
use crate::command::input::Input;
use crate::exit::UsageError;
use crate::progress::Bars;
use crate::say::{self, Figures};
use crate::{size, words};

/// Large enough that threads rarely contend, small enough that many fit into memory.
const BATCH_BYTES: usize = 1 << 20;

/// Counts terms and writes the table.
pub(crate) fn run(options: &IdfOptions) -> Result<()> {
    let started = Instant::now();
    let recipe = choice::find_recipe(&options.recipe)?;
    must_weigh(&recipe)?;
    let added: Vec<DocumentFrequencies> =
        options.add.iter().map(|path| open(&recipe, path)).collect::<Result<_>>()?;
    let read = ReadOptions { whole_rows: false, ..choice::read(&options.read) };
    let bars = Bars::new(options.quiet);
    let mut table = if options.inputs.is_empty() {
        FrequencyCounter::default().finish()
    } else {
        let input = Input::open(&options.inputs, &[("--output", &options.output)], &read)?;
        let threads = choice::threads(options.threads);
        count(&recipe, input, &read, options.on_error, threads, &bars, options.quiet)?
    };
    added.iter().for_each(|other| table.merge(other));
    let bytes = table.to_bytes(recipe.vocabulary());
    let mut file = AtomicFile::create(&options.output)?;
    file.write_all(&bytes).with_context(|| format!("cannot write {}", options.output.display()))?;
    file.commit()?;
    if !options.quiet {
        let mut figures = Figures::default();
        let table_size = format!("counted into a table of {}", size::print(bytes.len() as u64));
        figures.add("documents", words::number(table.documents()), table_size);
        figures.add("time", words::duration(started.elapsed().as_secs_f64()), "");
        figures.print();
        say::wrote(std::iter::once(&options.output));
    }
    Ok(())
}

/// Counts the terms of all documents of an input.
pub(crate) fn count(
    recipe: &Recipe,
    mut input: Input,
    read: &ReadOptions,
    on_error: OnError,
    threads: usize,
    bars: &Bars,
    quiet: bool,
) -> Result<DocumentFrequencies> {
    let engine = Engine::new(recipe, Kernel::best())?;
    let counter = FrequencyCounter::default();
    bars.begin("count", input.bytes(), Unit::Bytes);
    let work = |(batch, position): (Batch, u64)| {
        let mut scratch = EngineScratch::default();
        let mut skipped = vec![];
        for row in batch.parse(read) {
            match row {
                Ok(row) => engine.count_terms(&row.text, row.markup, &mut scratch, &counter),
                Err(error) if on_error == OnError::Skip => skipped.push(error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
        Ok((skipped, position))
    };
    let source = || Ok(input.next_batch(BATCH_BYTES)?);
    parallel::ordered(threads, source, work, |(skipped, position): (Vec<String>, u64)| {
        if !quiet {
            skipped.iter().for_each(|message| bars.say(&format!("skipped: {message}")));
        }
        bars.position(position);
        Ok(())
    })?;
    bars.end();
    Ok(counter.finish())
}

/// The table that the user named, if any.
pub(crate) fn given(recipe: &Recipe, path: Option<&Path>) -> Result<Option<Arc<DocumentFrequencies>>> {
    let Some(path) = path else { return Ok(None) };
    must_weigh(recipe)?;
    Ok(Some(Arc::new(open(recipe, path)?)))
}

fn open(recipe: &Recipe, path: &Path) -> Result<DocumentFrequencies> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    DocumentFrequencies::from_bytes(&bytes, recipe.vocabulary())
        .with_context(|| format!("{}", path.display()))
}

/// A recipe that weighs nothing by rarity has no use for a table.
fn must_weigh(recipe: &Recipe) -> Result<()> {
    if recipe.needs_frequencies() {
        return Ok(());
    }
    let message = format!(
        "the recipe {} weighs nothing by rarity, so that document frequencies change nothing\nhint: choose one with \
         weight = \"tf-idf\", such as web",
        recipe.name
    );
    Err(UsageError(message).into())
}
