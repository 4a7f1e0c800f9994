//! The text format of Prometheus.

use std::fmt::Write;

use super::histogram::{Snapshot, bounds};

/// Lines of metrics.
#[derive(Debug, Default)]
pub(crate) struct Text {
    lines: String,
}

impl Text {
    /// Begins the samples of one name.
    pub(crate) fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.lines, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// A sample; `labels` may be empty.
    pub(crate) fn sample(&mut self, name: &str, labels: &str, value: f64) {
        let _ = match labels {
            "" => writeln!(self.lines, "{name} {value}"),
            _ => writeln!(self.lines, "{name}{{{labels}}} {value}"),
        };
    }

    /// A name with one sample.
    pub(crate) fn single(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.family(name, kind, help);
        self.sample(name, "", value);
    }

    /// A histogram: every bucket counts all durations up to its bound.
    pub(crate) fn histogram(&mut self, name: &str, labels: &str, snapshot: &Snapshot) {
        let mut seen = 0;
        for (bound, count) in bounds().into_iter().zip(snapshot.counts) {
            seen += count;
            self.sample(&format!("{name}_bucket"), &format!("{labels},le=\"{bound:.6}\""), seen as f64);
        }
        let count = snapshot.count() as f64;
        self.sample(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), count);
        self.sample(&format!("{name}_sum"), labels, snapshot.total_seconds);
        self.sample(&format!("{name}_count"), labels, count);
    }

    pub(crate) fn into_string(self) -> String {
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::histogram::Histogram;
    use super::*;

    #[test]
    fn a_histogram_is_cumulative() {
        let histogram = Histogram::default();
        for microseconds in [60, 60, 900_000] {
            histogram.record(Duration::from_micros(microseconds));
        }
        let mut text = Text::default();
        text.single("a_total", "counter", "Things.", 2.0);
        text.histogram("b", "route=\"x\"", &histogram.snapshot());
        let text = text.into_string();
        assert!(text.starts_with("# HELP a_total Things.\n# TYPE a_total counter\na_total 2\n"), "{text}");
        for line in [
            "b_bucket{route=\"x\",le=\"0.000050\"} 0\n",
            "b_bucket{route=\"x\",le=\"0.000071\"} 2\n",
            "b_bucket{route=\"x\",le=\"+Inf\"} 3\n",
            "b_sum{route=\"x\"} 0.90012\n",
            "b_count{route=\"x\"} 3\n",
        ] {
            assert!(text.contains(line), "{line} is missing in {text}");
        }
    }
}
