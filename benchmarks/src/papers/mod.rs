//! `cargo xtask papers`: the tables and figures of the papers, measured with our implementation and
//! printed beside the published values.
//!
//! ```text
//! definitions/NAME.toml -> experiment -> results/data/NAME.json -> results/PAPER.md, NAME-*.svg
//! (claim, parameters,      (a module     (figures, tables,         and ../README.md (page)
//!  the paper's values)      below)        curves, checks)
//! ```
//!
//! A figure that was not equal to its oracle fails the run, and so does a deviation from a paper
//! that its definition does not explain.

pub mod definition;
mod experiment;
mod fpga;
mod minhash;
pub mod page;
pub mod plot;
mod psm;
pub mod record;
mod service;
mod weights;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::ensure;
use clap::Args;

use self::definition::{Definition, Size, Verdict};
pub use self::experiment::Setting;
use self::record::Record;
use crate::measure::{self, Machine};

/// The options of the program.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The largest sizes that this machine holds, instead of 15 minutes
    #[arg(long)]
    pub full: bool,
    /// Only definitions whose name begins so (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Measure nothing: write the pages from the results of earlier runs
    #[arg(long)]
    pub pages: bool,
    /// The folder with the packs (dev/) [default: shared/packs beside the project]
    #[arg(long, value_name = "DIR")]
    pub packs: Option<PathBuf>,
}

/// Runs the experiments and writes the pages.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let folder = Path::new("benchmarks");
    let size = if options.full { Size::Full } else { Size::Quick };
    let packs = measure::Options { packs: options.packs.clone(), ..measure::Options::default() };
    let setting = Setting::new(size, packs, folder.join("results"));
    let definitions = Definition::read_all(&folder.join("definitions"))?;
    let is_wanted =
        |name: &str| options.only.is_empty() || options.only.iter().any(|only| name.starts_with(only));
    ensure!(definitions.iter().any(|one| is_wanted(&one.name)), "no definition is named so");
    let mut faults = vec![];
    for definition in definitions.iter().filter(|one| !options.pages && is_wanted(&one.name)) {
        let record = measure_one(definition, &setting)?;
        faults.extend(faults_of(definition, &record));
        record.write(&setting.results, &definition.name)?;
    }
    let done = with_records(&definitions, &setting.results)?;
    page::write_all(&done, &setting.results, &folder.join("README.md"))?;
    for fault in &faults {
        eprintln!("error: {fault}");
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one experiment.
pub fn measure_one(definition: &Definition, setting: &Setting) -> anyhow::Result<Record> {
    eprint!("{}: ", definition.name);
    let started = Instant::now();
    let outcome = experiment::run(definition, setting)?;
    let seconds = started.elapsed().as_secs_f64();
    eprintln!("{seconds:.1} s");
    Ok(Record { machine: Machine::this().to_string(), size: setting.size, seconds, outcome })
}

/// What is wrong with a record: results that differ from an oracle, deviations without a reason.
pub fn faults_of(definition: &Definition, record: &Record) -> Vec<String> {
    let Definition { name, values, .. } = definition;
    let failed = record.outcome.checks.iter().filter(|check| !check.passed);
    let failed = failed.map(|check| format!("{name}: not equal to the oracle: {}", check.what));
    let unexplained = values
        .iter()
        .filter(|value| value.because.is_none() && value.verdict(&record.outcome) == Verdict::Deviates);
    let unexplained = unexplained.map(|value| {
        format!(
            "{name}: {} deviates from the paper ({:?} for {:?}); its definition gives no reason (`because`)",
            value.name,
            value.ours(&record.outcome),
            value.paper
        )
    });
    failed.chain(unexplained).collect()
}

/// Every definition with its last run.
pub fn with_records<'a>(
    definitions: &'a [Definition],
    results: &Path,
) -> anyhow::Result<Vec<page::Done<'a>>> {
    definitions.iter().map(|one| Ok((one, Record::read(results, &one.name)?))).collect()
}
