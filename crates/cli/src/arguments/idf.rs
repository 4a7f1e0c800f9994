//! What `idf` accepts.

use std::path::PathBuf;

use clap::Args;

use super::job::{OnError, ReadArguments};

/// Count in how many documents each term occurs, for recipes that weigh by rarity (tf-idf).
///
/// The table has a fixed size in memory and belongs to a recipe: it knows terms as the recipe makes
/// them. Tables of parts of a collection add up to the table of the whole. `dedup`, `pairs` and
/// `fingerprint` count their own inputs where no table is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex idf crawl/ --output crawl.idf
  twindex dedup monday.jsonl --recipe web --idf crawl.idf --output kept.jsonl
  twindex idf monday.jsonl --add crawl.idf --output both.idf")]
pub(crate) struct IdfOptions {
    /// Files, folders or globs; - is standard input
    #[arg(required_unless_present = "add", value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// Where the table goes
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: PathBuf,
    /// A table to add to what is counted; may be given several times
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) add: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// What to do with a row that is no document
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    pub(crate) on_error: OnError,
    /// A preset (see `twindex recipe list`) or the path of a TOML file that weighs by tf-idf
    #[arg(long, default_value = "web", value_name = "NAME|FILE", help_heading = "Recipe")]
    pub(crate) recipe: String,
    /// How many threads work [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), value_name = "N", help_heading = "Resources")]
    pub(crate) threads: Option<u16>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
