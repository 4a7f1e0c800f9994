//! Every pair of the sample, compared exactly.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use twindex_core::feature::FrequencyCounter;
use twindex_core::fingerprint::Simhash;
use twindex_core::kernel::Kernel;
use twindex_core::progress::Progress;
use twindex_core::recipe::{Measure, MethodName, Recipe, RecipeError, Rule};
use twindex_core::verify::{Evidence, Measured, Overlap};
use twindex_core::{Digests, Document, Engine, EngineScratch};

/// The recipe made ready, and the same recipe with simhash as its method: distances are shown for
/// every recipe.
pub(crate) struct Engines {
    pub(crate) own: Engine,
    simhash: Engine,
    /// Whether the weights of each depend on the collection.
    needs_frequencies: [bool; 2],
}

/// What is known of a document of the sample.
pub(crate) struct Prepared {
    pub(crate) evidence: Evidence,
    /// The stored form of the recipe's fingerprint; empty without features.
    pub(crate) fingerprint: Vec<u8>,
    pub(crate) simhash: Option<Simhash>,
}

/// A pair that is similar enough to matter for some setting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) measured: Measured,
    pub(crate) distance: Option<u32>,
    /// The search proposes the pair.
    pub(crate) is_candidate: bool,
    /// The rule accepts it.
    pub(crate) is_accepted: bool,
}

impl Engines {
    pub(crate) fn new(recipe: &Recipe, kernel: Kernel) -> Result<Self, RecipeError> {
        // Its rule is never applied.
        let rule = Rule::default();
        let simhash = Recipe { method: MethodName::Simhash, rule, ..recipe.clone() };
        Ok(Engines {
            own: Engine::new(recipe, kernel)?,
            simhash: Engine::new(&simhash, kernel)?,
            needs_frequencies: [recipe, &simhash].map(Recipe::needs_frequencies),
        })
    }

    /// Where weights depend on the collection, the sample stands for it.
    pub(crate) fn know(&mut self, documents: &[Document]) {
        for (engine, needs_frequencies) in
            [(&mut self.own, self.needs_frequencies[0]), (&mut self.simhash, self.needs_frequencies[1])]
        {
            if needs_frequencies {
                let counter = FrequencyCounter::default();
                let scratch = &mut EngineScratch::default();
                for document in documents {
                    engine.count_terms(&document.text, document.markup, scratch, &counter);
                }
                engine.set_frequencies(Arc::new(counter.finish()));
            }
        }
    }

    pub(crate) fn prepare(&self, document: &Document, scratch: &mut EngineScratch) -> Prepared {
        let (text, markup) = (document.text.as_str(), document.markup);
        let mut digests = Digests::default();
        self.own.digests([(text, markup)], scratch, &mut digests);
        if digests.features == [0] {
            digests.fingerprints.clear();
        }
        Prepared {
            evidence: self.own.evidence(text, markup, scratch),
            fingerprint: digests.fingerprints,
            simhash: self.simhash.margins(text, markup, scratch).map(|margins| margins.simhash()),
        }
    }

    pub(crate) fn compare(&self, left: &Prepared, right: &Prepared) -> Compared {
        let verdict = self.own.verifier().verdict(&left.evidence, &right.evidence);
        let has_fingerprints = !left.fingerprint.is_empty() && !right.fingerprint.is_empty();
        Compared {
            left: 0,
            right: 0,
            measured: verdict.measured,
            distance: left.simhash.zip(right.simhash).map(|(a, b)| a.distance(b)),
            is_candidate: has_fingerprints
                && self.own.proposes(&self.own.read(&left.fingerprint), &self.own.read(&right.fingerprint)),
            is_accepted: verdict.is_accepted(),
        }
    }
}

/// A pair below all of these is no duplicate under any setting that a person would choose.
const LEAST_JACCARD: f64 = 0.02;
const LEAST_CONTAINMENT: f64 = 0.2;
const LEAST_COSINE: f64 = 0.7;
/// Random fingerprints differ in 32 bits with a standard deviation of 4; distances up to here are
/// shown.
pub(crate) const LARGEST_DISTANCE: u32 = 16;

/// Every pair that matters for some setting, or that `is_wanted` names; in the order of the
/// documents.
pub(crate) fn compare_all(
    engines: &Engines,
    documents: &[Prepared],
    is_wanted: impl Fn(u32, u32) -> bool + Sync,
    progress: &dyn Progress,
) -> Vec<Compared> {
    let verifier = engines.own.verifier();
    let by_cosine = verifier.rule().measure == Measure::Cosine;
    let done = AtomicU64::new(0);
    let rows = (0..documents.len()).into_par_iter().map(|left| {
        let mut kept = Vec::new();
        for right in left + 1..documents.len() {
            let (a, b) = (&documents[left], &documents[right]);
            let overlap = Overlap::of(&a.evidence.features, &b.evidence.features);
            let distance = a.simhash.zip(b.simhash).map(|(a, b)| a.distance(b));
            let containment = overlap.containment_left().max(overlap.containment_right());
            let matters = overlap.jaccard() >= LEAST_JACCARD
                || containment >= LEAST_CONTAINMENT
                || distance.is_some_and(|distance| distance <= LARGEST_DISTANCE)
                // Last, because words have to be counted for it.
                || by_cosine && verifier.verdict(&a.evidence, &b.evidence).measured.cosine >= LEAST_COSINE;
            let (left, right) = (left as u32, right as u32);
            if matters || is_wanted(left, right) {
                kept.push(Compared { left, right, ..engines.compare(a, b) });
            }
        }
        progress.position(done.fetch_add(1, Ordering::Relaxed) + 1);
        kept
    });
    rows.collect::<Vec<_>>().concat()
}
