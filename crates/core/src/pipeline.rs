//! The flow of one recipe, from a text to what search and verification need.

use std::sync::Arc;

use crate::document::Markup;
use crate::feature::{
    DocumentFrequencies, FeatureSet, FrequencyCounter, Shingler, TermCounts, UnitScratch, Weighed, Weigher,
    Weight, hashed_features,
};
use crate::fingerprint::Margins;
use crate::hash::WordHash;
use crate::kernel::Kernel;
use crate::recipe::{Recipe, RecipeError};
use crate::search::{Method, MethodScratch};
use crate::text::{Analyzer, Scratch};
use crate::verify::{Evidence, Verifier};

/// A recipe made ready to run. Shared by all threads; each thread has its own [`PipelineScratch`].
#[derive(Debug)]
pub struct Pipeline {
    analyzer: Analyzer,
    shingler: Shingler,
    method: Method,
    verifier: Verifier,
    /// The same for documents that bring their own features: sets, of which no shingles are made.
    set_method: Method,
    hash: WordHash,
    /// What weighs units for the cosine.
    cosine: Weigher,
    /// Whether a weight asks for the length and the part of speech of words.
    has_bonuses: bool,
}

/// Documents are read and fingerprinted in parts of this many bytes, so that the hashes of a part stay in the cache.
const PART: usize = 32 << 10;

/// Buffers that a thread reuses from document to document.
#[derive(Debug, Default)]
pub struct PipelineScratch {
    text: UnitScratch,
    units: Vec<u64>,
    ends: Vec<usize>,
    method: MethodScratch,
    words: Scratch,
    /// Len + Pos of each unit, where a weight asks for it.
    bonuses: Vec<u8>,
    terms: Vec<u64>,
    weighed: Weighed,
}

/// A word of so many characters is a long one: the formula of the weight `length-noun`.
const LONG_WORD: usize = 4;

impl Pipeline {
    /// Checks the recipe and builds what it needs.
    pub fn new(recipe: &Recipe, kernel: Kernel) -> Result<Self, RecipeError> {
        recipe.validate()?;
        let feature = &recipe.feature;
        let analyzer = Analyzer::new(&recipe.text)?;
        let mut of_sets = recipe.clone();
        of_sets.feature.size = 1;
        of_sets.simhash.size = 1;
        Ok(Pipeline {
            verifier: Verifier::new(recipe, analyzer.clone()),
            analyzer,
            shingler: Shingler::new(feature.unit, feature.size, feature.hash).with_kernel(kernel),
            method: Method::new(recipe, kernel),
            set_method: Method::new(&of_sets, kernel),
            hash: feature.hash,
            cosine: Weigher::new(feature.weight).with_lambda(recipe.simhash.lambda),
            has_bonuses: [feature.weight, recipe.simhash.weight].contains(&Weight::LengthNoun),
        })
    }

    /// The same with fingerprints for a join: see [`Method::listing`].
    #[must_use]
    pub fn listing(self) -> Self {
        Pipeline { method: self.method.listing(), set_method: self.set_method.listing(), ..self }
    }

    /// How documents become words.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// How candidates are found.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// From now on weights know the collection.
    pub fn set_frequencies(&mut self, frequencies: Arc<DocumentFrequencies>) {
        self.method.set_frequencies(Arc::clone(&frequencies));
        self.cosine.set_frequencies(frequencies);
    }

    /// Whether some weight depends on the collection.
    pub fn weighs_by_frequency(&self) -> bool {
        self.method.weighs_by_frequency() || self.cosine.weight() == Weight::TfIdf
    }

    /// Counts a document's terms for the weights that know the collection. A document without words is none that is counted,
    /// nor is one that brings its own features, with their weights.
    pub fn count_terms(
        &self,
        text: &str,
        markup: Markup,
        scratch: &mut PipelineScratch,
        counter: &FrequencyCounter,
    ) {
        if markup == Markup::Features {
            return;
        }
        self.units(text, markup, scratch);
        let PipelineScratch { units, terms, .. } = scratch;
        terms.clear();
        self.method.add_terms(units, terms);
        if self.cosine.weight() == Weight::TfIdf {
            terms.extend_from_slice(units);
        }
        terms.sort_unstable();
        terms.dedup();
        if !terms.is_empty() {
            counter.count(terms);
        }
    }

    /// How pairs are decided.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// Appends the fingerprints of a batch of documents to `out`, and to `has_features` whether there was anything to
    /// make each of them of.
    pub fn fingerprints<'t>(
        &self,
        documents: impl IntoIterator<Item = (&'t str, Markup)>,
        scratch: &mut PipelineScratch,
        out: &mut Vec<u8>,
        has_features: &mut Vec<bool>,
    ) {
        let mut documents = documents.into_iter().peekable();
        while documents.peek().is_some() {
            if let Some((text, markup)) = documents.next_if(|(_, markup)| self.is_read_alone(*markup)) {
                has_features.push(self.fingerprint_alone(text, markup, scratch, out));
                continue;
            }
            let mut bytes = 0;
            let part = std::iter::from_fn(|| {
                let document =
                    documents.next_if(|(_, markup)| bytes < PART && !self.is_read_alone(*markup))?;
                bytes += document.0.len();
                Some(document)
            });
            scratch.units.clear();
            scratch.ends.clear();
            let PipelineScratch { text, units, ends, method, .. } = scratch;
            self.shingler.units_of_batch(&self.analyzer, part, text, units, ends);
            let starts = std::iter::once(0).chain(ends.iter().copied());
            has_features.extend(starts.zip(ends.iter()).map(|(start, &end)| end > start));
            self.method.fingerprints(units, ends, method, out);
        }
    }

    /// The margins of the document's simhash; `None` if there was nothing to make them of or the method is another.
    pub fn margins(&self, text: &str, markup: Markup, scratch: &mut PipelineScratch) -> Option<Margins> {
        if markup == Markup::Features {
            let features = hashed_features(text, self.hash);
            let margins = self.set_method.weighted_margins(&features.hashes, &features.weights);
            return margins.filter(|_| !features.hashes.is_empty());
        }
        self.units(text, markup, scratch);
        if scratch.units.is_empty() {
            return None;
        }
        self.method.margins(&scratch.units, &scratch.bonuses, &mut scratch.method)
    }

    /// Appends the document's fingerprint to `out` and returns what verification needs of it: the text is read once for
    /// both. A document without units has an empty evidence.
    pub fn fingerprint_and_evidence(
        &self,
        text: &str,
        markup: Markup,
        scratch: &mut PipelineScratch,
        out: &mut Vec<u8>,
    ) -> Evidence {
        if self.is_read_alone(markup) {
            self.fingerprint_alone(text, markup, scratch, out);
            return self.evidence(text, markup, scratch);
        }
        self.units(text, markup, scratch);
        self.method.fingerprints(&scratch.units, &scratch.ends, &mut scratch.method, out);
        self.evidence_of_units(text, markup, scratch)
    }

    /// What verification needs of the document.
    pub fn evidence(&self, text: &str, markup: Markup, scratch: &mut PipelineScratch) -> Evidence {
        if markup == Markup::Features {
            let features = hashed_features(text, self.hash);
            let weights = features.hashes.iter().copied().zip(features.weights);
            let counts = TermCounts::weighted(weights);
            return Evidence { features: FeatureSet::new(features.hashes), counts, ..Evidence::default() };
        }
        self.units(text, markup, scratch);
        self.evidence_of_units(text, markup, scratch)
    }

    /// The evidence of the document whose units are in `scratch`.
    fn evidence_of_units(&self, text: &str, markup: Markup, scratch: &mut PipelineScratch) -> Evidence {
        let mut evidence = self.verifier.evidence(text, markup, &scratch.units);
        if !self.cosine.counts() {
            evidence.counts = self.cosine.vector(&scratch.units, &scratch.bonuses, &mut scratch.weighed);
        }
        evidence
    }

    /// Whether a document needs more than the hashes of its units, so that it is not done together with others.
    fn is_read_alone(&self, markup: Markup) -> bool {
        markup == Markup::Features || self.has_bonuses
    }

    /// Appends the fingerprint of such a document, and says whether there was anything to make it of.
    fn fingerprint_alone(
        &self,
        text: &str,
        markup: Markup,
        scratch: &mut PipelineScratch,
        out: &mut Vec<u8>,
    ) -> bool {
        if markup == Markup::Features {
            let features = hashed_features(text, self.hash);
            let (hashes, weights) = (&features.hashes, &features.weights);
            self.set_method.weighted_fingerprint(hashes, weights, &mut scratch.method, out);
            return !hashes.is_empty();
        }
        self.units(text, markup, scratch);
        let PipelineScratch { units, ends, bonuses, method, .. } = scratch;
        match self.method.margins(units, bonuses, method) {
            Some(margins) => out.extend(margins.simhash().0.to_le_bytes()),
            None => self.method.fingerprints(units, ends, method, out),
        }
        !units.is_empty()
    }

    /// Fills the scratch with the units of one document.
    fn units(&self, text: &str, markup: Markup, scratch: &mut PipelineScratch) {
        scratch.units.clear();
        scratch.ends.clear();
        scratch.bonuses.clear();
        let PipelineScratch { text: buffers, units, ends, bonuses, words, .. } = scratch;
        if self.has_bonuses {
            self.analyzer.words(text, markup, words, &mut |word, is_noun| {
                units.push(self.hash.hash(word.as_bytes()));
                let is_long = word.chars().nth(LONG_WORD - 1).is_some();
                bonuses.push(u8::from(is_long) + u8::from(is_noun));
            });
            ends.push(units.len());
            return;
        }
        self.shingler.units_of_batch(&self.analyzer, [(text, markup)], buffers, units, ends);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::NamedFeatures;
    use crate::recipe::PRESETS;

    #[test]
    fn both_at_once_equal_each_alone() {
        for preset in PRESETS {
            let recipe = Recipe::preset(preset.name).unwrap();
            let pipeline = Pipeline::new(&recipe, Kernel::best()).unwrap();
            let scratch = &mut PipelineScratch::default();
            for text in ["", "!", "one", "Red green blue, red green blue; white.", "天地玄黄，宇宙洪荒。"]
            {
                let (mut both, mut alone) = (vec![], vec![]);
                let evidence = pipeline.fingerprint_and_evidence(text, Markup::None, scratch, &mut both);
                let mut has_features = vec![];
                pipeline.fingerprints([(text, Markup::None)], scratch, &mut alone, &mut has_features);
                assert_eq!(both, alone, "{} {text}", preset.name);
                assert_eq!(evidence, pipeline.evidence(text, Markup::None, scratch));
                assert_eq!(has_features, [!evidence.features.is_empty()]);
            }
        }
    }

    fn pipeline(toml: &str) -> Pipeline {
        Pipeline::new(&Recipe::from_toml(toml).unwrap(), Kernel::best()).unwrap()
    }

    fn simhash_with(weight: &str) -> Pipeline {
        pipeline(&format!(
            "method = \"simhash\"\n[simhash]\nweight = \"{weight}\"\n[feature]\nweight = \"{weight}\"\n[rule]\nmeasure = \"cosine\""
        ))
    }

    /// Whatever weighs them, the fingerprints of a batch are the signs of the margins of its documents.
    #[test]
    fn fingerprints_are_the_signs_of_margins() {
        let documents = ["the cat sat on the mat and the dog", "", "天地玄黄，宇宙洪荒。", "one"];
        for weight in ["count", "one", "normalised", "tf-idf", "length-noun"] {
            let mut pipeline = simhash_with(weight);
            let scratch = &mut PipelineScratch::default();
            let counter = FrequencyCounter::default();
            documents.iter().for_each(|text| pipeline.count_terms(text, Markup::None, scratch, &counter));
            let frequencies = counter.finish();
            assert_eq!(frequencies.documents(), if weight == "tf-idf" { 3 } else { 0 });
            pipeline.set_frequencies(Arc::new(frequencies));
            let (mut stored, mut has_features) = (vec![], vec![]);
            let batch = documents.iter().map(|text| (*text, Markup::None));
            pipeline.fingerprints(batch, scratch, &mut stored, &mut has_features);
            assert_eq!(has_features, [true, false, true, true]);
            for (text, stored) in documents.iter().zip(stored.chunks_exact(8)) {
                if let Some(margins) = pipeline.margins(text, Markup::None, scratch) {
                    assert_eq!(margins.simhash().0.to_le_bytes(), stored, "{weight} {text}");
                }
            }
        }
    }

    /// Two documents that share a rare word are more alike for tf-idf than two that share a common one.
    #[test]
    fn rare_words_decide_the_weighted_cosine() {
        let mut pipeline = simhash_with("tf-idf");
        let scratch = &mut PipelineScratch::default();
        let counter = FrequencyCounter::default();
        for number in 0..100 {
            pipeline.count_terms(&format!("common word{number}"), Markup::None, scratch, &counter);
        }
        let cosine = |pipeline: &Pipeline, left, right| {
            let scratch = &mut PipelineScratch::default();
            let [a, b] = [left, right].map(|text| pipeline.evidence(text, Markup::None, scratch));
            pipeline.verifier().verdict(&a, &b).measured.cosine
        };
        assert_eq!(cosine(&pipeline, "common one", "common two"), 0.5, "nothing is known yet");
        pipeline.set_frequencies(Arc::new(counter.finish()));
        assert!(cosine(&pipeline, "common one", "common two") < 0.1);
        assert!(cosine(&pipeline, "common rare", "other rare") > 0.5);
    }

    #[test]
    fn long_words_move_the_fingerprint() {
        let scratch = &mut PipelineScratch::default();
        let text = "a bb cc dd elephants ff gg hh";
        let margins = simhash_with("length-noun").margins(text, Markup::None, scratch).unwrap();
        let long = WordHash::default().hash(b"elephants");
        // Eight words of one occurrence each, one of them worth two: its vote never weighs less.
        let plain = simhash_with("normalised").margins(text, Markup::None, scratch).unwrap();
        for (bit, (with, without)) in margins.0.iter().zip(plain.0).enumerate() {
            let vote = if long >> bit & 1 == 1 { 1 } else { -1 };
            // The greatest weight is 1 in both: all others weigh half as much beside the long word.
            assert_eq!(2 * with, without + vote * 32768, "bit {bit}");
        }
    }

    #[test]
    fn own_features_have_weights_and_no_order() {
        let features = |list: &[(&str, f64)]| NamedFeatures::new(list.iter().copied()).unwrap().to_text();
        let a = features(&[("https://a.example/", 3.0), ("tag:news", 1.0), ("Person: Ada", 0.5)]);
        let b = features(&[("Person: Ada", 0.5), ("tag:news", 1.0), ("https://a.example/", 3.0)]);
        let c = features(&[("https://b.example/", 3.0), ("tag:news", 1.0)]);
        let scratch = &mut PipelineScratch::default();
        for preset in PRESETS {
            let pipeline = Pipeline::new(&Recipe::preset(preset.name).unwrap(), Kernel::best()).unwrap();
            let (mut stored, mut has_features) = (vec![], vec![]);
            let documents = [&a, &b, &c].map(|text| (text.as_str(), Markup::Features));
            let mixed = [
                documents[0],
                ("plain words", Markup::None),
                documents[1],
                documents[2],
                ("", Markup::Features),
            ];
            pipeline.fingerprints(mixed, scratch, &mut stored, &mut has_features);
            assert_eq!(has_features, [true, true, true, true, false]);
            let stored: Vec<&[u8]> = pipeline.method().split(&stored).collect();
            assert_eq!((stored[0], stored.len()), (stored[2], 5), "{}", preset.name);
            let [a, c] = [&a, &c].map(|text| pipeline.evidence(text, Markup::Features, scratch));
            assert_eq!((a.features.len(), c.features.len()), (3, 2), "each feature is one");
            assert_eq!(pipeline.verifier().verdict(&a, &c).measured.overlap.jaccard(), 0.25);
        }
        // The heaviest feature wins every vote against the others together.
        let pipeline = simhash_with("count");
        let margins = pipeline.margins(&a, Markup::Features, scratch).unwrap();
        assert_eq!(margins.simhash().0, WordHash::default().hash(b"https://a.example/"));
        assert!(pipeline.margins("", Markup::Features, scratch).is_none());
    }
}
