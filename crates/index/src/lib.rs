//! The durable online index of twindex: is this document, or one like it, known already?
//!
//! ```text
//! add    text -> fingerprint, evidence -> store (durable) -> segments, postings
//! check  text -> fingerprint -> segments, postings: candidates -> store: evidence -> rule: matches
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | `store` | the documents on disk, from which everything else is derived |
//! | `segments` | the simhashes in memory, and the files of all segments |
//! | `postings` | the keys of other methods, with the documents that have them |
//! | `query` | from a text to its matches |
//! | `change` | adding, importing, renewing and removing documents |
//! | `maintain` | sealing, merging and saving segments in the background |
//!
//! A document matches from the moment when its add is acknowledged until it is removed or expires.
//! Answers equal those of `twindex pairs` with the same recipe, if texts are kept as evidence. Time
//! is a parameter.
//!
//! ```
//! use twindex_core::Recipe;
//! use twindex_index::{AddOptions, Index, NewDocument, OpenOptions, Query, Settings, Timestamp};
//!
//! let folder = tempfile::tempdir()?;
//! Index::create(folder.path(), &Settings::new(Recipe::default()))?;
//! let index = Index::open(folder.path(), OpenOptions::default())?;
//! let now = Timestamp(1_700_000_000);
//! let document = NewDocument::new("a", "The quick brown fox jumps over the lazy dog.");
//! index.add(&[document], AddOptions::default(), now)?;
//! let answer = index.check(&Query::new("The quick brown fox jumps over the lazy cat."), now)?;
//! assert_eq!(answer.matches[0].id, "a");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backup;
mod change;
mod document;
mod engines;
mod error;
mod folder;
mod index;
mod maintain;
mod postings;
mod query;
mod segments;
mod settings;
mod state;
mod stats;
mod store;
mod time;
mod verify;

pub use change::{AddOptions, Outcome, TakenId, Verdict, given_id};
pub use document::{Imported, LONGEST_ID, LONGEST_TEXT, NewDocument, Place, Stored};
pub use error::{ErrorKind, IndexError, Result};
pub use index::Index;
pub use query::{Answer, DEFAULT_LIMIT, DecidedBy, Match, MatchScores, Needed, ParagraphMatch, Query};
#[doc(hidden)]
pub use segments::parse_snapshot;
pub use settings::{Durability, Evidence, OpenOptions, Search, Settings};
pub use stats::Stats;
#[doc(hidden)]
pub use store::parse_stored;
pub use time::{Seconds, Timestamp};
pub use verify::Verified;
