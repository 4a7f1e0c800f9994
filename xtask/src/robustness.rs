//! `cargo xtask robustness`: inputs that once went wrong, and files of other projects' test suites.
//!
//! Fetches nothing. The cases are made here; with `--python` a script makes Parquet files with
//! pyarrow, duckdb and polars and compares what they read of the kept rows with what they read of
//! the input; each `--suite` is a folder of files by others, which must be read, or refused with an
//! error, and never make the program panic. A run that finds a difference fails.

mod bounds;
mod cases;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Deserialize;

use crate::build;
use crate::machine::Machine;
use crate::table::Table;
use cases::{CASES, Case};

#[derive(Args)]
pub(crate) struct Options {
    /// A folder with files of a test suite (may be given more than once)
    #[arg(long, value_name = "DIR")]
    suite: Vec<PathBuf>,
    /// A Python that has pyarrow, duckdb and polars
    #[arg(long, value_name = "PYTHON")]
    python: Option<PathBuf>,
    /// Where the tables go [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The exit codes that the program documents: done, failed, wrong usage.
const KNOWN_EXITS: [i32; 3] = [0, 1, 2];

/// Makes Parquet files and compares.
const PARQUET: &str = include_str!("robustness/parquet.py");

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let twindex = build::release_program("twindex-cli", "twindex")?;
    let mut suites = Table::new(&["suite", "cases", "differences"]);
    let mut differences: Vec<String> = Vec::new();
    let mut count = |suites: &mut Table, name: String, cases: usize, found: Vec<String>| {
        suites.row([name, cases.to_string(), found.len().to_string()]);
        differences.extend(found);
    };
    let mut made = Table::new(&["input", "command", "before", "now"]);
    let mut found = vec![];
    for case in CASES {
        let now = run_case(&twindex, case)?;
        if let Err(printed) = &now {
            found.push(format!("{}: expected \"{}\", found: {printed}", case.about, case.now));
        }
        let now = now.unwrap_or_else(|printed| printed.lines().next().unwrap_or_default().to_owned());
        let cell = |text: &str| text.replace('|', "\\|");
        made.row([case.about, &case.command.join(" "), case.before, &now].map(cell));
    }
    count(&mut suites, "made by this command".to_owned(), CASES.len(), found);
    if let Some(python) = &options.python {
        let compared = compare_parquet(python, &twindex)?;
        let found =
            compared.iter().filter_map(|case| Some(format!("{}: {}", case.case, case.difference.as_ref()?)));
        let found = found.collect();
        count(&mut suites, "Parquet of pyarrow, duckdb, polars".to_owned(), compared.len(), found);
    }
    let (memory, found) = bounds::memory(&twindex)?;
    count(&mut suites, "peak memory".to_owned(), memory.len(), found);
    let (pages, found) = bounds::pages(&twindex)?;
    count(&mut suites, "speed on hostile pages".to_owned(), pages.len(), found);
    for suite in &options.suite {
        let mut files = vec![];
        collect(suite, &mut files)?;
        let found = files.iter().filter_map(|file| read(&twindex, file).transpose());
        let found = found.collect::<anyhow::Result<Vec<_>>>()?;
        let name = suite.file_name().unwrap_or_default().to_string_lossy().into_owned();
        count(&mut suites, name, files.len(), found);
    }
    let page = format!(
        "# Robustness\n\nMade by `cargo xtask robustness`, on {}. A difference is a wrong document, a wrong value, a \
         panic, or an exit code that is not documented.\n\n{suites}\n## Inputs that went wrong\n\n{made}\n## Bounds\n\n{memory}\n{pages}",
        Machine::this()
    );
    match &options.output {
        Some(path) => {
            std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?
        }
        None => print!("{page}"),
    }
    differences.iter().for_each(|difference| eprintln!("difference: {difference}"));
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The line that was expected, or all that was printed instead.
fn run_case(twindex: &Path, case: &Case) -> anyhow::Result<Result<String, String>> {
    let folder = tempfile::tempdir()?;
    (case.files)(folder.path())?;
    let mut command = Command::new(twindex);
    command.current_dir(folder.path()).stdin(Stdio::null());
    for word in case.command {
        match word.strip_prefix('<') {
            Some(file) => command.stdin(File::open(folder.path().join(file))?),
            None => command.arg(word),
        };
    }
    let output = command.output()?;
    let printed =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let line = printed.lines().find(|line| line.contains(case.now)).map(str::to_owned);
    Ok(line.filter(|_| output.status.code() == Some(case.exit)).ok_or(printed))
}

#[derive(Deserialize)]
struct Compared {
    case: String,
    difference: Option<String>,
}

fn compare_parquet(python: &Path, twindex: &Path) -> anyhow::Result<Vec<Compared>> {
    let folder = tempfile::tempdir()?;
    let output =
        Command::new(python).args(["-c", PARQUET]).arg(twindex).current_dir(folder.path()).output()?;
    ensure!(output.status.success(), "the script failed: {}", String::from_utf8_lossy(&output.stderr));
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).context("the script prints lines of JSON")).collect()
}

/// What is wrong with how a file is read, if anything is: an error is an answer, a panic is none.
fn read(twindex: &Path, file: &Path) -> anyhow::Result<Option<String>> {
    let folder = tempfile::tempdir()?;
    let output = Command::new(twindex)
        .args(["fingerprint", "--on-error", "skip", "--output"])
        .arg(folder.path().join("out.tsv"))
        .arg(file)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let is_known = output.status.code().is_some_and(|code| KNOWN_EXITS.contains(&code));
    let is_wrong = !is_known || said.contains("panicked");
    Ok(is_wrong.then(|| format!("{}: {} {said}", file.display(), output.status)))
}

/// The files of a folder and of the folders in it, sorted.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
