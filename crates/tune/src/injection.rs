//! How strongly a copy may be edited and still be found.
//!
//! Documents of the sample are copied with edits of graded strength. A copy is a duplicate by
//! construction, so its recall needs no labels, and it shows which stage loses what: the search, or
//! the rule.

use rayon::prelude::*;
use serde::Serialize;
use twindex_core::{Document, EngineScratch};

use crate::edit::edited;
use crate::pairs::{Engines, Prepared};

/// What became of the copies of one strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Injected {
    /// The share of words that were edited.
    pub strength: f64,
    /// How many copies were made.
    pub copies: u64,
    /// The mean Jaccard of original and copy.
    pub jaccard: f64,
    /// The mean Hamming distance of their simhashes.
    pub distance: f64,
    /// The share that the search proposes.
    pub proposed: f64,
    /// The share that the rule accepts.
    pub accepted: f64,
    /// The share that is proposed and accepted: the recall of the whole recipe.
    pub found: f64,
}

const STRENGTHS: [f64; 8] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
/// Enough for a standard error of 0.03 on a share of 0.5.
const COPIES: usize = 300;

/// Injects copies of documents that are spread evenly over the sample.
pub(crate) fn inject(engines: &Engines, documents: &[Document], prepared: &[Prepared]) -> Vec<Injected> {
    let chosen: Vec<usize> =
        (0..documents.len()).filter(|&place| !prepared[place].evidence.features.is_empty()).collect();
    let step = chosen.len().div_ceil(COPIES).max(1);
    let chosen: Vec<usize> = chosen.into_iter().step_by(step).collect();
    STRENGTHS.map(|strength| at(engines, documents, prepared, &chosen, strength)).to_vec()
}

fn at(
    engines: &Engines,
    documents: &[Document],
    prepared: &[Prepared],
    chosen: &[usize],
    strength: f64,
) -> Injected {
    let compared: Vec<_> = chosen
        .par_iter()
        .map_init(EngineScratch::default, |scratch, &place| {
            let original = &documents[place];
            let copy = Document { text: edited(&original.text, strength), ..original.clone() };
            engines.compare(&prepared[place], &engines.prepare(&copy, scratch))
        })
        .collect();
    let copies = compared.len().max(1) as f64;
    let share = |count: usize| count as f64 / copies;
    let distances = compared.iter().filter_map(|pair| pair.distance).map(f64::from);
    Injected {
        strength,
        copies: compared.len() as u64,
        jaccard: compared.iter().map(|pair| pair.measured.overlap.jaccard()).sum::<f64>() / copies,
        distance: distances.clone().sum::<f64>() / (distances.count().max(1) as f64),
        proposed: share(compared.iter().filter(|pair| pair.is_candidate).count()),
        accepted: share(compared.iter().filter(|pair| pair.is_accepted).count()),
        found: share(compared.iter().filter(|pair| pair.is_candidate && pair.is_accepted).count()),
    }
}
