//! The engine: a recipe made ready to run, from a text to a verdict.
//!
//! Every driver (batch, index, library) asks the same questions here, and
//! decides nothing itself:
//!
//! | question | function |
//! |---|---|
//! | what is this document? | [`Engine::digests`], [`Engine::digest_and_evidence`], [`Engine::read`] |
//! | how common are keys? | [`Engine::frequencies`]: they choose keys, never a verdict |
//! | under which keys is it found? | [`Engine::keys`] |
//! | who meets whom? | [`Engine::candidates`]; [`meet`](crate::search::candidates::meet) for the entries of one shuffle |
//! | can two still pass? | [`Engine::beside`] |
//! | are they duplicates, and may one go? | [`Engine::evidence`], [`Engine::verifier`] |
//! | who stays? | [`group::witness`](crate::group::witness) |
//!
//! ```
//! use twindex_core::search::BesideScratch;
//! use twindex_core::{Digests, Engine, EngineScratch, Kernel, Markup, Recipe};
//!
//! let engine = Engine::new(&Recipe::default(), Kernel::best())?;
//! let texts = [
//!     "the quick brown fox jumps over the lazy dog",
//!     "the quick brown fox jumps over the lazy cat",
//! ];
//! let scratch = &mut EngineScratch::default();
//! let mut digests = Digests::default();
//! engine.digests(texts.map(|text| (text, Markup::None)), scratch, &mut digests);
//!
//! let [left, right] = [0, 1].map(|document| engine.read(digests.fingerprint(document)));
//! assert!(engine.beside(&left, &mut BesideScratch::default()).is_plausible(&right));
//!
//! let [left, right] = texts.map(|text| engine.evidence(text, Markup::None, scratch));
//! let verdict = engine.verifier().verdict(&left, &right);
//! assert!(verdict.is_accepted());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod digests;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use digests::{Digests, MixedRecipes, Stamp};

use crate::document::Markup;
use crate::feature::{
    DocumentFrequencies, FeatureSet, FrequencyCounter, Shingler, TermCounts, UnitScratch, Weighed, Weigher,
    Weight, hashed_features,
};
use crate::fingerprint::Margins;
use crate::hash::{self, WordHash};
use crate::kernel::Kernel;
use crate::recipe::{Recipe, RecipeError};
use crate::search::method::{Method, MethodScratch, Stored};
use crate::text::{Analyzer, Scratch};
use crate::verify::{Evidence, Verifier};

/// A recipe made ready to run. Shared by all threads; each thread has its own [`EngineScratch`].
#[derive(Debug)]
pub struct Engine {
    stamp: Stamp,
    analyzer: Analyzer,
    shingler: Shingler,
    method: Method,
    verifier: Verifier,
    /// The same for documents that bring their own features: sets, of which no shingles are made.
    set_method: Method,
    hash: WordHash,
    /// What weighs units for the cosine.
    cosine: Weigher,
    /// Whether a weight needs the length and the part of speech of words.
    has_bonuses: bool,
}

/// Documents are read and fingerprinted in parts of this many bytes, so that the hashes of a part
/// stay in the cache.
const PART: usize = 32 << 10;

/// Buffers that a thread reuses from document to document.
#[derive(Debug, Default)]
pub struct EngineScratch {
    text: UnitScratch,
    units: Vec<u64>,
    ends: Vec<usize>,
    method: MethodScratch,
    words: Scratch,
    /// Len + Pos of each unit, where a weight needs it.
    bonuses: Vec<u8>,
    terms: Vec<u64>,
    weighed: Weighed,
}

/// A word of this many characters is a long one: the formula of the weight `length-noun`.
const LONG_WORD: usize = 4;

impl Engine {
    /// Checks the recipe and builds what it needs.
    pub fn new(recipe: &Recipe, kernel: Kernel) -> Result<Self, RecipeError> {
        recipe.validate()?;
        let feature = &recipe.feature;
        let analyzer = Analyzer::new(&recipe.text)?;
        let mut of_sets = recipe.clone();
        of_sets.feature.size = 1;
        of_sets.simhash.size = 1;
        Ok(Engine {
            stamp: Stamp::of(recipe),
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

    /// The same with a signature for every document, whatever its length, where the method is
    /// MinHash: for fingerprints that are printed, not joined.
    #[must_use]
    pub fn without_lists(mut self) -> Self {
        for method in [&mut self.method, &mut self.set_method] {
            if let Method::Minhash(signatures) = method {
                signatures.without_lists();
            }
        }
        self
    }

    /// What stored fingerprints and evidence are marked with.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// How documents become words.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// How pairs are decided.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// From now on weights use the document frequencies of a collection.
    pub fn set_frequencies(&mut self, frequencies: Arc<DocumentFrequencies>) {
        if let Method::Simhash(simhashes) = &mut self.method {
            simhashes.weigher_mut().set_frequencies(&frequencies);
        }
        self.cosine.set_frequencies(&frequencies);
    }

    /// Counts a document's terms for the weights that use document frequencies. Documents without
    /// words are not counted, nor are those that bring their own features and weights.
    pub fn count_terms(
        &self,
        text: &str,
        markup: Markup,
        scratch: &mut EngineScratch,
        counter: &FrequencyCounter,
    ) {
        if markup == Markup::Features {
            return;
        }
        self.units(text, markup, scratch);
        let EngineScratch { units, terms, .. } = scratch;
        terms.clear();
        if let Method::Simhash(simhashes) = &self.method {
            simhashes.add_terms(units, terms);
        }
        if self.cosine.weight() == Weight::TfIdf {
            terms.extend_from_slice(units);
        }
        hash::distinct(terms);
        if !terms.is_empty() {
            counter.count(terms);
        }
    }

    /// Appends the digests of a batch of documents.
    pub fn digests<'t>(
        &self,
        documents: impl IntoIterator<Item = (&'t str, Markup)>,
        scratch: &mut EngineScratch,
        digests: &mut Digests,
    ) {
        self.mark(digests);
        let Digests { contents, features, fingerprints, ends: fingerprint_ends, .. } = digests;
        let mut out = Stored { bytes: fingerprints, ends: fingerprint_ends };
        let mut documents = documents.into_iter().peekable();
        while documents.peek().is_some() {
            if let Some((text, markup)) = documents.next_if(|(_, markup)| self.is_read_alone(*markup)) {
                contents.push(hash::content(text.as_bytes()));
                features.push(self.digest_alone(text, markup, scratch, &mut out));
                continue;
            }
            let mut bytes = 0;
            let part = std::iter::from_fn(|| {
                let (text, markup) =
                    documents.next_if(|(_, markup)| bytes < PART && !self.is_read_alone(*markup))?;
                bytes += text.len();
                contents.push(hash::content(text.as_bytes()));
                Some((text, markup))
            });
            scratch.units.clear();
            scratch.ends.clear();
            let EngineScratch { text, units, ends, method, .. } = scratch;
            self.shingler.units_of_batch(&self.analyzer, part, text, units, ends);
            let starts = std::iter::once(0).chain(ends.iter().copied());
            features.extend(starts.zip(ends.iter()).map(|(start, &end)| self.feature_count(end - start)));
            self.method.write(units, ends, method, &mut out);
        }
    }

    /// Appends the digest of a document and returns its evidence: the text is read once for both.
    pub fn digest_and_evidence(
        &self,
        text: &str,
        markup: Markup,
        scratch: &mut EngineScratch,
        digests: &mut Digests,
    ) -> Evidence {
        if self.is_read_alone(markup) {
            self.digests([(text, markup)], scratch, digests);
            return self.evidence(text, markup, scratch);
        }
        self.units(text, markup, scratch);
        self.mark(digests);
        digests.contents.push(hash::content(text.as_bytes()));
        digests.features.push(self.feature_count(scratch.units.len()));
        let mut out = Stored { bytes: &mut digests.fingerprints, ends: &mut digests.ends };
        self.method.write(&scratch.units, &scratch.ends, &mut scratch.method, &mut out);
        self.evidence_of_units(text, markup, scratch)
    }

    /// Marks digests with the stamp of this engine.
    ///
    /// # Panics
    ///
    /// Digests of another recipe are a mistake of the caller: their fingerprints are not
    /// comparable.
    fn mark(&self, digests: &mut Digests) {
        let stamp = *digests.stamp.get_or_insert(self.stamp);
        assert_eq!(stamp, self.stamp, "digests of two recipes in one column");
    }

    /// The number of features of a document with `units` units.
    fn feature_count(&self, units: usize) -> u32 {
        u32::try_from(self.shingler.count(units)).unwrap_or(u32::MAX)
    }

    /// The margins of the document's simhash; `None` if it has no words or the method is another.
    pub fn margins(&self, text: &str, markup: Markup, scratch: &mut EngineScratch) -> Option<Margins> {
        if markup == Markup::Features {
            let Method::Simhash(simhashes) = &self.set_method else { return None };
            let features = hashed_features(text, self.hash);
            let margins = simhashes.weighted_margins(&features.hashes, &features.weights);
            return (!features.hashes.is_empty()).then_some(margins);
        }
        let Method::Simhash(simhashes) = &self.method else { return None };
        self.units(text, markup, scratch);
        let EngineScratch { units, bonuses, method, .. } = scratch;
        (!units.is_empty()).then(|| simhashes.margins(units, bonuses, method))
    }

    /// What verification needs of the document.
    pub fn evidence(&self, text: &str, markup: Markup, scratch: &mut EngineScratch) -> Evidence {
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
    fn evidence_of_units(&self, text: &str, markup: Markup, scratch: &mut EngineScratch) -> Evidence {
        let mut evidence = self.verifier.evidence(text, markup, &scratch.units);
        if !self.cosine.counts() {
            evidence.counts = self.cosine.vector(&scratch.units, &scratch.bonuses, &mut scratch.weighed);
        }
        evidence
    }

    /// Whether a document needs more than the hashes of its units, so that it is not read together
    /// with others.
    fn is_read_alone(&self, markup: Markup) -> bool {
        markup == Markup::Features || self.has_bonuses
    }

    /// Appends the fingerprint of such a document, and returns the number of its features.
    fn digest_alone(
        &self,
        text: &str,
        markup: Markup,
        scratch: &mut EngineScratch,
        out: &mut Stored<'_>,
    ) -> u32 {
        if markup == Markup::Features {
            let features = hashed_features(text, self.hash);
            let (hashes, weights) = (&features.hashes, &features.weights);
            if let Method::Simhash(simhashes) = &self.set_method {
                let simhash = simhashes.weighted_margins(hashes, weights).simhash();
                out.bytes.extend(simhash.0.to_le_bytes());
                out.end();
            } else {
                self.set_method.write(hashes, &[hashes.len()], &mut scratch.method, out);
            }
            return u32::try_from(hashes.len()).unwrap_or(u32::MAX);
        }
        self.units(text, markup, scratch);
        let EngineScratch { units, ends, bonuses, method, .. } = scratch;
        if let Method::Simhash(simhashes) = &self.method {
            let simhash = simhashes.margins(units, bonuses, method).simhash();
            out.bytes.extend(simhash.0.to_le_bytes());
            out.end();
        } else {
            self.method.write(units, ends, method, out);
        }
        self.feature_count(units.len())
    }

    /// Fills the scratch with the units of one document.
    fn units(&self, text: &str, markup: Markup, scratch: &mut EngineScratch) {
        scratch.units.clear();
        scratch.ends.clear();
        scratch.bonuses.clear();
        let EngineScratch { text: buffers, units, ends, bonuses, words, .. } = scratch;
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
