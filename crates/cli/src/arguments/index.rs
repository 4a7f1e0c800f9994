//! The folder of an index, and the settings of a new one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use twindex_index::{Durability, Evidence, Search, Seconds};

use crate::span;

/// Which index, and how to make it if there is none.
#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    /// The folder of the index; made if it does not exist
    #[arg(long, value_name = "DIR", env = "TWINDEX_DATA", help_heading = "Index")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) new: NewIndexArguments,
    /// When an add is acknowledged
    #[arg(long, value_enum, default_value = "strict", value_name = "KIND", help_heading = "Index")]
    pub(crate) durability: DurabilityName,
    /// How simhashes are searched; an index of a simhash recipe can be opened with either
    #[arg(
        long,
        value_enum,
        default_value = "exact",
        value_name = "KIND",
        env = "TWINDEX_SEARCH",
        help_heading = "Index"
    )]
    pub(crate) search: SearchName,
}

/// The settings of a new index; they are fixed when it is made.
#[derive(Debug, Clone, Args)]
pub(crate) struct NewIndexArguments {
    /// A new index: a preset (see `twindex recipe list`) or the path of a TOML file [default:
    /// default]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Index")]
    pub(crate) recipe: Option<String>,
    /// A new index: the document frequencies that words are weighed by, made by `twindex idf`
    /// [default: all weigh the same]
    #[arg(long, value_name = "FILE", help_heading = "Index")]
    pub(crate) idf: Option<PathBuf>,
    /// A new index: what is kept of each document to verify matches [default: text]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Index")]
    pub(crate) evidence: Option<EvidenceName>,
    /// A new index: find paragraphs, too
    #[arg(long, help_heading = "Index")]
    pub(crate) paragraphs: bool,
    /// A new index: the time to live of documents, such as 7d or 12h [default: for ever]
    #[arg(long, value_parser = span::parse, value_name = "TIME", help_heading = "Index")]
    pub(crate) ttl: Option<Seconds>,
    /// A new index: adding a duplicate of a document extends its expiry to that of the duplicate
    #[arg(long, help_heading = "Index")]
    pub(crate) renew_on_sight: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvidenceName {
    /// The text, compressed: scores are exact, and the page shows differences
    Text,
    /// The hash of every shingle: decisions are exact, and no text is kept
    Features,
    /// The smallest shingle hashes: scores are estimates
    Sketch,
    /// Nothing: equal texts are known, else only fingerprints are compared
    None,
}

impl From<EvidenceName> for Evidence {
    fn from(name: EvidenceName) -> Evidence {
        match name {
            EvidenceName::Text => Evidence::Text,
            EvidenceName::Features => Evidence::Features,
            EvidenceName::Sketch => Evidence::Sketch,
            EvidenceName::None => Evidence::None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DurabilityName {
    /// When it is synced to the disk
    Strict,
    /// At once; a crash may lose the last seconds
    Relaxed,
}

impl From<DurabilityName> for Durability {
    fn from(name: DurabilityName) -> Durability {
        match name {
            DurabilityName::Strict => Durability::Strict,
            DurabilityName::Relaxed => Durability::Relaxed,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchName {
    /// Finds everything within the radius; 25 to 41 bytes of memory for each document
    Exact,
    /// Probabilistic matching: 13 bytes, and one match in a hundred is missed
    Psm,
}

impl From<SearchName> for Search {
    fn from(name: SearchName) -> Search {
        match name {
            SearchName::Exact => Search::Exact,
            SearchName::Psm => Search::Psm,
        }
    }
}
