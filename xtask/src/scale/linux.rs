//! Real text that nobody prepared: the Linux sources as Debian packages them, a file a row.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::json;

use super::Bench;
use crate::debian;
use crate::machine::Machine;
use crate::measured;
use crate::table::Table;

const PACKAGE: &str = "linux-source-6.1";

pub(super) fn run(bench: &Bench) -> anyhow::Result<bool> {
    let rows = bench.folder.join("linux.jsonl");
    if !rows.is_file() {
        make(&rows)?;
    }
    let bytes = fs::metadata(&rows)?.len();
    let mut table = Table::new(&["threads", "CPU s", "seconds", "MB/s", "peak MB"]);
    for threads in ["1", "2"] {
        let cost = bench.timed(&rows, &["--threads", threads])?;
        table.row([
            threads.to_owned(),
            format!("{:.2}", cost.cpu_seconds),
            format!("{:.2}", cost.seconds),
            format!("{:.0}", cost.megabytes_per_second(bytes)),
            format!("{:.0}", cost.peak_megabytes()),
        ]);
    }
    println!(
        "\n`twindex dedup --memory {}`, Linux 6.1 sources ({:.2} GB) on {}:\n\n{table}",
        bench.memory,
        bytes as f64 / 1e9,
        Machine::this()
    );
    Ok(true)
}

/// Unpacks the archive of the package and writes a row for each regular file of valid UTF-8, in the
/// order of their paths.
fn make(rows: &Path) -> anyhow::Result<()> {
    debian::install(PACKAGE)?;
    let listed = Command::new("dpkg").args(["--listfiles", PACKAGE]).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let archive =
        listed.lines().find(|line| line.ends_with(".tar.xz")).context("no archive in the package")?;
    let sources = tempfile::tempdir_in(rows.parent().context("no folder")?)?;
    eprintln!("unpacking {archive}");
    measured::run(
        Command::new("tar")
            .args(["--extract", "--strip-components=1", "--file", archive, "--directory"])
            .arg(sources.path()),
    )?;
    let part = rows.with_extension("partial");
    let mut output = BufWriter::new(File::create(&part)?);
    let mut files = vec![];
    regular_files(sources.path(), &mut files)?;
    files.sort();
    ensure!(!files.is_empty(), "the archive {archive} is empty");
    for file in files {
        let Ok(text) = String::from_utf8(fs::read(&file)?) else { continue };
        let id = file.strip_prefix(sources.path())?.to_string_lossy();
        serde_json::to_writer(&mut output, &json!({ "id": id, "text": text }))?;
        output.write_all(b"\n")?;
    }
    output.flush()?;
    fs::rename(&part, rows)?;
    Ok(())
}

fn regular_files(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            regular_files(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}
