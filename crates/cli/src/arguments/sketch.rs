//! What `sketch` accepts.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use twindex_batch::sketch::Estimator;

use super::fingerprints::{FingerprintArguments, Printing, SearchResources};
use super::job::threshold;

/// Compare bottom-k sketches: the smallest hashes of each document's shingles.
///
/// A row has an id and a sketch: hexadecimal hashes with commas between them, as `twindex
/// fingerprint --method bottom-k` writes them, or in JSON and Parquet a list of numbers. Two
/// estimates of the Jaccard similarity are listed: sketch (the share of both sketches' hashes that
/// are in both) and union (the share of the k smallest of them, which is unbiased).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex fingerprint pages.jsonl --method bottom-k --output sketches.tsv
  twindex sketch pairs sketches.tsv --threshold 0.5
  twindex sketch match new.tsv --in sketches.tsv --estimator union")]
pub(crate) struct SketchOptions {
    #[command(subcommand)]
    pub(crate) action: SketchAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SketchAction {
    Pairs(SketchPairsOptions),
    Match(SketchMatchOptions),
}

/// List all pairs of sketches that are alike.
///
/// An exact join: sketches are compared only if they share one of their rarest hashes, which every
/// pair does. Pairs come in input order, the row that came first on the left.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex sketch pairs sketches.tsv --threshold 0.5 --output pairs.tsv
  twindex sketch pairs sketches.parquet --estimator union --size 128")]
pub(crate) struct SketchPairsOptions {
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) rule: SketchRule,
}

/// List the stored sketches that are like each query.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex sketch match new.tsv --in sketches.tsv --threshold 0.7
  twindex sketch match new.tsv --in sketches.tsv --output known.jsonl --json")]
pub(crate) struct SketchMatchOptions {
    /// The queries: files, folders or globs; - is standard input
    #[arg(required = true, value_name = "QUERIES")]
    pub(crate) queries: Vec<String>,
    /// The stored sketches: files, folders or globs; may be given several times
    #[arg(long = "in", required = true, value_name = "STORED")]
    pub(crate) stored: Vec<String>,
    #[command(flatten)]
    pub(crate) rule: SketchRule,
}

/// What both have.
#[derive(Debug, Args)]
pub(crate) struct SketchRule {
    /// The least similarity
    #[arg(long, default_value_t = 0.5, value_parser = positive, value_name = "0..1")]
    pub(crate) threshold: f64,
    /// Which estimate decides
    #[arg(long, value_enum, default_value = "sketch", value_name = "KIND")]
    pub(crate) estimator: EstimatorName,
    /// The hashes of a full sketch [default: those of the largest one]
    #[arg(long, value_name = "K")]
    pub(crate) size: Option<usize>,
    /// Where results go (.jsonl, .tsv, .parquet) [default: standard output, as TSV]
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: FingerprintArguments,
    #[command(flatten)]
    pub(crate) resources: SearchResources,
    #[command(flatten)]
    pub(crate) printing: Printing,
}

fn positive(text: &str) -> Result<f64, String> {
    let value = threshold(text)?;
    if value > 0.0 { Ok(value) } else { Err("expected a number above 0 and up to 1, such as 0.5".to_owned()) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimatorName {
    /// Of the hashes of both sketches, the share in both
    Sketch,
    /// Of the k smallest hashes of both together, the share in both
    Union,
}

impl From<EstimatorName> for Estimator {
    fn from(name: EstimatorName) -> Estimator {
        match name {
            EstimatorName::Sketch => Estimator::Sketch,
            EstimatorName::Union => Estimator::Union,
        }
    }
}
