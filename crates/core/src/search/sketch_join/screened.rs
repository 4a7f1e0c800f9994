//! All pairs by brute force, made cheap: every bitmap against every bitmap, and sketches only where
//! these allow a pair.
//!
//! Right for a few thousand sketches, where an index costs more than it saves, and the second
//! oracle of the join: it shares nothing with the prefix filter. Sketches are processed in order of
//! size, so that one bound serves a whole [block](ScreenBlock) of partners, which stays in the L1
//! cache.

use crate::fingerprint::{Bitmap, JaccardThreshold, Sketches};
use crate::kernel::Kernel;
use crate::kernel::sketch::{BitmapWords, ScreenBlock};
use crate::search::Edge;

/// Partners of a block.
const BLOCK: usize = ScreenBlock::LENGTH;

/// Every pair with a sketch Jaccard of at least `threshold`, sorted.
pub fn screened_pairs(sketches: &Sketches, threshold: f64, kernel: Kernel) -> Vec<(Edge, f64)> {
    let threshold = JaccardThreshold::new(threshold);
    let mut order: Vec<u32> = (0..sketches.len() as u32).collect();
    order.sort_by_key(|&document| sketches.get(document as usize).len());
    let sizes: Vec<usize> = order.iter().map(|&document| sketches.get(document as usize).len()).collect();
    let bitmaps: Vec<BitmapWords> =
        order.iter().map(|&document| Bitmap::new(sketches.get(document as usize)).0).collect();

    let (mut pairs, mut passed) = (vec![], vec![]);
    for start in (0..order.len()).step_by(BLOCK) {
        let end = order.len().min(start + BLOCK);
        let block = ScreenBlock::new(&bitmaps[start..end]);
        let mut bound = Bound::new(threshold, &sizes[start..end], sizes[start]);
        for query in start..order.len() {
            // The query is the larger; its partners are the part of the block before it.
            let larger = sizes[query];
            if bound.larger != larger {
                bound = Bound::new(threshold, &sizes[start..end], larger);
            }
            if bound.first == end - start {
                // Too large for the largest of the block, and so is every later query.
                break;
            }
            passed.clear();
            kernel.screen(&bitmaps[query], &block, bound.most_missing, &mut passed);
            let partners = passed.iter().map(|&position| position as usize);
            let partners = partners.filter(|&position| position >= bound.first);
            for partner in partners.map(|position| start + position).take_while(|&partner| partner < query) {
                let least = threshold.least_common(sizes[partner], larger);
                let [a, b] = [query, partner].map(|at| sketches.get(order[at] as usize));
                if let Some(common) = kernel.common_at_least(a, b, least) {
                    let jaccard = common as f64 / (a.len() + b.len() - common) as f64;
                    let (a, b) = (order[query], order[partner]);
                    pairs.push((Edge { later: a.max(b), earlier: a.min(b) }, jaccard));
                }
            }
        }
    }
    pairs.sort_unstable_by_key(|&(edge, _)| edge);
    pairs
}

/// The bounds of a whole block for queries of one size.
struct Bound {
    larger: usize,
    /// Partners before this one are too small to share enough with such a query.
    first: usize,
    /// The smallest of the others needs the smallest overlap, so that its bound holds for all.
    most_missing: u32,
}

impl Bound {
    /// For queries of `larger` hashes; `sizes` are those of the block, ascending.
    fn new(threshold: JaccardThreshold, sizes: &[usize], larger: usize) -> Self {
        let smallest = threshold.least_shared(larger);
        let first = sizes.partition_point(|&size| size < smallest);
        let needed = sizes.get(first).map_or(larger, |&size| threshold.least_common(size, larger));
        Bound { larger, first, most_missing: larger.saturating_sub(needed) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::pairs::{sketch_pairs_naive, tests::families};
    use super::*;

    proptest! {
        #[test]
        fn equals_comparing_everything_with_everything(
            sketches in families(),
            threshold in prop::sample::select(vec![0.01, 0.1, 0.35, 0.5, 2.0 / 3.0, 0.8, 1.0]),
        ) {
            for kernel in Kernel::available() {
                prop_assert_eq!(screened_pairs(&sketches, threshold, kernel), sketch_pairs_naive(&sketches, threshold));
            }
        }
    }

    #[test]
    fn more_sketches_than_a_block() {
        let mut sketches = Sketches::default();
        for document in 0..2 * BLOCK as u64 + 9 {
            sketches.push(&[document / 3, 1_000 + document / 2, 2_000 + document / 2]);
        }
        let expected = sketch_pairs_naive(&sketches, 0.5);
        assert!(expected.len() > BLOCK);
        assert_eq!(screened_pairs(&sketches, 0.5, Kernel::best()), expected);
    }
}
