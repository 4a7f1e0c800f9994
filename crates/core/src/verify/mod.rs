//! Are they really duplicates, and may one of them go?
//!
//! Exact measures over the documents' features; the recipe's [rule](crate::recipe::Rule) decides,
//! and nothing else:
//!
//! ```text
//! evidence(document)              its feature set, its unit counts, its symbols if it is short
//! accepted(a, b)                  measure(a, b) >= threshold
//! may_go(x for y)                 accepted(x, y) and |x ∩ y| / |x| >= coverage
//! ```
//!
//! A verdict depends on two texts and a recipe, not on the collection.
//!
//! A document without features is a near-duplicate of nothing: every measure is 0 where a set is
//! empty.
//!
//! ```
//! use twindex_core::feature::FeatureSet;
//! use twindex_core::verify::Overlap;
//!
//! let (part, whole) = (FeatureSet::new(vec![1, 2, 3]), FeatureSet::new(vec![1, 2, 3, 4, 5, 6]));
//! let overlap = Overlap::of(&part, &whole);
//! assert_eq!(overlap.jaccard(), 0.5);
//! assert_eq!((overlap.containment_left(), overlap.containment_right()), (1.0, 0.5));
//! ```

mod cosine;
mod evidence;
mod overlap;
mod share;
mod symbols;
mod verdict;
mod verifier;

pub use cosine::cosine;
pub use evidence::Evidence;
pub use overlap::{Overlap, common, common_at_least};
pub use share::Share;
pub use verdict::{Measured, Scores, Side, Verdict};
pub use verifier::Verifier;
