//! Every measure of two documents.

use std::sync::Arc;

use serde::Serialize;

use super::difference::{Piece, difference};
use super::paragraph::{self, Match};
use super::verdict::Case;
use crate::document::{Document, Markup};
use crate::engine::{Digests, Engine, EngineScratch};
use crate::feature::{DocumentFrequencies, Unit};
use crate::kernel::Kernel;
use crate::recipe::{MethodName, Recipe, RecipeError, Rule};
use crate::search::Fingerprint;
use crate::text::MarkupPolicy;
use crate::verify::{self, Evidence, Measured, Scores, Verdict};

/// All that is known of two documents; the object that `--json` prints.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The left document.
    pub left: Side,
    /// The right document.
    pub right: Side,
    /// The name of the recipe.
    pub recipe: String,
    /// Whether the texts are the same, byte for byte.
    pub equal: bool,
    /// Whether the rule calls them duplicates.
    pub duplicates: bool,
    /// The same in words, with the reason.
    pub verdict: String,
    /// The reason alone, as in the results of `pairs`.
    pub rule: String,
    /// Whether `dedup` may remove the left document on account of the right one.
    pub left_may_go: bool,
    /// The reason, as in the removals of `dedup`.
    pub left_rule: String,
    /// Whether `dedup` may remove the right document on account of the left one.
    pub right_may_go: bool,
    /// The reason, as in the removals of `dedup`.
    pub right_rule: String,
    /// Every measure of verification.
    #[serde(flatten)]
    pub measures: Measures,
    /// Bits in which the simhashes differ.
    pub distance: Option<u32>,
    /// The Jaccard that the MinHash signatures estimate.
    pub minhash_estimate: Option<f64>,
    /// The same, of the bottom-k sketches.
    pub bottom_k_estimate: Option<f64>,
    /// Whether the search would have found the pair.
    pub search: Search,
    /// What was compared.
    pub shingle: Shingle,
    /// The paragraphs of the left document, each with the most similar one on the right.
    pub paragraphs: Vec<Match>,
    /// The visible texts, as what is the same, removed and added.
    pub difference: Vec<Piece>,
}

/// One of the documents.
#[derive(Debug, Serialize)]
pub struct Side {
    /// What it is called.
    pub name: String,
    /// `none`, `html` or `features`.
    pub markup: &'static str,
    /// The size of the text, markup included.
    pub bytes: usize,
    /// Words, or characters where the recipe compares those.
    pub units: u64,
    /// Distinct shingles.
    pub features: usize,
    /// How many paragraphs it has.
    pub paragraphs: usize,
    /// Its simhash in hexadecimal digits; `None` without words.
    pub simhash: Option<String>,
}

/// The measures of verification.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measures {
    /// The shared part of all shingles.
    pub jaccard: f64,
    /// The shared part of the left document's shingles.
    pub containment_left: f64,
    /// The shared part of the right document's shingles.
    pub containment_right: f64,
    /// The cosine of the unit counts.
    pub cosine: f64,
}

impl From<Scores> for Measures {
    fn from(scores: Scores) -> Measures {
        let Scores { jaccard, containment_left, containment_right, cosine } = scores;
        Measures { jaccard, containment_left, containment_right, cosine }
    }
}

/// Whether the recipe's search would find the pair in a collection.
#[derive(Debug, Serialize)]
pub struct Search {
    /// The recipe's method.
    pub method: &'static str,
    /// Whether it proposes the pair.
    pub proposes: bool,
}

/// What is compared.
#[derive(Debug, Serialize)]
pub struct Shingle {
    /// `word` or `character`.
    pub unit: &'static str,
    /// How many of them.
    pub size: usize,
}

/// Compares two documents by a recipe; with these document frequencies, if it weighs words and they
/// are given.
pub fn compare(
    recipe: &Recipe,
    frequencies: Option<&Arc<DocumentFrequencies>>,
    kernel: Kernel,
    left: &Document,
    right: &Document,
) -> Result<Comparison, RecipeError> {
    if recipe.decides_by_frequencies() && frequencies.is_none() {
        return Err(RecipeError::NeedsFrequencies);
    }
    let engine_of = |recipe: &Recipe| -> Result<Engine, RecipeError> {
        let mut engine = Engine::new(recipe, kernel)?;
        if let Some(frequencies) = frequencies {
            engine.set_frequencies(Arc::clone(frequencies));
        }
        Ok(engine)
    };
    let engine = engine_of(recipe)?;
    let documents = [left, right];
    documents.iter().try_for_each(|document| engine.analyzer().check(document.markup))?;
    let evidence = documents
        .map(|document| engine.evidence(&document.text, document.markup, &mut EngineScratch::default()));
    let equal = left.text == right.text && left.markup == right.markup;
    let verdict = if equal {
        Verdict::new(recipe.rule, Measured::EQUAL)
    } else {
        engine.verifier().verdict(&evidence[0], &evidence[1])
    };
    let case = Case {
        has_features: [0, 1].map(|side| !evidence[side].features.is_empty()),
        names: documents.map(|document| document.id.as_str()),
        unit: recipe.feature.unit,
        verdict,
    };
    let duplicates = case.are_duplicates();

    // Fingerprints of other methods are for information: they use a rule that every method
    // supports.
    let fingerprints_of = |method: MethodName| -> Result<Fingerprints, RecipeError> {
        let rule = if method == recipe.method { recipe.rule } else { Rule::default() };
        // An estimate is that of signatures, whatever the length of the documents.
        let engine = engine_of(&Recipe { method, rule, ..recipe.clone() })?.without_lists();
        Ok(Fingerprints::new(engine, documents))
    };
    let simhash = fingerprints_of(MethodName::Simhash)?;
    let minhash = fingerprints_of(MethodName::MinhashLsh)?;
    let bottom_k = fingerprints_of(MethodName::BottomK)?;
    let sampled;
    let chosen = match recipe.method {
        MethodName::Simhash => &simhash,
        MethodName::MinhashLsh => &minhash,
        MethodName::BottomK => &bottom_k,
        MethodName::Sampled => {
            sampled = fingerprints_of(MethodName::Sampled)?;
            &sampled
        }
    };

    let visible = documents.map(|document| engine.analyzer().visible(&document.text, document.markup));
    // What is visible has no markup any more, whatever the recipe says about documents.
    let mut plain = recipe.clone();
    plain.text.markup = MarkupPolicy::None;
    let plain = engine_of(&plain)?;
    let [left_paragraphs, right_paragraphs] =
        [0, 1].map(|side| paragraph::all(&visible[side], documents[side].markup == Markup::None));

    let side = |number: usize, paragraphs: usize| Side {
        name: documents[number].id.clone(),
        markup: match documents[number].markup {
            Markup::None => "none",
            Markup::Html => "html",
            Markup::Features => "features",
        },
        bytes: documents[number].text.len(),
        units: units(&evidence[number]),
        features: evidence[number].features.len(),
        paragraphs,
        simhash: simhash.hex(number),
    };
    Ok(Comparison {
        left: side(0, left_paragraphs.len()),
        right: side(1, right_paragraphs.len()),
        recipe: recipe.name.clone(),
        equal,
        duplicates,
        verdict: case.words(),
        rule: verdict.reason(),
        left_may_go: duplicates && verdict.may_go(verify::Side::Left),
        left_rule: verdict.removal_reason(verify::Side::Left),
        right_may_go: duplicates && verdict.may_go(verify::Side::Right),
        right_rule: verdict.removal_reason(verify::Side::Right),
        measures: verdict.measured.scores().into(),
        distance: simhash.distance(),
        minhash_estimate: minhash.estimate(),
        bottom_k_estimate: bottom_k.estimate(),
        search: Search { method: recipe.method.name(), proposes: chosen.is_candidate() },
        shingle: Shingle {
            unit: match recipe.feature.unit {
                Unit::Word => "word",
                Unit::Character => "character",
            },
            size: recipe.feature.size,
        },
        paragraphs: paragraph::matches(&plain, &visible[0], left_paragraphs, &visible[1], right_paragraphs),
        difference: difference(&visible[0], &visible[1]),
    })
}

fn units(evidence: &Evidence) -> u64 {
    evidence.counts.as_slice().iter().map(|&(_, count)| u64::from(count)).sum()
}

/// The fingerprints of both documents by one method; `None` for a document without features.
struct Fingerprints {
    engine: Engine,
    stored: [Option<Vec<u8>>; 2],
}

impl Fingerprints {
    fn new(engine: Engine, documents: [&Document; 2]) -> Self {
        let stored = documents.map(|document| {
            let mut digests = Digests::default();
            let texts = [(document.text.as_str(), document.markup)];
            engine.digests(texts, &mut EngineScratch::default(), &mut digests);
            (digests.features[0] > 0).then_some(digests.fingerprints)
        });
        Fingerprints { engine, stored }
    }

    fn of(&self, side: usize) -> Option<Fingerprint<'_>> {
        self.stored[side].as_deref().map(|stored| self.engine.read(stored))
    }

    fn distance(&self) -> Option<u32> {
        self.of(0)?.distance(&self.of(1)?)
    }

    /// Rounded like the exact measures.
    fn estimate(&self) -> Option<f64> {
        const DECIMALS: f64 = 1e6;
        self.of(0)?.estimate(&self.of(1)?).map(|value| (value * DECIMALS).round() / DECIMALS)
    }

    fn is_candidate(&self) -> bool {
        self.of(0).zip(self.of(1)).is_some_and(|(left, right)| self.engine.proposes(&left, &right))
    }

    fn hex(&self, side: usize) -> Option<String> {
        self.of(side).map(|fingerprint| fingerprint.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(left: &str, right: &str, markup: [Markup; 2]) -> Comparison {
        let document =
            |id: &str, text: &str, markup| Document { id: id.to_owned(), text: text.to_owned(), markup };
        let (left, right) = (document("a", left, markup[0]), document("b", right, markup[1]));
        compare(&Recipe::default(), None, Kernel::best(), &left, &right).unwrap()
    }

    fn plain(left: &str, right: &str) -> Comparison {
        comparison(left, right, [Markup::None; 2])
    }

    const TEXT: &str = "one two three four five six seven eight";

    #[test]
    fn a_small_change() {
        let found = plain(TEXT, "one two three four five six seven nine");
        // Six shingles on each side, five of them shared.
        assert_eq!(found.measures.jaccard, 0.714286);
        assert_eq!(
            (found.duplicates, found.equal, found.rule.as_str()),
            (true, false, "jaccard 0.71 >= 0.5")
        );
        assert_eq!((found.left_may_go, found.right_may_go), (false, false), "five of six is less than 0.9");
        assert_eq!((found.left.units, found.left.features, found.left.paragraphs), (8, 6, 1));
        assert_eq!(found.paragraphs.len(), 1);
        // A sketch that holds every shingle is exact.
        assert_eq!(found.bottom_k_estimate, Some(0.714286));
    }

    #[test]
    fn equal_texts() {
        let found = plain(TEXT, TEXT);
        assert!(found.equal && found.duplicates && found.search.proposes);
        assert_eq!((found.distance, found.minhash_estimate), (Some(0), Some(1.0)));
    }

    #[test]
    fn texts_without_words_are_duplicates_of_nothing() {
        for (left, right) in [("", ""), ("!", "?"), ("", TEXT), ("...", "...")] {
            let found = plain(left, right);
            assert!(!found.duplicates && !found.left_may_go, "{left:?} and {right:?}: {}", found.verdict);
            assert_eq!((found.distance, found.search.proposes), (None, false));
        }
    }

    #[cfg(feature = "html")]
    #[test]
    fn of_html_only_the_visible_text_counts() {
        let page = "<title>one two three</title><p>four five six seven eight<script>x</script></p>";
        let found = comparison(page, TEXT, [Markup::Html, Markup::None]);
        assert_eq!((found.measures.jaccard, found.left.paragraphs), (1.0, 2));
        assert!(!found.equal && found.duplicates);
    }
}
