//! `cargo xtask removals`: what does `twindex dedup` remove, and is it right?
//!
//! Of each labelled pack: the removals that its labels call right and wrong, counted by the packs'
//! own script, and how many of the right removals of an exact Jaccard of 0.9 are among ours. Of a
//! collection (`--collection`): our removals beside those of the witness rule over all pairs, with
//! no search that could miss one. The run fails if a wrong share or a missed share is too large.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Deserialize;

use crate::debian::{self, Tool};
use crate::quality::pack::{self, Pack};
use crate::table::Table;
use crate::{build, workspace};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder with removals.py and dev/ [default: shared/packs beside the project]
    #[arg(long, value_name = "DIR")]
    packs: Option<PathBuf>,
    /// Compare with the oracle on these JSON lines instead, which need not have labels (may be
    /// given more than once)
    #[arg(long, value_name = "FILE")]
    collection: Vec<PathBuf>,
}

/// removals.py unpacks with the program.
const TOOLS: [Tool; 2] =
    [Tool { program: "python3", package: "python3" }, Tool { program: "zstd", package: "zstd" }];

/// Of the removals that the labels know, the least share that is right.
const LEAST_PRECISION: f64 = 0.98;
/// Of what a strict exact rule removes, the least share that we remove.
const LEAST_FOUND: f64 = 0.95;
/// The most removals for each of the oracle's.
const MOST_REMOVED: f64 = 1.2;
/// The strict rule: a Jaccard, and no bound besides the one that follows from it.
const STRICT: [&str; 4] = ["--threshold", "0.9", "--most-lost", "0"];
/// The coverage of the default recipe.
const DEFAULT: &str = "0.9";
/// The bounds whose removals are counted.
const COVERAGES: [&str; 3] = ["0.8", "0.9", "0.95"];

struct Programs {
    twindex: PathBuf,
    /// The oracle.
    rule: PathBuf,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let programs = Programs {
        twindex: build::release_program("twindex-cli", "twindex")?,
        rule: build::release_program("twindex-benchmarks", "rule")?,
    };
    if !options.collection.is_empty() {
        return collections(&programs, &options.collection);
    }
    let folder = options.packs.clone().unwrap_or_else(workspace::usual_packs);
    let packs = pack::list(&folder.join("dev"))?;
    if packs.is_empty() {
        eprintln!("warning: there are no packs in {}: NOTHING was counted", folder.join("dev").display());
        println!("SKIPPED: removals (no packs)");
        return Ok(ExitCode::SUCCESS);
    }
    debian::ensure(&TOOLS)?;
    labelled(&programs, &folder.join("removals.py"), &packs)
}

/// A row of a file of removals.
#[derive(Deserialize)]
struct Removal {
    id: String,
}

fn removed(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    BufReader::new(file).lines().map(|line| Ok(serde_json::from_str::<Removal>(&line?)?.id)).collect()
}

impl Programs {
    fn dedup(&self, input: &Path, out: &Path, more: &[&str]) -> anyhow::Result<BTreeSet<String>> {
        let mut command = Command::new(&self.twindex);
        command.args(["dedup", "--quiet"]).arg(input).arg("--removed").arg(out).args(more);
        let status = command.status().context("cannot start twindex")?;
        ensure!(status.success(), "twindex dedup failed: {status}");
        removed(out)
    }

    fn oracle(&self, input: &Path, out: &Path, more: &[&str]) -> anyhow::Result<BTreeSet<String>> {
        let mut command = Command::new(&self.rule);
        command.arg("removals").arg(input).args(more).stdout(File::create(out)?);
        let status = command.status().context("cannot start the oracle")?;
        ensure!(status.success(), "the oracle failed: {status}");
        removed(out)
    }
}

/// Right and wrong removals of a pack, and the least coverage: the line that removals.py prints.
fn count(script: &Path, pack: &Pack, removals: &Path) -> anyhow::Result<(u64, u64, f64)> {
    // It says by its exit code what it thinks of the figures; here they are only read.
    let output =
        Command::new("python3").args([script, &pack.folder, removals]).stderr(Stdio::inherit()).output();
    let line = String::from_utf8(output.context("cannot start python3")?.stdout)?;
    let unreadable = || format!("removals.py said {line:?}");
    let mut words = line.split_whitespace().rev();
    let least = words.next().and_then(|word| word.parse().ok()).with_context(unreadable)?;
    let counts = words.next().and_then(|word| word.split_once('/')).with_context(unreadable)?;
    Ok((counts.0.parse()?, counts.1.parse()?, least))
}

fn labelled(programs: &Programs, script: &Path, packs: &[Pack]) -> anyhow::Result<ExitCode> {
    let mut table = Table::new(&[
        "pack",
        "right",
        "wrong",
        "precision",
        "least coverage",
        "right at Jaccard 0.9",
        "of these ours",
    ]);
    let mut is_good = true;
    let folder = tempfile::tempdir()?;
    for pack in packs.iter().filter(|pack| pack.is_labelled) {
        eprintln!("{}", pack.name);
        let (ours, strict) = (folder.path().join("ours.jsonl"), folder.path().join("strict.jsonl"));
        let removed = programs.dedup(&pack.documents_file(), &ours, &["--fresh"])?;
        let (right, wrong, least) = count(script, pack, &ours)?;
        let strictly = programs.oracle(&pack.folder, &strict, &STRICT)?;
        let (strictly_right, _, _) = count(script, pack, &strict)?;
        let precision = share(right, right + wrong);
        let found = share(strictly.intersection(&removed).count() as u64, strictly.len() as u64);
        is_good &= precision >= LEAST_PRECISION && found >= LEAST_FOUND;
        let share = |share: f64| format!("{share:.3}");
        table.row([
            pack.name.clone(),
            right.to_string(),
            wrong.to_string(),
            share(precision),
            share(least),
            strictly_right.to_string(),
            share(found),
        ]);
    }
    print!("{table}");
    finish(is_good)
}

fn collections(programs: &Programs, collections: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let header = [
        "collection",
        "coverage",
        "removed",
        "oracle",
        "of the oracle's ours",
        "of those at Jaccard 0.9 ours",
    ];
    let mut table = Table::new(&header);
    let mut is_good = true;
    let folder = tempfile::tempdir()?;
    for collection in collections {
        let file = |name: &str| folder.path().join(name);
        let name = collection.file_name().unwrap_or_default().to_string_lossy().into_owned();
        eprintln!("{name}");
        let strictly = programs.oracle(collection, &file("strict.jsonl"), &STRICT)?;
        for coverage in COVERAGES {
            let more = ["--coverage", coverage];
            let ours = programs.dedup(collection, &file("ours.jsonl"), &[more[0], more[1], "--fresh"])?;
            let exact = programs.oracle(collection, &file("oracle.jsonl"), &more)?;
            let of = |set: &BTreeSet<String>| share(set.intersection(&ours).count() as u64, set.len() as u64);
            if coverage == DEFAULT {
                let most = MOST_REMOVED * exact.len() as f64;
                is_good &= of(&strictly) >= LEAST_FOUND && ours.len() as f64 <= most;
            }
            table.row([
                name.clone(),
                coverage.to_owned(),
                ours.len().to_string(),
                exact.len().to_string(),
                format!("{:.3}", of(&exact)),
                format!("{:.3}", of(&strictly)),
            ]);
        }
    }
    print!("{table}");
    finish(is_good)
}

/// All of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn finish(is_good: bool) -> anyhow::Result<ExitCode> {
    if !is_good {
        eprintln!(
            "error: expected at least {LEAST_PRECISION} of the removals to be right, at least {LEAST_FOUND} of the strict ones \
             to be ours, and at most {MOST_REMOVED} removals for each of the oracle's"
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
