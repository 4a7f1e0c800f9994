//! Other libraries on the same data.
//!
//! `mih-rs` is a Rust crate and runs in this process. FAISS runs in Python:
//! `benchmarks/peers/hamming.py` reads the same fingerprints from files and prints a JSON line for
//! each of its indexes. Without its environment its rows are skipped with a notice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use twindex_core::fingerprint::Margins;
use twindex_core::search::Query;

use crate::measure::{Report, Row, best_cpu_time};

use super::RADIUS;
use super::data::Data;
use super::online::{Ours, all};

/// The largest collection for peers: beyond it their indexes take minutes and gigabytes.
const LARGEST: usize = 1 << 23;

/// Queries for FAISS, which is a tenth as fast as the others. The peers in this process run all
/// queries, as ours does: a few repeated ones would be in the caches the second time.
const FEW: usize = 2048;

pub(super) fn run(
    data: &Data,
    case: &str,
    ours: &Ours,
    quick: bool,
    report: &mut Report,
) -> anyhow::Result<()> {
    if data.stored.len() > LARGEST {
        return Ok(());
    }
    let queries = data.queries();
    let expected = all(&ours.exact, &queries, RADIUS);
    multi_index_hashing(data, case, ours, expected.len(), &queries, quick, report)?;
    let few = FEW.min(queries.len());
    let expected = expected.iter().filter(|(query, _)| *query < few).count();
    faiss(data, case, ours, expected, few, quick, report)
}

fn multi_index_hashing(
    data: &Data,
    case: &str,
    ours: &Ours,
    expected: usize,
    queries: &[Query<'_>],
    quick: bool,
    report: &mut Report,
) -> anyhow::Result<()> {
    // The number of blocks by its own rule, and those around it: two blocks take gigabytes whatever
    // the collection.
    for blocks in if quick { vec![None] } else { vec![None, Some(2), Some(3)] } {
        let codes = data.stored.clone();
        let index = match blocks {
            None => mih_rs::Index::new(codes)?,
            Some(blocks) => mih_rs::Index::with_blocks(codes, blocks)?,
        };
        let mut searcher = index.range_searcher();
        let mut found = 0;
        let time = best_cpu_time(2, || {
            found =
                queries.iter().map(|query| searcher.run(query.fingerprint.0, RADIUS as usize).len()).sum();
        });
        let rate = queries.len() as f64 / time.as_secs_f64();
        let row = Row::new("mih-rs", case).metric("M queries/s", rate / 1e6);
        let row = row.against("multi-index", ours.query * rate).checked(found == expected);
        let blocks = blocks.map_or("blocks by its own rule".to_owned(), |blocks| format!("{blocks} blocks"));
        report.row(row.note(format!("mih-rs 0.3.1, {blocks}")));
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct Line {
    row: String,
    queries_per_second: f64,
    matches: usize,
    note: String,
}

fn faiss(
    data: &Data,
    case: &str,
    ours: &Ours,
    expected: usize,
    queries: usize,
    quick: bool,
    report: &mut Report,
) -> anyhow::Result<()> {
    let folder = PathBuf::from("target").join("peers");
    let python = folder.join("bin").join("python");
    if quick || !python.exists() {
        if !quick {
            eprintln!(
                "SKIPPED: the rows of FAISS: {} is missing (python3 -m venv target/peers && \
                 target/peers/bin/pip install --requirement benchmarks/peers/requirements.txt)",
                python.display()
            );
        }
        return Ok(());
    }
    let stored = folder.join("stored.u64");
    let query_file = folder.join("queries.u64");
    let fingerprints: Vec<u64> =
        data.queries[..queries].iter().map(|margins| Margins::simhash(margins).0).collect();
    write(&stored, &data.stored)?;
    write(&query_file, &fingerprints)?;
    let script = Path::new("benchmarks").join("peers").join("hamming.py");
    let output =
        Command::new(python).arg(script).args([&stored, &query_file]).arg(RADIUS.to_string()).output()?;
    anyhow::ensure!(output.status.success(), "FAISS failed: {}", String::from_utf8_lossy(&output.stderr));
    for line in String::from_utf8(output.stdout)?.lines() {
        let line: Line = serde_json::from_str(line).with_context(|| line.to_owned())?;
        let recall = line.matches as f64 / expected.max(1) as f64;
        let row = Row::new(line.row, case).metric("M queries/s", line.queries_per_second / 1e6);
        let row = row
            .against("multi-index", ours.query * line.queries_per_second)
            .checked(line.matches <= expected);
        report.row(row.note(format!("{}, recall {recall:.3}", line.note)));
    }
    Ok(())
}

fn write(path: &Path, words: &[u64]) -> anyhow::Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
