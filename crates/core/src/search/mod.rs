//! Who might be a duplicate of whom?
//!
//! Search proposes candidate pairs and may propose too many; verification decides. A document has a
//! few *keys*, and two documents are candidates if they share one: they are in the same *bucket*.
//!
//! | folder | the question it answers |
//! |---|---|
//! | `method` | what is stored of a document, under which keys is it found, can two still pass? |
//! | [`candidates`] | who meets whom, in a whole collection? |
//! | [`bphs`], [`psm`], [`multi_index`], [`scan`], [`segment`] | which stored simhashes are near one? |
//! | [`join`] | which simhashes are near each other? |
//! | [`sketch_join`] | which bottom-k sketches are alike? |
//!
//! [`Engine`](crate::Engine) is the face of `method` and `candidates`. The searches of simhashes
//! have one trait, [`HammingSearch`], whose oracle is [`Scan`]; `README.md` in this folder says
//! which is right when, with figures.

mod bit_order;
pub mod bphs;
pub mod candidates;
pub mod hamming;
// No promise: the join of simhashes changes with its kernels.
#[doc(hidden)]
pub mod join;
pub(crate) mod method;
pub mod multi_index;
pub mod psm;
#[cfg(test)]
mod samples;
pub mod scan;
pub mod segment;
pub mod sketch_join;
mod workers;

pub use bit_order::BitOrder;
pub use bphs::{BlockBatch, BlockIndex, BlockTables};
pub use candidates::Edge;
pub use hamming::{HammingSearch, Match, Query, Want};
pub use join::Join;
pub use method::minhash::Record;
pub use method::minhash::bands::Bands;
pub use method::sampled::Sample;
pub use method::{Beside, BesideScratch, Fingerprint, Keys, Probes, Width};
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
