//! The simulated fingerprint engine of `hardware/`, projected onto the paper's machine.
//!
//! No FPGA was used. Cycles are those of the simulation: a core takes a byte a cycle, and a cycle
//! more at a document's end; its engine takes a beat of eight bytes a cycle, in turn for its eight
//! cores. The clock is the paper's.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// Bytes of a beat, and the cores that share an engine's beats.
const BEAT: usize = 8;
const CORES: usize = 8;

/// The machine that is projected.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Machine {
    /// Engines on all FPGAs.
    engines: f64,
    /// The clock of the paper's FPGAs.
    megahertz: f64,
}

impl Machine {
    /// GB/s of all engines over documents of these lengths.
    pub(super) fn rate(self, lengths: impl Iterator<Item = usize>) -> f64 {
        self.engines * CORES as f64 * self.megahertz / 1e3 * bytes_a_cycle(lengths)
    }
}

/// Bytes that a core takes in a cycle: of an engine's beats it gets every eighth.
pub(super) fn bytes_a_cycle(lengths: impl Iterator<Item = usize>) -> f64 {
    let (bytes, cycles) = lengths.fold((0, 0), |(bytes, cycles), length| {
        (bytes + length, cycles + (length + 1).max(length.div_ceil(BEAT) * CORES))
    });
    bytes as f64 / cycles.max(1) as f64
}

/// The form of the engine whose clock is shown, as `cargo xtask hardware synth` calls it.
const FORM: &str = "engine of eight, two levels, 3 bits";

/// The best clock in MHz that place and route reached for an engine, by the page that `cargo xtask
/// hardware synth` writes; `None` if there is no such page.
pub(super) fn routed_clock(results: &Path) -> Option<f64> {
    let page = fs::read_to_string(results.join("hardware.md")).ok()?;
    clock_of(page.split_once("## Clock")?.1)
}

fn clock_of(table: &str) -> Option<f64> {
    let rows = table.lines().filter(|line| line.trim_start_matches("| ").starts_with(FORM));
    let medians = rows.filter_map(|row| row.trim_end_matches([' ', '|']).rsplit('|').next());
    medians.filter_map(|median| median.trim().trim_matches('*').parse().ok()).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The simulation's own figures (`hardware/README.md`): 0.937 for documents of 45 bytes, 1.000
    /// for 4 KB.
    #[test]
    fn cycles_are_those_of_the_simulation() {
        let of = |length| bytes_a_cycle([length; 3].into_iter());
        assert!((of(45) - 0.9375).abs() < 1e-9, "{}", of(45));
        assert!(of(4096) > 0.9995 && of(4096) < 1.0);
        assert_eq!(bytes_a_cycle([].into_iter()), 0.0);
    }

    #[test]
    fn the_paper_s_machine_takes_38_gigabytes_a_second() {
        let machine = Machine { engines: 32.0, megahertz: 150.0 };
        assert!((machine.rate([1 << 20].into_iter()) - 38.4).abs() < 0.01);
    }

    #[test]
    fn the_clock_is_read_from_the_page_of_the_synthesis() {
        let table = "| design | speed | seed 1 | median |\n|---|---|---|---|\n\
                     | core, direct | 8 | 180.0 | **181.0** |\n\
                     | engine of eight, two levels, 3 bits | 6 | 114.0 | **115.1** |\n\
                     | engine of eight, two levels, 3 bits | 8 | 144.3 | **155.1** |\n";
        assert_eq!(clock_of(table), Some(155.1));
        assert_eq!(clock_of("nothing"), None);
    }
}
