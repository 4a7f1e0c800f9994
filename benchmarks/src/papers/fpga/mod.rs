//! Simhash on FPGAs: fingerprints a second, and the matching after them.

mod engine;
pub(super) mod matching;
mod shape;
pub(super) mod stage_one;
pub(super) mod totals;
pub(super) mod word_level;
pub(super) mod worked_example;
