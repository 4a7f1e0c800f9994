//! The machine that a figure was measured on. Without it a figure means nothing.

use std::fmt;
use std::fs;
use std::time::Duration;

use serde::Serialize;
use twindex_core::kernel::Kernel;

/// The processor, the part of it that is used, and the version of twindex.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's own name.
    pub processor: String,
    /// How many cores the process may use.
    pub cores: usize,
    /// The kernels that the processor can run, the best first.
    pub kernels: Vec<&'static str>,
    /// The version of twindex.
    pub version: &'static str,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            processor: processor(&information).unwrap_or("an unknown processor").to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            kernels: Kernel::available().map(Kernel::name).collect(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processor, cores, kernels, version } = self;
        write!(output, "{processor}, {cores} cores, kernels {}, twindex {version}", kernels.join(" "))
    }
}

/// Steal time: how long the cores of this machine were ready to run while the host ran something
/// else, since boot. Zero without a host, or if it is not reported.
pub fn stolen_time() -> Duration {
    let statistics = fs::read_to_string("/proc/stat").unwrap_or_default();
    Duration::from_millis(stolen_ticks(&statistics).unwrap_or(0) * MILLISECONDS_PER_TICK)
}

/// The unit of /proc/stat, whatever the kernel's own clock.
const MILLISECONDS_PER_TICK: u64 = 10;

/// The eighth number of the line of all cores.
fn stolen_ticks(statistics: &str) -> Option<u64> {
    let cores = statistics.lines().find_map(|line| line.strip_prefix("cpu "))?;
    cores.split_whitespace().nth(7)?.parse().ok()
}

fn processor(information: &str) -> Option<&str> {
    let line = information.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_model_name_counts() {
        let information = "processor\t: 0\nmodel name\t: Fast CPU @ 2.8 GHz\nmodel name\t: other\n";
        assert_eq!(processor(information), Some("Fast CPU @ 2.8 GHz"));
        assert_eq!(processor(""), None);
    }

    #[test]
    fn stolen_ticks_are_those_of_all_cores() {
        let statistics = "cpu  10 20 30 40 50 60 70 80 90 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n";
        assert_eq!(stolen_ticks(statistics), Some(80));
        assert_eq!(stolen_ticks("intr 1 2"), None);
    }

    #[test]
    fn it_names_its_kernels() {
        assert!(Machine::this().to_string().contains("scalar"));
    }
}
