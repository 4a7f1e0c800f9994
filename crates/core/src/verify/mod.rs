//! Are they really duplicates?
//!
//! Exact measures over the documents' features; the recipe's [rule](crate::recipe::Rule) decides. Nothing here estimates but
//! the spelling of long texts.
//!
//! A document without features is a near-duplicate of nothing: every measure is 0 where a set is empty.

mod cosine;
mod judgement;
mod overlap;
mod rule;
mod run_bits;
mod wording;

pub use cosine::cosine;
pub use judgement::{Judgement, Term};
pub use overlap::{Overlap, common, common_at_least};
pub use rule::{Evidence, Scores, Verifier};
pub use wording::Wording;
