//! Evaluates the rule itself on the labelled packs, without the candidate search.
//!
//! `exhaustive` lists every pair that the rule of a recipe accepts: what the candidate stage should
//! propose. `removals` applies the witness rule to all of them: what `dedup` should remove.

pub mod exhaustive;
mod pack;
mod postings;
pub mod removals;

pub use pack::{Pack, PairSet};
