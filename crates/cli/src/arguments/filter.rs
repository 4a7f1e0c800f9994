//! What `filter` accepts.

use std::path::PathBuf;

use clap::Args;
use twindex_index::Seconds;

use super::index::{DurabilityName, NewIndexArguments};
use super::job::{OnError, ReadArguments};
use crate::span;

/// Pass on only what has not been seen: documents are read from standard input, unseen ones are
/// written to standard output.
///
/// A row is written unchanged as soon as no duplicate of it is found among what was seen before.
/// Rows are JSONL unless --format says tsv or lines. What has no words (empty, only punctuation,
/// null) always passes. What was seen is kept in the index of --data, or else in a temporary folder
/// until the input ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tail -F feed.jsonl | twindex filter > fresh.jsonl
  twindex filter --data seen --window 7d --removed duplicates.jsonl < today.jsonl > fresh.jsonl
  twindex filter --format lines < posts.txt")]
pub(crate) struct FilterOptions {
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// What to do with a row that is no document
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    pub(crate) on_error: OnError,
    /// Forget a document this long after it was last seen, such as 7d or 12h [default: never]
    #[arg(long, value_parser = span::parse, value_name = "TIME")]
    pub(crate) window: Option<Seconds>,
    /// Where the duplicates go, each with its witness and scores (.jsonl, .tsv, .parquet); complete
    /// when the input ends
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) removed: Option<PathBuf>,
    /// The folder of the index that remembers what was seen; made if it does not exist
    #[arg(long, value_name = "DIR", help_heading = "Index")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) new: NewIndexArguments,
    /// When a row may be written
    #[arg(long, value_enum, default_value = "strict", value_name = "KIND", help_heading = "Index")]
    pub(crate) durability: DurabilityName,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
