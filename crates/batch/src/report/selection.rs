//! Which pairs a report shows: a few hundred of possibly many millions.

use std::collections::BTreeSet;
use std::path::Path;

use twindex_core::recipe::Measure;

use super::Histogram;
use crate::error::Result;
use crate::join::Records;
use crate::work::ScoredPair;

/// The hardest decisions on either side of the threshold: worth looking at first.
const LEAST_SIMILAR_ACCEPTED: usize = 120;
const MOST_SIMILAR_REJECTED: usize = 80;

/// A few of every similarity.
const PER_BIN: usize = 5;

/// Bins of the histogram: one for each 2.5 %.
const BINS: usize = 40;

/// The pairs that a report shows, and the histogram of all.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// The shown pairs, accepted or not, in order of similarity.
    pub(crate) pairs: Vec<(ScoredPair, bool)>,
    pub(crate) histogram: Histogram,
}

impl Selection {
    /// Chooses from the files of accepted and rejected pairs.
    pub(crate) fn of(accepted: &Path, rejected: &Path, measure: Measure) -> Result<Self> {
        let mut selection = Selection::default();
        let mut chosen = BTreeSet::new();
        selection.histogram.accepted = choose(
            accepted,
            measure,
            LEAST_SIMILAR_ACCEPTED,
            |score| score,
            |pair| {
                chosen.insert((pair, true));
            },
        )?;
        selection.histogram.rejected = choose(
            rejected,
            measure,
            MOST_SIMILAR_REJECTED,
            |score| MILLION - score,
            |pair| {
                chosen.insert((pair, false));
            },
        )?;
        selection.pairs = chosen.into_iter().collect();
        selection.pairs.sort_by_key(|(pair, _)| (score(pair, measure), pair.left, pair.right));
        Ok(selection)
    }
}

const MILLION: u32 = 1_000_000;

fn score(pair: &ScoredPair, measure: Measure) -> u32 {
    (pair.measured().scores().of(measure) * f64::from(MILLION)).round() as u32
}

/// Passes the `count` pairs of least `priority` and a few of each bin to `sink`; returns the
/// histogram.
fn choose(
    path: &Path,
    measure: Measure,
    count: usize,
    priority: impl Fn(u32) -> u32,
    mut sink: impl FnMut(ScoredPair),
) -> Result<Vec<u64>> {
    let mut first: BTreeSet<(u32, ScoredPair)> = BTreeSet::new();
    let mut histogram = vec![0; BINS];
    for pair in Records::<ScoredPair>::open(path)? {
        let pair = pair?;
        let score = score(&pair, measure);
        let bin = (score as usize * BINS / MILLION as usize).min(BINS - 1);
        histogram[bin] += 1;
        if histogram[bin] <= PER_BIN as u64 {
            sink(pair);
        }
        first.insert((priority(score), pair));
        if first.len() > count {
            first.pop_last();
        }
    }
    first.into_iter().for_each(|(_, pair)| sink(pair));
    Ok(histogram)
}
