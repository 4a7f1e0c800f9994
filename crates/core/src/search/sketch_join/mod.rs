//! The exact join of bottom-k sketches: all pairs whose sketch Jaccard is at least t, without comparing all pairs.
//!
//! Let A and B be such a pair. Then they share at least c = ⌈t (|A| + |B|) / (1 + t)⌉ hashes. Put the hashes of every
//! sketch in one global order; the first hash that A and B share, in that order, stands at position i of A and j of B, and
//! everything they share stands from there on. So |A| - i >= c and |B| - j >= c: the first shared hash is near the front of
//! both, in a *prefix* that depends on t and the sizes alone. It follows that
//!
//! ```text
//! index:    for every sketch, for every hash of its prefix:  postings[hash] += (size, position, document)
//! query A:  for every hash of A's prefix at position i, in the global order:
//!             for every posting (size, j, B) of it with  min(|A| - i, size - j) >= c:
//!               met for the first time?  bitmap screen, then count what A and B share; >= c: a pair
//! ```
//!
//! finds every pair, whatever the global order is. The order decides only how much work it takes, and *rare first* is the
//! good one ([`HashFrequencies`]): prefixes then consist of hashes that few sketches have, and a hash of boilerplate that
//! is in everything stands at the end of every sketch, outside every prefix. A bucket of such a *hot* hash is entered only
//! by sketches that are mostly boilerplate, which are alike indeed. Postings of a hash are sorted by size and position, so
//! that those which fail the condition on positions are stepped over in runs, not looked at.
//!
//! Differences from the literature (prefix filter: Chaudhuri et al. 2006; All-Pairs: Bayardo et al. 2007; PPJoin: Xiao et
//! al. 2008): the positional condition is applied to whole runs of postings instead of one posting at a time, so that no
//! separate shorter prefix for indexing is needed; and the suffix filter is replaced by the 512-bit [`Bitmap`].
//!
//! [`Bitmap`]: crate::fingerprint::Bitmap
//!
//! The same idea out of memory: [`SketchPrefix::keys`] are the keys of the bucket join that serves all methods.

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
