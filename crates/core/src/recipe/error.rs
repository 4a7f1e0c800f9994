//! What is wrong with a recipe.

use thiserror::Error;

use super::PRESETS;
use crate::text::TextError;

/// What is wrong with a recipe, and what would be right.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RecipeError {
    /// Not TOML, an unknown key, or a value of the wrong kind. The message names line and column.
    #[error("{0}")]
    Syntax(String),
    /// The text section.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A number outside its range.
    #[error("{key} = {value} is out of range: expected a value between {least} and {most}")]
    Range {
        /// Section and key.
        key: &'static str,
        /// What was found.
        value: f64,
        /// The smallest allowed value.
        least: f64,
        /// The largest allowed value.
        most: f64,
    },
    /// Two parameters that do not go together.
    #[error("{key} = \"{value}\" needs {needed}; change one of them")]
    Contradiction {
        /// Section and key.
        key: &'static str,
        /// Its value.
        value: &'static str,
        /// What it needs, as it is written in a recipe.
        needed: &'static str,
    },
    /// Verdicts would depend on the collection.
    #[error(
        "the rule compares cosines that are weighed by tf-idf, so it needs a table of document \
         frequencies, and none is given"
    )]
    NeedsFrequencies,
    /// A preset that does not exist.
    #[error("there is no preset \"{0}\": expected one of {names}", names = preset_names())]
    UnknownPreset(String),
}

fn preset_names() -> String {
    PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ")
}
