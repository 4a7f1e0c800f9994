//! The exact join of bottom-k sketches: all pairs whose sketch Jaccard is at least t, without
//! comparing all pairs.
//!
//! Let A and B be such a pair. Then they share at least c = ⌈t (|A| + |B|) / (1 + t)⌉ hashes. Sort
//! the hashes of every sketch in one global order. The first shared hash is at position i of A and
//! j of B, and all shared hashes are from there on. So |A| - i >= c and |B| - j >= c: the first
//! shared hash is near the front of both, in a *prefix* that depends only on t and the sizes. It
//! follows that
//!
//! ```text
//! index: for every sketch, for every hash of its prefix:
//!             postings[hash] += (size, position, document)
//! query A: for every hash of A's prefix at position i, in the global order:
//!             for every posting (size, j, B) of it with  min(|A| - i, size - j) >= c:
//!               B not seen yet?  bitmap screen, then count the shared hashes; >= c: a pair
//! ```
//!
//! finds every pair, whatever the global order. The order only affects the amount of work, and
//! *rare first* is the good one ([`HashFrequencies`]): prefixes then consist of rare hashes, and a
//! boilerplate hash that is in everything comes last in every sketch, outside every prefix. Only
//! sketches that are mostly boilerplate, and thus similar indeed, enter the bucket of such a *hot*
//! hash. Postings of a hash are sorted by size and position, so that those that fail the positional
//! condition are skipped in runs.
//!
//! Differences from the literature (prefix filter: Chaudhuri et al. 2006; All-Pairs: Bayardo et al.
//! 2007; PPJoin: Xiao et al. 2008): the positional condition is applied to whole runs of postings
//! instead of one posting at a time, so that no separate shorter prefix for indexing is needed; and
//! the 512-bit [`Bitmap`] replaces the suffix filter.
//!
//! [`Bitmap`]: crate::fingerprint::Bitmap
//!
//! The external form: [`SketchPrefix::keys`] are the keys of the bucket join that serves all
//! methods.

mod frequency;
mod index;
mod pairs;
mod postings;
mod prefix;
mod screened;

pub use frequency::HashFrequencies;
pub use index::{SearchScratch, SketchIndex, SketchMatch};
pub use pairs::{SketchJoin, sketch_pairs_naive};
pub use prefix::SketchPrefix;
pub use screened::screened_pairs;
