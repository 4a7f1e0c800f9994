//! What `compare` accepts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use twindex_corpus::Format;

use super::job::RecipeArguments;

/// Compare two documents: every measure, the verdict, and what differs.
///
/// A and B are text or HTML files, compressed or not; of HTML only the visible text counts. Texts
/// without words are duplicates only if they are equal. The exit code is 0 whether they are
/// duplicates or not; scripts read the verdict with --quiet or --json.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex compare draft.txt final.txt
  twindex compare old.html new.html --recipe strict
  curl https://example.org | twindex compare saved.html - --format html
  twindex compare a.txt b.txt --json | jq .duplicates")]
pub(crate) struct CompareOptions {
    /// A file; - is standard input
    #[arg(value_name = "A")]
    pub(crate) left: String,
    /// Another file; - is standard input
    #[arg(value_name = "B")]
    pub(crate) right: String,
    /// How both are written [default: html by extension, otherwise text]
    #[arg(long, value_enum, help_heading = "Input")]
    pub(crate) format: Option<CompareFormat>,
    #[command(flatten)]
    pub(crate) recipe: RecipeArguments,
    /// The document frequencies to weigh by, made by `twindex idf` [default: all weigh the same]
    #[arg(long, value_name = "FILE", help_heading = "Recipe")]
    pub(crate) idf: Option<PathBuf>,
    /// Print everything as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the verdict
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// Every character counts
    Text,
    /// Only what a reader of the page sees counts
    Html,
}

impl From<CompareFormat> for Format {
    fn from(format: CompareFormat) -> Format {
        match format {
            CompareFormat::Text => Format::Text,
            CompareFormat::Html => Format::Html,
        }
    }
}
