//! All pairs by brute force, made cheap: every bitmap against every bitmap, and sketches only where those allow a pair.
//!
//! Right for a few thousand sketches, where an index costs more than it saves, and the second oracle of the join: it shares
//! nothing with the prefix filter. Sketches are taken in the order of their size, so that one bound serves a whole run of
//! partners, and in blocks whose bitmaps stay in the nearest cache.

use crate::fingerprint::{Bitmap, JaccardThreshold, Sketches};
use crate::kernel::Kernel;
use crate::kernel::sketch::BitmapWords;
use crate::search::Edge;

/// Bitmaps of a block: 16 KB, half of the nearest cache.
const BLOCK: usize = 256;

/// Every pair with a sketch Jaccard of at least `threshold`, sorted.
pub fn screened_pairs(sketches: &Sketches, threshold: f64, kernel: Kernel) -> Vec<(Edge, f64)> {
    let threshold = JaccardThreshold::new(threshold);
    let mut order: Vec<u32> = (0..sketches.len() as u32).collect();
    order.sort_by_key(|&document| sketches.get(document as usize).len());
    let sizes: Vec<usize> = order.iter().map(|&document| sketches.get(document as usize).len()).collect();
    let bitmaps: Vec<BitmapWords> =
        order.iter().map(|&document| Bitmap::new(sketches.get(document as usize)).0).collect();

    let (mut pairs, mut passed) = (vec![], vec![]);
    for run in runs(&sizes) {
        let size = sizes[run.start];
        for query in run.start..order.len() {
            // The query is the larger; its partners are the part of the run before it.
            let partners = run.start..run.end.min(query);
            let larger = sizes[query];
            let least = threshold.least_common(size, larger);
            if least > size {
                // Larger queries need even more.
                break;
            }
            passed.clear();
            let most_missing = (larger - least) as u32;
            kernel.screen(&bitmaps[query], &bitmaps[partners.clone()], most_missing, &mut passed);
            let a = sketches.get(order[query] as usize);
            for &position in &passed {
                let partner = order[partners.start + position as usize];
                let b = sketches.get(partner as usize);
                if let Some(common) = kernel.common_at_least(a, b, least) {
                    let jaccard = common as f64 / (a.len() + b.len() - common) as f64;
                    let (earlier, later) = (partner.min(order[query]), partner.max(order[query]));
                    pairs.push((Edge { later, earlier }, jaccard));
                }
            }
        }
    }
    pairs.sort_unstable_by_key(|&(edge, _)| edge);
    pairs
}

/// Runs of equal sizes, none longer than a block.
fn runs(sizes: &[usize]) -> Vec<std::ops::Range<usize>> {
    let mut runs = vec![];
    let mut start = 0;
    for equal in sizes.chunk_by(|a, b| a == b) {
        for block in equal.chunks(BLOCK) {
            runs.push(start..start + block.len());
            start += block.len();
        }
    }
    runs
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
