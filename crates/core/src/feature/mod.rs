//! Which parts of a text are compared, and how much does each count?
//!
//! A document is a sequence of *units* (words, or characters), each hashed to 64 bits. A *shingle*
//! is a run of `size` consecutive units. Verification compares the sets of distinct shingles, and
//! MinHash samples them.
//!
//! Short documents: a text with fewer units than a shingle needs has one feature, the whole text; a
//! text without units has none and is a near-duplicate of nothing.
//!
//! ```
//! use twindex_core::Markup;
//! use twindex_core::feature::{FeatureSet, Shingler, Unit};
//! use twindex_core::hash::WordHash;
//! use twindex_core::text::{Analyzer, Scratch, TextOptions};
//!
//! let analyzer = Analyzer::new(&TextOptions::default())?;
//! let shingler = Shingler::new(Unit::Word, 3, WordHash::Chunks);
//! let features = |text: &str| {
//!     let mut units = vec![];
//!     shingler.units(&analyzer, text, Markup::None, &mut Scratch::default(), &mut units);
//!     FeatureSet::of(&shingler, &units)
//! };
//! assert_eq!(features("to be or not to be").len(), 4);
//! assert_eq!(features("to be"), features("To be!"));
//! assert_eq!(features("to be").len(), 1, "the whole text");
//! assert!(features("...").is_empty());
//! # Ok::<(), twindex_core::text::TextError>(())
//! ```

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
