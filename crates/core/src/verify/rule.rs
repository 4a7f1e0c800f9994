//! The rule of a recipe, applied to two documents.

use std::sync::Arc;

use crate::document::Markup;
use crate::feature::{FeatureSet, Shingler, Statistics, TermCounts};
use crate::recipe::judgement::{LEAST_WORDS, NOISE_LEAST_JACCARD};
use crate::recipe::{Measure, Recipe, Rule};
use crate::text::Analyzer;
use crate::verify::judgement::{Judge, Judgement};
use crate::verify::{Overlap, Wording, common_at_least, cosine};

/// What verification knows of a document. Made once, compared often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The distinct shingles.
    pub features: FeatureSet,
    /// The units with their counts, for the cosine.
    pub counts: TermCounts,
    /// How the document is worded, if the rule is the judgement and the document is long enough to ask.
    pub wording: Option<Wording>,
}

impl Evidence {
    /// How many bytes this takes on the heap.
    pub fn bytes(&self) -> usize {
        let wording = self.wording.as_ref().map_or(0, Wording::bytes);
        self.features.bytes() + self.counts.bytes() + wording
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
    /// The judgement of several measures; of the Jaccard alone where the rule is another.
    pub judgement: Judgement,
}

impl Scores {
    /// The scores of two texts that are equal to the byte.
    pub const EQUAL: Scores = Scores {
        jaccard: 1.0,
        containment_left: 1.0,
        containment_right: 1.0,
        cosine: 1.0,
        judgement: Judgement::shared(1.0),
    };

    /// The value of one measure. Containment is that of the document which is contained more.
    pub fn of(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Judgement => self.judgement.value,
            Measure::Jaccard => self.jaccard,
            Measure::Containment => self.containment_left.max(self.containment_right),
            Measure::Cosine => self.cosine,
        }
    }

    /// Why a pair with these scores passes `rule`, in words: the test, and what carried it where there are several ways.
    pub fn reason(&self, rule: Rule) -> String {
        let test = format!("{} >= {}", rule.measure.name(), rule.threshold);
        match rule.measure {
            Measure::Judgement => format!("{test} ({})", self.judgement.term.name()),
            _ => test,
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
    analyzer: Analyzer,
    shingler: Shingler,
    rule: Rule,
    statistics: Option<Arc<Statistics>>,
}

impl Verifier {
    /// The verifier of a valid recipe, whose texts are read by `analyzer`.
    pub fn new(recipe: &Recipe, analyzer: Analyzer) -> Self {
        let feature = &recipe.feature;
        Verifier {
            analyzer,
            shingler: Shingler::new(feature.unit, feature.size, feature.hash),
            rule: recipe.rule,
            statistics: None,
        }
    }

    /// From now on the judgement knows the collection.
    pub fn set_statistics(&mut self, statistics: Arc<Statistics>) {
        self.statistics = Some(statistics);
    }

    /// The evidence of a document: its text, and the hashes of its units in order.
    pub fn evidence(&self, text: &str, markup: Markup, units: &[u64]) -> Evidence {
        let is_judged = self.rule.measure == Measure::Judgement && units.len() as u64 >= LEAST_WORDS;
        Evidence {
            features: FeatureSet::of(&self.shingler, units),
            counts: TermCounts::new(units),
            wording: is_judged.then(|| Wording::new(text, markup)),
        }
    }

    /// Every measure of a pair.
    pub fn scores(&self, left: &Evidence, right: &Evidence) -> Scores {
        let overlap = Overlap::of(&left.features, &right.features);
        let judgement = self.judgement(rounded(overlap.jaccard()), left, right);
        self.with_cosine(overlap, judgement, left, right)
    }

    fn judgement(&self, jaccard: f64, left: &Evidence, right: &Evidence) -> Judgement {
        match self.rule.measure {
            Measure::Judgement => self.judge().judge(jaccard, left, right),
            _ => Judgement::shared(jaccard),
        }
    }

    fn with_cosine(
        &self,
        overlap: Overlap,
        judgement: Judgement,
        left: &Evidence,
        right: &Evidence,
    ) -> Scores {
        Scores {
            jaccard: rounded(overlap.jaccard()),
            containment_left: rounded(overlap.containment_left()),
            containment_right: rounded(overlap.containment_right()),
            cosine: rounded(cosine(&left.counts, &right.counts)),
            judgement,
        }
    }

    fn judge(&self) -> Judge<'_> {
        Judge {
            threshold: self.rule.threshold,
            analyzer: &self.analyzer,
            shingler: &self.shingler,
            statistics: self.statistics.as_deref(),
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
        if !self.rule.measure.is_of_shingles() {
            return Some(self.scores(left, right)).filter(|scores| self.passes(scores));
        }
        let (a, b) = (left.features.as_slice(), right.features.as_slice());
        let least = self.least_jaccard(left, right) - SLACK;
        // Jaccard is at most the ratio of the sizes.
        if (a.len().min(b.len()) as f64) < least * a.len().max(b.len()) as f64 {
            return None;
        }
        let common = common_at_least(a, b, least_common(least, a.len() + b.len()))?;
        let overlap = Overlap { left: a.len(), right: b.len(), common };
        let judgement = self.judgement(rounded(overlap.jaccard()), left, right);
        let passes = judgement.value >= self.rule.threshold && judgement.value > 0.0;
        passes.then(|| self.with_cosine(overlap, judgement, left, right))
    }

    /// No pair with a smaller Jaccard passes a rule on shingles.
    fn least_jaccard(&self, left: &Evidence, right: &Evidence) -> f64 {
        if left.wording.is_some() && right.wording.is_some() {
            self.rule.threshold.min(NOISE_LEAST_JACCARD)
        } else {
            self.rule.threshold
        }
    }
}

/// The least overlap of two sets of `sum` elements together: J >= t is |A ∩ B| >= t (|A| + |B|) / (1 + t).
fn least_common(least: f64, sum: usize) -> usize {
    let least = least.max(0.0);
    (least * sum as f64 / (1.0 + least)).floor() as usize
}

/// Rounding may lift a value over the threshold by half a unit of its last decimal: early tests leave that much room.
const SLACK: f64 = 1.0 / DECIMALS;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn verifier(measure: Measure, threshold: f64) -> Verifier {
        let rule = Rule { measure, threshold };
        let recipe = Recipe { rule, ..Recipe::default() };
        Verifier::new(&recipe, Analyzer::new(&recipe.text).unwrap())
    }

    /// Of a text whose words are these numbers.
    fn evidence(verifier: &Verifier, units: &[u64]) -> Evidence {
        let text: String = units.iter().map(|unit| format!("{unit} ")).collect();
        verifier.evidence(&text, Markup::None, units)
    }

    proptest! {
        #[test]
        fn early_abort_never_changes_the_answer(
            a in prop::collection::vec(0u64..30, 0..60),
            b in prop::collection::vec(0u64..30, 0..60),
            common in prop::collection::vec(0u64..1000, 0..60),
            measure in prop::sample::select(vec![Measure::Judgement, Measure::Jaccard, Measure::Containment, Measure::Cosine]),
            threshold in 0.0f64..=1.0,
        ) {
            let verifier = verifier(measure, threshold);
            let (a, b) = ([a, common.clone()].concat(), [common, b].concat());
            let (a, b) = (evidence(&verifier, &a), evidence(&verifier, &b));
            let scores = verifier.scores(&a, &b);
            prop_assert_eq!(verifier.verify(&a, &b), verifier.passes(&scores).then_some(scores));
            prop_assert_eq!(verifier.scores(&b, &a), scores.swapped());
        }
    }

    #[test]
    fn nothing_is_similar_to_an_empty_document_even_at_threshold_zero() {
        let verifier = verifier(Measure::Jaccard, 0.0);
        let empty = evidence(&verifier, &[]);
        assert_eq!(verifier.verify(&empty, &empty), None);
        assert_eq!(verifier.verify(&empty, &evidence(&verifier, &[1, 2, 3, 4])), None);
    }
}
