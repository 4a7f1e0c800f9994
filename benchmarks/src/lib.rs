//! Benchmarks, and collections made to order for them with the truth about what was planted.
//!
//! `measure` is how every figure is taken and told; the program `bench` runs the benchmarks.
//!
//! Real collections show whether twindex is right; made ones show whether it stays right at a size that nobody can
//! label. A document here is a pure function of the seed and its number, so a copy regenerates its original instead
//! of remembering it: any size streams in constant memory, and a copy may stand gigabytes away from its original.
//!
//! ```text
//! random, choice -> vocabulary -> prose -> site ----> web (shape 1) ------+-> output: rows and truth
//!                                   length   edit -> template (shape 2) --+
//! truth + what twindex wrote -> check
//! ```
//!
//! Everything that decides a byte is integer arithmetic written here: no library generator, no `exp`, no `ln`. The
//! output is the same on every machine and for ever; `tests/golden.rs` pins it.

pub mod check;
pub mod choice;
pub mod edit;
pub mod hamming;
pub mod jaccard;
pub mod length;
pub mod measure;
pub mod minhash;
pub mod output;
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
