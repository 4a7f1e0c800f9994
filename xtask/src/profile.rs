//! `cargo xtask profile COLLECTION`: where does `twindex dedup` spend its time?
//!
//! Every program runs with every number of threads, in turns, and the best run of each counts:
//! machines are noisy, and only what was measured side by side can be compared. Kept rows are not
//! written, so that the disk does not decide.

mod functions;
mod process;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Deserialize;

use crate::machine::Machine;
use crate::measured::line;
use crate::table::Table;
use crate::{build, workspace};
use process::Used;

#[derive(Args)]
pub(crate) struct Options {
    /// The collection, any input of `twindex dedup`
    collection: PathBuf,
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<usize>,
    /// Runs of each program and number of threads; the fastest counts
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Another twindex to run in turns with this one, such as an earlier version
    #[arg(long, value_name = "PROGRAM")]
    beside: Vec<PathBuf>,
    /// The value of `twindex dedup --memory`
    #[arg(long)]
    memory: Option<String>,
    /// The value of `twindex dedup --recipe`
    #[arg(long)]
    recipe: Option<String>,
}

/// What is read of the summary of a job; versions that do not measure CPU time have none.
#[derive(Deserialize)]
struct Summary {
    bytes: u64,
    candidates: u64,
    compared: u64,
    removed: u64,
    seconds: f64,
    stages: Vec<Stage>,
}

#[derive(Deserialize)]
struct Stage {
    name: String,
    seconds: f64,
    cpu_seconds: Option<f64>,
}

/// A run of one program.
struct Run {
    summary: Summary,
    used: Used,
}

/// A program with a number of threads, and the best of its runs.
struct Case<'a> {
    program: &'a Path,
    threads: usize,
    best: Option<Run>,
}

impl Case<'_> {
    /// The file name of the program.
    fn name(&self) -> String {
        let name = self.program.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// Shorter stages are not listed.
const LEAST_SECONDS: f64 = 0.001;

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let here = build::release_program("twindex-cli", "twindex")?;
    let programs: Vec<&Path> = std::iter::once(&here).chain(&options.beside).map(PathBuf::as_path).collect();
    let mut cases: Vec<Case> = options
        .threads
        .iter()
        .flat_map(|&threads| programs.iter().map(move |&program| Case { program, threads, best: None }))
        .collect();
    for number in 0..options.runs.max(1) {
        eprintln!("run {} of {}", number + 1, options.runs.max(1));
        for case in &mut cases {
            let run = options.measure(case.program, case.threads)?;
            if case.best.as_ref().is_none_or(|best| run.summary.seconds < best.summary.seconds) {
                case.best = Some(run);
            }
        }
    }
    println!(
        "`{}` on {}, best of {} runs in turns:\n",
        line(&options.command(Path::new("twindex"), options.threads[0])),
        Machine::this(),
        options.runs.max(1)
    );
    println!("{}\n{}", totals(&cases), stages(&cases));
    match functions::dearest(&mut options.command(&here, options.threads[0])) {
        Ok(table) => println!("{table}"),
        Err(error) => println!("No functions: {error:#}"),
    }
    Ok(ExitCode::SUCCESS)
}

impl Options {
    fn command(&self, program: &Path, threads: usize) -> Command {
        let mut command = Command::new(program);
        command.arg("dedup").arg(&self.collection).arg("--threads").arg(threads.to_string());
        for (option, value) in [("--memory", &self.memory), ("--recipe", &self.recipe)] {
            command.args(value.iter().flat_map(|value| [option, value]));
        }
        command.arg("--json").current_dir(workspace::root());
        command
    }

    fn measure(&self, program: &Path, threads: usize) -> anyhow::Result<Run> {
        let mut command = self.command(program, threads);
        let (output, used) = process::run(&mut command)?;
        let summary = serde_json::from_slice(&output)
            .with_context(|| format!("`{}` printed no summary", line(&command)))?;
        ensure!(used.seconds > 0.0, "`{}` used no CPU", line(&command));
        Ok(Run { summary, used })
    }
}

/// A row for each program and number of threads.
fn totals(cases: &[Case]) -> Table {
    let mut table = Table::new(&[
        "program",
        "threads",
        "seconds",
        "MB/s",
        "ratio",
        "CPU s",
        "MB read",
        "MB written",
        "page faults",
        "candidates",
        "compared",
        "removed",
    ]);
    for (case, run) in cases.iter().filter_map(|case| Some((case, case.best.as_ref()?))) {
        let Run { summary, used } = run;
        // How many times as fast this build is.
        let here =
            cases.iter().find(|other| other.threads == case.threads).and_then(|other| other.best.as_ref());
        let ratio = here.map_or(1.0, |here| summary.seconds / here.summary.seconds);
        let megabytes = |bytes: u64| format!("{:.0}", bytes as f64 / 1e6);
        table.row([
            case.name(),
            case.threads.to_string(),
            format!("{:.3}", summary.seconds),
            format!("{:.0}", summary.bytes as f64 / 1e6 / summary.seconds),
            format!("{ratio:.2}"),
            format!("{:.3}", used.seconds),
            megabytes(used.bytes_read),
            megabytes(used.bytes_written),
            used.page_faults.to_string(),
            summary.candidates.to_string(),
            summary.compared.to_string(),
            summary.removed.to_string(),
        ]);
    }
    table
}

/// A row for each stage of each case.
fn stages(cases: &[Case]) -> Table {
    let mut table =
        Table::new(&["stage", "program", "threads", "seconds", "CPU s", "parallel share", "times 1 thread"]);
    for (case, run) in cases.iter().filter_map(|case| Some((case, case.best.as_ref()?))) {
        let one_thread = cases
            .iter()
            .find(|other| other.program == case.program && other.threads == 1)
            .and_then(|other| other.best.as_ref());
        for stage in run.summary.stages.iter().filter(|stage| stage.seconds >= LEAST_SECONDS) {
            let alone =
                one_thread.and_then(|run| run.summary.stages.iter().find(|other| other.name == stage.name));
            let optional = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
            table.row([
                stage.name.clone(),
                case.name(),
                case.threads.to_string(),
                format!("{:.3}", stage.seconds),
                stage.cpu_seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.3}")),
                optional(stage.cpu_seconds.and_then(|cpu| parallel_share(stage.seconds, cpu, case.threads))),
                optional(alone.map(|alone| alone.seconds / stage.seconds)),
            ]);
        }
    }
    table
}

/// The share of the work that ran on all threads at once, if the rest ran on one: `wall = cpu * (1
/// - share) + cpu * share / threads`. `None` with one thread, or where there is too little to tell.
fn parallel_share(wall: f64, cpu: f64, threads: usize) -> Option<f64> {
    /// The clocks of a stage are read one after the other.
    const TOO_LITTLE: f64 = 0.01;
    if threads < 2 || cpu < TOO_LITTLE {
        return None;
    }
    let share = (1.0 - wall / cpu) / (1.0 - 1.0 / threads as f64);
    Some(share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_what_amdahl_says() {
        let near = |share: Option<f64>, expected: f64| {
            assert!(share.is_some_and(|share| (share - expected).abs() < 1e-9), "{share:?}");
        };
        near(parallel_share(1.0, 2.0, 2), 1.0);
        near(parallel_share(2.0, 2.0, 2), 0.0);
        // One second on one thread, three seconds of work on four.
        near(parallel_share(1.75, 4.0, 4), 0.75);
        assert_eq!(parallel_share(1.0, 1.0, 1), None);
        assert_eq!(parallel_share(0.001, 0.002, 2), None);
    }
}
