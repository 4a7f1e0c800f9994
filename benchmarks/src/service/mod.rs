//! The real service under a load that does not wait for it.
//!
//! ```text
//! texts -> index (added, or fingerprints imported) -> hosted: the service on a loopback port
//! load: requests at fixed times on many connections -> latencies from the scheduled times -> percentiles
//! ```
//!
//! A generator that sends the next request only after the last answer measures a service that nobody overloads
//! (coordinated omission): here a request that could not be sent in time has waited already. Server and generator share
//! the machine, and the figures are the worse for it.

mod hosted;
mod load;
mod percentile;
mod texts;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use twindex_core::Recipe;
use twindex_index::{AddOptions, Evidence, Imported, Index, NewDocument, OpenOptions, Settings, Timestamp};

use crate::measure::{self, Report, Row};
use hosted::Hosted;
use load::{Load, Question};
use percentile::Percentiles;
use texts::Texts;

/// What this benchmark can be told.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// What every benchmark can be told
    #[command(flatten)]
    pub common: measure::Options,
    /// At most so many documents in an index, for less than half an hour and 30 GB of disk
    #[arg(long, value_name = "N")]
    pub documents: Option<u64>,
    /// Where indexes are made, and removed at the end [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    pub work: Option<std::path::PathBuf>,
}

/// One index and the loads that it gets.
struct Case {
    name: &'static str,
    documents: u64,
    kind: Kind,
    rates: &'static [u32],
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Documents with sketches, whole texts only.
    Sketch,
    /// Documents with sketches, paragraphs too.
    Paragraphs,
    /// Fingerprints alone.
    Imported,
}

const CASES: [Case; 4] = [
    Case {
        name: "sketch",
        documents: 10_000_000,
        kind: Kind::Sketch,
        rates: &[2_000, 6_000, 10_000, 15_000, 20_000],
    },
    Case { name: "paragraphs", documents: 1_000_000, kind: Kind::Paragraphs, rates: &[2_000] },
    Case { name: "imported", documents: 50_000_000, kind: Kind::Imported, rates: &[4_000] },
    Case { name: "imported", documents: 100_000_000, kind: Kind::Imported, rates: &[4_000] },
];

/// `--quick`: documents, rates (as a part of the real ones), and how long each lasts.
const QUICK_DOCUMENTS: u64 = 2_000;
const QUICK_RATE_PART: u32 = 10;
const QUICK_TIME: Duration = Duration::from_millis(300);
const TIME: Duration = Duration::from_secs(10);

/// Distinct questions; they come again in turns.
const QUESTIONS: u64 = 20_000;

/// What Yu, Hu and Zhang (2016) measured, in milliseconds: requests a second, the most documents, within.
const PAPER: [(u32, u64, f64); 4] = [
    (2_000, 10_000_000, 10.0),
    (6_000, 10_000_000, 20.0),
    (4_000, 50_000_000, 20.0),
    (4_000, 100_000_000, 100.0),
];

/// The latency up to which a rate counts as carried.
const CARRIED_MILLISECONDS: f64 = 20.0;

/// Runs the cases.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut report = Report::new("service", &options.common);
    let most = if options.common.quick { QUICK_DOCUMENTS } else { options.documents.unwrap_or(u64::MAX) };
    let mut done = vec![];
    for case in &CASES {
        let documents = case.documents.min(most);
        if done.contains(&(case.name, documents)) {
            continue;
        }
        done.push((case.name, documents));
        let folder = match &options.work {
            Some(work) => tempfile::tempdir_in(work),
            None => tempfile::tempdir(),
        };
        let folder = folder.context("cannot make a folder for an index")?;
        run_case(case, documents, folder.path(), options, &mut report)?;
    }
    Ok(report.finish())
}

fn run_case(
    case: &Case,
    documents: u64,
    folder: &Path,
    options: &Options,
    report: &mut Report,
) -> anyhow::Result<()> {
    let name = format!("{} {}", short(documents), case.name);
    report.heading(&name);
    let texts = Texts::new(documents);
    let path = folder.join("index");
    let settings = Settings {
        evidence: if case.kind == Kind::Imported { Evidence::None } else { Evidence::Sketch },
        paragraphs: case.kind == Kind::Paragraphs,
        ..Settings::new(Recipe::preset("simhash")?)
    };
    Index::create(&path, &settings)?;
    let index = Index::open(&path, OpenOptions::default())?;
    let filled = Instant::now();
    match case.kind {
        Kind::Imported => import(&index, &texts, documents)?,
        Kind::Sketch | Kind::Paragraphs => add(&index, &texts, documents)?,
    }
    let held = index.stats()?.documents == documents;
    let speed = documents as f64 / filled.elapsed().as_secs_f64();
    let how = if case.kind == Kind::Imported { "import" } else { "add" };
    report.row(
        Row::new(how, &name)
            .threads(2)
            .metric("documents/s", speed)
            .checked(held)
            .note("durable, batches; texts generated meanwhile"),
    );
    // As a restart would find it.
    drop(index);
    let opened = Instant::now();
    let index = Index::open(&path, OpenOptions::default())?;
    report.row(
        Row::new("open", &name)
            .metric("s", opened.elapsed().as_secs_f64())
            .checked(index.stats()?.documents == documents),
    );
    let memory = index.stats()?.memory_bytes;
    report.row(
        Row::new("fingerprints", &name)
            .metric("bytes/document", memory as f64 / documents as f64)
            .checked(held),
    );

    let hosted = Hosted::start(index)?;
    let questions = questions(&texts, &settings.recipe)?;
    let duration = if options.common.quick { QUICK_TIME } else { TIME };
    let mut carried = None;
    for &rate in case.rates {
        let rate = if options.common.quick { rate / QUICK_RATE_PART } else { rate };
        let load = Load { rate, duration, address: hosted.address };
        let outcome = load.run(&questions)?;
        let checked = outcome.wrong == 0 && outcome.refused == 0;
        let percentiles = Percentiles::of(outcome.latencies);
        if checked && percentiles.p99 <= CARRIED_MILLISECONDS {
            carried = Some(rate);
        }
        let paper =
            PAPER.iter().find(|(at, most, _)| *at == rate && *most == case.documents && documents == *most);
        for (metric, value) in percentiles.all() {
            let mut row =
                Row::new(format!("check {rate}/s"), &name).threads(2).metric(metric, value).checked(checked);
            if outcome.refused > 0 {
                row = row.note(format!("{} refused", outcome.refused));
            }
            if let (Some((_, _, within)), "p99 ms") = (paper, metric) {
                row = row
                    .against("Yu et al. 2016 (within)", within / value)
                    .note(format!("the paper: within {within} ms"));
            }
            report.row(row);
        }
    }
    if case.rates.len() > 1 {
        let value = f64::from(carried.unwrap_or(0));
        report.row(
            Row::new("highest rate with p99 <= 20 ms", &name)
                .threads(2)
                .metric("requests/s", value)
                .checked(true),
        );
    }
    report.row(
        Row::new("process", &name)
            .metric("resident MB", hosted::resident_bytes() as f64 / 1e6)
            .checked(true)
            .note("server and generator together"),
    );
    Ok(())
}

/// Documents in one commit, as a client would send them.
const BATCH: u64 = 1_000;

fn add(index: &Index, texts: &Texts, documents: u64) -> anyhow::Result<()> {
    let options = AddOptions { only_unseen: false, matches: 0 };
    for start in (0..documents).step_by(BATCH as usize) {
        let numbers = start..documents.min(start + BATCH);
        let batch: Vec<NewDocument> =
            texts.many(numbers).into_iter().map(|(id, text)| NewDocument::new(id, text)).collect();
        index.add(&batch, options, Timestamp::now())?;
    }
    Ok(())
}

/// The questions' originals are among the fingerprints; the rest are random, as those of unrelated texts are.
fn import(index: &Index, texts: &Texts, documents: u64) -> anyhow::Result<()> {
    let known = documents.min(QUESTIONS);
    let fingerprints = texts.fingerprints(&index.settings().recipe, 0..known)?;
    let rows = (0..documents).map(|number| Imported {
        id: texts::id(number),
        fingerprint: fingerprints
            .get(number as usize)
            .copied()
            .unwrap_or_else(|| texts::random_fingerprint(number)),
        expires: None,
    });
    index.import(rows)?;
    Ok(())
}

/// One in ten is a near-duplicate of a document in the index, the others are new.
fn questions(texts: &Texts, recipe: &Recipe) -> anyhow::Result<Vec<Question>> {
    let pipeline = twindex_core::Pipeline::new(recipe, twindex_core::kernel::Kernel::best())?;
    (0..QUESTIONS.min(10 * texts.documents))
        .map(|number| Ok(texts.question(number, &pipeline, recipe)))
        .collect()
}

fn short(number: u64) -> String {
    match number {
        1_000_000.. => format!("{}M", number / 1_000_000),
        1_000.. => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}
