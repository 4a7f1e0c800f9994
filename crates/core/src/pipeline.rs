//! The flow of one recipe, from a text to what search and verification need.

use std::sync::Arc;

use crate::document::Markup;
use crate::feature::{Shingler, Statistics, UnitScratch};
use crate::fingerprint::Margins;
use crate::kernel::Kernel;
use crate::recipe::{Recipe, RecipeError};
use crate::search::{Method, MethodScratch};
use crate::text::Analyzer;
use crate::verify::{Evidence, Verifier};

/// A recipe made ready to run. Shared by all threads; each thread has its own [`PipelineScratch`].
#[derive(Debug)]
pub struct Pipeline {
    analyzer: Analyzer,
    shingler: Shingler,
    method: Method,
    verifier: Verifier,
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
}

impl Pipeline {
    /// Checks the recipe and builds what it needs.
    pub fn new(recipe: &Recipe, kernel: Kernel) -> Result<Self, RecipeError> {
        recipe.validate()?;
        let feature = &recipe.feature;
        let analyzer = Analyzer::new(&recipe.text)?;
        Ok(Pipeline {
            verifier: Verifier::new(recipe, analyzer.clone()),
            analyzer,
            shingler: Shingler::new(feature.unit, feature.size, feature.hash).with_kernel(kernel),
            method: Method::new(recipe, kernel),
        })
    }

    /// How documents become words.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// How candidates are found.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// From now on pairs are decided by somebody who knows the collection.
    pub fn set_statistics(&mut self, statistics: Arc<Statistics>) {
        self.method.set_statistics(Arc::clone(&statistics));
        self.verifier.set_statistics(statistics);
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
            let mut bytes = 0;
            let part = std::iter::from_fn(|| {
                let document = if bytes < PART { documents.next()? } else { return None };
                bytes += document.0.len();
                Some(document)
            });
            scratch.units.clear();
            scratch.ends.clear();
            let PipelineScratch { text, units, ends, method } = scratch;
            self.shingler.units_of_batch(&self.analyzer, part, text, units, ends);
            let starts = std::iter::once(0).chain(ends.iter().copied());
            has_features.extend(starts.zip(ends.iter()).map(|(start, &end)| end > start));
            self.method.fingerprints(units, ends, method, out);
        }
    }

    /// The margins of the document's simhash; `None` if there was nothing to make them of or the method is another.
    pub fn margins(&self, text: &str, markup: Markup, scratch: &mut PipelineScratch) -> Option<Margins> {
        self.units(text, markup, scratch);
        if scratch.units.is_empty() {
            return None;
        }
        self.method.margins(&scratch.units, &mut scratch.method)
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
        self.units(text, markup, scratch);
        self.method.fingerprints(&scratch.units, &scratch.ends, &mut scratch.method, out);
        self.verifier.evidence(text, markup, &scratch.units)
    }

    /// What verification needs of the document.
    pub fn evidence(&self, text: &str, markup: Markup, scratch: &mut PipelineScratch) -> Evidence {
        self.units(text, markup, scratch);
        self.verifier.evidence(text, markup, &scratch.units)
    }

    /// Fills the scratch with the units of one document.
    fn units(&self, text: &str, markup: Markup, scratch: &mut PipelineScratch) {
        scratch.units.clear();
        scratch.ends.clear();
        let PipelineScratch { text: buffers, units, ends, .. } = scratch;
        self.shingler.units_of_batch(&self.analyzer, [(text, markup)], buffers, units, ends);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
