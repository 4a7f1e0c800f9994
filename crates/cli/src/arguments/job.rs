//! The options that every job has.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use twindex_core::recipe::MethodName;
use twindex_corpus::{FieldPath, Format};

use crate::size;

/// Options of dedup and pairs.
#[derive(Debug, Args)]
pub(crate) struct JobOptions {
    /// Files, folders or globs; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// A collection whose documents can only be witnesses, never removed, or the folder of an index
    /// of the same recipe; may be given several times
    #[arg(long, value_name = "COLLECTION", help_heading = "Input")]
    pub(crate) against: Vec<String>,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// Make two rows of one id an error; otherwise they are counted, and the columns of places
    /// distinguish them
    #[arg(long, help_heading = "Input")]
    pub(crate) unique_ids: bool,
    /// What to do with a row that is no document; more than 1,000 skipped ones are listed in a file
    /// beside the first output, OUTPUT.skipped.txt, without an output file in ./twindex-skipped.txt
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    pub(crate) on_error: OnError,
    #[command(flatten)]
    pub(crate) recipe: RecipeArguments,
    /// Also remove equal copies of documents without words (empty, only punctuation); `pairs` lists
    /// them
    #[arg(long, help_heading = "Recipe")]
    pub(crate) dedup_wordless: bool,
    /// The document frequencies to weigh by, made by `twindex idf` [default: counted in a first
    /// pass where the recipe needs them]
    #[arg(long, value_name = "FILE", help_heading = "Recipe")]
    pub(crate) idf: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Print a summary as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How inputs are read.
#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// The format of the inputs: jsonl, parquet, csv, tsv, text, lines, html or warc [default: by
    /// extension]
    #[arg(long, help_heading = "Input")]
    pub(crate) format: Option<Format>,
    /// What is between the fields of CSV: one ASCII character [default: a comma]
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Input")]
    pub(crate) delimiter: Option<u8>,
    /// The field with the text; dots lead into objects
    #[arg(long, default_value = "text", value_name = "PATH", help_heading = "Input")]
    pub(crate) text_field: FieldPath,
    /// The field with the id [default: id, or else file and line]
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub(crate) id_field: Option<FieldPath>,
}

/// What counts as a duplicate.
#[derive(Debug, Args)]
pub(crate) struct RecipeArguments {
    /// A preset (see `twindex recipe list`) or the path of a TOML file
    #[arg(long, default_value = "default", value_name = "NAME|FILE", help_heading = "Recipe")]
    pub(crate) recipe: String,
    /// The least similarity of duplicates [default: the recipe's]
    #[arg(long, value_parser = threshold, value_name = "0..1", help_heading = "Recipe")]
    pub(crate) threshold: Option<f64>,
    /// The least part of a removed document that is in the one that stays [default: the recipe's,
    /// 0.9]
    #[arg(long, value_parser = threshold, value_name = "0..1", help_heading = "Recipe")]
    pub(crate) coverage: Option<f64>,
    /// The most features of a removed document that are not in the one that stays; 0 = no bound
    /// [default: the recipe's, 150]
    #[arg(long, value_name = "N", help_heading = "Recipe")]
    pub(crate) most_lost: Option<u32>,
    /// How candidates are found [default: the recipe's]
    #[arg(long, value_enum, help_heading = "Recipe")]
    pub(crate) method: Option<Method>,
}

pub(super) fn threshold(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| "expected a number between 0 and 1, such as 0.8".to_owned())
}

/// What the machine may spend.
#[derive(Debug, Args)]
pub(crate) struct Resources {
    /// The most memory to use, such as 512M or 4G [default: half of the machine's]
    #[arg(long, value_parser = size::parse, value_name = "SIZE", help_heading = "Resources")]
    pub(crate) memory: Option<u64>,
    /// How many threads work [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), value_name = "N", help_heading = "Resources")]
    pub(crate) threads: Option<u16>,
    /// The folder for intermediate results, removed at the end [default: beside the first output,
    /// or temporary]
    #[arg(long, value_name = "DIR", help_heading = "Resources")]
    pub(crate) work: Option<PathBuf>,
    /// Save after this much input, so that a killed job need not read more of it again [default:
    /// 256M]
    #[arg(long, value_parser = size::parse, value_name = "SIZE", help_heading = "Resources")]
    pub(crate) checkpoint: Option<u64>,
    /// Go on with the unfinished job in the work folder, from its last checkpoint
    #[arg(long, conflicts_with = "fresh", help_heading = "Resources")]
    pub(crate) resume: bool,
    /// Discard an unfinished job in the work folder
    #[arg(long, help_heading = "Resources")]
    pub(crate) fresh: bool,
    /// Print the forecast and stop
    #[arg(long, help_heading = "Resources")]
    pub(crate) dry_run: bool,
    /// Force the inner loops of one kind of CPU; scalar runs on all [default: the best there is]
    #[arg(long, value_name = "NAME", help_heading = "Resources")]
    pub(crate) kernel: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
    /// Stop and name it
    Fail,
    /// Leave it out, count and list it
    Skip,
}

impl From<OnError> for twindex_batch::OnError {
    fn from(action: OnError) -> twindex_batch::OnError {
        match action {
            OnError::Fail => twindex_batch::OnError::Fail,
            OnError::Skip => twindex_batch::OnError::Skip,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Bands of a MinHash signature
    MinhashLsh,
    /// An exact join of bottom-k sketches
    BottomK,
    /// Block-permuted search over SimHash
    Simhash,
    /// One shingle in a few is a key: finds parts of longer documents
    Sampled,
}

impl From<Method> for MethodName {
    fn from(method: Method) -> MethodName {
        match method {
            Method::MinhashLsh => MethodName::MinhashLsh,
            Method::BottomK => MethodName::BottomK,
            Method::Simhash => MethodName::Simhash,
            Method::Sampled => MethodName::Sampled,
        }
    }
}

/// A delimiter as it is typed in a shell, where a tab is hard to type.
fn delimiter(typed: &str) -> Result<u8, String> {
    match typed.as_bytes() {
        b"\\t" | b"tab" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("expected one ASCII character that is no quote and no line break, like ';'".to_owned()),
    }
}
