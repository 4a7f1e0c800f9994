//! All pairs of many sketches, without comparing all pairs.

use twindex_core::fingerprint::Sketches;
use twindex_core::kernel::Kernel;
use twindex_core::search::{Edge, SketchJoin, screened_pairs};

use super::pairs::THRESHOLD;
use crate::measure::{Report, Row, best_cpu_time};

/// Sketches that are also compared by brute force: the first ones, whose copies are close.
const SAMPLE: usize = 20_000;

/// Joins sketches and compares the pairs of a sample with brute force.
pub(crate) fn run(case: &str, sketches: &Sketches, report: &mut Report) {
    let mut pairs: Vec<(Edge, f64)> = vec![];
    let mut bytes = 0;
    let time = best_cpu_time(1, || {
        let join = SketchJoin::new(sketches, THRESHOLD);
        bytes = join.bytes();
        join.pairs(0..sketches.len() as u32, &mut join.scratch(), |edge, jaccard| {
            pairs.push((edge, jaccard))
        });
    });
    let mut sample = Sketches::default();
    sketches.iter().take(SAMPLE).for_each(|hashes| sample.push(hashes));
    let expected = screened_pairs(&sample, THRESHOLD, Kernel::best());
    let inside: Vec<(Edge, f64)> =
        pairs.iter().copied().filter(|(edge, _)| (edge.later as usize) < SAMPLE).collect();
    let memory = (bytes + sketches.hashes() * size_of::<u64>() + sketches.len() * size_of::<usize>()) as f64;
    let all = sketches.len() as f64 * (sketches.len() as f64 - 1.0) / 2.0;
    report.row(
        Row::new("join", case)
            .metric("s", time.as_secs_f64())
            .checked(inside == expected)
            .note(format!(
                "{} pairs of {all:.2e} comparisons; {:.2} GB with the sketches; {} pairs of the first {} equal brute force",
                pairs.len(),
                memory / 1e9,
                expected.len(),
                sample.len()
            )),
    );
}
