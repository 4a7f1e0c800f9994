//! Bottom-k MinHash: the article's tables, by the rows of `cargo xtask bench minhash`.

use serde::Deserialize;

use super::definition::{Definition, Size};
use super::experiment::Setting;
use super::page::number;
use super::record::{Outcome, Table};
use crate::measure::{self, Report, Row};
use crate::minhash::{self as bench, COPIES, FEW_COPIES};

/// Seconds of the article's day.
const DAY: f64 = 86_400.0;

/// The first table: from texts to sketches.
pub(super) fn construction(setting: &Setting) -> anyhow::Result<Outcome> {
    let options = measure::Options { quick: setting.size == Size::Tiny, ..setting.packs.clone() };
    let mut report = Report::silent("minhash");
    bench::construction::run(&bench::texts::long(&options)?, &mut report);
    Ok(outcome(report, "Millions of characters a second, one thread"))
}

#[derive(Deserialize)]
struct Documents {
    documents: u64,
}

/// The second table: every pair of 2,000 sketches.
pub(super) fn pairs(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Documents { documents } = definition.parameters(setting.size)?;
    let mut report = Report::silent("minhash");
    bench::pairs::run(&bench::short_hashes(&bench::made(documents, FEW_COPIES)), &mut report);
    Ok(outcome(report, "Millions of pairs a second, one thread"))
}

/// The article's forecast: a day for 740,000 documents.
pub(super) fn join(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Documents { documents } = definition.parameters(setting.size)?;
    let mut report = Report::silent("minhash");
    bench::join::run(&number(documents as f64), &bench::made(documents, COPIES), &mut report);
    let mut outcome = outcome(report, "Seconds for all pairs of sketches in memory, one thread");
    if let Some(&seconds) = outcome.figures.get("join") {
        let documents = documents as f64;
        outcome.figure("seconds", seconds);
        outcome.figure("documents", documents);
        // What the article's rate would take for as many documents.
        let article = documents * (documents - 1.0) / 2.0 / 3.16e6;
        outcome.figure("times faster than the article's rate", article / seconds);
        outcome.figure("share of the day", seconds / DAY);
    }
    Ok(outcome)
}

/// Rows as figures, by name: the value, and the ratio to the naive or classical row.
fn outcome(report: Report, caption: &str) -> Outcome {
    let rows: Vec<Row> = report.into_rows();
    let mut outcome = Outcome::default();
    let mut table = Table::new(caption, &["", "value", "times", "of", ""]);
    for row in &rows {
        let name = row.row.clone();
        // A row may be compared with several others: the first is its figure.
        outcome.figures.entry(name.clone()).or_insert(row.value);
        if let (Some(baseline), Some(ratio)) = (&row.baseline, row.ratio) {
            outcome.figure(format!("{name} / {baseline}"), ratio);
        }
        table.row([
            name,
            number(row.value),
            row.ratio.map(number).unwrap_or_default(),
            row.baseline.clone().unwrap_or_default(),
            row.note.clone().unwrap_or_default(),
        ]);
    }
    outcome.check("every row equals its oracle", rows.iter().all(|row| row.checked) && !rows.is_empty());
    outcome.tables.push(table);
    outcome
}
