//! What the labelled packs say about the rule itself, without the search that feeds it.
//!
//! `measures` lists the measures of every pair that a term of the rule could accept: the default rule was chosen from that.
//! `exhaustive` lists every pair that the rule of a recipe accepts: what the candidate stage should propose.

pub mod exhaustive;
pub mod measures;
mod pack;
mod postings;

pub use pack::{Pack, PairSet};
