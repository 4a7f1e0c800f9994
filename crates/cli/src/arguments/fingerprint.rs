//! What `fingerprint` accepts.

use std::path::PathBuf;

use clap::Args;

use super::job::{Method, OnError, ReadArguments};

/// Print every document's id and fingerprint, in input order.
///
/// Documents are read as they come and never held in memory. A simhash is 16 hexadecimal digits; a
/// minhash signature has 4 for each bin; a bottom-k sketch is a list of hashes with commas between
/// them. A document without words has an empty fingerprint.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex fingerprint pages.jsonl
  twindex fingerprint crawl/ --output fingerprints.parquet
  twindex fingerprint pages.jsonl --recipe default --output signatures.jsonl.zst
  zcat pages.jsonl.gz | twindex fingerprint - --margins")]
pub(crate) struct FingerprintOptions {
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// Where the fingerprints go (.jsonl, .tsv, .parquet) [default: standard output, as TSV]
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    /// Add the 64 sums whose signs are the simhash, bit 0 first
    #[arg(long, help_heading = "Outputs")]
    pub(crate) margins: bool,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// What to do with a row that is no document
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    pub(crate) on_error: OnError,
    /// A preset (see `twindex recipe list`) or the path of a TOML file
    #[arg(long, default_value = "simhash", value_name = "NAME|FILE", help_heading = "Recipe")]
    pub(crate) recipe: String,
    /// Which kind of fingerprint is made [default: the recipe's]
    #[arg(long, value_enum, help_heading = "Recipe")]
    pub(crate) method: Option<Method>,
    /// The document frequencies to weigh by, made by `twindex idf` [default: counted in a first
    /// pass where the recipe needs them]
    #[arg(long, value_name = "FILE", help_heading = "Recipe")]
    pub(crate) idf: Option<PathBuf>,
    /// How many threads work [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), value_name = "N", help_heading = "Resources")]
    pub(crate) threads: Option<u16>,
    /// Force the inner loops of one kind of CPU; scalar runs on all [default: the best there is]
    #[arg(long, value_name = "NAME", help_heading = "Resources")]
    pub(crate) kernel: Option<String>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
