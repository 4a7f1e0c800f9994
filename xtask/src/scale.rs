//! `cargo xtask scale`: does twindex keep its promises at a size that does not fit into its memory?
//!
//! The collection is made (once), deduplicated under a memory limit, and the result compared with
//! what was planted: nothing lost (kept and removed rows add up), nothing missed, nothing removed
//! wrongly, memory within bounds. Other shapes measure time: against the number of variants of one
//! template, against the size of a collection, of shared paragraphs beside a recipe that skips
//! them, and of real text.

mod flat;
mod linux;
mod paragraphs;
mod rows;
mod web;

/// Time against the number of variants of one template.
mod template;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};

use crate::measured::{self, Cost};
use crate::{build, disk};

#[derive(Args)]
pub(crate) struct Options {
    /// What is measured
    #[arg(long, value_enum, default_value_t = Shape::Web)]
    shape: Shape,
    /// The size of the collection of pages
    #[arg(long, default_value = "5G")]
    bytes: String,
    /// The sizes of the shape `flat`, the first to compare the others with
    #[arg(long, value_delimiter = ',', default_value = "500M,5G,20G")]
    sizes: Vec<String>,
    /// The value of `twindex dedup --memory`
    #[arg(long, default_value = "512MiB")]
    memory: String,
    /// The peak of resident memory, in megabytes, from which on the run fails (512MiB are 537
    /// megabytes)
    #[arg(long, value_name = "MB", default_value_t = 537)]
    maximum_resident: u64,
    /// Where collections stay for the next run, and results go [default: twindex-scale in the
    /// temporary folder]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Shape {
    /// Pages with site templates, two languages, planted copies: memory, recall
    Web,
    /// Variants of one text: is the time linear?
    Template,
    /// Pages of several sizes: does a byte cost the same at each?
    Flat,
    /// Documents that share paragraphs: what do candidates cost that are no duplicates?
    Paragraphs,
    /// The Linux sources of Debian's package, which is installed when it is missing
    Linux,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let folder = options.folder.clone().unwrap_or_else(|| std::env::temp_dir().join("twindex-scale"));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let bench = Bench {
        twindex: build::release_program("twindex-cli", "twindex")?,
        generator: build::release("twindex-benchmarks")?,
        folder,
        memory: options.memory.clone(),
    };
    let passed = match options.shape {
        Shape::Web => web::run(&bench, &options.bytes, options.maximum_resident)?,
        Shape::Template => template::run(&bench)?,
        Shape::Flat => flat::run(&bench, &options.sizes)?,
        Shape::Paragraphs => paragraphs::run(&bench)?,
        Shape::Linux => linux::run(&bench)?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The programs and the place of a run.
struct Bench {
    twindex: PathBuf,
    generator: PathBuf,
    folder: PathBuf,
    memory: String,
}

/// A made collection on disk.
struct Collection {
    rows: PathBuf,
    truth: PathBuf,
}

/// What `dedup` wrote and what it cost.
struct Outcome {
    kept: PathBuf,
    removed: PathBuf,
    cost: Cost,
    /// The most that the folder of results held, the results included.
    disk: u64,
}

impl Bench {
    /// Makes a collection, or finds the one of an earlier run. The generator renames a file when it
    /// is whole.
    fn collection<Text: AsRef<OsStr>>(&self, name: &str, options: &[Text]) -> anyhow::Result<Collection> {
        let rows = self.folder.join(format!("{name}.jsonl"));
        let truth = self.folder.join(format!("{name}.truth.tsv"));
        if rows.is_file() && truth.is_file() {
            eprintln!("taking {name} as an earlier run made it");
        } else {
            eprintln!("making {name}");
            let mut command = Command::new(&self.generator);
            command.arg("generate").args(options).arg("--output").arg(&rows).arg("--truth").arg(&truth);
            measured::run(&mut command)?;
        }
        Ok(Collection { rows, truth })
    }

    fn dedup(&self, collection: &Collection) -> anyhow::Result<Outcome> {
        let results = self.folder.join("results");
        let temporary = results.join("temporary");
        if results.exists() {
            fs::remove_dir_all(&results).with_context(|| format!("cannot empty {}", results.display()))?;
        }
        fs::create_dir_all(&temporary)?;
        let (kept, removed) = (results.join("kept.jsonl"), results.join("removed.jsonl"));
        let mut command = Command::new(&self.twindex);
        command.arg("dedup").arg(&collection.rows).args(["--memory", &self.memory]);
        command.arg("--output").arg(&kept).arg("--removed").arg(&removed);
        // So that the disk figure includes what a run puts into the temporary folder.
        command.env("TMPDIR", &temporary);
        eprintln!("running {}", measured::line(&command));
        let (cost, disk) = disk::high_water(&results, || measured::run(&mut command));
        Ok(Outcome { kept, removed, cost: cost?, disk })
    }

    /// Runs `dedup` without writing kept rows, so that the disk does not decide; its best time of
    /// several runs.
    fn timed(&self, rows: &Path, more: &[&str]) -> anyhow::Result<Cost> {
        const RUNS: usize = 2;
        let mut best: Option<Cost> = None;
        for _ in 0..RUNS {
            let mut command = Command::new(&self.twindex);
            command.arg("dedup").arg(rows).args(["--memory", &self.memory]).args(more);
            command.arg("--work").arg(self.folder.join("work"));
            command.stdout(Stdio::null());
            eprintln!("running {}", measured::line(&command));
            let cost = measured::run(&mut command)?;
            best = best.filter(|best| best.seconds <= cost.seconds).or(Some(cost));
        }
        best.context("nothing ran")
    }

    /// Compares the result with the truth; the generator's checker prints its table. Exit code 1 is
    /// a verdict, any other failure an error.
    fn check(&self, collection: &Collection, removed: &Path) -> anyhow::Result<bool> {
        let mut command = Command::new(&self.generator);
        command.arg("check").arg("--truth").arg(&collection.truth).arg("--removed").arg(removed);
        let status = command.status()?;
        ensure!(matches!(status.code(), Some(0 | 1)), "`{}` failed: {status}", measured::line(&command));
        Ok(status.success())
    }
}
