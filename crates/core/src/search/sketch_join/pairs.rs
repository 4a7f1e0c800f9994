//! The join: every pair of a collection, each once.

use std::ops::Range;

use super::index::{Indexed, SearchScratch, SketchIndex, SketchMatch};
use crate::fingerprint::{JaccardThreshold, Sketches, common_hashes};
use crate::search::Edge;

/// All pairs of a collection with a sketch Jaccard of at least a threshold.
///
/// Documents are processed in ranges, so that any number of threads can share the work; the pairs
/// of a range do not depend on how the collection is divided.
///
/// ```
/// use twindex_core::fingerprint::Sketches;
/// use twindex_core::search::SketchJoin;
///
/// let mut sketches = Sketches::default();
/// sketches.push(&[1, 2, 3, 4]);
/// sketches.push(&[5, 6, 7]);
/// sketches.push(&[2, 3, 4, 8]);
/// let join = SketchJoin::new(&sketches, 0.5);
/// let mut pairs = vec![];
/// join.pairs(0..3, &mut join.scratch(), |edge, jaccard| {
///     pairs.push((edge.earlier, edge.later, jaccard));
/// });
/// assert_eq!(pairs, [(0, 2, 0.6)]);
/// ```
#[derive(Debug)]
pub struct SketchJoin<'s>(SketchIndex<'s>);

impl<'s> SketchJoin<'s> {
    /// Prepares the join: O(hashes) time and, besides the sketches, at most 64 bytes per document
    /// and 20 per prefix hash.
    pub fn new(sketches: &'s Sketches, threshold: f64) -> Self {
        SketchJoin(SketchIndex::with(sketches, threshold, Indexed::Shared))
    }

    /// How many bytes it takes besides the sketches.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Buffers for a thread.
    pub fn scratch(&self) -> SearchScratch {
        self.0.scratch()
    }

    /// Calls `sink` with the pairs whose later document is in `documents`, sorted, with their
    /// sketch Jaccard.
    pub fn pairs(&self, documents: Range<u32>, scratch: &mut SearchScratch, mut sink: impl FnMut(Edge, f64)) {
        let mut found = vec![];
        for later in documents {
            found.clear();
            self.0.search_earlier(later, scratch, &mut found);
            for &SketchMatch { document, jaccard } in &found {
                sink(Edge { later, earlier: document }, jaccard);
            }
        }
    }
}

/// The definition: every sketch with every earlier one. The oracle of the join.
pub fn sketch_pairs_naive(sketches: &Sketches, threshold: f64) -> Vec<(Edge, f64)> {
    let threshold = JaccardThreshold::new(threshold);
    let mut pairs = vec![];
    for (later, a) in sketches.iter().enumerate() {
        for (earlier, b) in sketches.iter().enumerate().take(later) {
            let common = common_hashes(a, b);
            if threshold.accepts(common, a.len(), b.len()) {
                let jaccard = common as f64 / (a.len() + b.len() - common) as f64;
                pairs.push((Edge { later: later as u32, earlier: earlier as u32 }, jaccard));
            }
        }
    }
    pairs
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    /// Small collections in which sketches of many sizes share a lot: from a few hot hashes, edited
    /// copies of each other, and unrelated ones.
    pub(in super::super) fn families() -> impl Strategy<Value = Sketches> {
        let base = prop::collection::btree_set(0u64..300, 0..60);
        let change = prop::collection::btree_set(0u64..300, 0..12);
        let family = (base, prop::collection::vec((change, any::<bool>()), 1..5));
        (prop::collection::vec(family, 0..7), prop::collection::btree_set(0u64..300, 0..30)).prop_map(
            |(families, hot)| {
                let mut sketches = Sketches::default();
                for (base, copies) in families {
                    for (change, is_template) in copies {
                        let mut hashes: BTreeSet<u64> = base.symmetric_difference(&change).copied().collect();
                        if is_template {
                            hashes.extend(&hot);
                        }
                        sketches.push(&hashes.into_iter().collect::<Vec<_>>());
                    }
                }
                sketches
            },
        )
    }

    fn join(sketches: &Sketches, threshold: f64, step: usize) -> Vec<(Edge, f64)> {
        let join = SketchJoin::new(sketches, threshold);
        let mut pairs = vec![];
        let mut scratch = join.scratch();
        for start in (0..sketches.len()).step_by(step) {
            let end = (start + step).min(sketches.len());
            join.pairs(start as u32..end as u32, &mut scratch, |edge, jaccard| pairs.push((edge, jaccard)));
        }
        pairs
    }

    proptest! {
        #[test]
        fn equals_comparing_everything_with_everything(
            sketches in families(),
            threshold in prop::sample::select(vec![0.01, 0.1, 0.35, 0.5, 2.0 / 3.0, 0.8, 1.0]),
            step in 1usize..9,
        ) {
            prop_assert_eq!(join(&sketches, threshold, step), sketch_pairs_naive(&sketches, threshold));
        }
    }

    /// A template that is in every sketch makes buckets of everything. Long runs of postings are
    /// skipped, and the pairs are still those of the definition.
    #[test]
    fn hot_hashes_change_nothing() {
        let hot: BTreeSet<u64> = (0..60).map(|i| mix(i) >> 8).collect();
        let mut sketches = Sketches::default();
        for document in 0..400u64 {
            let size = 20 + document % 90;
            // Every tenth document shares its own hashes with another.
            let family = if document % 10 == 0 { document % 50 } else { document };
            let own = (0..size).map(|i| mix(1_000 + family * 1_000 + i) >> 8);
            sketches.push(
                &hot.iter().copied().chain(own).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(),
            );
        }
        for threshold in [0.35, 0.5, 0.9] {
            let expected = sketch_pairs_naive(&sketches, threshold);
            assert!(!expected.is_empty(), "nothing to find at {threshold}");
            assert_eq!(join(&sketches, threshold, 400), expected);
        }
    }
}
