//! Who might be a duplicate of whom?
//!
//! Search proposes candidates and may propose too many; verification decides. Every method here reduces to one idea: a
//! document has a few *keys*, and two documents are candidates when they share a key (they are in the same *bucket*):
//!
//! | method | a key is | complete for |
//! |---|---|---|
//! | [`BlockTables`] (BPHS) over simhash | the leading blocks of a permuted fingerprint | Hamming distance <= radius |
//! | [`SketchPrefix`] over bottom-k | one of the rarest hashes of a sketch | sketch Jaccard >= threshold |
//! | [`Bands`] (LSH) over minhash | the rows of a band | nothing; probability follows the S-curve |
//! | lists of short documents, beside minhash | one of the rarest shingles | Jaccard >= threshold |
//! | sampled shingles | a sampled shingle; probes are the rarest | containment, but for documents with few shingles |
//!
//! So one bucket join serves them all, in bounded memory: keys are recomputed from the stored fingerprints in as many
//! passes over key ranges as the memory demands. [`SketchJoin`] and [`SketchIndex`] do the same for
//! sketches in memory.
//!
//! For simhash alone there is more: searches of a collection in memory behind one trait, [`HammingSearch`]. [`Scan`] is their
//! oracle, [`MultiIndex`] is exact and fast, [`Psm`] takes least memory and may miss a match, [`BlockIndex`] is the published
//! exact one, [`Segments`] let a collection grow. [`Join`] finds all pairs. `README.md` in this folder says which is right when,
//! with figures.

mod bit_order;
pub mod bphs;
mod bucket;
pub mod hamming;
pub mod join;
mod listed;
mod lsh;
mod method;
pub mod multi_index;
pub mod psm;
mod sampled;
#[cfg(test)]
mod samples;
pub mod scan;
pub mod segment;
mod signature;
mod sketch_join;
mod workers;

pub use bit_order::BitOrder;
pub use bphs::{BlockBatch, BlockIndex, BlockTables};
pub use bucket::{Edge, bucket_edges};
pub use hamming::{HammingSearch, Match, Query, Want};
pub use join::Join;
pub use lsh::Bands;
pub use method::{Beside, BesideScratch, Method, MethodScratch};
pub use multi_index::MultiIndex;
pub use psm::Psm;
pub use scan::{Buffer, Scan};
pub use segment::{Segment, Segments};
pub use sketch_join::{
    HashFrequencies, SearchScratch, SketchIndex, SketchJoin, SketchMatch, SketchPrefix, screened_pairs,
    sketch_pairs_naive,
};
pub use workers::{OneThread, Workers};

/// Thresholds of a search leave room for the rounding of a recipe's decimals.
const ROUNDING: f64 = 1e-6;
