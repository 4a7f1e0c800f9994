//! `twindex filter`
//!
//! Each row is added to the index unless a duplicate is there, and written if it was added. A row
//! is written after it is in the index, so that no document is written twice even if the process is
//! killed.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use twindex_batch::removed_columns;
use twindex_corpus::{
    Batch, Cell, Format, Position, ReadOptions, Reader, Row, RowWriter, STANDARD_STREAM, TableWriter,
};
use twindex_index::{
    AddOptions, Durability, Index, LONGEST_ID, NewDocument, Outcome, Seconds, Timestamp, Verdict,
};

use crate::arguments::{FilterOptions, IndexArguments, OnError, SearchName};
use crate::command::choice;
use crate::command::index::Opening;
use crate::command::until_signal::UntilSignal;
use crate::hint;
use crate::say::{self, Figures};
use crate::words;

/// Rows that arrive together are added in one commit, up to this size.
const BATCH_BYTES: usize = 1 << 20;

/// Passes on what has not been seen.
pub(crate) fn run(options: &FilterOptions) -> Result<()> {
    let started = Instant::now();
    let temporary = tempfile::tempdir()?;
    let arguments = IndexArguments {
        data: options.data.clone().unwrap_or_else(|| temporary.path().join("index")),
        new: options.new.clone(),
        durability: options.durability,
        search: SearchName::Exact,
    };
    let mut opening = Opening::new(&arguments)?;
    if options.data.is_none() && !options.quiet {
        let folder = temporary.path().display();
        eprintln!("remembering what was seen in {folder} until the input ends; --data DIR keeps it");
    }
    // A document that is seen again stays for another window.
    opening.settings.renew_on_sight = true;
    if options.data.is_none() {
        // The temporary index is never opened again, so syncing it is wasted.
        opening.options.durability = Durability::Relaxed;
    }
    let read = ReadOptions { whole_rows: true, ..choice::read(&options.read) };
    let mut filter = Filter {
        index: opening.open()?,
        window: options.window,
        run: run_name(),
        skip_bad_rows: options.on_error == OnError::Skip,
        removed: options
            .removed
            .as_deref()
            .map(|path| TableWriter::create(path, &removed_columns()))
            .transpose()?,
        totals: Totals::default(),
    };
    let format = read.format.unwrap_or(Format::Jsonl);
    let mut reader = Reader::live(UntilSignal::new()?, "stdin", format, &read)?;
    let mut output: Option<RowWriter> = None;
    while let Some(batch) = reader.next_batch(BATCH_BYTES)? {
        let keep = filter.judge(&batch, &read)?;
        let output = match &mut output {
            Some(output) => output,
            None => {
                let standard_output = Path::new(STANDARD_STREAM);
                output.insert(RowWriter::create(standard_output, std::slice::from_ref(batch.source()))?)
            }
        };
        batch.write_selected(&keep, output)?;
        output.flush()?;
    }
    if let Some(output) = output {
        output.finish()?.commit()?;
    }
    let Filter { removed, totals, .. } = filter;
    if let Some(removed) = removed {
        removed.finish()?.commit()?;
    }
    if !options.quiet {
        totals.print(started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The start of the run in nanoseconds.
fn run_name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}", since.as_nanos())
}

/// What becomes of a row.
enum Fate {
    /// The index says whether it was seen.
    Judged(Position),
    /// It has no text and no duplicates: it is written and not added.
    Passes,
    /// It is bad: neither written nor added.
    LeftOut,
}

struct Filter {
    index: Index,
    window: Option<Seconds>,
    /// Unique for each run; part of the id of rows without one.
    run: String,
    skip_bad_rows: bool,
    removed: Option<TableWriter>,
    totals: Totals,
}

impl Filter {
    /// Which rows have not been seen.
    fn judge(&mut self, batch: &Batch, read: &ReadOptions) -> Result<Vec<bool>> {
        let now = Timestamp::now();
        let mut documents = vec![];
        let mut names = HashSet::new();
        let mut fates = vec![];
        for row in batch.parse(read) {
            fates.push(match &row {
                Ok(row) if row.is_null => Fate::Passes,
                Ok(row) => Fate::Judged(row.position.clone()),
                Err(_) => Fate::LeftOut,
            });
            match row {
                Ok(row) if row.is_null => {
                    self.totals.count(false);
                    self.totals.nulls += 1;
                }
                Ok(row) => {
                    let document = self.document(row, &names, now)?;
                    names.insert(document.id.clone());
                    documents.push(document);
                }
                Err(error) if self.skip_bad_rows => {
                    eprintln!("skipped: {error}");
                    self.totals.skipped += 1;
                }
                Err(error) => return Err(hint::of_bad_row(error).into()),
            }
        }
        self.index.expire(now)?;
        let options = AddOptions { only_unseen: true, matches: 1, ..AddOptions::default() };
        let mut verdicts = self.index.add(&documents, options, now)?.into_iter();
        let mut keep = Vec::with_capacity(fates.len());
        for fate in fates {
            keep.push(match fate {
                Fate::Passes => true,
                Fate::LeftOut => false,
                Fate::Judged(position) => match verdicts.next() {
                    Some(verdict) => self.passes(&verdict, &position)?,
                    None => false,
                },
            });
        }
        Ok(keep)
    }

    /// The document of a row, under a unique name: with an id of the index it would replace the
    /// document there. `names` are those of earlier rows that are not in the index yet.
    fn document(&self, row: Row<'_>, names: &HashSet<String>, now: Timestamp) -> Result<NewDocument> {
        // Line numbers repeat from run to run.
        let place = format!("{}:{}", self.run, row.position);
        let id = match row.id {
            Some(id) if names.contains(&*id) || self.index.get(&id, now)?.is_some() => {
                let name = format!("{id}{AGAIN}{place}");
                if name.len() <= LONGEST_ID { name } else { place }
            }
            Some(id) => id.into_owned(),
            None => place,
        };
        Ok(NewDocument { id, text: row.text.into_owned(), markup: row.markup, ttl: self.window })
    }

    fn passes(&mut self, verdict: &Verdict, position: &Position) -> Result<bool> {
        let seen = match verdict.outcome {
            Outcome::Added | Outcome::Replaced => false,
            Outcome::Seen | Outcome::Unchanged => true,
        };
        self.totals.count(seen);
        if seen && let Some(removed) = &mut self.removed {
            let found = verdict.answer.matches.first();
            let scores = found.and_then(|found| found.scores);
            let rule = found.and_then(|found| found.rule.as_deref()).unwrap_or("fingerprint");
            removed.row(&[
                Cell::Text(id_of(&verdict.id)),
                Cell::Text(id_of(found.map_or(&verdict.id, |found| &found.id))),
                Cell::Number(scores.map(|scores| scores.jaccard)),
                Cell::Number(scores.map(|scores| scores.containment_left)),
                Cell::Number(scores.map(|scores| scores.containment_right)),
                Cell::Number(scores.and_then(|scores| scores.cosine)),
                Cell::Integer(found.and_then(|found| found.distance).map(i64::from)),
                Cell::Text(rule),
                Cell::Text(&position.to_string()),
                // The witness may be from another run; the index stores no places.
                Cell::Null,
            ])?;
        }
        Ok(!seen)
    }
}

/// Separates a repeated id from the place of its row: the ASCII unit separator.
const AGAIN: char = '\u{1f}';

/// Part of every place.
const PLACE: &str = ":stdin:";

/// The id of the row that a document was named by.
fn id_of(name: &str) -> &str {
    match name.rsplit_once(AGAIN) {
        Some((id, place)) if place.contains(PLACE) => id,
        _ => name,
    }
}

/// The figures of the summary.
#[derive(Debug, Default)]
struct Totals {
    passed: u64,
    seen: u64,
    skipped: u64,
    /// Of those that passed, rows whose text is null.
    nulls: u64,
}

impl Totals {
    fn count(&mut self, seen: bool) {
        if seen {
            self.seen += 1;
        } else {
            self.passed += 1;
        }
    }

    fn print(&self, seconds: f64) {
        let mut figures = Figures::default();
        let documents = words::count(self.passed + self.seen, "document");
        figures.add("passed", words::number(self.passed), format!("of {documents}"));
        figures.add("seen", words::number(self.seen), "before");
        if self.skipped > 0 {
            figures.add(
                "skipped",
                words::number(self.skipped),
                words::bad_rows(self.skipped, "listed above"),
            );
        }
        figures.add("time", words::duration(seconds), "");
        figures.print();
        if self.nulls > 0 {
            say::note(&format!("{} with null as text passed", words::count(self.nulls, "row")));
        }
    }
}
