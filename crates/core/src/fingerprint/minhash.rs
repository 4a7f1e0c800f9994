//! MinHash with many bins from one hash function (one-permutation hashing with optimal densification).
//!
//! The range of the shingle hash is cut into equal bins; a document keeps the smallest hash of each. Two documents agree
//! in a bin with probability J, their Jaccard similarity. A bin that no shingle fell into copies another bin, found by a
//! fixed pseudo-random walk that is the same for every document, so that the copy is as fair a sample as the original:
//! that keeps the estimate unbiased for short documents too, though their samples repeat and its variance is larger.
//!
//! ```text
//! for each shingle hash h:   bin = high part of h * bins, value = low part;  smallest[bin] = min(smallest[bin], value)
//! for each empty bin i:      walk j = walk(i, 1), walk(i, 2), ... until bin j is not empty; copy it
//! ```
//!
//! Sixteen bits of each minimum are kept: unequal minima then agree once in 65,536 times, which no band of two or more
//! rows notices, and a signature costs two bytes a bin.
//!
//! Sources: P. Li, A. Owen, C.-H. Zhang, One permutation hashing, 2012; A. Shrivastava, Optimal densification for fast
//! and accurate minwise hashing, 2017.

use crate::hash::mix;

/// A MinHash signature.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Minhash {
    /// The kept bits of each bin's minimum; all zero when the document has no shingle.
    pub bins: Vec<u16>,
    /// How many bins received a shingle of their own: the number of independent samples behind the signature.
    pub occupied: u16,
}

impl Minhash {
    /// In how many bins the two agree.
    pub fn agreements(&self, other: &Minhash) -> usize {
        self.bins.iter().zip(&other.bins).filter(|(a, b)| a == b).count()
    }
}

/// Makes signatures of a fixed number of bins.
#[derive(Debug, Clone)]
pub struct Minhasher {
    /// No more than `u16::MAX`, so that `occupied` can count them.
    bins: u16,
    /// The first [`KNOWN_STEPS`] steps of every bin's walk.
    walks: Vec<u16>,
}

const EMPTY: u64 = u64::MAX;

impl Minhasher {
    /// Signatures of `bins` bins.
    pub fn new(bins: u16) -> Self {
        let steps = |bin| (1..=KNOWN_STEPS as u64).map(move |step| walk(bin, step, bins) as u16);
        Minhasher { bins, walks: (0..usize::from(bins)).flat_map(steps).collect() }
    }

    /// The signature of a list of shingle hashes. `smallest` is a buffer to be reused.
    pub fn signature_of(&self, shingles: &[u64], smallest: &mut Vec<u64>) -> Minhash {
        smallest.clear();
        smallest.resize(usize::from(self.bins), EMPTY);
        for &hash in shingles {
            let (bin, value) = self.place(hash);
            // A value equal to the mark of an empty bin is lowered by one: nothing is lost.
            let value = value.min(EMPTY - 1);
            smallest[bin] = smallest[bin].min(value);
        }
        self.densify(smallest)
    }

    /// The bin of a hash and its value inside the bin: the two halves of hash * bins.
    #[inline]
    fn place(&self, hash: u64) -> (usize, u64) {
        let product = u128::from(hash) * u128::from(self.bins);
        ((product >> 64) as usize, product as u64)
    }

    fn densify(&self, smallest: &[u64]) -> Minhash {
        let occupied = smallest.iter().filter(|&&value| value != EMPTY).count() as u16;
        if occupied == 0 {
            return Minhash { bins: vec![0; usize::from(self.bins)], occupied };
        }
        let kept = |value: u64| (mix(value) >> 48) as u16;
        let bins = (0..smallest.len()).map(|bin| kept(smallest[self.source(bin, smallest)])).collect();
        Minhash { bins, occupied }
    }

    /// The bin itself, or the first non-empty one on its walk. Ends, because some bin is not empty: after many random
    /// steps the walk goes on from bin to bin.
    fn source(&self, bin: usize, smallest: &[u64]) -> usize {
        if smallest[bin] != EMPTY {
            return bin;
        }
        let known = &self.walks[bin * KNOWN_STEPS..(bin + 1) * KNOWN_STEPS];
        if let Some(&at) = known.iter().find(|&&at| smallest[usize::from(at)] != EMPTY) {
            return usize::from(at);
        }
        let bins = usize::from(self.bins);
        let random_steps = RANDOM_ROUNDS * bins as u64;
        let random = (KNOWN_STEPS as u64 + 1..=random_steps).map(|step| walk(bin, step, self.bins));
        let in_order = (1..bins).map(|step| (bin + step) % bins);
        random.chain(in_order).find(|&at| smallest[at] != EMPTY).unwrap_or(bin)
    }
}

/// Where the walk of `bin` is after `step` steps.
fn walk(bin: usize, step: u64, bins: u16) -> usize {
    let random = mix((bin as u64) << 32 | step);
    ((u128::from(random) * u128::from(bins)) >> 64) as usize
}

/// After so many steps for each bin, chance has had its chance.
const RANDOM_ROUNDS: u64 = 8;

/// Steps of each walk that are looked up: enough for documents that fill a tenth of the bins.
const KNOWN_STEPS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(bins: u16, range: std::ops::Range<u64>) -> Minhash {
        let hashes: Vec<u64> = range.map(|i| mix(i + 1)).collect();
        Minhasher::new(bins).signature_of(&hashes, &mut vec![])
    }

    #[test]
    fn order_and_repetition_do_not_matter() {
        let mut hashes: Vec<u64> = (1..300).map(mix).collect();
        let hasher = Minhasher::new(126);
        let expected = hasher.signature_of(&hashes, &mut vec![]);
        hashes.reverse();
        hashes.extend_from_within(..100);
        assert_eq!(hasher.signature_of(&hashes, &mut vec![]), expected);
    }

    #[test]
    fn a_document_without_shingles_has_a_signature_of_zeroes() {
        let empty = signature(126, 0..0);
        assert_eq!((empty.occupied, empty.bins), (0, vec![0; 126]));
        assert_eq!(signature(126, 0..1).occupied, 1);
    }

    /// The mean over many pairs must lie within three standard errors of the true similarity, for tiny sets and large.
    #[test]
    fn the_estimate_is_unbiased() {
        for size in [10u64, 1_000, 100_000] {
            for (share, overlap) in [(0.5, size / 2), (0.9, size * 9 / 10)] {
                let trials = if size > 10_000 { 20 } else { 400 };
                let bins = 128;
                let estimates: Vec<f64> = (0..trials)
                    .map(|trial| {
                        let start = trial * 10 * size;
                        let a = signature(bins, start..start + size);
                        let shift = size - overlap;
                        let b = signature(bins, start + shift..start + shift + size);
                        a.agreements(&b) as f64 / f64::from(bins)
                    })
                    .collect();
                let exact = overlap as f64 / (2 * size - overlap) as f64;
                let mean = estimates.iter().sum::<f64>() / trials as f64;
                let variance =
                    estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (trials - 1) as f64;
                let error = (variance / trials as f64).sqrt();
                assert!(
                    (mean - exact).abs() < 3.0 * error + 1e-9,
                    "{size} shingles sharing {share}: mean {mean:.4}, exact {exact:.4}, standard error {error:.4}"
                );
            }
        }
    }

    #[test]
    fn golden() {
        let expected = [57173, 29186, 34113, 5971, 40611, 25360, 41777, 43483];
        assert_eq!(signature(8, 0..100).bins, expected);
        // Three shingles in forty bins: most bins are copies.
        let sparse = signature(40, 0..3);
        assert_eq!(sparse.occupied, 3);
        assert_eq!(
            crate::hash::shingle(sparse.bins.iter().map(|&bin| u64::from(bin))),
            11_931_120_680_319_806_037
        );
    }
}
