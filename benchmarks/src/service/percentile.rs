//! Latencies, sorted.

use std::time::Duration;

/// Percentiles in milliseconds.
#[derive(Debug, PartialEq)]
pub(super) struct Percentiles {
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) p999: f64,
    pub(super) max: f64,
}

impl Percentiles {
    pub(super) fn of(mut latencies: Vec<Duration>) -> Percentiles {
        latencies.sort_unstable();
        let at = |part: f64| {
            let rank = (part * latencies.len() as f64).ceil() as usize;
            latencies.get(rank.saturating_sub(1)).map_or(0.0, |latency| latency.as_secs_f64() * 1e3)
        };
        Percentiles { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1.0) }
    }

    pub(super) fn all(&self) -> [(&'static str, f64); 4] {
        [("p50 ms", self.p50), ("p99 ms", self.p99), ("p99.9 ms", self.p999), ("max ms", self.max)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks() {
        let latencies = (1..=1000).rev().map(Duration::from_millis).collect();
        assert_eq!(
            Percentiles::of(latencies),
            Percentiles { p50: 500.0, p99: 990.0, p999: 999.0, max: 1000.0 }
        );
        assert_eq!(Percentiles::of(vec![]).max, 0.0);
    }
}
