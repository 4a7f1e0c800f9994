//! What the user typed.

mod compare;
mod filter;
mod fingerprint;
mod fingerprints;
mod hamming;
mod idf;
mod index;
mod job;
mod manage;
mod serve;
mod sketch;
mod tune;

pub(crate) use compare::{CompareFormat, CompareOptions};
pub(crate) use filter::FilterOptions;
pub(crate) use fingerprint::FingerprintOptions;
pub(crate) use hamming::{
    HammingAction, HammingMatchOptions, HammingOptions, HammingPairsOptions, HammingPlanOptions,
    HammingSearchName, HammingStoreOptions,
};
pub(crate) use idf::IdfOptions;
pub(crate) use index::{IndexArguments, NewIndexArguments, SearchName};
pub(crate) use job::{JobOptions, OnError, ReadArguments, RecipeArguments};
pub(crate) use manage::{
    AddDocumentsOptions, CopyOptions, CreateOptions, FolderOptions, GetOptions, ImportOptions, IndexAction,
    ManageOptions, QueryOptions, RemoveOptions, RenewOptions,
};
pub(crate) use serve::{Log, ServeOptions};
pub(crate) use sketch::{SketchAction, SketchOptions, SketchRule};
pub(crate) use tune::TuneOptions;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use twindex_core::group::KeepPolicy;
use twindex_core::kernel::Kernel;

/// Finds exact and near duplicates among documents, and proves every one of them.
#[derive(Debug, Parser)]
#[command(name = "twindex", version = version(), about, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Colour messages: auto is on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> anstream::ColorChoice {
        match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
    }
}

/// The version and the default kernel: both belong into a report
/// about speed.
fn version() -> &'static str {
    static VERSION: LazyLock<String> =
        LazyLock::new(|| format!("{} (kernel {})", env!("CARGO_PKG_VERSION"), Kernel::best().name()));
    &VERSION
}

const EXAMPLES: &str = "\
Examples:
  twindex dedup pages.jsonl.zst --output kept.jsonl.zst --removed removed.jsonl --report report.html
  twindex dedup crawl/ --keep newest:date --memory 4G --output kept.jsonl
  twindex pairs articles.parquet --output pairs.tsv
  twindex fingerprint articles.parquet --output fingerprints.tsv
  twindex idf crawl/ --output crawl.idf
  twindex hamming pairs images.tsv --radius 6
  twindex compare draft.txt final.html
  twindex tune articles.jsonl --report tune.html --output mine.toml
  twindex filter --data seen --window 7d < feed.jsonl > fresh.jsonl
  twindex serve --data index
  twindex index query seen new.jsonl
  twindex recipe show default > mine.toml

Data goes to standard output, everything else to standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dedup(DedupOptions),
    Pairs(PairsOptions),
    Fingerprint(FingerprintOptions),
    Idf(IdfOptions),
    Hamming(HammingOptions),
    Sketch(SketchOptions),
    Compare(CompareOptions),
    Tune(TuneOptions),
    Filter(FilterOptions),
    Serve(ServeOptions),
    Index(ManageOptions),
    Recipe(RecipeOptions),
    Completions(CompletionsOptions),
    Man(ManOptions),
}

/// Keep one of each: writes the kept rows, and every removed document with its witness.
///
/// Kept rows are written as they came. Documents are compared by the recipe's rule; a document is
/// removed only if a kept document, its witness, was found to be a duplicate by comparing the
/// texts, and at least --coverage of the document is in it. Without an output, dedup says what it
/// would remove.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex dedup pages.jsonl
  twindex dedup pages.jsonl --output kept.jsonl --removed removed.jsonl --report report.html
  twindex dedup pages.jsonl --coverage 0.95 --output kept.jsonl
  twindex dedup new.parquet --against old.parquet --output fresh.parquet
  twindex dedup today.jsonl --against seen --remember seen --output fresh.jsonl
  twindex dedup pages/ --keep longest --output kept/
  zcat pages.jsonl.gz | twindex dedup - --output kept.jsonl")]
pub(crate) struct DedupOptions {
    /// Where the kept rows go, as they came; the extension must fit the input
    #[arg(long, short, value_name = "KEPT", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    /// Where the removed documents go, each with its witness and scores (.jsonl, .tsv, .parquet)
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) removed: Option<PathBuf>,
    /// Give each removed document its original row
    #[arg(long, requires = "removed", help_heading = "Outputs")]
    pub(crate) removed_rows: bool,
    /// Where the pairs go that the witness rule accepted (.jsonl, .tsv, .parquet)
    #[arg(long, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) pairs: Option<PathBuf>,
    /// Where the clusters go: connected sets of pairs (.jsonl, .tsv, .parquet)
    #[arg(long, alias = "families", value_name = "FILE", help_heading = "Outputs")]
    pub(crate) clusters: Option<PathBuf>,
    /// Where the report goes: one HTML file to look at
    #[arg(long, value_name = "HTML", help_heading = "Outputs")]
    pub(crate) report: Option<PathBuf>,
    /// Which document of a set of duplicates stays: first, longest, shortest, newest:FIELD,
    /// max:FIELD or min:FIELD. A longer document that contains it is kept instead, also with
    /// newest, max or shortest, unless the recipe has container_wins = false
    #[arg(long, default_value = "first", value_name = "POLICY")]
    pub(crate) keep: KeepPolicy,
    /// Add the kept documents to the index in this folder, which is made if there is none
    #[arg(long, value_name = "INDEX", help_heading = "Outputs")]
    pub(crate) remember: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) job: JobOptions,
}

/// List the pairs of documents that the search proposes and the rule accepts.
///
/// Copies of equal text are expanded: every pair is listed, the document that came first on the
/// left, in input order.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex pairs articles.jsonl
  twindex pairs articles.jsonl --threshold 0.8 --output pairs.tsv --clusters clusters.jsonl
  twindex pairs essays/ --against library/ --report report.html")]
pub(crate) struct PairsOptions {
    /// Where the pairs go (.jsonl, .tsv, .parquet) [default: standard output, as TSV]
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    /// Where the clusters go: connected sets of pairs (.jsonl, .tsv, .parquet)
    #[arg(long, alias = "families", value_name = "FILE", help_heading = "Outputs")]
    pub(crate) clusters: Option<PathBuf>,
    /// Where the report goes: one HTML file to look at
    #[arg(long, value_name = "HTML", help_heading = "Outputs")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) job: JobOptions,
}

/// Show the recipes that ship with twindex.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex recipe list
  twindex recipe show default > mine.toml
  twindex dedup pages.jsonl --recipe mine.toml")]
pub(crate) struct RecipeOptions {
    #[command(subcommand)]
    pub(crate) action: RecipeAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecipeAction {
    /// Name every preset and what it is for
    List,
    /// Print a preset, or a recipe file with every default spelt out
    Show {
        /// The name of a preset, or the path of a TOML file
        #[arg(default_value = "default")]
        name: String,
    },
}

/// Print a script that completes commands and options in a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex completions bash > ~/.local/share/bash-completion/completions/twindex
  twindex completions fish > ~/.config/fish/completions/twindex.fish
  twindex completions zsh > \"${fpath[1]}/_twindex\"")]
pub(crate) struct CompletionsOptions {
    /// The shell that is to read the script
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print the manual page, or write one for every command.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex man | man -l -
  twindex man --output ~/.local/share/man/man1")]
pub(crate) struct ManOptions {
    /// Write a page for every command into this folder [default: only the main page, on standard
    /// output]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
