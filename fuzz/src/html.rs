//! Pages: extracting the visible text twice gives the same, and every stage accepts it.

use twindex_core::kernel::Kernel;
use twindex_core::{Digests, Markup, Engine, EngineScratch, Recipe};

/// Fingerprints the bytes as a page with every preset.
pub fn html(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for name in ["default", "simhash"] {
        let recipe = Recipe::preset(name).expect("a preset of this name");
        let engine = Engine::new(&recipe, Kernel::best()).expect("presets are valid");
        let scratch = &mut EngineScratch::default();
        let visible = engine.analyzer().visible(&text, Markup::Html).into_owned();
        assert_eq!(engine.analyzer().visible(&text, Markup::Html), visible);
        let alone = engine.evidence(&text, Markup::Html, scratch);
        let both = engine.digest_and_evidence(&text, Markup::Html, scratch, &mut Digests::default());
        assert_eq!(alone.features.as_slice(), both.features.as_slice());
    }
}
