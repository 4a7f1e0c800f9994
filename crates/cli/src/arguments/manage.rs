//! What `index` accepts.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use twindex_index::Seconds;

use super::index::{DurabilityName, NewIndexArguments};
use super::job::{OnError, ReadArguments};
use crate::span;

/// Make and query an index of documents: have we seen this, or something like it?
///
/// An index is a folder. One process at a time can have it open; `twindex serve` answers many over
/// HTTP.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex index create seen --ttl 30d
  twindex index add seen pages.jsonl
  twindex index query seen new.jsonl --output duplicates.tsv
  twindex index stats seen")]
pub(crate) struct ManageOptions {
    #[command(subcommand)]
    pub(crate) action: IndexAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexAction {
    Create(CreateOptions),
    Add(AddDocumentsOptions),
    Query(QueryOptions),
    Get(GetOptions),
    Remove(RemoveOptions),
    Renew(RenewOptions),
    /// Remove expired documents
    Expire(FolderOptions),
    Import(ImportOptions),
    /// Say how large the index is, and what it is made of
    Stats(FolderOptions),
    /// Read everything in the index and list what is damaged
    Verify(FolderOptions),
    /// Merge the segments, and give back the space of removed documents
    Compact(FolderOptions),
    /// Copy the index to another folder
    Backup(CopyOptions),
    /// Make an index of a backup
    Restore(CopyOptions),
}

/// Make an empty index in a new folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex index create seen
  twindex index create seen --recipe mine.toml --evidence sketch --ttl 30d --renew-on-sight
  twindex index create seen --paragraphs")]
pub(crate) struct CreateOptions {
    /// The folder, which must be empty or not exist
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    #[command(flatten)]
    pub(crate) new: NewIndexArguments,
}

/// Add documents, and say what they duplicate.
///
/// A document whose id is there with the same text changes nothing; another text takes its place. A
/// row whose text is null is counted and left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex index add seen pages.jsonl
  twindex index add seen crawl/ --only-unseen --output verdicts.jsonl
  zcat pages.jsonl.gz | twindex index add seen - --ttl 7d --json")]
pub(crate) struct AddDocumentsOptions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// Leave out documents that may go for one that is there or came earlier (`seen`)
    #[arg(long)]
    pub(crate) only_unseen: bool,
    /// The time to live of these documents [default: that of the index]
    #[arg(long, value_parser = span::parse, value_name = "TIME")]
    pub(crate) ttl: Option<Seconds>,
    /// Where the verdicts go, one JSON object a line (.jsonl); - is standard output
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    /// How many matches each verdict lists [default: 10 with --output, otherwise none]
    #[arg(long, value_name = "N", help_heading = "Outputs")]
    pub(crate) matches: Option<usize>,
    /// When documents are acknowledged
    #[arg(long, value_enum, default_value = "strict", value_name = "KIND")]
    pub(crate) durability: DurabilityName,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// What to do with a row that is no document
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    pub(crate) on_error: OnError,
    /// Print a summary as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// List the documents of the index that each given document matches.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex index query seen new.jsonl
  twindex index query seen letter.txt --json
  twindex index query seen new.parquet --output duplicates.parquet")]
pub(crate) struct QueryOptions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// The largest number of matches of each document
    #[arg(long, default_value_t = twindex_index::DEFAULT_LIMIT, value_name = "N")]
    pub(crate) limit: usize,
    /// List all matches, in pages of --limit
    #[arg(long)]
    pub(crate) all: bool,
    /// Where the matches go (.jsonl, .tsv, .parquet) [default: standard output, as TSV]
    #[arg(long, short, value_name = "FILE", help_heading = "Outputs")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// What to do with a row that is no document
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    pub(crate) on_error: OnError,
    /// Print one JSON object for each document instead, with paragraphs
    #[arg(long, conflicts_with = "output")]
    pub(crate) json: bool,
}

/// Print a document of the index as a JSON object.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  twindex index get seen page-17")]
pub(crate) struct GetOptions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// The id of the document
    pub(crate) id: String,
}

/// Remove documents by id.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  twindex index remove seen page-17 page-18")]
pub(crate) struct RemoveOptions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// The ids of the documents
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

/// Change when documents expire.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex index renew seen page-17 --ttl 30d
  twindex index renew seen page-17 --forever")]
pub(crate) struct RenewOptions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// The ids of the documents
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Their time to live from now on [default: that of the index]
    #[arg(long, value_parser = span::parse, value_name = "TIME")]
    pub(crate) ttl: Option<Seconds>,
    /// They never expire
    #[arg(long, conflicts_with = "ttl")]
    pub(crate) forever: bool,
}

/// Add fingerprints that were made by `twindex fingerprint` with the same recipe.
///
/// The files are TSV or JSONL, plain or compressed (.gz, .zst), with the columns id, fingerprint
/// (16 hexadecimal digits) and optionally expires (seconds since 1970; without it, as the index
/// says). There is no evidence for them: their matches say that nothing was verified.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twindex fingerprint crawl/ --output fingerprints.tsv && twindex index import seen fingerprints.tsv
  twindex index import seen fingerprints-*.jsonl.gz")]
pub(crate) struct ImportOptions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// TSV or JSONL files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print a summary as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of commands that only need the index.
#[derive(Debug, Args)]
pub(crate) struct FolderOptions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) index: PathBuf,
    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of commands that copy an index.
#[derive(Debug, Args)]
pub(crate) struct CopyOptions {
    /// The folder of the index, or of the backup
    #[arg(value_name = "FROM")]
    pub(crate) from: PathBuf,
    /// The folder of the copy, which must be empty or not exist
    #[arg(value_name = "TO")]
    pub(crate) to: PathBuf,
}
