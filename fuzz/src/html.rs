//! Pages: what is visible of them is the same when it is looked at twice, and every part of the flow takes it.

use twindex_core::kernel::Kernel;
use twindex_core::{Markup, Pipeline, PipelineScratch, Recipe};

/// Fingerprints the bytes as a page with every preset.
pub fn html(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for name in ["default", "simhash"] {
        let recipe = Recipe::preset(name).expect("a preset of this name");
        let pipeline = Pipeline::new(&recipe, Kernel::best()).expect("presets are valid");
        let scratch = &mut PipelineScratch::default();
        let visible = pipeline.analyzer().visible(&text, Markup::Html).into_owned();
        assert_eq!(pipeline.analyzer().visible(&text, Markup::Html), visible);
        let alone = pipeline.evidence(&text, Markup::Html, scratch);
        let mut fingerprint = vec![];
        let both = pipeline.fingerprint_and_evidence(&text, Markup::Html, scratch, &mut fingerprint);
        assert_eq!(alone.features.as_slice(), both.features.as_slice());
    }
}
