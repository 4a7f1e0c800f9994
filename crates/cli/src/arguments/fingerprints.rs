//! How files of fingerprints are read, and what their searches may spend.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use twindex_batch::hamming::{FingerprintInput, Notation, Resources, RowFormat};
use twindex_corpus::{FieldPath, Format};

use super::job::OnError;
use crate::command::choice;
use crate::size;

/// How fingerprints are read.
#[derive(Debug, Args)]
pub(crate) struct FingerprintArguments {
    /// The format of the inputs: tsv, jsonl, parquet, csv, or u64 (eight bytes each, the lowest
    /// first, and nothing else) [default: by extension]
    #[arg(long, value_parser = row_format, value_name = "FORMAT", help_heading = "Input")]
    format: Option<RowFormat>,
    /// The field with the fingerprint; dots lead into objects
    #[arg(long, default_value = "fingerprint", value_name = "PATH", help_heading = "Input")]
    fingerprint_field: FieldPath,
    /// The field with the id [default: id, or else file and line]
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    id_field: Option<FieldPath>,
    /// What to do with a row that has no fingerprint of the expected form; an empty one is counted
    /// and left out
    #[arg(long, value_enum, default_value = "fail", value_name = "ACTION", help_heading = "Input")]
    on_error: OnError,
}

impl FingerprintArguments {
    /// The files with these names.
    pub(crate) fn input(&self, names: &[String], notation: Notation) -> FingerprintInput {
        FingerprintInput {
            format: self.format,
            fingerprint_field: self.fingerprint_field.clone(),
            id_field: self.id_field.clone(),
            notation,
            on_error: self.on_error.into(),
            ..FingerprintInput::new(names.to_vec())
        }
    }
}

/// The names of formats that have rows with fields.
const ROW_FORMATS: [Format; 4] = [Format::Tsv, Format::Jsonl, Format::Parquet, Format::Csv];

fn row_format(name: &str) -> Result<RowFormat, String> {
    if name == twindex_batch::hamming::RAW_EXTENSION {
        return Ok(RowFormat::Raw);
    }
    let known = Format::from_str(name).ok().filter(|format| ROW_FORMATS.contains(format));
    known.map(RowFormat::Rows).ok_or_else(|| "expected tsv, jsonl, parquet, csv or u64".to_owned())
}

/// What a search may spend.
#[derive(Debug, Args)]
pub(crate) struct SearchResources {
    /// The most memory to use, such as 512M or 4G [default: half of the machine's]
    #[arg(long, value_parser = size::parse, value_name = "SIZE", help_heading = "Resources")]
    memory: Option<u64>,
    /// How many threads work [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), value_name = "N", help_heading = "Resources")]
    threads: Option<u16>,
    /// The folder in which intermediate results lie until the end [default: that of temporary
    /// files]
    #[arg(long, value_name = "DIR", help_heading = "Resources")]
    work: Option<PathBuf>,
    /// Force the inner loops of one kind of CPU; scalar runs on all [default: the best there is]
    #[arg(long, value_name = "NAME", help_heading = "Resources")]
    kernel: Option<String>,
}

impl SearchResources {
    /// What they come to.
    pub(crate) fn resources(&self) -> anyhow::Result<Resources> {
        let default = Resources::default();
        Ok(Resources {
            memory: self.memory.unwrap_or(default.memory),
            threads: choice::threads(self.threads),
            work: self.work.clone().unwrap_or_else(|| default.work.clone()),
            kernel: choice::kernel(self.kernel.as_deref())?,
            ..default
        })
    }
}

/// What is printed besides the results.
#[derive(Debug, Args)]
pub(crate) struct Printing {
    /// Print a summary as one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
