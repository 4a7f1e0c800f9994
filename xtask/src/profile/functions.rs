//! The dearest functions of a run, by `perf`.

use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::table::Table;

/// How many functions are listed.
const LISTED: usize = 10;

/// Samples a second: a prime, so that nothing periodic is seen more often than it is.
const FREQUENCY: &str = "499";

/// Runs the command under `perf`; fails where there is none, or it may not count.
pub(super) fn dearest(command: &mut Command) -> anyhow::Result<Table> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("perf.data");
    let mut record = Command::new("perf");
    record.args(["record", "--freq", FREQUENCY, "--output"]).arg(&data).arg("--");
    record.arg(command.get_program()).args(command.get_args());
    record.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = record.status().context("perf is not installed (Debian's package linux-perf)")?;
    ensure!(status.success(), "`perf record` failed: {status}");
    let mut report = Command::new("perf");
    report.args(["report", "--stdio", "--no-children", "--sort", "symbol", "--input"]).arg(&data);
    let output = report.stderr(Stdio::null()).output()?;
    ensure!(output.status.success(), "`perf report` failed: {}", output.status);
    let rows = parse(&String::from_utf8_lossy(&output.stdout));
    ensure!(!rows.is_empty(), "perf took no sample");
    let mut table = Table::new(&["function", "% of CPU"]);
    for (share, name) in rows {
        table.row([name, share]);
    }
    Ok(table)
}

/// Lines such as `  20.64%  [.] twindex_core::hash::distinct`.
fn parse(report: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let (share, rest) = line.trim().split_once('%')?;
        share.parse::<f64>().ok()?;
        let (_, name) = rest.trim().split_once(' ')?;
        // Columns of addresses may follow the name.
        let name = name.split_once("  ").map_or(name, |(name, _)| name);
        Some((share.to_owned(), name.trim().to_owned()))
    };
    report.lines().filter(|line| !line.starts_with('#')).filter_map(row).take(LISTED).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_report_is_read() {
        let report =
            "# Overhead  Symbol\n#\n    20.64%  [.] twindex::a<b>\n     1.00%  [k] memcpy      -      -\n\n";
        let expected = [("20.64", "twindex::a<b>"), ("1.00", "memcpy")];
        let expected = expected.map(|(share, name)| (share.to_owned(), name.to_owned()));
        assert_eq!(super::parse(report), expected);
    }
}
