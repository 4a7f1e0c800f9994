//! Probabilistic simhash matching: which bits flip, and a search that tries those first.
//!
//! ```text
//! corpus (real documents with tf-idf weights) -> generator (the same weights under random hashes)
//!     -> collection (queries, stored fingerprints) -> the experiments
//! ```

pub(super) mod all_pairs;
pub(super) mod batches;
mod collection;
mod corpus;
pub(super) mod distance;
pub(super) mod fixed_flips;
pub(super) mod flips;
mod generator;
pub(super) mod growth;
pub(super) mod headers;
pub(super) mod margins;
pub(super) mod searches;
pub(super) mod tree;

pub(super) use corpus::Corpus;

/// The paper's h.
const RADIUS: u32 = 3;

/// The recall for which flips are calibrated.
const RECALL: f64 = 0.95;
