//! What `hamming` accepts.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use twindex_batch::hamming::Notation;

use super::fingerprints::{FingerprintArguments, Printing, SearchResources};
use super::job::threshold;
use crate::size;

/// Search 64-bit fingerprints of any origin: simhashes, perceptual hashes of images.
///
/// A row has an id and a fingerprint: 16 hexadecimal digits, 64 binary digits, or with --notation a
/// decimal number; in JSON and Parquet also an integer, in Parquet also eight bytes. A file that
/// ends in .u64 has nothing but fingerprints, eight bytes each, the lowest first. Two fingerprints
/// are near if few of their bits differ; nothing else is compared.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex hamming pairs images.tsv --radius 6 --output pairs.tsv
  twindex hamming match new.tsv --in images.tsv --radius 6
  twindex fingerprint day.jsonl --margins --output day.parquet
  twindex hamming match day.parquet --in year/ --search psm --recall 0.95
  twindex hamming store year/ day.parquet
  twindex hamming plan --documents 114M --radius 3 --memory 8G")]
pub(crate) struct HammingOptions {
    #[command(subcommand)]
    pub(crate) action: HammingAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HammingAction {
    Pairs(HammingPairsOptions),
    Match(HammingMatchOptions),
    Store(HammingStoreOptions),
    Plan(HammingPlanOptions),
}

/// List all pairs of fingerprints within a radius.
///
/// A join: fingerprints are sorted by a few of their blocks after another, and compared where these
/// are equal. No pair is missed, and memory stays within --memory. Pairs come in input order, the
/// row that came first on the left, equal fingerprints included. Before it starts the command says
/// what it expects: the pairs of a large radius are mostly chance.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex hamming pairs images.tsv --radius 6
  twindex hamming pairs crawl.parquet --fingerprint-field simhash --output pairs.parquet --memory 2G
  twindex hamming pairs hashes.tsv --notation decimal --radius 10 --dry-run
  twindex fingerprint pages.jsonl | twindex hamming pairs - --format tsv")]
pub(crate) struct HammingPairsOptions {
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<String>,
    /// The most bits in which a pair differs
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=16), value_name = "0..16")]
    pub(crate) radius: u32,
    /// Where the pairs go (.jsonl, .tsv, .parquet) [default: standard output, as TSV]
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: FingerprintArguments,
    /// How fingerprints are written as text: auto (16 hexadecimal or 64 binary digits), hex,
    /// decimal or binary
    #[arg(long, default_value = "auto", value_name = "NOTATION", help_heading = "Input")]
    pub(crate) notation: Notation,
    #[command(flatten)]
    pub(crate) resources: SearchResources,
    /// Print the forecast and stop
    #[arg(long, help_heading = "Resources")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) printing: Printing,
}

/// List the stored fingerprints within a radius of each query.
///
/// Matches come in the order of the queries, the nearest first, then in stored order. The searches
/// exact and bphs miss nothing. The search psm tries only the likeliest differences, in the order
/// of the queries' margins (`twindex fingerprint --margins`): it needs a third of the memory of
/// exact, finds the share --recall of all matches, and reports the share that it found in a sample.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex hamming match new.tsv --in images.tsv --radius 6 --output known.tsv
  twindex hamming match new.tsv --in images.tsv --first --json
  twindex hamming match day.parquet --in year.u64 --search psm --recall 0.99 --output seen.tsv
  twindex hamming match day.tsv --in year.u64 --search bphs --tables 10")]
pub(crate) struct HammingMatchOptions {
    /// The queries: files, folders or globs; - is standard input
    #[arg(required = true, value_name = "QUERIES")]
    pub(crate) queries: Vec<String>,
    /// The stored fingerprints: a folder that `hamming store` made, whose chunks are read one after
    /// another; or files, folders or globs that are read into memory, may be given several times
    #[arg(long = "in", required = true, value_name = "STORED")]
    pub(crate) stored: Vec<String>,
    /// The most bits in which a match differs; with psm up to 12
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=16), value_name = "0..16")]
    pub(crate) radius: u32,
    /// How stored fingerprints are searched
    #[arg(long, value_enum, default_value = "exact", value_name = "KIND", help_heading = "Search")]
    pub(crate) search: HammingSearchName,
    /// One match of each query is enough, not necessarily the nearest
    #[arg(long, help_heading = "Search")]
    pub(crate) first: bool,
    /// psm: the share of all matches that is to be found [default: 0.95]
    #[arg(long, value_parser = threshold, value_name = "0..1", help_heading = "Search")]
    pub(crate) recall: Option<f64>,
    /// bphs: the number of sorted copies, such as 4, 5, 6, 10 or 16 for a radius of 3 [default: the
    /// fastest that fits into memory]
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(crate) tables: Option<u32>,
    /// Where the matches go (.jsonl, .tsv, .parquet) [default: standard output, as TSV]
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: FingerprintArguments,
    /// How fingerprints are written as text: auto (16 hexadecimal or 64 binary digits), hex,
    /// decimal or binary
    #[arg(long, default_value = "auto", value_name = "NOTATION", help_heading = "Input")]
    pub(crate) notation: Notation,
    #[command(flatten)]
    pub(crate) resources: SearchResources,
    #[command(flatten)]
    pub(crate) printing: Printing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HammingSearchName {
    /// Everything, by a multi-index
    Exact,
    /// Everything, by block-permuted sorted copies
    Bphs,
    /// The likeliest differences first: least memory, needs margins
    Psm,
}

/// Add fingerprints to a collection on disk, which `hamming match --in` reads chunk by chunk.
///
/// The folder is made if it does not exist. An addition is there whole or not at all, also after a
/// power cut; adding the same rows again changes nothing. Fingerprints and ids are stored, margins
/// are not: only queries need them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex hamming store year/ january.tsv february.tsv
  twindex hamming match day.parquet --in year/ --output seen.tsv && twindex hamming store year/ day.parquet")]
pub(crate) struct HammingStoreOptions {
    /// The folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) read: FingerprintArguments,
    /// How fingerprints are written as text: auto (16 hexadecimal or 64 binary digits), hex,
    /// decimal or binary
    #[arg(long, default_value = "auto", value_name = "NOTATION", help_heading = "Input")]
    pub(crate) notation: Notation,
    #[command(flatten)]
    pub(crate) resources: SearchResources,
    #[command(flatten)]
    pub(crate) printing: Printing,
}

/// Say which search fits: tables, memory, probes and time, before anything is read.
///
/// Times are those of a model, on one thread, for bits that are spread evenly; memory is that of
/// the finished index.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex hamming plan --documents 114M --radius 3 --memory 8G
  twindex hamming plan --documents 1M --radius 8 --json")]
pub(crate) struct HammingPlanOptions {
    /// How many fingerprints there are, such as 1000000 or 114M
    #[arg(long, value_parser = size::parse, value_name = "N")]
    pub(crate) documents: u64,
    /// The most bits in which a match differs
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=16), value_name = "0..16")]
    pub(crate) radius: u32,
    /// The memory that there is, such as 512M or 4G [default: half of the machine's]
    #[arg(long, value_parser = size::parse, value_name = "SIZE")]
    pub(crate) memory: Option<u64>,
    /// Print the plans as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
