//! A text made ready to be looked for.

use std::cell::OnceCell;

use twindex_core::fingerprint::Simhash;
use twindex_core::verify::Evidence;
use twindex_core::{Markup, Pipeline, PipelineScratch};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::sketch::Sketch;

/// A text, its fingerprint, and what verification may need of it.
#[derive(Debug)]
pub(crate) struct Question<'t> {
    pub(crate) text: &'t str,
    pub(crate) markup: Markup,
    /// What is searched for. Of a text without words: a part of its content hash.
    pub(crate) probe: Simhash,
    pub(crate) has_words: bool,
    pub(crate) content: u128,
    evidence: OnceCell<Evidence>,
    sketch: OnceCell<Sketch>,
}

impl<'t> Question<'t> {
    pub(crate) fn new(
        pipeline: &Pipeline,
        text: &'t str,
        markup: Markup,
        scratch: &mut PipelineScratch,
    ) -> Question<'t> {
        let content = content_hash(text, markup);
        let (mut bytes, mut has_features) = (vec![], vec![]);
        pipeline.fingerprints([(text, markup)], scratch, &mut bytes, &mut has_features);
        let has_words = has_features == [true];
        let fingerprint = if has_words { pipeline.method().stored_simhash(&bytes) } else { None };
        let probe = fingerprint.unwrap_or(Simhash(content as u64));
        Question::known(text, markup, probe, has_words, content)
    }

    /// The question whose fingerprint was made before.
    pub(crate) fn known(
        text: &'t str,
        markup: Markup,
        probe: Simhash,
        has_words: bool,
        content: u128,
    ) -> Question<'t> {
        let (evidence, sketch) = (OnceCell::new(), OnceCell::new());
        Question { text, markup, probe, has_words, content, evidence, sketch }
    }

    /// How far away a match may be. Texts without words match only their equals.
    pub(crate) fn radius(&self, recipe: u32) -> u32 {
        if self.has_words { recipe } else { 0 }
    }

    /// What verification by text needs.
    pub(crate) fn evidence(&self, pipeline: &Pipeline) -> &Evidence {
        self.evidence
            .get_or_init(|| pipeline.evidence(self.text, self.markup, &mut PipelineScratch::default()))
    }

    /// What verification by sketch needs.
    pub(crate) fn sketch(&self, pipeline: &Pipeline, k: usize) -> &Sketch {
        self.sketch.get_or_init(|| Sketch::new(k, self.evidence(pipeline).features.as_slice()))
    }

    /// The fingerprint as people read it.
    pub(crate) fn printed(&self) -> Option<String> {
        self.has_words.then(|| self.probe.to_string())
    }
}

/// Equal for equal texts that are written alike.
fn content_hash(text: &str, markup: Markup) -> u128 {
    let seed = match markup {
        Markup::None => 0,
        Markup::Html => 1,
    };
    xxh3_128_with_seed(text.as_bytes(), seed)
}
