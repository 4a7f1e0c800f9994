//! The real service under an open-loop load.
//!
//! ```text
//! texts -> index (added, or fingerprints imported) -> hosted: the service on a loopback port
//! load: requests at fixed times on many connections -> latencies since then -> percentiles
//! ```
//!
//! A generator that sends the next request only after the last response never overloads a service
//! (coordinated omission): here the latency of a request includes the time that it could not be
//! sent. Server and generator share the machine, and the figures are the worse for it.

mod adds;
mod case;
mod connection;
mod fill;
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
use twindex_index::{Evidence, Index, OpenOptions, Search};

use crate::measure::{self, Report, Row};
use case::{CASES, Case, Kind};
use fill::fill;
use hosted::Hosted;
use load::{Load, Outcome, Query};
use percentile::Percentiles;
use texts::Texts;

/// The options of this benchmark.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// The options of every benchmark
    #[command(flatten)]
    pub common: measure::Options,
    /// Only these cases: sketch, paragraphs, default-1M, default-1M-sketch, default-10M,
    /// default-10M-sketch, imported-50M, imported-100M, imported-100M-psm, adds, adds-default
    /// [default: all]
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// The most documents in an index, for less than half an hour and 30 GB of disk
    #[arg(long, value_name = "N")]
    pub documents: Option<u64>,
    /// Only this rate, in requests a second
    #[arg(long, value_name = "N")]
    pub rate: Option<u32>,
    /// Where indexes are kept for the next run [default: a temporary folder, removed at the end]
    #[arg(long, value_name = "DIR")]
    pub work: Option<std::path::PathBuf>,
}

/// The cases of batches that are added: the name, how many documents, and what is kept of them.
const ADDS: [(&str, u64, Kind); 2] =
    [("adds", 200_000, Kind::Sketch), ("adds-default", 1_000_000, Kind::Default(Evidence::Text))];

/// `--quick`: documents, rates (as a part of the real ones), and how long each lasts.
const QUICK_DOCUMENTS: u64 = 2_000;
const QUICK_RATE_PART: u32 = 10;
const QUICK_TIME: Duration = Duration::from_millis(300);
const TIME: Duration = Duration::from_secs(10);

/// The most runs per rate, and the share of a run (one in `DISTURBED_PART`) that may be steal time
/// before it is repeated.
const TRIES: usize = 4;
const DISTURBED_PART: u32 = 200;

/// Distinct queries, repeated in a cycle.
const QUERIES: u64 = 20_000;

/// What Yu, Hu and Zhang (2016) measured: requests a second, the most documents, the latency in
/// milliseconds.
const PAPER: [(u32, u64, f64); 4] = [
    (2_000, 10_000_000, 10.0),
    (6_000, 10_000_000, 20.0),
    (4_000, 50_000_000, 20.0),
    (4_000, 100_000_000, 100.0),
];

/// The latency up to which a rate counts as sustained.
const CARRIED_MILLISECONDS: f64 = 20.0;

/// Runs the cases.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut report = Report::new("service", &options.common);
    measure_cases(options, &mut report)?;
    Ok(report.finish())
}

/// Measures the wanted cases.
pub(crate) fn measure_cases(options: &Options, report: &mut Report) -> anyhow::Result<()> {
    let known = || CASES.iter().map(|case| case.name).chain(ADDS.map(|(name, ..)| name));
    for name in &options.cases {
        let names = || known().collect::<Vec<_>>().join(", ");
        anyhow::ensure!(known().any(|known| known == name), "there is no case {name}, only {}", names());
    }
    let is_wanted = |name: &str| options.cases.is_empty() || options.cases.iter().any(|it| it == name);
    let most = if options.common.quick { QUICK_DOCUMENTS } else { options.documents.unwrap_or(u64::MAX) };
    let temporary = tempfile::tempdir().context("cannot make a folder for indexes")?;
    let work = options.work.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(work).with_context(|| format!("cannot make the folder {}", work.display()))?;
    let mut done = vec![];
    for case in CASES.iter().filter(|case| is_wanted(case.name)) {
        let documents = case.documents.min(most);
        let same = (case.kind.folder(), case.search, documents);
        if done.contains(&same) {
            continue;
        }
        done.push(same);
        run_case(case, documents, work, options, report)?;
    }
    for (name, documents, kind) in ADDS.into_iter().filter(|(name, ..)| is_wanted(name)) {
        adds::run((documents.min(most), kind), &temporary.path().join(name), report)?;
    }
    Ok(())
}

fn run_case(
    case: &Case,
    documents: u64,
    work: &Path,
    options: &Options,
    report: &mut Report,
) -> anyhow::Result<()> {
    let psm = if case.search == Search::Psm { " psm" } else { "" };
    let name = format!("{} {}{psm}", short(documents), case.kind.folder());
    report.heading(&name);
    let texts = Texts::new(documents, case.kind == Kind::Paragraphs);
    let path = work.join(case.kind.folder());
    let filled = fill(&path, case.kind, &texts)?;
    // As after a restart.
    let opened = Instant::now();
    let index = Index::open(&path, OpenOptions { search: case.search, ..OpenOptions::default() })?;
    let opened = opened.elapsed().as_secs_f64();
    let stats = index.stats()?;
    if stats.documents > documents {
        eprintln!(
            "SKIPPED: {name}: {} has grown to {} documents for a larger case; give another --work",
            path.display(),
            stats.documents
        );
        return Ok(());
    }
    let held = stats.documents == documents;
    if filled.documents > 0 {
        let how = if case.kind == Kind::Imported { "import" } else { "add" };
        let speed = filled.documents as f64 / filled.time.as_secs_f64();
        let row = Row::new(how, &name).threads(2).metric("documents/s", speed).checked(held);
        report.row(row.note("durable; making the documents is not counted"));
    }
    report.row(Row::new("open", &name).metric("s", opened).checked(held));
    let bytes = stats.memory_bytes as f64 / documents as f64;
    let note = format!("of memory for search and numbers; {:.1} GB of files", stats.disk_bytes as f64 / 1e9);
    let row = Row::new("fingerprints", &name).metric("bytes/document", bytes);
    report.row(row.checked(held).note(note));

    let hosted = Hosted::start(index)?;
    let queries = queries(&texts, &case.kind.settings()?.recipe)?;
    measure_rates(case, documents, &name, &hosted, &queries, options, report)?;
    report.row(
        Row::new("process", &name)
            .metric("resident MB", hosted::resident_bytes() as f64 / 1e6)
            .checked(true)
            .note("server and generator together"),
    );
    Ok(())
}

fn measure_rates(
    case: &Case,
    documents: u64,
    name: &str,
    hosted: &Hosted,
    queries: &[Query],
    options: &Options,
    report: &mut Report,
) -> anyhow::Result<()> {
    let quick = options.common.quick;
    let duration = if quick { QUICK_TIME } else { TIME };
    let one = options.rate.map(|rate| [rate]);
    let rates = one.as_ref().map_or(case.rates, <[u32; 1]>::as_slice);
    let mut carried = None;
    for &rate in rates {
        let rate = if quick { rate / QUICK_RATE_PART } else { rate };
        let load = Load { rate, duration, address: hosted.address };
        let Calm { outcome, stolen } = calmest(&load, queries)?;
        // Probabilistic matching may miss one match in a hundred; one response in ten has one.
        let missed = (1.0 - case.search.share_of_candidates()) * outcome.latencies.len() as f64 / 10.0;
        let checked = outcome.wrong as f64 <= missed && outcome.refused == 0;
        let percentiles = Percentiles::of(outcome.latencies);
        if checked && percentiles.p99 <= CARRIED_MILLISECONDS {
            carried = Some(rate);
        }
        let paper = PAPER.iter().find(|(at, most, _)| *at == rate && documents == *most);
        for (metric, value) in percentiles.all() {
            let mut row =
                Row::new(format!("check {rate}/s"), name).threads(2).metric(metric, value).checked(checked);
            if outcome.refused > 0 {
                row = row.note(format!("{} refused", outcome.refused));
            }
            if !stolen.is_zero() && metric == "max ms" {
                row = row.note(format!("the host took the cores away for {} ms", stolen.as_millis()));
            }
            if let (Some((_, _, within)), "p99 ms") = (paper, metric) {
                row = row
                    .against("Yu et al. 2016 (within)", within / value)
                    .note(format!("the paper: within {within} ms"));
            }
            report.row(row);
        }
    }
    if rates.len() > 1 {
        let value = f64::from(carried.unwrap_or(0));
        let row = Row::new("highest rate with p99 <= 20 ms", name).threads(2);
        report.row(row.metric("requests/s", value).checked(true).note("of the rates above"));
    }
    Ok(())
}

/// The outcome of a load, and the steal time during it.
struct Calm {
    outcome: Outcome,
    stolen: Duration,
}

/// Runs the load until there is hardly any steal time, a few times at most, and keeps the run with
/// the least: a core that is away for a tenth of a second delays every response in that time.
/// Latencies do not choose the run.
fn calmest(load: &Load, queries: &[Query]) -> anyhow::Result<Calm> {
    let mut calmest: Option<Calm> = None;
    let (mut refused, mut wrong) = (0, 0);
    for _ in 0..TRIES {
        let before = measure::stolen_time();
        let outcome = load.run(queries)?;
        let stolen = measure::stolen_time().saturating_sub(before);
        refused = outcome.refused.max(refused);
        wrong = outcome.wrong.max(wrong);
        if calmest.as_ref().is_none_or(|calm| stolen < calm.stolen) {
            calmest = Some(Calm { outcome, stolen });
        }
        if stolen <= load.duration / DISTURBED_PART {
            break;
        }
    }
    // Wrong responses of all runs count.
    let calm = calmest.map(|calm| Calm { outcome: Outcome { refused, wrong, ..calm.outcome }, ..calm });
    calm.context("nothing was measured")
}

/// One in ten is a near-duplicate of a document in the index, the others are new.
fn queries(texts: &Texts, recipe: &Recipe) -> anyhow::Result<Vec<Query>> {
    let engine = twindex_core::Engine::new(recipe, twindex_core::kernel::Kernel::best())?;
    (0..QUERIES.min(10 * texts.documents)).map(|number| Ok(texts.query(number, &engine, recipe))).collect()
}

fn short(number: u64) -> String {
    match number {
        1_000_000.. => format!("{}M", number / 1_000_000),
        1_000.. => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}
