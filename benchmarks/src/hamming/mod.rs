//! `cargo xtask bench hamming`: fingerprints within a few bits of a query, by every search, and the
//! join.
//!
//! | file | its rows |
//! |---|---|
//! | `data` | (the collections) |
//! | `scans` | `scan`, `scan+batch`, `buffer` |
//! | `online` | `bphs-4`, `bphs-10`, `bphs-16`, `multi-index`, its larger radii |
//! | `guesses` | `psm-all`, `psm-first` |
//! | `joins` | `join`, `join/sort`, `twitter` |
//! | `real` | `skew`: fingerprints of real documents |
//! | `peers` | other libraries on the same data |
//!
//! A row is checked against the scan or, where that would take too long, against the queries of an
//! exact index; the join of more than 2^23 is compared with the scan for a few hundred of its
//! fingerprints, and its row notes that.
//!
//! The targets were set on a machine with AVX-512; a machine without it shows what AVX2 reaches. A
//! full run takes a quarter of an hour and 5 GB of memory; `--part` and `--size` select.

pub(crate) mod data;
mod guesses;
pub(crate) mod joins;
pub(crate) mod online;
mod peers;
mod real;
mod scans;

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::measure::{self, Report};

use data::Data;

/// The radius of most rows.
const RADIUS: u32 = 3;

/// The options of this benchmark.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// The options of every benchmark
    #[command(flatten)]
    pub common: measure::Options,
    /// Only this part (repeatable)
    #[arg(long, value_name = "PART")]
    pub part: Vec<Part>,
    /// Only collections of 2^BITS fingerprints (repeatable)
    #[arg(long, value_name = "BITS")]
    pub size: Vec<u32>,
}

/// Rows that are run together.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The linear scan and the buffer
    Scans,
    /// Tables, indexes, probabilistic matching, other libraries
    Searches,
    /// All pairs
    Join,
    /// All pairs of as many fingerprints as a paper had tweets
    Twitter,
    /// Fingerprints of real documents
    Real,
}

impl Options {
    fn has(&self, part: Part) -> bool {
        self.part.is_empty() || self.part.contains(&part)
    }

    /// Those of `full`, or of `quick`, that are wanted.
    fn sizes(&self, full: &[u32], quick: &[u32]) -> Vec<u32> {
        let all = if self.common.quick { quick } else { full };
        all.iter().copied().filter(|bits| self.size.is_empty() || self.size.contains(bits)).collect()
    }
}

/// Runs the benchmark.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let quick = options.common.quick;
    let mut report = Report::new("hamming", &options.common);
    let queries = if quick { 1 << 9 } else { 1 << 20 };
    if options.has(Part::Scans) || options.has(Part::Searches) {
        for bits in options.sizes(&[20, 23, 26], &[12, 14]) {
            let data = Data::new(1 << bits, queries);
            let case = format!("2^{bits}");
            report.heading(&format!("{case} fingerprints, {queries} queries"));
            if options.has(Part::Scans) {
                scans::run(&data, &case, &mut report);
            }
            if options.has(Part::Searches) {
                let ours = online::run(&data, &case, quick, &mut report);
                guesses::run(&data, &case, &ours, &mut report);
                peers::run(&data, &case, &ours, quick, &mut report)?;
            }
        }
    }
    report.heading("all pairs");
    if options.has(Part::Join) {
        for bits in options.sizes(&[20, 23, 26, 27], &[12, 15]) {
            joins::run(1 << bits, &format!("2^{bits}"), &mut report);
        }
    }
    if options.has(Part::Twitter) {
        joins::twitter(quick, &mut report);
    }
    if options.has(Part::Real) {
        report.heading("real fingerprints");
        real::run(&options.common, &mut report)?;
    }
    Ok(report.finish())
}
