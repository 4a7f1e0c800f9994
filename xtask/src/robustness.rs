//! `cargo xtask robustness`: inputs that once went wrong, and files of other projects' test suites.
//!
//! Fetches nothing. The cases are made here; with `--python` a script makes Parquet files with
//! pyarrow, duckdb and polars and compares what they read of the kept rows with what they read of
//! the input, and the files are changed in a few places; each `--suite` is a folder of files by
//! others. What is read must be read, or refused with an error, and never make the program panic. A
//! run that finds a difference fails. The check `robustness` of `cargo xtask test` runs all of it
//! but the suites and the speeds.

mod bounds;
mod cases;
mod mutated;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Deserialize;

use crate::machine::Machine;
use crate::measured::line;
use crate::table::Table;
use crate::{build, python};
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
/// Makes files of long rows.
const LONG_ROWS: &str = include_str!("robustness/long_rows.py");

/// Changed copies of each Parquet file: in the table, and in the check, which everybody waits for.
const CHANGES: usize = 130;
const CHANGES_OF_CHECK: usize = 20;

/// What other libraries are needed, as a check installs them.
const REQUIREMENTS: &str = "xtask/src/robustness/requirements.txt";

/// A row for each suite, and every difference that was found.
struct Suites {
    table: Table,
    differences: Vec<String>,
}

impl Suites {
    fn new() -> Suites {
        Suites { table: Table::new(&["suite", "cases", "differences"]), differences: vec![] }
    }

    fn add(&mut self, name: &str, cases: usize, found: Vec<String>) {
        self.table.row([name.to_owned(), cases.to_string(), found.len().to_string()]);
        self.differences.extend(found);
    }

    /// The cases of this command; returns the table of what became of them.
    fn add_cases(&mut self, twindex: &Path) -> anyhow::Result<Table> {
        let mut made = Table::new(&["input", "command", "before", "now"]);
        let mut found = vec![];
        for case in CASES {
            let now = run_case(twindex, case)?;
            if let Err(printed) = &now {
                found.push(format!("{}: expected \"{}\", found: {printed}", case.about, case.now));
            }
            let now = now.unwrap_or_else(|printed| printed.lines().next().unwrap_or_default().to_owned());
            let cell = |text: &str| text.replace('|', "\\|");
            made.row([case.about, &case.command.join(" "), case.before, &now].map(cell));
        }
        self.add("made by this command", CASES.len(), found);
        Ok(made)
    }

    /// Parquet of other libraries, whole and changed.
    fn add_parquet(&mut self, python: &Path, twindex: &Path, changes: usize) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let compared = compare_parquet(python, twindex, folder.path())?;
        let difference = |case: &Compared| Some(format!("{}: {}", case.case, case.difference.as_ref()?));
        let found = compared.iter().filter_map(difference).collect();
        self.add("Parquet of pyarrow, duckdb, polars", compared.len(), found);
        let changed = folder.path().join("changed.parquet");
        let kept = folder.path().join("rows-kept.parquet");
        let read = || dedup(twindex, &changed, &kept);
        let (cases, found) = mutated::each(folder.path(), changes, &changed, read)?;
        self.add("the same, changed in one to three places", cases, found);
        Ok(())
    }

    /// Peak memory for the kinds that are made here, and with Python for those that take a library.
    fn add_memory(&mut self, twindex: &Path, python: Option<&Path>) -> anyhow::Result<Table> {
        let folder = tempfile::tempdir()?;
        if let Some(python) = python {
            script(python, LONG_ROWS, None, folder.path())?;
        }
        let (memory, cases, found) = bounds::memory(twindex, python.map(|_| folder.path()))?;
        self.add("peak memory", cases, found);
        Ok(memory)
    }

    fn report(&self) -> bool {
        self.differences.iter().for_each(|difference| eprintln!("difference: {difference}"));
        self.differences.is_empty()
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let twindex = build::release_program("twindex-cli", "twindex")?;
    let mut suites = Suites::new();
    let made = suites.add_cases(&twindex)?;
    if let Some(python) = &options.python {
        suites.add_parquet(python, &twindex, CHANGES)?;
    }
    let memory = suites.add_memory(&twindex, options.python.as_deref())?;
    let (pages, found) = bounds::pages(&twindex)?;
    suites.add("speed on hostile pages", bounds::SHAPES.len(), found);
    for suite in &options.suite {
        let mut files = vec![];
        collect(suite, &mut files)?;
        let found = files.iter().filter_map(|file| read(&twindex, file).transpose());
        let found = found.collect::<anyhow::Result<Vec<_>>>()?;
        let name = suite.file_name().unwrap_or_default().to_string_lossy();
        suites.add(&name, files.len(), found);
    }
    let page = format!(
        "# Robustness\n\nMade by `cargo xtask robustness`, on {}. A difference is a wrong document, a wrong value, a \
         panic, or an exit code that is not documented.\n\n{}\n## Inputs that went wrong\n\n{made}\n## Bounds\n\n{memory}\n{pages}",
        Machine::this(),
        suites.table
    );
    match &options.output {
        Some(path) => {
            std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?
        }
        None => print!("{page}"),
    }
    Ok(if suites.report() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What everybody runs before a change: the cases, peak memory, and Parquet of the libraries in the
/// virtual environment that this makes. Returns what was left out.
pub(crate) fn check(is_ci: bool) -> anyhow::Result<Vec<String>> {
    let twindex = build::tested_program("twindex")?;
    let mut suites = Suites::new();
    suites.add_cases(&twindex)?;
    let mut skipped = vec![];
    let python = match python::environment(REQUIREMENTS, "robustness") {
        Ok(programs) => Some(programs.join("python")),
        Err(error) if is_ci => return Err(error.context("there are no other libraries of Parquet")),
        Err(error) => {
            skipped.push(format!("there are no other libraries of Parquet: {error:#}"));
            None
        }
    };
    if let Some(python) = &python {
        suites.add_parquet(python, &twindex, CHANGES_OF_CHECK)?;
    }
    suites.add_memory(&twindex, python.as_deref())?;
    eprintln!("{}", suites.table);
    ensure!(suites.report(), "{} differences, named above", suites.differences.len());
    Ok(skipped)
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

fn compare_parquet(python: &Path, twindex: &Path, folder: &Path) -> anyhow::Result<Vec<Compared>> {
    let printed = script(python, PARQUET, Some(twindex), folder)?;
    let lines = printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).context("the script prints lines of JSON")).collect()
}

/// Runs a script in a folder; returns what it printed.
fn script(python: &Path, text: &str, argument: Option<&Path>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    let output = Command::new(python).args(["-c", text]).args(argument).current_dir(folder).output()?;
    ensure!(output.status.success(), "the script failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

/// What is wrong with how a file is read, if anything is.
fn read(twindex: &Path, file: &Path) -> anyhow::Result<Option<String>> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(twindex);
    command.args(["fingerprint", "--on-error", "skip", "--output"]).arg(folder.path().join("out.tsv"));
    wrong(command.arg(file))
}

/// The same of a file whose rows are passed on.
fn dedup(twindex: &Path, file: &Path, kept: &Path) -> anyhow::Result<Option<String>> {
    wrong(Command::new(twindex).arg("dedup").arg(file).arg("--output").arg(kept))
}

/// What is wrong with how a program ended: an error is an answer, a panic is none.
fn wrong(command: &mut Command) -> anyhow::Result<Option<String>> {
    let output = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let is_known = output.status.code().is_some_and(|code| KNOWN_EXITS.contains(&code));
    let is_wrong = !is_known || said.contains("panicked");
    Ok(is_wrong.then(|| format!("`{}`: {} {said}", line(command), output.status)))
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
