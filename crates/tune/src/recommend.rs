//! The recipe that follows from what was measured.

use serde::Serialize;
use twindex_core::Recipe;
use twindex_core::recipe::{Measure, MethodName};
use twindex_core::search::Bands;

use crate::curve::Curve;

/// A recipe that fits the collection better, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// The whole recipe, as a TOML file.
    pub recipe: String,
    /// Every change with its reason; empty when the recipe fits as it is.
    pub reasons: Vec<String>,
}

/// A sample with fewer right pairs says too little about a threshold.
const LEAST_PAIRS: u64 = 10;
/// An F1 must be better by this much to be worth a change.
const WORTHWHILE: f64 = 0.005;
/// The share of pairs at the threshold that the search should propose.
const WANTED_RECALL: f64 = 0.99;
/// The most bands that are worth their memory.
const MOST_BANDS: u16 = 200;
/// The largest radius that is searched with few look-ups.
const LARGEST_RADIUS: u32 = 8;

pub(crate) fn recommend(
    recipe: &Recipe,
    right_pairs: u64,
    by_threshold: &Curve,
    by_distance: &Curve,
) -> Recommendation {
    let mut better = Recipe { name: format!("{}-tuned", recipe.name), ..recipe.clone() };
    let mut reasons = Vec::new();
    if right_pairs < LEAST_PAIRS {
        reasons.push(format!(
            "the sample has {right_pairs} right pairs, too few to move anything: take a larger --sample, or label pairs for --truth"
        ));
        return Recommendation { recipe: better.to_toml(), reasons };
    }
    threshold(recipe, by_threshold, &mut better, &mut reasons);
    match recipe.method {
        MethodName::MinhashLsh => bands(&mut better, &mut reasons),
        MethodName::Simhash => radius(by_distance, &mut better, &mut reasons),
        MethodName::BottomK | MethodName::Sampled => {}
    }
    if better.validate().is_err() {
        // Whatever was moved out of its range is not worth a recipe that cannot be used.
        return Recommendation { recipe: recipe.to_toml(), reasons: vec![] };
    }
    Recommendation { recipe: better.to_toml(), reasons }
}

fn threshold(recipe: &Recipe, curve: &Curve, better: &mut Recipe, reasons: &mut Vec<String>) {
    let now = curve.points.iter().min_by(|a, b| {
        let distance = |at: f64| (at - recipe.rule.threshold).abs();
        distance(a.at).total_cmp(&distance(b.at))
    });
    let (Some(now), Some(best)) = (now, &curve.best) else { return };
    if best.f1() < now.f1() + WORTHWHILE {
        return;
    }
    better.rule.threshold = best.at;
    reasons.push(format!(
        "threshold {} instead of {}: F1 {:.3} (precision {:.3}, recall {:.3}) instead of {:.3} (precision {:.3}, recall {:.3})",
        best.at, recipe.rule.threshold, best.f1(), best.precision, best.recall, now.f1(), now.precision, now.recall
    ));
}

/// The fewest bands of the recipe's rows that propose what the rule accepts.
fn bands(better: &mut Recipe, reasons: &mut Vec<String>) {
    if better.rule.measure != Measure::Jaccard {
        return;
    }
    let threshold = better.rule.threshold;
    let now = Bands { bands: better.minhash.bands, rows: better.minhash.rows };
    if now.recall(threshold) >= WANTED_RECALL {
        return;
    }
    let choices =
        (1..=now.rows).rev().flat_map(|rows| (1..=MOST_BANDS).map(move |bands| Bands { bands, rows }));
    let Some(chosen) = choices.into_iter().find(|choice| choice.recall(threshold) >= WANTED_RECALL) else {
        return;
    };
    (better.minhash.bands, better.minhash.rows) = (chosen.bands, chosen.rows);
    reasons.push(format!(
        "{} bands of {} rows instead of {} of {}: the search proposes {:.1} % of the pairs at the threshold instead of {:.1} %",
        chosen.bands, chosen.rows, now.bands, now.rows,
        100.0 * chosen.recall(threshold), 100.0 * now.recall(threshold)
    ));
}

/// The search only proposes, so that its radius lies one beyond the distance where precision and recall meet.
fn radius(curve: &Curve, better: &mut Recipe, reasons: &mut Vec<String>) {
    let Some(crossing) = &curve.crossing else { return };
    let radius = (crossing.at.ceil() as u32 + 1).min(LARGEST_RADIUS);
    let now = better.simhash.radius;
    if radius <= now {
        return;
    }
    better.simhash.radius = radius;
    better.simhash.blocks = better.simhash.blocks.max(radius + 2);
    reasons.push(format!(
        "radius {radius} instead of {now}: precision and recall by distance meet at {:.1} bits, and the rule decides after the search",
        crossing.at
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Counted;

    fn curve(cut: f64) -> Curve {
        let pairs = (0..100).map(|number| {
            let strictness = f64::from(number) / 100.0;
            Counted { strictness, weight: 1.0, is_right: strictness >= cut }
        });
        Curve::new(pairs.collect(), 0.0, (1..=50).rev().map(|step| f64::from(step) / 50.0))
    }

    #[test]
    fn a_better_threshold_is_taken_and_the_search_follows_it() {
        let recipe = Recipe::default();
        let found = recommend(&recipe, 100, &curve(0.3), &Curve::default());
        let better = Recipe::from_toml(&found.recipe).unwrap();
        assert_eq!(better.rule.threshold, 0.3);
        let bands = Bands { bands: better.minhash.bands, rows: better.minhash.rows };
        assert!(bands.recall(0.3) >= WANTED_RECALL, "{bands:?}");
        assert_eq!(found.reasons.len(), 2, "{:?}", found.reasons);
    }

    #[test]
    fn a_recipe_that_fits_stays() {
        let found = recommend(&Recipe::default(), 100, &curve(0.5), &Curve::default());
        assert!(found.reasons.is_empty(), "{:?}", found.reasons);
    }

    #[test]
    fn few_pairs_move_nothing() {
        let found = recommend(&Recipe::default(), 3, &curve(0.1), &Curve::default());
        assert_eq!(Recipe::from_toml(&found.recipe).unwrap().rule, Recipe::default().rule);
        assert!(found.reasons[0].contains("--sample"));
    }
}
