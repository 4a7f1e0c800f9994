//! The recipe that follows from what was measured, if something does.
//!
//! Without labels a better recipe cannot be told from a worse one, and nothing is recommended. With
//! labels, a threshold is recommended only if it is shown to be better on pairs that had no part in
//! choosing it:
//!
//! ```text
//! halves = the labelled pairs, by the parity of a hash of their cluster: no cluster is in both
//! shown  = the best threshold of either half has a larger F1 than the recipe's on the other half
//! ```
//!
//! The search follows the threshold: more bands, or a larger radius, propose more and decide
//! nothing.

use serde::Serialize;
use twindex_core::group::UnionFind;
use twindex_core::recipe::{Measure, MethodName};
use twindex_core::search::Bands;
use twindex_core::{Recipe, hash};

use crate::curve::{Curve, Point};
use crate::findings::{Labelled, by_value, thresholds};
use crate::pairs::Compared;

/// A recipe that fits the collection better, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// The whole recipe, as a TOML file; the recipe as it is if nothing better was shown.
    pub recipe: String,
    /// Every change with its reason; empty if there is none.
    pub changes: Vec<String>,
    /// Why there is no change, or what the changes rest on.
    pub basis: String,
}

/// A sample with fewer right pairs says too little about a threshold.
const LEAST_PAIRS: usize = 20;
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
    right_pairs: usize,
    pairs: &[Compared],
    label: impl Fn(&Compared) -> Option<bool>,
    labelled: Option<&Labelled>,
) -> Recommendation {
    let stays = |basis: String| Recommendation { recipe: recipe.to_toml(), changes: vec![], basis };
    let Some(labelled) = labelled else {
        return stays(
            "nothing: without labels no recipe is shown to be better; label pairs, or read the doubtful ones"
                .to_owned(),
        );
    };
    if right_pairs < LEAST_PAIRS {
        return stays(format!(
            "not enough: {right_pairs} labelled pairs are in the collection, and {LEAST_PAIRS} are needed to show that a \
             recipe is better"
        ));
    }
    let mut better = Recipe { name: format!("{}-tuned", recipe.name), ..recipe.clone() };
    let mut changes = vec![];
    if is_shown(recipe, pairs, label) {
        threshold(recipe, &labelled.by_threshold, &mut better, &mut changes);
    }
    match recipe.method {
        MethodName::MinhashLsh => bands(&mut better, &mut changes),
        MethodName::Simhash => radius(&labelled.by_distance, &mut better, &mut changes),
        MethodName::BottomK | MethodName::Sampled => {}
    }
    if changes.is_empty() || better.validate().is_err() {
        return stays("nothing: the recipe fits these labels as it is".to_owned());
    }
    let basis = match better.rule.threshold == recipe.rule.threshold {
        true => "the threshold stays; the search would propose more of what the rule accepts".to_owned(),
        false => format!("shown on {right_pairs} labelled pairs, each half of them by the other"),
    };
    Recommendation { recipe: better.to_toml(), changes, basis }
}

/// Whether the best threshold of each half of the labels is better than the recipe's on the other
/// half.
fn is_shown(recipe: &Recipe, pairs: &[Compared], label: impl Fn(&Compared) -> Option<bool>) -> bool {
    let documents = pairs.iter().map(|pair| pair.right + 1).max().unwrap_or(0);
    let mut clusters = UnionFind::new(documents);
    for pair in pairs.iter().filter(|pair| label(pair) == Some(true)) {
        clusters.union(pair.left, pair.right);
    }
    let roots: Vec<u32> = (0..documents).map(|document| clusters.root(document)).collect();
    let half = |odd: bool| {
        let in_half = |pair: &Compared| (hash::mix(u64::from(roots[pair.left as usize])) & 1 == 1) == odd;
        let of_half = |pair: &Compared| label(pair).filter(|_| in_half(pair));
        Curve::new(by_value(recipe, pairs, of_half), 0, thresholds())
    };
    let halves = [half(false), half(true)];
    [(0, 1), (1, 0)].into_iter().all(|(chosen, judge)| {
        let Some(best) = &halves[chosen].best else { return false };
        let f1 = |at: f64| nearest(&halves[judge], at).map_or(0.0, |point| point.f1());
        f1(best.at) > f1(recipe.rule.threshold)
    })
}

/// The setting of a curve next to this one.
fn nearest(curve: &Curve, at: f64) -> Option<&Point> {
    let distance = |point: &Point| (point.at - at).abs();
    curve.points.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn threshold(recipe: &Recipe, curve: &Curve, better: &mut Recipe, changes: &mut Vec<String>) {
    let (Some(now), Some(best)) = (nearest(curve, recipe.rule.threshold), &curve.best) else { return };
    if best.f1() < now.f1() + WORTHWHILE {
        return;
    }
    better.rule.threshold = best.at;
    let precision =
        |point: &Point| point.precision.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    changes.push(format!(
        "threshold {} instead of {}: F1 {:.3} (precision {}, recall {:.3}) instead of {:.3} (precision {}, recall {:.3})",
        best.at,
        recipe.rule.threshold,
        best.f1(),
        precision(best),
        best.recall,
        now.f1(),
        precision(now),
        now.recall
    ));
}

/// The fewest bands of the recipe's rows that propose what the rule accepts.
fn bands(better: &mut Recipe, changes: &mut Vec<String>) {
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
    changes.push(format!(
        "{} bands of {} rows instead of {} of {}: the search proposes {:.1} % of the pairs at the threshold instead of {:.1} %",
        chosen.bands, chosen.rows, now.bands, now.rows,
        100.0 * chosen.recall(threshold), 100.0 * now.recall(threshold)
    ));
}

/// The search only proposes, so that its radius lies one beyond the distance where precision and
/// recall meet.
fn radius(curve: &Curve, better: &mut Recipe, changes: &mut Vec<String>) {
    let Some(crossing) = &curve.crossing else { return };
    let radius = (crossing.at.ceil() as u32 + 1).min(LARGEST_RADIUS);
    let now = better.simhash.radius;
    if radius <= now {
        return;
    }
    better.simhash.radius = radius;
    better.simhash.blocks = better.simhash.blocks.max(radius + 2);
    changes.push(format!(
        "radius {radius} instead of {now}: precision and recall by distance meet at {:.1} bits, and the rule decides after the search",
        crossing.at
    ));
}

#[cfg(test)]
mod tests {
    use twindex_core::verify::{Measured, Overlap};

    use super::*;

    /// Pairs of every similarity, right from the cut on.
    fn recommended(cut: usize, right_pairs: usize, has_labels: bool) -> Recommendation {
        let recipe = Recipe::default();
        let pairs: Vec<Compared> = (0..1_000u32)
            .map(|number| {
                let common = 1 + number as usize % 100;
                // Of a hundred features in all, so the Jaccard is `common` hundredths.
                let overlap = Overlap { left: common, right: 100, common };
                let measured = Measured { overlap, cosine: 0.0, equal: false, only_symbols_differ: false };
                let (left, right) = (2 * number, 2 * number + 1);
                Compared {
                    left,
                    right,
                    measured,
                    distance: None,
                    is_candidate: true,
                    is_accepted: common >= 50,
                }
            })
            .collect();
        let label = |pair: &Compared| Some(pair.measured.overlap.common >= cut);
        let labelled = Labelled {
            precision: None,
            recall: None,
            by_threshold: Curve::new(by_value(&recipe, &pairs, label), 0, thresholds()),
            by_distance: Curve::default(),
        };
        recommend(&recipe, right_pairs, &pairs, label, has_labels.then_some(&labelled))
    }

    #[test]
    fn a_better_threshold_is_taken_and_the_search_follows_it() {
        let found = recommended(30, 100, true);
        let better = Recipe::from_toml(&found.recipe).unwrap();
        assert_eq!(better.rule.threshold, 0.3);
        let bands = Bands { bands: better.minhash.bands, rows: better.minhash.rows };
        assert!(bands.recall(0.3) >= WANTED_RECALL, "{bands:?}");
        assert_eq!(found.changes.len(), 2, "{:?}", found.changes);
    }

    #[test]
    fn a_recipe_that_fits_stays() {
        let found = recommended(50, 100, true);
        assert!(found.changes.is_empty() && found.basis.contains("fits"), "{found:?}");
    }

    #[test]
    fn few_labels_or_none_move_nothing() {
        for (found, word) in
            [(recommended(10, 3, true), "not enough"), (recommended(10, 100, false), "without labels")]
        {
            assert_eq!(Recipe::from_toml(&found.recipe).unwrap(), Recipe::default());
            assert!(found.changes.is_empty() && found.basis.contains(word), "{found:?}");
        }
    }
}
