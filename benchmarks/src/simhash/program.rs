//! The whole program: do reading, splitting and printing waste what the kernel gains?
//!
//! `twindex fingerprint` over a file of lines in the page cache, output to a file. The baseline is
//! the kernel's own row for the same documents in the same run, on one thread.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use twindex_core::fingerprint::Simhash;

use super::documents::Documents;
use super::times;
use crate::measure::{Options, Report, Row, best_wall_time};

/// Bytes of the file.
const BYTES: usize = 2 << 30;
const QUICK_BYTES: usize = 1 << 20;

/// A recipe of the program, what it must find, and the name and the rate of the kernel's row to
/// compare with.
pub(super) struct Case<'a> {
    pub(super) recipe: &'a str,
    pub(super) expected: &'a [Simhash],
    pub(super) kernel: (&'a str, f64),
}

/// Measures the program next to this one, if it is there.
pub(super) fn measure(
    documents: &Documents,
    cases: &[Case<'_>],
    options: &Options,
    report: &mut Report,
) -> anyhow::Result<()> {
    let program = std::env::current_exe()?.with_file_name("twindex");
    if !program.exists() {
        eprintln!(
            "no row for the whole program: {} is not there\nhint: `cargo build --release --package twindex-cli`",
            program.display()
        );
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let (lines, output) = (folder.path().join("lines.txt"), folder.path().join("fingerprints.tsv"));
    let copies = (if options.quick { QUICK_BYTES } else { BYTES }).div_ceil(documents.text.len());
    write_copies(&documents.text, copies, &lines)?;
    for case in cases {
        for threads in [1, 2] {
            measure_case(documents, copies, case, threads, (&program, &lines, &output), options, report)?;
        }
    }
    Ok(())
}

fn measure_case(
    documents: &Documents,
    copies: usize,
    case: &Case<'_>,
    threads: usize,
    (program, lines, output): (&Path, &Path, &Path),
    options: &Options,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut failed = None;
    let time = best_wall_time(times(options).min(3), || {
        let mut command = Command::new(program);
        command.args(["fingerprint", "--quiet", "--recipe", case.recipe, "--format", "lines"]);
        command.args(["--threads", &threads.to_string(), "--output"]);
        let status = command.arg(output).arg(lines).status();
        if !status.is_ok_and(|status| status.success()) {
            failed = Some(command);
        }
    });
    ensure!(failed.is_none(), "{failed:?} failed");

    let rate = (documents.text.len() * copies) as f64 / 1e9 / time.as_secs_f64();
    let row =
        Row::new(format!("program {}", case.recipe), &documents.case).threads(threads).metric("GB/s", rate);
    let note = format!("wall clock, {:.1} GB of lines", (documents.text.len() * copies) as f64 / 1e9);
    let checked = are_copies(output, case.expected, copies)?;
    report.row(row.against(case.kernel.0, rate / case.kernel.1).checked(checked).note(note));
    Ok(())
}

fn write_copies(text: &[u8], copies: usize, path: &Path) -> anyhow::Result<()> {
    let cannot_write = || format!("cannot write {}", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(cannot_write)?);
    for _ in 0..copies {
        file.write_all(text).with_context(cannot_write)?;
    }
    file.flush().with_context(cannot_write)
}

/// Whether the table holds the fingerprints, as often as the documents were in the file.
fn are_copies(table: &Path, expected: &[Simhash], copies: usize) -> anyhow::Result<bool> {
    let table = fs::read_to_string(table).with_context(|| format!("cannot read {}", table.display()))?;
    let found = table.lines().skip(1).map(|line| line.rsplit('\t').next().unwrap_or_default().to_owned());
    let expected: Vec<String> = expected.iter().map(Simhash::to_string).collect();
    Ok(found.eq((0..copies).flat_map(|_| expected.iter().cloned())))
}
