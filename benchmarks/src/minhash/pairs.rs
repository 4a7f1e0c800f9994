//! The article's second table: every pair of 2,000 sketches at a threshold of 0.5.

use twindex_core::fingerprint::Sketches;
use twindex_core::kernel::Kernel;
use twindex_core::kernel::sketch::common_by_blocks;
use twindex_core::search::screened_pairs;

use crate::measure::{Report, Row, best_cpu_time};

/// The article's threshold.
pub(super) const THRESHOLD: f64 = 0.5;

/// Runs of each row; the best counts.
const TIMES: usize = 5;

/// Earlier, later, and the sketch Jaccard.
type Pair = (u32, u32, f64);

/// The sketch Jaccard of two sketches if it reaches the threshold.
type Comparison = fn(&[u32], &[u32]) -> Option<f64>;

/// Measures every kind of comparison, on the same sketches of 32-bit hashes.
pub(crate) fn run(sketches: &Sketches, report: &mut Report) {
    let lists: Vec<Vec<u32>> =
        sketches.iter().map(|hashes| hashes.iter().map(|&hash| hash as u32).collect()).collect();
    let comparisons = lists.len() * lists.len().saturating_sub(1) / 2;
    report.heading(&format!(
        "{} sketches, {:.2} million pairs, threshold {THRESHOLD}",
        lists.len(),
        comparisons as f64 / 1e6
    ));
    let expected = all(&lists, classical);
    let speed = |seconds: f64| comparisons as f64 / 1e6 / seconds;

    let mut baseline = 0.0;
    let ways: [(&str, Comparison, &str); 3] = [
        ("classical", classical, "article: 0.84"),
        ("classical+abort", fast_abort, "article: 1.92"),
        ("classical+abort+pcmpestrm", blocks, "article: 3.16"),
    ];
    for (name, way, note) in ways {
        let right = all(&lists, way) == expected;
        let value = speed(best_cpu_time(TIMES, || all(&lists, way).len()).as_secs_f64());
        if name == "classical" {
            baseline = value;
        }
        report.row(
            Row::new(name, "pairs")
                .metric("Mpair/s", value)
                .against("classical", value / baseline)
                .checked(right)
                .note(note),
        );
    }
    for kernel in Kernel::available() {
        let found: Vec<Pair> = screened_pairs(sketches, THRESHOLD, kernel)
            .into_iter()
            .map(|(edge, jaccard)| (edge.earlier, edge.later, jaccard))
            .collect();
        let value =
            speed(best_cpu_time(TIMES * 4, || screened_pairs(sketches, THRESHOLD, kernel)).as_secs_f64());
        let name =
            if kernel == Kernel::best() { "screen".to_owned() } else { format!("screen, {}", kernel.name()) };
        report.row(
            Row::new(name, "pairs")
                .metric("Mpair/s", value)
                .against("classical", value / baseline)
                .checked(found == expected)
                .note(format!("kernel {}, bitmaps made in the time; {} pairs", kernel.name(), found.len())),
        );
    }
}

/// Every pair that a comparison finds, by the later one and the earlier.
fn all(lists: &[Vec<u32>], way: fn(&[u32], &[u32]) -> Option<f64>) -> Vec<Pair> {
    let mut pairs = vec![];
    for (later, a) in (0u32..).zip(lists) {
        for (earlier, b) in (0..later).zip(lists) {
            if let Some(jaccard) = way(a, b) {
                pairs.push((earlier, later, jaccard));
            }
        }
    }
    pairs
}

fn accepted(common: usize, a: usize, b: usize) -> Option<f64> {
    let union = a + b - common;
    let jaccard = if union == 0 { 0.0 } else { common as f64 / union as f64 };
    (jaccard >= THRESHOLD && common > 0).then_some(jaccard)
}

/// The article's first listing.
fn classical(a: &[u32], b: &[u32]) -> Option<f64> {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            (i, j, common) = (i + 1, j + 1, common + 1);
        } else if a[i] < b[j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    accepted(common, a.len(), b.len())
}

/// How many hashes may be in one sketch only: the article's bound.
fn most_unshared(a: usize, b: usize) -> usize {
    ((1.0 - THRESHOLD) / (1.0 + THRESHOLD) * (a + b) as f64).ceil() as usize
}

/// The article's second listing.
fn fast_abort(a: &[u32], b: &[u32]) -> Option<f64> {
    let most = most_unshared(a.len(), b.len());
    let (mut i, mut j, mut common, mut unshared) = (0, 0, 0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            (i, j, common) = (i + 1, j + 1, common + 1);
        } else if a[i] < b[j] {
            (i, unshared) = (i + 1, unshared + 1);
        } else {
            (j, unshared) = (j + 1, unshared + 1);
        }
        if unshared > most {
            return None;
        }
    }
    accepted(common, a.len(), b.len())
}

/// The article's third listing, with its slips corrected.
fn blocks(a: &[u32], b: &[u32]) -> Option<f64> {
    accepted(common_by_blocks(a, b, most_unshared(a.len(), b.len()))?, a.len(), b.len())
}
