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
//!
//! So one bucket join serves them all, in bounded memory: keys are recomputed from the stored fingerprints in as many
//! passes over key ranges as the memory demands. [`SketchJoin`] and [`SketchIndex`] do the same for
//! sketches in memory.
//!
//! For simhash alone there is more: searches of a collection in memory behind one trait, [`HammingSearch`]. [`Scan`] is their
//! oracle, [`MultiIndex`] is exact and fast, [`Segments`] let a collection grow.

mod bphs;
mod bucket;
pub mod hamming;
mod lsh;
mod method;
pub mod multi_index;
#[cfg(test)]
mod samples;
pub mod scan;
pub mod segment;
mod sketch_join;

pub use bphs::{BlockIndex, BlockTables};
pub use bucket::{Edge, bucket_edges};
pub use hamming::{HammingSearch, Match, Query, Want};
pub use lsh::Bands;
pub use method::{Method, MethodScratch};
pub use multi_index::MultiIndex;
pub use scan::{Buffer, Scan};
pub use segment::{Segment, Segments};
pub use sketch_join::{
    HashFrequencies, SearchScratch, SketchIndex, SketchJoin, SketchMatch, SketchPrefix, sketch_pairs_naive,
};
