//! Everything that is found out about a recipe on a sample.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;
use twindex_batch::{Progress, Unit};
use twindex_core::PipelineScratch;
use twindex_core::kernel::Kernel;
use twindex_core::recipe::{Recipe, RecipeError};
use twindex_core::verify::Scores;

use crate::candidate::{self, CandidatePoint};
use crate::curve::{Counted, Curve};
use crate::doubtful::{Doubtful, doubtful};
use crate::injection::{Injected, inject};
use crate::pairs::{Compared, LARGEST_DISTANCE, Pipelines, Prepared, compare_all};
use crate::recommend::{Recommendation, recommend};
use crate::sample::Sample;
use crate::truth::{REFERENCE_COSINE, Reference, Truth};

/// How a recipe does on a sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Findings {
    /// What was compared.
    pub sample: Sampled,
    /// What it was compared with.
    pub reference: Reference,
    /// The name of the measure that decides.
    pub measure: String,
    /// The recipe's threshold.
    pub threshold: f64,
    /// The recipe as it is: the whole of search and rule against the reference.
    pub precision: f64,
    /// The share of right pairs that search and rule find.
    pub recall: f64,
    /// Of the pairs that the rule accepts, the share that the search proposes.
    pub candidate_recall: f64,
    /// Precision and recall as the threshold moves, without the search.
    pub by_threshold: Curve,
    /// The same by the Hamming distance of simhashes, without the rule.
    pub by_distance: Curve,
    /// The S-curve of the candidate stage.
    pub candidates: Vec<CandidatePoint>,
    /// Recall of injected copies.
    pub injected: Vec<Injected>,
    /// Accepted pairs, the least similar first.
    pub least_accepted: Vec<Doubtful>,
    /// Rejected pairs, the most similar first.
    pub most_rejected: Vec<Doubtful>,
    /// What follows.
    pub recommendation: Recommendation,
}

/// What was compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sampled {
    /// Documents in the collection.
    pub collection: u64,
    /// Documents in the sample.
    pub documents: u64,
    /// Pairs of the sample that are right.
    pub right_pairs: u64,
    /// Labelled pairs of which a document is not in the sample.
    pub pairs_outside: u64,
}

/// Compares every pair of the sample and draws the conclusions.
pub fn tune(
    sample: &Sample,
    truth: Option<&Truth>,
    recipe: &Recipe,
    kernel: Kernel,
    progress: &dyn Progress,
) -> Result<Findings, RecipeError> {
    let mut pipelines = Pipelines::new(recipe, kernel)?;
    pipelines.know(&sample.documents);
    let prepared = prepare(&pipelines, sample, progress);
    let labelled: Option<HashSet<(u32, u32)>> =
        truth.map(|truth| truth.places(sample.documents.iter().map(|document| document.id.as_str())));
    let is_labelled =
        |left, right| labelled.as_ref().is_some_and(|labelled| labelled.contains(&(left, right)));
    progress.begin("compare every pair", prepared.len() as u64, Unit::Things);
    let pairs = compare_all(&pipelines, &prepared, is_labelled, progress);
    progress.end();

    let is_right = |pair: &Compared| match &labelled {
        Some(_) => is_labelled(pair.left, pair.right),
        None => pair.scores.cosine >= REFERENCE_COSINE,
    };
    // Labelled documents were taken before all others, so that the sample is not a draw and every pair counts alike.
    let weight = |pair: &Compared| if truth.is_some() { 1.0 } else { sample.weight(pair.scores.jaccard) };
    let sum =
        |keep: &dyn Fn(&Compared) -> bool| pairs.iter().filter(|pair| keep(pair)).map(weight).sum::<f64>();
    let found = sum(&|pair| pair.is_candidate && pair.is_accepted);
    let found_right = sum(&|pair| pair.is_candidate && pair.is_accepted && is_right(pair));
    let value = |scores: &Scores| scores.of(recipe.rule.measure);
    let counted =
        |pair: &Compared, strictness| Counted { strictness, weight: weight(pair), is_right: is_right(pair) };

    let by_threshold =
        Curve::new(pairs.iter().map(|pair| counted(pair, value(&pair.scores))).collect(), 0.0, thresholds());
    let near = pairs.iter().filter_map(|pair| Some(counted(pair, -f64::from(pair.distance?))));
    let far = sum(&|pair| pair.distance.is_none() && is_right(pair));
    let mut by_distance =
        Curve::new(near.collect(), far, (0..=LARGEST_DISTANCE).map(|distance| -f64::from(distance)));
    by_distance.negate();

    let (least_accepted, most_rejected) = doubtful(&sample.documents, &pairs, value, is_right);
    progress.begin("inject copies", 1, Unit::Things);
    let injected = inject(&pipelines, &sample.documents, &prepared);
    progress.end();
    let candidates = candidate::curve(recipe, &pairs);
    let right_pairs = pairs.iter().filter(|pair| is_right(pair)).count() as u64;
    let recommendation = recommend(recipe, right_pairs, &by_threshold, &by_distance);
    Ok(Findings {
        sample: Sampled {
            collection: sample.seen,
            documents: sample.documents.len() as u64,
            right_pairs,
            pairs_outside: truth.map_or(0, |truth| (truth.len() as u64).saturating_sub(right_pairs)),
        },
        reference: truth.map_or(Reference::Cosine(REFERENCE_COSINE), |_| Reference::Truth),
        measure: recipe.rule.measure.name().to_owned(),
        threshold: recipe.rule.threshold,
        precision: ratio(found_right, found),
        recall: ratio(found_right, sum(&is_right)),
        candidate_recall: ratio(found, sum(&|pair| pair.is_accepted)),
        by_threshold,
        by_distance,
        candidates,
        injected,
        least_accepted,
        most_rejected,
        recommendation,
    })
}

/// Of nothing, everything was found.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

/// From 1 down to 0.02, in steps of 0.02.
fn thresholds() -> impl Iterator<Item = f64> {
    (1..=50).rev().map(|step| f64::from(step) / 50.0)
}

fn prepare(pipelines: &Pipelines, sample: &Sample, progress: &dyn Progress) -> Vec<Prepared> {
    progress.begin("analyse the sample", sample.documents.len() as u64, Unit::Things);
    let done = AtomicU64::new(0);
    let prepared = sample
        .documents
        .par_iter()
        .map_init(PipelineScratch::default, |scratch, document| {
            let prepared = pipelines.prepare(document, scratch);
            progress.position(done.fetch_add(1, Ordering::Relaxed) + 1);
            prepared
        })
        .collect();
    progress.end();
    prepared
}
