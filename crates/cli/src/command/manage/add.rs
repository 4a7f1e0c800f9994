//! `twindex index add`

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;
use twindex_corpus::STANDARD_STREAM;
use twindex_index::{AddOptions, Index, NewDocument, OpenOptions, Outcome, Timestamp, Verdict};

use super::documents::for_each_batch;
use crate::arguments::AddDocumentsOptions;
use crate::command::job::print_json;
use crate::words;

/// The default number of matches listed with a verdict.
const LISTED: usize = 10;

#[derive(Debug, Default, Serialize)]
struct Summary {
    documents: u64,
    added: u64,
    unchanged: u64,
    replaced: u64,
    seen: u64,
    bad_rows: u64,
    /// Rows whose text is null: there is nothing to add.
    null_texts: u64,
    seconds: f64,
}

/// Adds documents.
pub(super) fn run(options: &AddDocumentsOptions) -> Result<()> {
    let started = Instant::now();
    let open = OpenOptions { durability: options.durability.into(), ..OpenOptions::default() };
    let index = Index::open(&options.index, open)?;
    let default_matches = if options.output.is_some() { LISTED } else { 0 };
    let add = AddOptions {
        only_unseen: options.only_unseen,
        matches: options.matches.unwrap_or(default_matches),
        ..AddOptions::default()
    };
    let mut verdicts = options.output.as_deref().map(create).transpose()?;
    let output = options.output.clone().unwrap_or_else(|| PathBuf::from(STANDARD_STREAM));
    let mut summary = Summary::default();
    let bad_rows = for_each_batch(&options.inputs, &output, &options.read, options.on_error, |rows| {
        let all = rows.len();
        let documents: Vec<NewDocument> = rows
            .into_iter()
            .filter(|row| !row.is_null)
            .map(|row| NewDocument {
                id: row.id_or_position().into_owned(),
                text: row.text.into_owned(),
                markup: row.markup,
                ttl: options.ttl,
            })
            .collect();
        summary.null_texts += (all - documents.len()) as u64;
        for verdict in index.add(&documents, add, Timestamp::now())? {
            summary.count(&verdict);
            if let Some(out) = &mut verdicts {
                serde_json::to_writer(&mut *out, &verdict)?;
                writeln!(out)?;
            }
        }
        Ok(())
    })?;
    if let Some(mut out) = verdicts {
        out.flush()?;
    }
    summary.bad_rows = bad_rows;
    summary.seconds = started.elapsed().as_secs_f64();
    if options.json {
        return print_json(&summary);
    }
    if !options.quiet {
        summary.print();
    }
    Ok(())
}

/// Verdicts are printed at once: a printed verdict means that the document is durable.
fn create(path: &Path) -> Result<Box<dyn Write>> {
    if path.as_os_str() == STANDARD_STREAM {
        return Ok(Box::new(BufWriter::new(std::io::stdout())));
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Box::new(BufWriter::new(file)))
}

impl Summary {
    fn count(&mut self, verdict: &Verdict) {
        self.documents += 1;
        *match verdict.outcome {
            Outcome::Added => &mut self.added,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Replaced => &mut self.replaced,
            Outcome::Seen => &mut self.seen,
        } += 1;
    }

    fn print(&self) {
        let mut parts = vec![format!("added {}", words::count(self.added, "document"))];
        for (count, what) in [
            (self.replaced, "replaced"),
            (self.unchanged, "unchanged"),
            (self.seen, "seen before and left out"),
            (self.bad_rows, "bad rows left out"),
            (self.null_texts, "left out because their text is null"),
        ] {
            if count > 0 {
                parts.push(format!("{} {what}", words::number(count)));
            }
        }
        eprintln!("{} in {}", parts.join(", "), words::duration(self.seconds));
    }
}
