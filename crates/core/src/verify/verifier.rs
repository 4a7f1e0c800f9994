//! The rule of a recipe, applied to two documents.

use super::share::Share;
use super::{Evidence, Measured, Overlap, Verdict, common_at_least, cosine};
use crate::document::Markup;
use crate::feature::Shingler;
use crate::recipe::{Measure, Recipe, Rule};
use crate::text::Analyzer;

/// Applies the rule of a recipe.
///
/// ```
/// use twindex_core::feature::Shingler;
/// use twindex_core::text::{Analyzer, Scratch};
/// use twindex_core::verify::{Side, Verifier};
/// use twindex_core::{Markup, Recipe};
///
/// let recipe = Recipe::default();
/// let analyzer = Analyzer::new(&recipe.text)?;
/// let feature = &recipe.feature;
/// let shingler = Shingler::new(feature.unit, feature.size, feature.hash);
/// let verifier = Verifier::new(&recipe, analyzer.clone());
/// let [short, long] = ["one two three four", "one two three four five"].map(|text| {
///     let mut units = vec![];
///     shingler.units(&analyzer, text, Markup::None, &mut Scratch::default(), &mut units);
///     verifier.evidence(text, Markup::None, &units)
/// });
/// let verdict = verifier.verdict(&short, &long);
/// assert!(verdict.is_accepted());
/// assert_eq!(verdict.reason(), "jaccard 0.66 >= 0.5");
/// // The contained text may go. The longer one may not: a third of it would be lost.
/// assert!(verdict.may_go(Side::Left) && !verdict.may_go(Side::Right));
/// # Ok::<(), twindex_core::recipe::RecipeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Verifier {
    analyzer: Analyzer,
    shingler: Shingler,
    rule: Rule,
}

impl Verifier {
    /// The verifier of a valid recipe, whose texts are read by `analyzer`.
    pub fn new(recipe: &Recipe, analyzer: Analyzer) -> Self {
        let feature = &recipe.feature;
        Verifier {
            analyzer,
            shingler: Shingler::new(feature.unit, feature.size, feature.hash),
            rule: recipe.rule,
        }
    }

    /// The rule that decides.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The evidence of a document: its text, and the hashes of its units in order.
    pub fn evidence(&self, text: &str, markup: Markup, units: &[u64]) -> Evidence {
        let symbols_up_to = self.rule.symbols_up_to as usize;
        Evidence::new(&self.analyzer, &self.shingler, symbols_up_to, (text, markup), units)
    }

    /// The verdict on two documents.
    pub fn verdict(&self, left: &Evidence, right: &Evidence) -> Verdict {
        self.of_overlap(Overlap::of(&left.features, &right.features), left, right)
    }

    /// The verdict on two documents if it accepts them. The same as [`Verifier::verdict`], but a
    /// pair that cannot pass is rejected early.
    pub fn accept(&self, left: &Evidence, right: &Evidence) -> Option<Verdict> {
        let (a, b) = (left.features.as_slice(), right.features.as_slice());
        let common = common_at_least(a, b, self.least_common(a.len(), b.len()))?;
        let overlap = Overlap { left: a.len(), right: b.len(), common };
        Some(self.of_overlap(overlap, left, right)).filter(Verdict::is_accepted)
    }

    /// The least overlap of a pair that passes, of documents with `left` and `right` features.
    fn least_common(&self, left: usize, right: usize) -> usize {
        let threshold = Share::new(self.rule.threshold);
        match self.rule.measure {
            Measure::Jaccard => threshold.least_overlap(left + right).max(1),
            Measure::Containment => threshold.least_part(left.min(right)).max(1),
            Measure::Cosine => 0,
        }
    }

    fn of_overlap(&self, overlap: Overlap, left: &Evidence, right: &Evidence) -> Verdict {
        let Overlap { left: a, right: b, common } = overlap;
        let has_same_words = common == a && common == b;
        let symbols_differ = left.symbols.zip(right.symbols).is_some_and(|(left, right)| left != right);
        let measured = Measured {
            overlap,
            cosine: cosine(&left.counts, &right.counts),
            equal: false,
            only_symbols_differ: has_same_words && symbols_differ,
        };
        Verdict::new(self.rule, measured)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;
    use crate::recipe::PRESETS;
    use crate::verify::Side;
    use crate::{Engine, EngineScratch};

    const MEASURES: [Measure; 3] = [Measure::Jaccard, Measure::Containment, Measure::Cosine];

    fn verifier(measure: Measure, threshold: f64) -> Verifier {
        let recipe = Recipe { rule: Rule { measure, threshold, ..Rule::default() }, ..Recipe::default() };
        Verifier::new(&recipe, Analyzer::new(&recipe.text).unwrap())
    }

    /// The evidence of a text whose words are these numbers.
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
            measure in prop::sample::select(MEASURES.to_vec()),
            threshold in 0.0f64..=1.0,
        ) {
            let verifier = verifier(measure, threshold);
            let (a, b) = ([a, common.clone()].concat(), [common, b].concat());
            let (a, b) = (evidence(&verifier, &a), evidence(&verifier, &b));
            let verdict = verifier.verdict(&a, &b);
            prop_assert_eq!(verifier.accept(&a, &b), Some(verdict).filter(Verdict::is_accepted));
            prop_assert_eq!(verifier.verdict(&b, &a).measured, verdict.measured.swapped());
            prop_assert_eq!(verifier.verdict(&b, &a).may_go(Side::Left), verdict.may_go(Side::Right));
        }

        /// For any recipe and measure: a pair that a threshold rejects is rejected by every higher
        /// one, and a document that a bound protects is protected by every higher one.
        #[test]
        fn a_higher_threshold_never_accepts_more(
            common in "([a-d]{1,2} ){0,30}",
            left in "([a-d]{1,2} ){0,15}",
            right in "([a-h]{1,2}[ +]){0,15}",
            thresholds in prop::array::uniform2(0.0f64..=1.0),
            coverages in prop::array::uniform2(0.0f64..=1.0),
        ) {
            let sorted = |[a, b]: [f64; 2]| [a.min(b), a.max(b)];
            let ([low, high], [loose, tight]) = (sorted(thresholds), sorted(coverages));
            let texts = [format!("{left}{common}"), format!("{common}{right}")];
            for (name, engine) in engines() {
                let [a, b] = texts
                    .each_ref()
                    .map(|text| engine.evidence(text, Markup::None, &mut EngineScratch::default()));
                let measured = engine.verifier().verdict(&a, &b).measured;
                for measure in MEASURES {
                    let verdict = |threshold, coverage| {
                        let rule = Rule { measure, threshold, coverage, ..engine.verifier().rule() };
                        Verdict::new(rule, measured)
                    };
                    let [lower, higher] = [verdict(low, loose), verdict(high, loose)];
                    prop_assert!(lower.is_accepted() || !higher.is_accepted(), "{} {:?}", name, measure);
                    let tighter = verdict(low, tight);
                    prop_assert!(lower.may_go(Side::Left) || !tighter.may_go(Side::Left));
                    prop_assert!(lower.may_go(Side::Right) || !higher.may_go(Side::Right));
                }
            }
        }
    }

    /// Of every preset that is compiled in.
    fn engines() -> &'static [(&'static str, Engine)] {
        static ENGINES: OnceLock<Vec<(&'static str, Engine)>> = OnceLock::new();
        ENGINES.get_or_init(|| {
            let compiled = PRESETS.iter().filter_map(|preset| {
                let recipe = Recipe::preset(preset.name).ok()?;
                Some((preset.name, Engine::new(&recipe, Kernel::best()).unwrap()))
            });
            compiled.collect()
        })
    }

    #[test]
    fn nothing_is_similar_to_an_empty_document_even_at_threshold_zero() {
        for measure in MEASURES {
            let verifier = verifier(measure, 0.0);
            let empty = evidence(&verifier, &[]);
            assert_eq!(verifier.accept(&empty, &empty), None);
            assert_eq!(verifier.accept(&empty, &evidence(&verifier, &[1, 2, 3, 4])), None);
        }
    }

    #[test]
    fn symbols_matter_in_short_texts_only() {
        let engine = Engine::new(&Recipe::default(), Kernel::best()).unwrap();
        let verdict = |left: &str, right: &str| {
            let [a, b] =
                [left, right].map(|text| engine.evidence(text, Markup::None, &mut EngineScratch::default()));
            engine.verifier().verdict(&a, &b)
        };
        for (left, right) in
            [("I write C++ all day", "I write C# all day"), ("so good \u{1F44D}", "so good \u{1F44E}")]
        {
            let verdict = verdict(left, right);
            assert!(verdict.is_accepted() && !verdict.may_go(Side::Left), "{left}");
        }
        assert!(verdict("I write it, all day.", "I write it all day!").may_go(Side::Left));
        let long = "word by word ".repeat(40);
        assert!(verdict(&format!("{long} +"), &format!("{long} -")).may_go(Side::Left));
    }
}
