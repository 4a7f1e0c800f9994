//! `cargo xtask hardware run`: a user's documents through the simulated engine.
//!
//! Every fingerprint is compared with the software's. The table goes to standard output or a file,
//! in the format of `twindex fingerprint`; what it took goes to standard error.

mod collection;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::ensure;
use clap::Parser;
use twindex_corpus::{Cell, Column, ColumnKind, STANDARD_STREAM, TableWriter};
use twindex_hardware::{Host, Pace, Software, run, usual};

use collection::Collection;
use report::Report;

/// Runs documents through the simulated fingerprint engine and compares them with the software
#[derive(Parser)]
#[command(name = "cargo xtask hardware run", bin_name = "cargo xtask hardware run")]
struct Options {
    /// Files, folders or globs, in any format that `twindex` reads
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<String>,
    /// Where the fingerprints go (.tsv, .jsonl, .parquet) [default: standard output, as TSV]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The field with the text
    #[arg(long, value_name = "NAME", default_value = "text")]
    text_field: String,
    /// Clock of the FPGA in MHz, for the rates; the paper's is 150
    #[arg(long, value_name = "MHZ", default_value_t = 150.0)]
    clock: f64,
    /// Write fingerprints as 64 binary digits, the most significant first, as the paper prints them
    #[arg(long)]
    bits: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    ensure!(options.clock > 0.0, "--clock {}: a clock is above 0 MHz", options.clock);
    let collection = Collection::read(&options.inputs, &options.text_field)?;
    let mut host = Host::new()?;
    let started = Instant::now();
    let streams: Vec<Vec<u8>> =
        collection.documents.iter().map(|(text, markup)| host.prepare(text, *markup)).collect();
    let host_seconds = started.elapsed().as_secs_f64();
    let simulated = run(usual(), &streams, Pace::full())?;
    let (expected, seconds) = Software::new()?.timed(&collection.documents);

    let output = options.output.unwrap_or_else(|| PathBuf::from(STANDARD_STREAM));
    let columns = ["id", "fingerprint"].map(|name| Column::new(name, ColumnKind::Text));
    let mut table = TableWriter::create(&output, &columns)?;
    let mut differ = 0;
    for ((id, answer), expected) in collection.ids.iter().zip(&simulated.answers).zip(expected) {
        differ += u64::from(answer.overflow || answer.fingerprint() != expected);
        let digits = answer.fingerprint().map(|value| match options.bits {
            true => format!("{value:064b}"),
            false => format!("{value:016x}"),
        });
        table.row(&[Cell::Text(id), Cell::Text(&digits.unwrap_or_default())])?;
    }
    table.finish()?.commit()?;

    let report = Report {
        form: usual(),
        run: &simulated,
        bytes: streams.iter().map(|stream| stream.len() as u64).sum(),
        text_bytes: collection.documents.iter().map(|(text, _)| text.len() as u64).sum(),
        differ,
        clock: options.clock,
        host_seconds,
        software_seconds: seconds,
    };
    eprint!("{report}");
    Ok(if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
