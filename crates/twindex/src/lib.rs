//! Finds the exact and near duplicates among documents, and proves every one of them.
//!
//! Texts in memory:
//!
//! ```
//! let texts = [
//!     "The harbour was closed on Monday because of the storm that came from the north.",
//!     "A cat sleeps in the sun behind the bakery.",
//!     "The harbour was closed on Tuesday because of the storm that came from the north.",
//! ];
//! let pairs = twindex::pairs(&texts)?;
//! assert_eq!((pairs[0].left, pairs[0].right), (0, 2));
//!
//! // A near-duplicate goes only if nearly all of it is in a document that stays.
//! let kept = twindex::Dedup::new(&texts).coverage(0.6).run()?;
//! assert_eq!(kept.kept, [0, 1]);
//! assert_eq!(kept.removed[0].witness, 0);
//! # Ok::<(), twindex::Error>(())
//! ```
//!
//! Files, larger than the memory if need be; the same job as the command `twindex dedup`:
//!
//! ```
//! # #[cfg(feature = "files")] {
//! use twindex::{DedupFiles, Keep};
//!
//! let folder = tempfile::tempdir()?;
//! let rows = "{\"text\": \"one two three four\"}\n{\"text\": \"one two three four\"}\n";
//! std::fs::write(folder.path().join("rows.jsonl"), rows)?;
//!
//! let summary = DedupFiles::new([folder.path().join("rows.jsonl")])
//!     .keep(Keep::Longest)
//!     .output(folder.path().join("kept.jsonl"))
//!     .run()?;
//! assert_eq!((summary.kept, summary.removed), (1, 1));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A durable index that is asked document by document:
//!
//! ```
//! # #[cfg(feature = "index")] {
//! use twindex::{AddOptions, Index, NewDocument, Query, Timestamp};
//!
//! let folder = tempfile::tempdir()?;
//! let index = Index::open_or_create(&folder.path().join("seen"))?;
//! let now = Timestamp(1_700_000_000);
//! let document = NewDocument::new("a", "The quick brown fox jumps over the lazy dog.");
//! index.add(&[document], AddOptions::default(), now)?;
//! let answer = index.check(&Query::new("the quick brown fox jumps over the lazy dog"), now)?;
//! assert_eq!(answer.matches[0].id, "a");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Pairs and removals equal those of the program on the same documents. What counts as a
//! duplicate is a [`Recipe`]; its parameters are explained in the guide of the project.

mod dedup;
mod error;
#[cfg(feature = "files")]
mod files;
mod memory;
mod pairs;

pub use dedup::{Dedup, Kept, Removal};
pub use error::Error;
#[cfg(feature = "files")]
pub use files::{DedupFiles, PairsFiles};
pub use pairs::{Pair, Pairs, pairs};
#[cfg(feature = "files")]
pub use twindex_batch::{BatchError, Existing, Summary};
pub use twindex_core::Recipe;
pub use twindex_core::group::{KeepError, KeepPolicy as Keep};
pub use twindex_core::progress::{Progress, Silent, Unit};
pub use twindex_core::recipe::RecipeError;
pub use twindex_core::verify::Scores;
#[cfg(feature = "files")]
pub use twindex_corpus::FieldPath;
#[cfg(feature = "index")]
pub use twindex_index::{
    AddOptions, Answer, Index, IndexError, Match, NewDocument, OpenOptions, Query, Settings, Timestamp,
};

/// The README's examples are tests.
#[cfg(all(doctest, feature = "files", feature = "index"))]
#[doc = include_str!("../README.md")]
struct Readme;
