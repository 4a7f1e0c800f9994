//! Evaluates a rule on the labelled packs, without the candidate search.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Parser, Subcommand};
use twindex_benchmarks::quality::{Pack, exhaustive, removals};
use twindex_core::Recipe;

#[derive(Parser)]
#[command(about = "Looks at the rule of a recipe on labelled packs")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Every document that the witness rule removes if no candidate is missed, as JSON lines like
    /// those of `twindex dedup --removed`
    Removals {
        /// A folder with docs.jsonl.zst, or a file of JSON lines
        collection: PathBuf,
        /// A preset
        #[arg(long, default_value = "default")]
        recipe: String,
        /// The least Jaccard of duplicates, instead of the recipe's
        #[arg(long)]
        threshold: Option<f64>,
        /// The least part of a removed document that is in its witness, instead of the recipe's
        #[arg(long)]
        coverage: Option<f64>,
        /// The most features of a removed document that are not in its witness, instead of the
        /// recipe's; 0 = no bound
        #[arg(long)]
        most_lost: Option<u32>,
    },
    /// The ids of every pair that the recipe's rule accepts, found by comparing all that share a
    /// shingle
    Exhaustive {
        /// A folder with docs.jsonl.zst
        pack: PathBuf,
        /// A preset
        #[arg(long, default_value = "default")]
        recipe: String,
        /// Print instead which share of them this file has, whose lines begin with two ids
        #[arg(long, value_name = "PAIRS")]
        found: Option<PathBuf>,
    },
}

fn main() -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match Options::parse().command {
        Command::Removals { collection, recipe, threshold, coverage, most_lost } => {
            let mut recipe = Recipe::preset(&recipe)?;
            recipe.rule.threshold = threshold.unwrap_or(recipe.rule.threshold);
            recipe.rule.coverage = coverage.unwrap_or(recipe.rule.coverage);
            recipe.rule.most_lost = most_lost.unwrap_or(recipe.rule.most_lost);
            removals::write(&read(&collection, &recipe)?, &recipe, &mut out)?;
        }
        Command::Exhaustive { pack, recipe, found: None } => {
            let recipe = Recipe::preset(&recipe)?;
            exhaustive::write(&read(&pack, &recipe)?, &recipe, &mut out)?;
        }
        Command::Exhaustive { pack, recipe, found: Some(found) } => {
            let recipe = Recipe::preset(&recipe)?;
            let found = fs::read_to_string(&found).with_context(|| found.display().to_string())?;
            if let Some(recall) = exhaustive::recall(&read(&pack, &recipe)?, &recipe, &found)? {
                writeln!(out, "{recall}")?;
            }
            out.flush()?;
        }
    }
    Ok(())
}

fn read(folder: &Path, recipe: &Recipe) -> anyhow::Result<Pack> {
    Pack::read(folder, recipe).with_context(|| folder.display().to_string())
}
