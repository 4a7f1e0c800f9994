//! `twindex recipe`

use std::io::Write;

use anyhow::Result;
use twindex_core::Recipe;
use twindex_core::recipe::{MethodName, PRESETS};
use twindex_core::search::Bands;

use crate::arguments::{RecipeAction, RecipeOptions};
use crate::command::choice;

/// Shows recipes.
pub(crate) fn run(options: &RecipeOptions) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match &options.action {
        RecipeAction::List => {
            for preset in PRESETS {
                writeln!(out, "{:<13} {}", preset.name, Recipe::preset(preset.name)?.about)?;
            }
        }
        RecipeAction::Show { name } => {
            let recipe = choice::find_recipe(name)?;
            write!(out, "{}", recipe.to_toml())?;
            if recipe.method == MethodName::MinhashLsh {
                write!(out, "\n{}", expected_recall(&recipe))?;
            }
        }
    }
    Ok(())
}

/// The S-curve at a few similarities, as TOML comments.
fn expected_recall(recipe: &Recipe) -> String {
    let bands = Bands { bands: recipe.minhash.bands, rows: recipe.minhash.rows };
    let mut text =
        String::from("# The search proposes a pair of Jaccard similarity J with this probability:\n");
    for tenths in 1..10 {
        let jaccard = f64::from(tenths) / 10.0;
        text.push_str(&format!("#   J = {jaccard:.1}   {:8.4} %\n", 100.0 * bands.recall(jaccard)));
    }
    text
}
