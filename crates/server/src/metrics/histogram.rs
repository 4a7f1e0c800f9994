//! How long things take, counted without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Bounds of the buckets grow by the square root of two, from 50 µs to 52 s: a percentile read off
/// them is at most 41 % too high, and 42 numbers a route are few.
const BUCKETS: usize = 41;
const FIRST_BOUND_SECONDS: f64 = 50e-6;

/// Counts of durations, by bucket. The last bucket has no upper bound.
#[derive(Debug)]
pub(crate) struct Histogram {
    counts: [AtomicU64; BUCKETS + 1],
    total_nanoseconds: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: std::array::from_fn(|_| AtomicU64::new(0)), total_nanoseconds: AtomicU64::new(0) }
    }
}

/// The upper bounds in seconds, without the last, which is infinite.
pub(crate) fn bounds() -> [f64; BUCKETS] {
    std::array::from_fn(|bucket| FIRST_BOUND_SECONDS * 2f64.powf(bucket as f64 / 2.0))
}

/// What a histogram held at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) counts: [u64; BUCKETS + 1],
    pub(crate) total_seconds: f64,
}

impl Histogram {
    pub(crate) fn record(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let steps = (seconds / FIRST_BOUND_SECONDS).log2() * 2.0;
        // Rounding near a bound may be off by one: look, rather than trust the logarithm.
        let guess = (steps.ceil().max(0.0) as usize).min(BUCKETS);
        let bounds = bounds();
        let first = guess.saturating_sub(1);
        let bucket = (first..BUCKETS).find(|&bucket| seconds <= bounds[bucket]).unwrap_or(BUCKETS);
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.total_nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            counts: std::array::from_fn(|bucket| self.counts[bucket].load(Ordering::Relaxed)),
            total_seconds: self.total_nanoseconds.load(Ordering::Relaxed) as f64 / 1e9,
        }
    }
}

impl Snapshot {
    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The upper bound of this quantile of the durations, in seconds; `None` without any, or
    /// beyond the last bound.
    pub(crate) fn quantile(&self, part: f64) -> Option<f64> {
        let wanted = (self.count() as f64 * part).ceil().max(1.0);
        let mut seen = 0;
        bounds().into_iter().zip(self.counts).find_map(|(bound, count)| {
            seen += count;
            (seen as f64 >= wanted).then_some(bound)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_counted_below_its_bound() {
        let bounds = bounds();
        assert!((bounds[2] - 2.0 * bounds[0]).abs() < 1e-12 && bounds[BUCKETS - 1] > 30.0);
        for microseconds in [0, 1, 50, 51, 70, 71, 99, 100, 101, 3_200, 1_000_000, 52_428_800, 99_000_000] {
            let histogram = Histogram::default();
            histogram.record(Duration::from_micros(microseconds));
            let seconds = microseconds as f64 / 1e6;
            let expected = bounds.iter().position(|&bound| seconds <= bound).unwrap_or(BUCKETS);
            let counts = histogram.snapshot().counts;
            assert_eq!(counts.iter().position(|&count| count == 1), Some(expected), "{microseconds} µs");
        }
    }

    #[test]
    fn quantiles() {
        let histogram = Histogram::default();
        assert_eq!(histogram.snapshot().quantile(0.5), None);
        for _ in 0..99 {
            histogram.record(Duration::from_micros(90));
        }
        histogram.record(Duration::from_millis(10));
        let snapshot = histogram.snapshot();
        assert_eq!(snapshot.count(), 100);
        assert!((snapshot.quantile(0.5).unwrap() - 100e-6).abs() < 1e-9);
        assert!((snapshot.quantile(0.99).unwrap() - 100e-6).abs() < 1e-9);
        assert!(snapshot.quantile(0.999).unwrap() >= 0.01);
    }
}
