//! The options of `twindex tune`.

use std::path::PathBuf;

use clap::Args;

use super::{OnError, ReadArguments, RecipeArguments};

/// See what a recipe does to a collection, and with labels whether another one does better.
///
/// A sample is compared exactly, every document with every other: pairs and removals at each
/// threshold and coverage, the pairs on both sides of the line for you to judge, and which copies
/// with planted edits are found. With --truth, precision and recall against the threshold and the
/// Hamming distance, and a recipe if one is shown to be better; without labels nothing is
/// recommended.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex tune pages.jsonl --report tune.html
  twindex tune pages.jsonl --truth labelled.tsv --output mine.toml
  twindex dedup pages.jsonl --recipe mine.toml
  twindex tune crawl/*.parquet --recipe simhash --sample 5000 --json")]
pub(crate) struct TuneOptions {
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// Pairs that are duplicates: two ids a line, tab-separated; all other pairs are taken for
    /// different
    #[arg(long, value_name = "PAIRS", help_heading = "Input")]
    pub(crate) truth: Option<PathBuf>,
    /// Pairs that count neither as right nor as wrong, in the same form
    #[arg(long, value_name = "PAIRS", requires = "truth", help_heading = "Input")]
    pub(crate) ignore: Option<PathBuf>,
    /// The only pairs that count, besides those of --truth, in the same form
    #[arg(long, value_name = "PAIRS", requires = "truth", help_heading = "Input")]
    pub(crate) judged: Option<PathBuf>,
    /// How many documents are compared with each other: all that are labelled, then by content, so
    /// that duplicates stay together
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(2..=20_000), value_name = "N", help_heading = "Input")]
    pub(crate) sample: u32,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// What to do with a row that is no document
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    pub(crate) on_error: OnError,
    /// Where the recommended recipe goes, or the recipe as it is: a TOML file for --recipe
    #[arg(long, short, value_name = "TOML", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    /// Where the report goes: one HTML file with plots and doubtful pairs
    #[arg(long, value_name = "HTML", help_heading = "Outputs")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) recipe: RecipeArguments,
    /// How many threads work [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), value_name = "N", help_heading = "Resources")]
    pub(crate) threads: Option<u16>,
    /// Force the inner loops of one kind of CPU; scalar runs on all [default: the best there is]
    #[arg(long, value_name = "NAME", help_heading = "Resources")]
    pub(crate) kernel: Option<String>,
    /// Print the findings as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
