//! The durable online index of twindex: have we seen this document, or something like it?
//!
//! ```text
//! add    text -> fingerprint, evidence -> store (durable) -> shelf (in memory)
//! check  text -> fingerprint -> shelf proposes numbers -> store: record, evidence -> the recipe's rule decides
//! ```
//!
//! The store is the truth and the shelf is derived from it. A document matches from the moment when its add was
//! acknowledged until it is removed or expires; answers equal those of `twindex pairs` with the method simhash and the
//! same recipe, as far as evidence is kept. Time comes in as a value.
//!
//! ```
//! use twindex_core::Recipe;
//! use twindex_index::{AddOptions, Index, NewDocument, OpenOptions, Query, Settings, Timestamp};
//!
//! let folder = tempfile::tempdir()?;
//! Index::create(folder.path(), &Settings::new(Recipe::preset("simhash")?))?;
//! let index = Index::open(folder.path(), OpenOptions::default())?;
//! let now = Timestamp(1_700_000_000);
//! index.add(&[NewDocument::new("a", "The quick brown fox jumps over the lazy dog.")], AddOptions::default(), now)?;
//! let answer = index.check(&Query::new("the quick brown fox jumps over the lazy dog"), now)?;
//! assert_eq!(answer.matches[0].id, "a");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod ask;
mod backup;
mod change;
mod decide;
mod document;
mod error;
mod evidence;
mod folder;
mod foreign;
mod index;
mod maintain;
mod near;
mod passage;
mod question;
mod settings;
mod shelf;
mod sketch;
mod state;
mod stats;
mod store;
mod time;
mod verify;
mod view;

pub use answer::{
    AddOptions, Answer, DEFAULT_LIMIT, DecidedBy, Match, MatchScores, Outcome, ParagraphMatch, Place, Query,
    Verdict,
};
pub use document::{Imported, LONGEST_ID, LONGEST_TEXT, NewDocument, Stored};
pub use error::{ErrorKind, IndexError, Result};
#[doc(hidden)]
pub use foreign::parse_stored;
pub use index::Index;
pub use settings::{Durability, Evidence, OpenOptions, Search, Settings};
#[doc(hidden)]
pub use shelf::parse_snapshot;
pub use stats::Stats;
pub use time::{Seconds, Timestamp};
pub use verify::Verified;
