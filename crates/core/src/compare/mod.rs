//! How alike are two documents, and where do they differ?
//!
//! ```text
//! two documents -> measure: every measure and estimate, the verdict in words
//!               -> paragraph: the best match of each paragraph
//!               -> difference: what is the same, removed, added
//! ```
//!
//! What `twindex compare` prints, what the service answers, and what reports show is made here, so that they agree.

mod difference;
mod measure;
mod paragraph;
mod verdict;

pub use difference::{Piece, difference};
pub use measure::{Comparison, Measures, Search, Shingle, Side, compare};
pub use paragraph::{Match, Place};
