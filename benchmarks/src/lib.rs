//! Benchmarks, and synthetic collections with the truth about planted duplicates.
//!
//! `measure` takes and reports every figure; the program `bench` runs the benchmarks.
//!
//! Real collections show whether twindex is right; synthetic ones show whether it stays right at
//! sizes that cannot be labelled. A document here is a pure function of the seed and its number, so
//! that a copy regenerates its original instead of storing it: any size streams in constant memory,
//! and a copy may be gigabytes away from its original.
//!
//! ```text
//! random, choice -> vocabulary -> prose -> site ----> web (shape 1) -----+-> output: rows, truth
//!                                   length   edit -> template (shape 2) --+
//!                                        -> paragraphs (shape 3) ---------+
//! truth + output of twindex -> check
//! ```
//!
//! Everything that decides a byte is integer arithmetic written here: no library generator, no
//! `exp`, no `ln`. The output is the same on every machine in all versions; `tests/golden.rs` pins
//! it.

pub mod check;
pub mod choice;
pub mod edit;
pub mod hamming;
pub mod jaccard;
pub mod length;
pub mod measure;
pub mod minhash;
pub mod output;
pub mod papers;
pub mod paragraphs;
pub mod prose;
pub mod quality;
pub mod random;
pub mod service;
pub mod simhash;
pub mod site;
pub mod size;
pub mod template;
pub mod truth;
pub mod vocabulary;
pub mod web;
