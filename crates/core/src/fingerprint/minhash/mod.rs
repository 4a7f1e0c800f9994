//! MinHash with many bins from one hash function (one-permutation hashing with optimal
//! densification).
//!
//! The range of the shingle hash is divided into equal bins; a document keeps the smallest hash of
//! each. Two documents agree in a bin with probability J, their Jaccard similarity. An empty bin
//! copies another bin, found by a fixed pseudo-random walk that is the same for every document, so
//! that the copy is as fair a sample as the original. The estimate thus stays unbiased for short
//! documents, but its variance is larger, because their samples repeat.
//!
//! ```text
//! for each shingle hash h: bin, value = high and low half of h * bins
//!                            smallest[bin] = min(smallest[bin], value)
//! for each empty bin i: walk j = walk(i, 1), walk(i, 2), ... until bin j is not empty; copy it
//! ```
//!
//! Sixteen bits of each minimum are kept: unequal minima then agree once in 65,536 times, which is
//! negligible for bands of two or more rows, and a signature takes two bytes per bin.
//!
//! Sources: P. Li, A. Owen, C.-H. Zhang, One permutation hashing, 2012; A. Shrivastava, Optimal
//! densification for fast and accurate minwise hashing, 2017.

mod densify;

use crate::hash::mix;
use crate::kernel::flags::{FLAGS, pack};
use densify::Walks;

/// A MinHash signature.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Minhash {
    /// The kept bits of each bin's minimum; all zero when the document has no shingle.
    pub bins: Vec<u16>,
    /// Which bins received a shingle of their own, one bit per bin, the first bin lowest.
    pub own: Vec<u64>,
}

impl Minhash {
    /// In how many bins the two agree.
    pub fn agreements(&self, other: &Minhash) -> usize {
        self.bins.iter().zip(&other.bins).filter(|(a, b)| a == b).count()
    }

    /// How many bins received a shingle of their own: the number of independent samples.
    pub fn occupied(&self) -> u32 {
        self.own.iter().map(|word| word.count_ones()).sum()
    }
}

/// Makes signatures of a fixed number of bins.
///
/// ```
/// use twindex_core::fingerprint::Minhasher;
/// use twindex_core::hash::mix;
///
/// let minhasher = Minhasher::new(64);
/// let shingles: Vec<u64> = (0..1000).map(mix).collect();
/// let signature = minhasher.signature_of(&shingles, &mut vec![]);
/// assert_eq!(signature.agreements(&signature), 64);
/// // A document of one shingle has one sample, copied into every bin.
/// assert_eq!(minhasher.signature_of(&shingles[..1], &mut vec![]).occupied(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Minhasher {
    bins: u16,
    walks: Walks,
}

const EMPTY: u64 = u64::MAX;

impl Minhasher {
    /// Signatures of `bins` bins.
    pub fn new(bins: u16) -> Self {
        Minhasher { bins, walks: Walks::new(bins) }
    }

    /// The signature of a list of shingle hashes. `smallest` is a buffer to be reused.
    pub fn signature_of(&self, shingles: &[u64], smallest: &mut Vec<u64>) -> Minhash {
        let mut signature = Minhash::default();
        self.begin(smallest);
        shingles.iter().for_each(|&hash| self.add(hash, smallest));
        self.finish(smallest, &mut signature);
        signature
    }

    /// Empties the bins: `smallest` holds the smallest value of each, padded to a whole word of
    /// flags.
    #[inline(always)]
    pub(crate) fn begin(&self, smallest: &mut Vec<u64>) {
        smallest.clear();
        smallest.resize(usize::from(self.bins).next_multiple_of(FLAGS), EMPTY);
    }

    /// Puts a shingle hash into its bin.
    #[inline(always)]
    pub(crate) fn add(&self, hash: u64, smallest: &mut [u64]) {
        let (bin, value) = self.place(hash);
        // A value equal to the mark of an empty bin is lowered by one, so that it is not lost.
        smallest[bin] = smallest[bin].min(value.min(EMPTY - 1));
    }

    /// Puts shingle hashes into their bins: the same as [`add`](Self::add) for each of them.
    ///
    /// The longer a text, the fewer of its values are smaller than any that is kept. Such are found
    /// in vectors, and only they go to their bins.
    #[inline(always)]
    pub(crate) fn add_all(&self, hashes: &[u64], smallest: &mut [u64]) {
        // What pads the bins is never smaller than anything.
        let greatest = smallest[..usize::from(self.bins)].iter().fold(0, |most, &value| value.max(most));
        if greatest == EMPTY {
            return hashes.iter().for_each(|&hash| self.add(hash, smallest));
        }
        let (blocks, rest) = hashes.as_chunks::<FLAGS>();
        for block in blocks {
            let mut is_small = [0; FLAGS];
            let values = block.map(|hash| hash.wrapping_mul(u64::from(self.bins)));
            is_small.iter_mut().zip(&values).for_each(|(flag, &value)| *flag = u8::from(value < greatest));
            let mut small = pack(&is_small);
            while small != 0 {
                self.add(block[small.trailing_zeros() as usize], smallest);
                small &= small - 1;
            }
        }
        rest.iter().for_each(|&hash| self.add(hash, smallest));
    }

    /// Replaces `signature` by that of the filled bins.
    #[inline(always)]
    pub(crate) fn finish(&self, smallest: &[u64], signature: &mut Minhash) {
        signature.bins.clear();
        signature.bins.resize(self.bins.into(), 0);
        signature.own.clear();
        for bins in smallest.as_chunks::<FLAGS>().0 {
            let mut is_own = [0; FLAGS];
            is_own.iter_mut().zip(bins).for_each(|(is_own, &value)| *is_own = u8::from(value != EMPTY));
            signature.own.push(pack(&is_own));
        }
        // Mixed, because a minimum is small: its high bits are nearly the same in every document.
        let kept_bits = |bin: usize| (mix(smallest[bin]) >> 48) as u16;
        self.walks.fill(&signature.own, kept_bits, &mut signature.bins);
    }

    /// The bin of a hash and its value inside the bin: the two halves of hash * bins.
    #[inline(always)]
    fn place(&self, hash: u64) -> (usize, u64) {
        let product = u128::from(hash) * u128::from(self.bins);
        ((product >> 64) as usize, product as u64)
    }
}

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

    /// Every length around a block, in parts of every size.
    #[test]
    fn many_at_once_are_each_of_them() {
        for bins in [1, 40, 126, 128] {
            let hasher = Minhasher::new(bins);
            for (length, part) in [(0, 1), (63, 64), (1_000, 64), (5_000, 65), (5_000, 200), (20_000, 1_024)]
            {
                let hashes: Vec<u64> = (0..length).map(|number| mix(number % 15_000)).collect();
                let (mut found, mut expected) = (vec![], vec![]);
                hasher.begin(&mut found);
                hasher.begin(&mut expected);
                hashes.iter().for_each(|&hash| hasher.add(hash, &mut expected));
                hashes.chunks(part).for_each(|part| hasher.add_all(part, &mut found));
                assert_eq!(found, expected, "{length} in parts of {part}, {bins} bins");
            }
        }
    }

    #[test]
    fn a_document_without_shingles_has_a_signature_of_zeroes() {
        let empty = signature(126, 0..0);
        assert_eq!((empty.occupied(), empty.bins), (0, vec![0; 126]));
        assert_eq!(signature(126, 0..1).occupied(), 1);
    }

    /// The mean over many pairs is within three standard errors of the true similarity, for small
    /// and large sets.
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
        assert_eq!(sparse.occupied(), 3);
        assert_eq!(
            crate::hash::shingle(sparse.bins.iter().map(|&bin| u64::from(bin))),
            11_931_120_680_319_806_037
        );
    }
}
