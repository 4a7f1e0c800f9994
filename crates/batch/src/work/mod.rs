//! What a job keeps on disk while it runs.
//!
//! | module | the question it answers |
//! |---|---|
//! | `folder` | what survives a kill and a power cut? |
//! | `column` | how are records appended and read at random? |
//! | `documents` | what is known of a document without reading it again? |
//! | `fingerprints`, `texts`, `rows`, `unpacked` | where are its fingerprint and its text? |
//! | `place`, `record` | where does its row stand; what is a record of a document, and of a pair? |
//! | `ranks` | which documents take part in the search, in which order? |
//! | `evidence` | what does verification compare? |

mod column;
mod documents;
mod evidence;
mod fingerprints;
mod folder;
mod place;
mod ranks;
mod record;
mod rows;
mod texts;
pub(crate) mod unpacked;

pub(crate) use column::{Column, ColumnWriter};
pub(crate) use documents::{Documents, HELD_PART};
pub(crate) use evidence::{EvidenceScratch, EvidenceStore, MOST_BYTES as MOST_EVIDENCE_BYTES};
pub(crate) use fingerprints::{FingerprintReader, FingerprintStore};
pub use folder::Existing;
pub(crate) use folder::WorkFolder;
#[cfg(test)]
pub(crate) use folder::for_test;
pub(crate) use place::{Place, Places};
pub(crate) use ranks::{NONE, Ranks, keep_order};
pub(crate) use record::{Fact, ScoredPair, Spillable, row_status};
pub(crate) use rows::{RowSources, stay_in_place};
pub(crate) use texts::{PackedTexts, TextPacker, TextReader, TextScratch, TextStore, with_room};

/// The file of messages about rows that were left out, one a line.
pub(crate) const SKIPPED: &str = "skipped";
