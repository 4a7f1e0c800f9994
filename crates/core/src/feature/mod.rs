//! Which parts of a text are compared, and how much does each count?
//!
//! A document is a sequence of *units* (words, or characters), each hashed to 64 bits. A *shingle* is a run of `size`
//! consecutive units; the set of a document's distinct shingles is what verification compares, and what MinHash samples.
//!
//! Short documents: a text with fewer units than a shingle needs has one feature, the whole text; a text without units
//! has none and is a near-duplicate of nothing.

mod batch;
mod named;
mod set;
mod shingle;
mod weight;

pub use batch::UnitScratch;
pub use named::{BadWeight, HashedFeatures, NamedFeatures, hashed_features};
pub use set::FeatureSet;
pub use shingle::{Shingler, Unit};
pub use weight::{
    DocumentFrequencies, FREQUENCY_BYTES, FrequencyCounter, FrequencyError, TermCounts, Weighed, Weigher,
    Weight,
};
