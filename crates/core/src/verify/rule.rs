//! The rule of a recipe, applied to two documents.

use crate::feature::{FeatureSet, Shingler, TermCounts};
use crate::recipe::{Measure, Recipe, Rule};
use crate::verify::{Overlap, common_at_least, cosine};

/// What verification knows of a document. Made once, compared often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The distinct shingles.
    pub features: FeatureSet,
    /// The units with their counts, for the cosine.
    pub counts: TermCounts,
}

impl Evidence {
    /// How many bytes this takes on the heap.
    pub fn bytes(&self) -> usize {
        self.features.bytes() + self.counts.bytes()
    }
}

/// Every measure of a pair, rounded to six decimals so that what is printed is what was decided on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// |A ∩ B| / |A ∪ B| of the shingles.
    pub jaccard: f64,
    /// |A ∩ B| / |A|
    pub containment_left: f64,
    /// |A ∩ B| / |B|
    pub containment_right: f64,
    /// Cosine of the unit counts.
    pub cosine: f64,
}

impl Scores {
    /// The scores of two texts that are equal to the byte.
    pub const EQUAL: Scores =
        Scores { jaccard: 1.0, containment_left: 1.0, containment_right: 1.0, cosine: 1.0 };

    /// The value of one measure. Containment is that of the document which is contained more.
    pub fn of(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Jaccard => self.jaccard,
            Measure::Containment => self.containment_left.max(self.containment_right),
            Measure::Cosine => self.cosine,
        }
    }

    /// The same pair seen from the other side.
    pub fn swapped(self) -> Scores {
        Scores { containment_left: self.containment_right, containment_right: self.containment_left, ..self }
    }
}

/// Scores have six decimals: enough to tell any two pairs of documents of a million shingles apart.
pub(super) const DECIMALS: f64 = 1e6;

fn rounded(value: f64) -> f64 {
    (value * DECIMALS).round() / DECIMALS
}

/// Applies the rule of a recipe.
#[derive(Debug, Clone)]
pub struct Verifier {
    shingler: Shingler,
    rule: Rule,
}

impl Verifier {
    /// The verifier of a valid recipe.
    pub fn new(recipe: &Recipe) -> Self {
        let feature = &recipe.feature;
        Verifier { shingler: Shingler::new(feature.unit, feature.size, feature.hash), rule: recipe.rule }
    }

    /// The evidence of a document, from the hashes of its units in order.
    pub fn evidence(&self, units: &[u64]) -> Evidence {
        Evidence { features: FeatureSet::of(&self.shingler, units), counts: TermCounts::new(units) }
    }

    /// Every measure of a pair.
    pub fn scores(&self, left: &Evidence, right: &Evidence) -> Scores {
        let overlap = Overlap::of(&left.features, &right.features);
        Scores {
            jaccard: rounded(overlap.jaccard()),
            containment_left: rounded(overlap.containment_left()),
            containment_right: rounded(overlap.containment_right()),
            cosine: rounded(cosine(&left.counts, &right.counts)),
        }
    }

    /// Whether a pair with these scores passes.
    pub fn passes(&self, scores: &Scores) -> bool {
        let value = scores.of(self.rule.measure);
        value >= self.rule.threshold && value > 0.0
    }

    /// The scores of the pair if it passes the rule. Same answer as [`Verifier::scores`] with [`Verifier::passes`], but a
    /// pair that cannot pass is given up early.
    pub fn verify(&self, left: &Evidence, right: &Evidence) -> Option<Scores> {
        if !self.can_pass(left.features.len(), right.features.len()) {
            return None;
        }
        if self.rule.measure == Measure::Jaccard {
            let least = self.least_common(left.features.len(), right.features.len());
            common_at_least(left.features.as_slice(), right.features.as_slice(), least)?;
        }
        Some(self.scores(left, right)).filter(|scores| self.passes(scores))
    }

    /// Whether documents with so many distinct shingles can pass at all: Jaccard is at most the ratio of the sizes.
    pub fn can_pass(&self, left: usize, right: usize) -> bool {
        match self.rule.measure {
            Measure::Jaccard => {
                let (small, large) = (left.min(right) as f64, left.max(right) as f64);
                small > 0.0 && small >= (self.rule.threshold - SLACK) * large
            }
            Measure::Containment | Measure::Cosine => left > 0 && right > 0,
        }
    }

    /// The least overlap of a pair that can pass: J >= t is |A ∩ B| >= t (|A| + |B|) / (1 + t).
    fn least_common(&self, left: usize, right: usize) -> usize {
        let threshold = (self.rule.threshold - SLACK).max(0.0);
        (threshold * (left + right) as f64 / (1.0 + threshold)).floor() as usize
    }
}

/// Rounding may lift a value over the threshold by half a unit of its last decimal: early tests leave that much room.
const SLACK: f64 = 1.0 / DECIMALS;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn verifier(measure: Measure, threshold: f64) -> Verifier {
        let rule = Rule { measure, threshold };
        Verifier::new(&Recipe { rule, ..Recipe::default() })
    }

    proptest! {
        #[test]
        fn early_abort_never_changes_the_answer(
            a in prop::collection::vec(0u64..30, 0..60),
            b in prop::collection::vec(0u64..30, 0..60),
            common in prop::collection::vec(0u64..1000, 0..60),
            measure in prop::sample::select(vec![Measure::Jaccard, Measure::Containment, Measure::Cosine]),
            threshold in 0.0f64..=1.0,
        ) {
            let verifier = verifier(measure, threshold);
            let (a, b) = ([a, common.clone()].concat(), [common, b].concat());
            let (a, b) = (verifier.evidence(&a), verifier.evidence(&b));
            let scores = verifier.scores(&a, &b);
            prop_assert_eq!(verifier.verify(&a, &b), verifier.passes(&scores).then_some(scores));
            prop_assert_eq!(verifier.scores(&b, &a), scores.swapped());
        }
    }

    #[test]
    fn nothing_is_similar_to_an_empty_document_even_at_threshold_zero() {
        let verifier = verifier(Measure::Jaccard, 0.0);
        let empty = verifier.evidence(&[]);
        assert_eq!(verifier.verify(&empty, &empty), None);
        assert_eq!(verifier.verify(&empty, &verifier.evidence(&[1, 2, 3, 4])), None);
    }
}
