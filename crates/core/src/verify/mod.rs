//! Are they really duplicates?
//!
//! Exact measures over the documents' features; the recipe's [rule](crate::recipe::Rule) decides. Nothing here estimates.
//!
//! A document without features is a near-duplicate of nothing: every measure is 0 where a set is empty.

mod cosine;
mod overlap;
mod rule;

pub use cosine::cosine;
pub use overlap::{Overlap, common, common_at_least};
pub use rule::{Evidence, Scores, Verifier};
