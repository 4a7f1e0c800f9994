//! What the labelled packs say about a rule, without the search that feeds it.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Parser, Subcommand};
use twindex_benchmarks::quality::{Pack, exhaustive, measures};
use twindex_core::Recipe;

#[derive(Parser)]
#[command(about = "Looks at the rule of a recipe on labelled packs")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The measures of every pair that a term of the default rule could accept, as a table for benchmarks/quality/fit.py
    Measures {
        /// Folders with docs.jsonl.zst and truth.tsv
        #[arg(required = true)]
        packs: Vec<PathBuf>,
    },
    /// The ids of every pair that the recipe's rule accepts, found by comparing all that share a shingle
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
        Command::Measures { packs } => {
            let recipe = Recipe::default();
            writeln!(out, "{}", measures::COLUMNS)?;
            for folder in packs {
                let pack = read(&folder, &recipe)?;
                measures::write(&pack, &recipe, &mut out)?;
                eprintln!("{}: {} documents", pack.name, pack.evidence.len());
            }
            out.flush()?;
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
