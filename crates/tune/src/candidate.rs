//! Which share of the pairs at a similarity the search proposes, beside what theory predicts.

use serde::Serialize;
use twindex_core::recipe::{MethodName, Recipe};
use twindex_core::search::Bands;

use crate::pairs::Compared;

/// The pairs of the sample with about this Jaccard.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CandidatePoint {
    /// The least Jaccard of the bin.
    pub from: f64,
    /// Where the next bin begins.
    pub to: f64,
    /// How many pairs there are.
    pub pairs: u64,
    /// The share of them that the search proposes.
    pub measured: f64,
    /// What the S-curve of the recipe's bands says of their mean; none for other methods.
    pub expected: Option<f64>,
}

/// Twenty bins of 0.05.
const BINS: usize = 20;

/// The S-curve of the candidate stage, measured on the pairs; empty bins are left out.
pub(crate) fn curve(recipe: &Recipe, pairs: &[Compared]) -> Vec<CandidatePoint> {
    let bands = (recipe.method == MethodName::MinhashLsh)
        .then_some(Bands { bands: recipe.minhash.bands, rows: recipe.minhash.rows });
    let mut bins = vec![(0u64, 0u64, 0.0); BINS];
    for pair in pairs {
        let jaccard = pair.measured.overlap.jaccard();
        let (count, proposed, expected) = &mut bins[((jaccard * BINS as f64) as usize).min(BINS - 1)];
        *count += 1;
        *proposed += u64::from(pair.is_candidate);
        *expected += bands.map_or(0.0, |bands| bands.recall(jaccard));
    }
    let points = bins.into_iter().enumerate().filter(|(_, (pairs, ..))| *pairs > 0);
    let edge = |bin: usize| bin as f64 / BINS as f64;
    points
        .map(|(bin, (pairs, proposed, expected))| CandidatePoint {
            from: edge(bin),
            to: edge(bin + 1),
            pairs,
            measured: proposed as f64 / pairs as f64,
            expected: bands.map(|_| expected / pairs as f64),
        })
        .collect()
}
