//! `twindex fingerprint`
//!
//! One thread cuts the inputs into batches, many make fingerprints, one writes them in the order of
//! the inputs: memory holds a few batches for each thread, however long the inputs are.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use twindex_batch::parallel;
use twindex_batch::{Progress, Unit};
use twindex_core::kernel::Kernel;
use twindex_core::recipe::MethodName;
use twindex_core::{Digests, Engine, EngineScratch, Recipe};
use twindex_corpus::{
    Batch, Cell, Column, ColumnKind, ReadOptions, Row, STANDARD_STREAM, TableWriter, is_stream,
};

use crate::arguments::{FingerprintOptions, OnError, RecipeArguments};
use crate::command::input::Input;
use crate::command::{choice, idf};
use crate::exit::UsageError;
use crate::progress::Bars;
use crate::say::{self, Figures};
use crate::{size, words};

/// Large enough that threads rarely contend, small enough that many fit into memory.
const BATCH_BYTES: usize = 1 << 20;

/// Prints every document's fingerprint.
pub(crate) fn run(options: &FingerprintOptions) -> Result<()> {
    let started = Instant::now();
    let mut maker = Maker::new(options)?;
    let output = options.output.clone().unwrap_or_else(|| PathBuf::from(STANDARD_STREAM));
    let mut input = Input::open(&options.inputs, &[("--output", &output)], &maker.read)?;
    maker.know_the_collection(options, &output)?;
    let to_standard_output = output.as_os_str() == STANDARD_STREAM;
    let mut table = TableWriter::create(&output, &columns(options.margins))?;
    // A bar would run through the rows on the same terminal.
    let bars = Bars::new(options.quiet || to_standard_output);
    bars.begin("fingerprint", input.bytes(), Unit::Bytes);

    let mut totals = Totals::default();
    parallel::ordered(
        choice::threads(options.threads),
        || Ok(input.next_batch(BATCH_BYTES)?),
        |(batch, position)| Ok((maker.work(&batch)?, position)),
        |(made, position): (Made, u64)| {
            totals.add(&made);
            for document in &made.documents {
                let margins =
                    if document.margins.is_empty() { Cell::Null } else { Cell::Json(&document.margins) };
                let cells = [Cell::Text(&document.id), Cell::Text(&document.fingerprint), margins];
                table.row(if options.margins { &cells } else { &cells[..2] })?;
            }
            if !options.quiet {
                made.skipped.iter().for_each(|message| bars.say(&format!("skipped: {message}")));
            }
            bars.position(position);
            Ok(())
        },
    )?;
    bars.end();
    table.finish()?.commit()?;
    if !options.quiet {
        totals.print(started.elapsed().as_secs_f64(), maker.kernel);
        say::wrote(options.output.iter());
    }
    Ok(())
}

fn columns(margins: bool) -> Vec<Column> {
    let mut columns = vec![Column::new("id", ColumnKind::Text), Column::new("fingerprint", ColumnKind::Text)];
    if margins {
        columns.push(Column::new("margins", ColumnKind::Json));
    }
    columns
}

/// Makes fingerprints; shared by all threads.
struct Maker {
    recipe: Recipe,
    engine: Engine,
    kernel: Kernel,
    read: ReadOptions,
    skip_bad_rows: bool,
    margins: bool,
}

/// What a thread makes of a batch.
#[derive(Default)]
struct Made {
    documents: Vec<Fingerprinted>,
    /// Rows among them whose text is null.
    null_texts: u64,
    skipped: Vec<String>,
    row_bytes: u64,
}

/// A row of the output.
struct Fingerprinted {
    id: String,
    /// Empty if the document has no features.
    fingerprint: String,
    /// A JSON list; empty if not requested or not available.
    margins: String,
}

impl Maker {
    fn new(options: &FingerprintOptions) -> Result<Self> {
        let recipe = choice::recipe(&RecipeArguments {
            recipe: options.recipe.clone(),
            threshold: None,
            coverage: None,
            most_lost: None,
            method: options.method,
        })?;
        if options.margins && recipe.method != MethodName::Simhash {
            let message = format!(
                "--margins: only a simhash has margins, and the recipe {} makes another fingerprint\nhint: add --method simhash",
                recipe.name
            );
            return Err(UsageError(message).into());
        }
        let kernel = choice::kernel(options.kernel.as_deref())?;
        let mut engine = Engine::new(&recipe, kernel)?.without_lists();
        if let Some(frequencies) = idf::given(&recipe, options.idf.as_deref())? {
            engine.set_frequencies(frequencies);
        }
        Ok(Maker {
            engine,
            recipe,
            kernel,
            read: ReadOptions { whole_rows: false, ..choice::read(&options.read) },
            skip_bad_rows: options.on_error == OnError::Skip,
            margins: options.margins,
        })
    }

    /// Counts the inputs in a first pass, where the recipe weighs by rarity and no table was given.
    fn know_the_collection(&mut self, options: &FingerprintOptions, output: &Path) -> Result<()> {
        if !self.recipe.needs_frequencies() || options.idf.is_some() {
            return Ok(());
        }
        if let Some(stream) = options.inputs.iter().find(|input| is_stream(input)) {
            let stream = if stream == STANDARD_STREAM { "standard input" } else { stream };
            let message = format!(
                "the recipe {} weighs words by how rare they are in the collection, and {stream} cannot be read twice\n\
                 hint: name a table by --idf (see `twindex idf`), or a file",
                self.recipe.name
            );
            return Err(UsageError(message).into());
        }
        let input = Input::open(&options.inputs, &[("--output", output)], &self.read)?;
        let (bars, threads) = (Bars::new(options.quiet), choice::threads(options.threads));
        // Bad rows are listed when fingerprints are made.
        let table = idf::count(&self.recipe, input, &self.read, options.on_error, threads, &bars, true)?;
        self.engine.set_frequencies(Arc::new(table));
        Ok(())
    }

    fn work(&self, batch: &Batch) -> twindex_batch::Result<Made> {
        let mut made = Made { row_bytes: batch.raw_bytes() as u64, ..Made::default() };
        let mut rows = Vec::with_capacity(batch.len());
        for row in batch.parse(&self.read) {
            match row {
                Ok(row) => rows.push(row),
                Err(error) if self.skip_bad_rows => made.skipped.push(error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
        made.null_texts = rows.iter().filter(|row| row.is_null).count() as u64;
        made.documents = if self.margins { self.with_margins(&rows) } else { self.fingerprints(&rows) };
        Ok(made)
    }

    fn fingerprints(&self, rows: &[Row]) -> Vec<Fingerprinted> {
        let mut digests = Digests::default();
        let texts = rows.iter().map(|row| (row.text.as_ref(), row.markup));
        self.engine.digests(texts, &mut EngineScratch::default(), &mut digests);
        let one = |(number, row): (usize, &Row)| {
            let has_features = digests.features[number] > 0;
            let fingerprint = self.engine.read(digests.fingerprint(number));
            Fingerprinted {
                id: row.id_or_position().into_owned(),
                fingerprint: if has_features { fingerprint.to_string() } else { String::new() },
                margins: String::new(),
            }
        };
        rows.iter().enumerate().map(one).collect()
    }

    fn with_margins(&self, rows: &[Row]) -> Vec<Fingerprinted> {
        let mut scratch = EngineScratch::default();
        let one = |row: &Row| {
            let margins = self.engine.margins(&row.text, row.markup, &mut scratch);
            Fingerprinted {
                id: row.id_or_position().into_owned(),
                fingerprint: margins
                    .as_ref()
                    .map(|margins| margins.simhash().to_string())
                    .unwrap_or_default(),
                margins: margins.map(|margins| json_list(&margins.0)).unwrap_or_default(),
            }
        };
        rows.iter().map(one).collect()
    }
}

fn json_list(numbers: &[i32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i32::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// The figures of the last line.
#[derive(Debug, Default)]
struct Totals {
    documents: u64,
    without_features: u64,
    null_texts: u64,
    skipped: u64,
    bytes: u64,
}

impl Totals {
    fn add(&mut self, made: &Made) {
        self.documents += made.documents.len() as u64;
        self.without_features +=
            made.documents.iter().filter(|document| document.fingerprint.is_empty()).count() as u64;
        self.null_texts += made.null_texts;
        self.skipped += made.skipped.len() as u64;
        self.bytes += made.row_bytes;
    }

    fn print(&self, seconds: f64, kernel: Kernel) {
        let mut figures = Figures::default();
        figures.add("documents", words::number(self.documents), size::print(self.bytes));
        if self.skipped > 0 {
            figures.add(
                "skipped",
                words::number(self.skipped),
                words::bad_rows(self.skipped, "listed above"),
            );
        }
        let speed = words::speed(self.bytes as f64 / 1e6 / seconds);
        figures.add("time", words::duration(seconds), format!("{speed}; kernel {}", kernel.name()));
        figures.print();
        if self.without_features > 0 {
            let nulls = match self.null_texts {
                0 => String::new(),
                nulls => format!(" ({} with null as text)", words::number(nulls)),
            };
            let documents = words::count(self.without_features, "document");
            say::note(&format!("{documents} without words{nulls}: the fingerprint is empty"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_a_json_list() {
        assert_eq!(json_list(&[-2, 0, 17]), "[-2,0,17]");
        assert_eq!(json_list(&[]), "[]");
    }
}
