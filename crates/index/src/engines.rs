//! The recipe of an index, ready to use.

use std::sync::Arc;

use twindex_core::recipe::MethodName;
use twindex_core::text::MarkupPolicy;
use twindex_core::{Engine, Recipe};

use crate::error::Result;
use crate::settings::{OpenOptions, Search, Settings};

/// The engines of a recipe: for documents, and for parts of their visible text.
#[derive(Debug)]
pub(crate) struct Engines {
    pub(crate) document: Engine,
    /// The same without markup: visible text has none, whatever the recipe says about documents.
    /// Paragraphs are found by their simhash.
    pub(crate) visible: Engine,
    /// Whether documents are found by keys, not by their simhash.
    pub(crate) is_keyed: bool,
    /// A document can be the witness of a new one if it is among the first `bucket_limit` of a
    /// posting list.
    pub(crate) bucket_limit: usize,
    /// How many hashes a sketch has.
    pub(crate) sketch: usize,
    /// Whether the search needs margins.
    pub(crate) margins: bool,
}

impl Engines {
    pub(crate) fn new(settings: &Settings, options: OpenOptions) -> Result<Engines> {
        let recipe = &settings.recipe;
        let mut visible = recipe.clone();
        visible.text.markup = MarkupPolicy::None;
        visible.method = MethodName::Simhash;
        let engine = |recipe: &Recipe| -> Result<Engine> {
            let mut engine = Engine::new(recipe, options.kernel)?;
            if let Some(frequencies) = &settings.frequencies {
                engine.set_frequencies(Arc::clone(frequencies));
            }
            Ok(engine)
        };
        Ok(Engines {
            document: engine(recipe)?,
            visible: engine(&visible)?,
            is_keyed: settings.is_keyed(),
            bucket_limit: recipe.candidates.bucket_limit,
            sketch: recipe.bottom_k.size,
            margins: options.search == Search::Psm,
        })
    }
}
