//! How similar are two documents, and where do they differ?
//!
//! ```text
//! two documents -> measure: every measure and estimate, the verdict in words
//!               -> paragraph: the best match of each paragraph
//!               -> difference: what is the same, removed, added
//! ```
//!
//! What `twindex compare` prints, what the service answers, and what reports show is made here, so
//! that they agree.
//!
//! ```
//! use twindex_core::compare::{Piece, compare};
//! use twindex_core::kernel::Kernel;
//! use twindex_core::{Document, Recipe};
//!
//! let document =
//!     |id: &str, text: &str| Document { id: id.into(), text: text.into(), ..Document::default() };
//! let left = document("old", "The council approved the new bridge on Monday.");
//! let right = document("new", "The council approved the new bridge on Monday evening.");
//! let found = compare(&Recipe::default(), None, Kernel::best(), &left, &right)?;
//! assert!(found.duplicates && found.left_may_go && !found.right_may_go);
//! assert_eq!(found.left_rule, "jaccard 0.85 >= 0.5, all of it is in the witness");
//! assert_eq!(found.difference[1], Piece::Added(" evening".into()));
//! # Ok::<(), twindex_core::recipe::RecipeError>(())
//! ```

mod difference;
mod measure;
mod paragraph;
mod verdict;

pub use difference::{Piece, difference};
pub use measure::{Comparison, Measures, Search, Shingle, Side, compare};
pub use paragraph::{Match, Place};
