//! The recipe, the way of reading, the kernel and the number of threads that the user chose.

use std::path::Path;

use anyhow::{Context, Result};
use twindex_core::Recipe;
use twindex_core::kernel::Kernel;
use twindex_core::recipe::{Measure, MethodName, PRESETS};
use twindex_core::search::Bands;
use twindex_corpus::ReadOptions;

use crate::arguments::{ReadArguments, RecipeArguments};
use crate::exit::UsageError;

/// The recipe of that name or file, with what the command line overrides.
pub(crate) fn recipe(options: &RecipeArguments) -> Result<Recipe> {
    let mut recipe = find_recipe(&options.recipe)?;
    if let Some(threshold) = options.threshold {
        recipe.rule.threshold = threshold;
    }
    if let Some(coverage) = options.coverage {
        recipe.rule.coverage = coverage;
    }
    if let Some(most_lost) = options.most_lost {
        recipe.rule.most_lost = most_lost;
    }
    if let Some(method) = options.method {
        recipe.method = method.into();
    }
    recipe.validate().map_err(UsageError::from_cause)?;
    Ok(recipe)
}

/// A preset, or a file.
pub(crate) fn find_recipe(name: &str) -> Result<Recipe> {
    let is_preset = PRESETS.iter().any(|preset| preset.name == name);
    let looks_like_a_file = name.ends_with(".toml") || Path::new(name).exists();
    if is_preset || !looks_like_a_file {
        return Recipe::preset(name).map_err(UsageError::from_cause);
    }
    let toml = std::fs::read_to_string(name).with_context(|| format!("cannot read the recipe {name}"))?;
    Recipe::from_toml(&toml).with_context(|| format!("the recipe {name} is not valid"))
}

/// A search with a lower recall at the threshold gets a note.
const GOOD_RECALL: f64 = 0.95;

/// A note if the recipe's search misses pairs that its rule would accept.
pub(crate) fn weak_search(recipe: &Recipe) -> Option<String> {
    let threshold = recipe.rule.threshold;
    match recipe.method {
        _ if recipe.rule.measure != Measure::Jaccard => None,
        // The search alone decides: there is no threshold to miss pairs at.
        _ if threshold == 0.0 => None,
        MethodName::MinhashLsh => {
            let recall = Bands { bands: recipe.minhash.bands, rows: recipe.minhash.rows }.recall(threshold);
            (recall < GOOD_RECALL).then(|| {
                format!(
                    "the search proposes {:.0} % of the pairs at a Jaccard of {threshold}; more bands or fewer rows \
                     (recipe: minhash) find more",
                    100.0 * recall
                )
            })
        }
        MethodName::BottomK => (recipe.bottom_k.threshold >= threshold).then(|| {
            format!(
                "sketches are compared at {}, not below the rule's {threshold}; a lower bottom_k.threshold finds more",
                recipe.bottom_k.threshold
            )
        }),
        // What a Hamming radius finds depends on the documents: the recipe's description says what
        // it is for.
        MethodName::Simhash => None,
        // Only documents of some dozen words are missed.
        MethodName::Sampled => None,
    }
}

/// How the inputs are read.
pub(crate) fn read(options: &ReadArguments) -> ReadOptions {
    ReadOptions {
        delimiter: options.delimiter.unwrap_or(b','),
        format: options.format,
        text_field: options.text_field.clone(),
        id_field: options.id_field.clone(),
        ..ReadOptions::default()
    }
}

/// The kernel called `name`, or the best of this CPU.
pub(crate) fn kernel(name: Option<&str>) -> Result<Kernel> {
    let Some(name) = name else { return Ok(Kernel::best()) };
    let known: Vec<&str> = Kernel::available().map(Kernel::name).collect();
    Kernel::named(name)
        .ok_or_else(|| UsageError(format!("--kernel {name}: this CPU has {}", known.join(", "))).into())
}

/// The chosen number of threads, or one for each core.
pub(crate) fn threads(chosen: Option<u16>) -> usize {
    chosen.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}
