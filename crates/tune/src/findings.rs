//! Everything that is found out about a recipe on a sample.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;
use twindex_core::EngineScratch;
use twindex_core::kernel::Kernel;
use twindex_core::progress::{Progress, Unit};
use twindex_core::recipe::{Recipe, RecipeError};

use crate::candidate::{self, CandidatePoint};
use crate::curve::{Counted, Curve};
use crate::decisions::{Decided, decisions};
use crate::doubtful::{Doubtful, doubtful};
use crate::injection::{Injected, inject};
use crate::pairs::{Compared, Engines, LARGEST_DISTANCE, Prepared, compare_all};
use crate::recommend::{Recommendation, recommend};
use crate::sample::Sample;
use crate::truth::{Labels, Truth};

/// How a recipe does on a sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Findings {
    /// What was compared.
    pub sample: Sampled,
    /// The name of the measure that decides.
    pub measure: String,
    /// The recipe's threshold.
    pub threshold: f64,
    /// The recipe's bound on what a removal loses.
    pub coverage: f64,
    /// What the labels say, if there are any.
    pub labels: Option<Labelled>,
    /// Of the pairs that the rule accepts, the share that the search proposes; `None` if it accepts
    /// none.
    pub candidate_recall: Option<f64>,
    /// Pairs and removals in the sample as threshold and coverage move.
    pub decisions: Vec<Decided>,
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
    /// Labelled pairs of the sample.
    pub right_pairs: u64,
    /// Labelled pairs of which a document is not in the collection.
    pub pairs_outside: u64,
}

/// The recipe compared with labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Labelled {
    /// Of the pairs that search and rule find, the share that is right; `None` if they find none.
    pub precision: Option<f64>,
    /// Of the right pairs, the share that search and rule find; `None` if there are none.
    pub recall: Option<f64>,
    /// Precision and recall as the threshold moves, without the search.
    pub by_threshold: Curve,
    /// The same by the Hamming distance of simhashes, without the rule.
    pub by_distance: Curve,
}

/// Compares every pair of the sample and draws the conclusions.
pub fn tune(
    sample: &Sample,
    truth: Option<&Truth>,
    recipe: &Recipe,
    kernel: Kernel,
    progress: &dyn Progress,
) -> Result<Findings, RecipeError> {
    if recipe.decides_by_frequencies() {
        return Err(RecipeError::NeedsFrequencies);
    }
    let mut engines = Engines::new(recipe, kernel)?;
    engines.know(&sample.documents);
    let prepared = prepare(&engines, sample, progress);
    let ids = sample.documents.iter().map(|document| document.id.as_str());
    let labels = truth.map(|truth| truth.labels(ids));
    let is_right =
        |left, right| labels.as_ref().is_some_and(|labels: &Labels| labels.right.contains(&(left, right)));
    progress.begin("compare every pair", prepared.len() as u64, Unit::Things);
    let pairs = compare_all(&engines, &prepared, is_right, progress);
    progress.end();

    let right_pairs = labels.as_ref().map_or(0, |labels| labels.right.len());
    let label = |pair: &Compared| labels.as_ref().and_then(|labels| labels.of((pair.left, pair.right)));
    let labelled = labels.as_ref().map(|_| against(recipe, &pairs, label));
    let accepted = pairs.iter().filter(|pair| pair.is_accepted).count();
    let proposed = pairs.iter().filter(|pair| pair.is_accepted && pair.is_candidate).count();
    let (least_accepted, most_rejected) = doubtful(&sample.documents, &pairs, recipe.rule.measure, label);
    progress.begin("inject copies", 1, Unit::Things);
    let injected = inject(&engines, &sample.documents, &prepared);
    progress.end();
    Ok(Findings {
        sample: Sampled {
            collection: sample.seen,
            documents: sample.documents.len() as u64,
            right_pairs: right_pairs as u64,
            pairs_outside: truth.map_or(0, |truth| truth.len().saturating_sub(right_pairs)) as u64,
        },
        measure: recipe.rule.measure.name().to_owned(),
        threshold: recipe.rule.threshold,
        coverage: recipe.rule.coverage,
        candidate_recall: ratio(proposed, accepted),
        decisions: decisions(recipe.rule, &prepared, &pairs),
        candidates: candidate::curve(recipe, &pairs),
        injected,
        least_accepted,
        most_rejected,
        recommendation: recommend(recipe, right_pairs, &pairs, label, labelled.as_ref()),
        labels: labelled,
    })
}

/// Compares the recipe with labels; a pair without one does not count.
fn against(recipe: &Recipe, pairs: &[Compared], label: impl Fn(&Compared) -> Option<bool>) -> Labelled {
    let counted = |keep: &dyn Fn(&Compared) -> bool, is_right: bool| {
        pairs.iter().filter(|pair| label(pair) == Some(is_right) && keep(pair)).count()
    };
    let found = |pair: &Compared| pair.is_candidate && pair.is_accepted;
    let (right, wrong) = (counted(&found, true), counted(&found, false));
    let near = pairs
        .iter()
        .filter_map(|pair| Some(Counted { strictness: -f64::from(pair.distance?), is_right: label(pair)? }));
    let far = counted(&|pair| pair.distance.is_none(), true);
    let mut by_distance =
        Curve::new(near.collect(), far, (0..=LARGEST_DISTANCE).map(|distance| -f64::from(distance)));
    by_distance.negate();
    Labelled {
        precision: ratio(right, right + wrong),
        recall: ratio(right, counted(&|_| true, true)),
        by_threshold: Curve::new(by_value(recipe, pairs, label), 0, thresholds()),
        by_distance,
    }
}

/// The pairs that count, by the measure of the rule.
pub(crate) fn by_value(
    recipe: &Recipe,
    pairs: &[Compared],
    label: impl Fn(&Compared) -> Option<bool>,
) -> Vec<Counted> {
    let counted = |pair: &Compared| {
        let strictness = pair.measured.scores().of(recipe.rule.measure);
        Some(Counted { strictness, is_right: label(pair)? })
    };
    pairs.iter().filter_map(counted).collect()
}

/// A share of nothing is none.
fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// From 1 down to 0.02, in steps of 0.02.
pub(crate) fn thresholds() -> impl Iterator<Item = f64> {
    (1..=50).rev().map(|step| f64::from(step) / 50.0)
}

fn prepare(engines: &Engines, sample: &Sample, progress: &dyn Progress) -> Vec<Prepared> {
    progress.begin("analyse the sample", sample.documents.len() as u64, Unit::Things);
    let done = AtomicU64::new(0);
    let prepared = sample
        .documents
        .par_iter()
        .map_init(EngineScratch::default, |scratch, document| {
            let prepared = engines.prepare(document, scratch);
            progress.position(done.fetch_add(1, Ordering::Relaxed) + 1);
            prepared
        })
        .collect();
    progress.end();
    prepared
}
