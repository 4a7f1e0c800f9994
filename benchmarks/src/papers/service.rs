//! A service for duplicates: the paper's two figures, by the rows of `cargo xtask bench service`.

use serde::Deserialize;

use super::definition::{Definition, Size};
use super::experiment::Setting;
use super::page::number;
use super::plot::{Axis, Plot, Series};
use super::record::{Outcome, Table};
use crate::measure::{self, Report, Row};
use crate::service::{self as bench, Options};

#[derive(Deserialize)]
struct Rates {
    documents: u64,
    /// The paper's points: requests a second, milliseconds.
    paper: Vec<(f64, f64)>,
}

/// Figure 1: latency against requests a second.
pub(super) fn rates(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Rates { documents, paper } = definition.parameters(setting.size)?;
    let options = options(setting, "sketch", documents);
    let mut report = Report::silent("service");
    bench::measure_cases(&options, &mut report)?;
    let rows = report.into_rows();
    let mut outcome = Outcome::default();
    let mut points = [const { vec![] }; 2];
    for row in &rows {
        let Some(rate) = rate_of(row) else { continue };
        if let Some(place) = ["p50 ms", "p99 ms"].iter().position(|metric| *metric == row.metric) {
            points[place].push((rate, row.value));
        }
    }
    finish(&mut outcome, &rows, points, paper, "requests a second", "rate");
    outcome.figure("documents", documents as f64);
    Ok(outcome)
}

#[derive(Deserialize)]
struct Sizes {
    documents: Vec<u64>,
    rate: u32,
    /// The paper's points: documents, milliseconds.
    paper: Vec<(f64, f64)>,
}

/// Figure 2: latency against the number of documents.
pub(super) fn sizes(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Sizes { documents, rate, paper } = definition.parameters(setting.size)?;
    let work = tempfile::tempdir()?;
    let mut outcome = Outcome::default();
    let (mut points, mut all) = ([const { vec![] }; 2], vec![]);
    // The index grows from size to size.
    for &documents in &documents {
        let options = Options {
            rate: Some(rate),
            work: Some(work.path().to_owned()),
            ..options(setting, "imported-100M", documents)
        };
        let mut report = Report::silent("service");
        bench::measure_cases(&options, &mut report)?;
        let rows = report.into_rows();
        for row in rows.iter().filter(|row| rate_of(row).is_some()) {
            if let Some(place) = ["p50 ms", "p99 ms"].iter().position(|metric| *metric == row.metric) {
                points[place].push((documents as f64, row.value));
            }
        }
        all.extend(rows);
    }
    finish(&mut outcome, &all, points, paper, "documents", "size");
    Ok(outcome)
}

fn options(setting: &Setting, case: &str, documents: u64) -> Options {
    let common = measure::Options { quick: setting.size == Size::Tiny, ..setting.packs.clone() };
    Options { common, cases: vec![case.to_owned()], documents: Some(documents), rate: None, work: None }
}

/// The requests a second of a row of latencies.
fn rate_of(row: &Row) -> Option<f64> {
    row.row.strip_prefix("check ")?.strip_suffix("/s")?.parse().ok()
}

fn finish(
    outcome: &mut Outcome,
    rows: &[Row],
    points: [Vec<(f64, f64)>; 2],
    paper: Vec<(f64, f64)>,
    axis: &str,
    file: &str,
) {
    let mut table = Table::new("Every row of the benchmark", &["", "case", "value", "", ""]);
    for row in rows {
        table.row([
            row.row.clone(),
            row.case.clone(),
            number(row.value),
            row.metric.to_owned(),
            row.note.clone().unwrap_or_default(),
        ]);
    }
    let names = ["p50", "p99"];
    for (name, points) in names.iter().zip(&points) {
        for (place, (_, latency)) in points.iter().enumerate() {
            outcome.figure(format!("{name} of point {}", place + 1), *latency);
        }
        for (at, latency) in points {
            outcome.figure(format!("{name} at {}", number(*at)), *latency);
        }
        if let Some((at, latency)) = points.last() {
            outcome.figure(format!("{name} at the largest"), *latency);
            outcome.figure("largest", *at);
        }
    }
    let [median, tail] = points;
    outcome.plots.push(Plot {
        file: file.to_owned(),
        title: format!("Latency of a request against {axis}"),
        x: Axis::log(axis),
        y: Axis::log("milliseconds"),
        series: vec![
            Series::ours("median", median),
            Series::ours("99 of 100", tail),
            Series::paper("the paper, at most", paper),
        ],
    });
    outcome.check("every response is right, none was refused", rows.iter().all(|row| row.checked));
    outcome.tables.push(table);
}
