//! `cargo xtask bench hamming`: fingerprints within a few bits of a query, by every search, and the join.
//!
//! | file | its rows |
//! |---|---|
//! | `data` | (the collections) |
//! | `scans` | `scan`, `scan+batch`, `buffer` |
//! | `online` | `bphs-4`, `bphs-10`, `bphs-16`, `multi-index`, its larger radii |
//! | `guesses` | `psm-all`, `psm-first` |
//! | `joins` | `join`, `join/sort` |
//! | `real` | `skew`: fingerprints of real documents |
//! | `peers` | other libraries on the same data |
//!
//! A row is checked against the scan, or where that would take too long against the queries of an exact index; the join of
//! more than 2^23 is compared with itself on other threads only, and says so.
//!
//! The targets were set on a machine with AVX-512; a machine without it shows what AVX2 reaches.

mod data;
mod guesses;
mod joins;
mod online;
mod peers;
mod real;
mod scans;

use std::process::ExitCode;

use crate::measure::{Options, Report};

use data::Data;

/// The radius of most rows.
const RADIUS: u32 = 3;

/// Runs the benchmark.
pub fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let mut report = Report::new("hamming", options);
    let sizes: &[u32] = if options.quick { &[12, 14] } else { &[20, 23, 26] };
    let queries = if options.quick { 1 << 9 } else { 1 << 20 };
    for &bits in sizes {
        let data = Data::new(1 << bits, queries);
        let case = format!("2^{bits}");
        report.heading(&format!("{case} fingerprints, {queries} queries"));
        scans::run(&data, &case, &mut report);
        let ours = online::run(&data, &case, options.quick, &mut report);
        guesses::run(&data, &case, &ours, &mut report);
        peers::run(&data, &case, &ours, options.quick, &mut report)?;
    }
    report.heading("all pairs");
    for bits in if options.quick { vec![12, 15] } else { vec![20, 23, 26, 27] } {
        joins::run(1 << bits, &format!("2^{bits}"), &mut report);
    }
    report.heading("real fingerprints");
    real::run(options, &mut report)?;
    Ok(report.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_every_row_equal_to_its_oracle() {
        let nowhere = Some(std::path::PathBuf::from("no-packs-here"));
        let options = Options { quick: true, json: true, packs: nowhere };
        assert_eq!(run(&options).unwrap(), ExitCode::SUCCESS);
    }
}
