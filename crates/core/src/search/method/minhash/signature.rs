//! A MinHash signature as it is stored, and what two of them say about their documents without a
//! look at the texts.
//!
//! ```text
//! own              a bit a bin, in whole words of 64: did a shingle of the document itself fall
//!                  into it?
//! bins (u16 each)  the signature
//! ```

use crate::fingerprint::Minhash;
use crate::kernel::flags::{FLAGS, pack};

/// A stored signature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredSignature<'a> {
    shingles: u32,
    own: &'a [[u8; WORD]],
    bins: &'a [[u8; BIN]],
}

const WORD: usize = size_of::<u64>();
const BIN: usize = size_of::<u16>();

/// The bytes of a signature of `bins` bins.
pub(super) fn width(bins: u16) -> usize {
    words(bins) * WORD + usize::from(bins) * BIN
}

fn words(bins: u16) -> usize {
    usize::from(bins).div_ceil(u64::BITS as usize)
}

/// Appends a signature.
#[inline(always)]
pub(super) fn store(signature: &Minhash, out: &mut Vec<u8>) {
    signature.own.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    let start = out.len();
    out.resize(start + signature.bins.len() * BIN, 0);
    for (stored, bin) in out[start..].as_chunks_mut().0.iter_mut().zip(&signature.bins) {
        *stored = bin.to_le_bytes();
    }
}

impl<'a> StoredSignature<'a> {
    /// The signature of `bins` bins in `stored`, which [`store`] wrote, of a document with
    /// `shingles` shingles, repetitions included.
    pub(super) fn new(stored: &'a [u8], bins: u16, shingles: u32) -> Self {
        let (own, bins) = stored.split_at((words(bins) * WORD).min(stored.len()));
        StoredSignature { shingles, own: own.as_chunks().0, bins: bins.as_chunks().0 }
    }

    /// The bins as they are stored.
    pub(super) fn stored_bins(self) -> &'a [[u8; BIN]] {
        self.bins
    }

    /// The bins.
    #[inline(always)]
    pub(crate) fn bins(self) -> impl Iterator<Item = u16> + use<'a> {
        self.bins.iter().map(|&bin| u16::from_le_bytes(bin))
    }

    #[inline(always)]
    fn own(self) -> impl Iterator<Item = u64> + use<'a> {
        self.own.iter().map(|&word| u64::from_le_bytes(word))
    }

    /// How many bins have a shingle of their own: the number of independent samples behind the
    /// signature.
    #[inline(always)]
    pub(super) fn occupied(self) -> u32 {
        self.own().map(u64::count_ones).sum()
    }

    /// In how many bins the two agree.
    #[inline(always)]
    pub(super) fn agreements(self, other: Self) -> u32 {
        // Summed in the width of the comparison, so that the compiler makes vectors of it.
        let agree = self.bins().zip(other.bins()).map(|(a, b)| u16::from(a == b));
        u32::from(agree.sum::<u16>())
    }

    /// In at least how many shingles the two documents differ, by the bins of which only one is
    /// empty. For strangers that are short it says enough: the bins themselves are not even looked
    /// at.
    #[inline(always)]
    pub(super) fn least_differences(self, other: Self) -> Differences {
        Differences::of(self.own().zip(other.own()).map(|(a, b)| (a ^ b).count_ones()).sum())
    }

    /// What the two say about each other.
    #[inline(always)]
    pub(super) fn agreement(self, other: Self) -> Agreement {
        let mut agreement = Agreement { all: 0, own: 0, either: 0 };
        let bins = self.bins.chunks(FLAGS).zip(other.bins.chunks(FLAGS));
        for ((a, b), (own_a, own_b)) in bins.zip(self.own().zip(other.own())) {
            let mut is_equal = [0; FLAGS];
            // Of one length, whatever the number of bins: the compiler makes vectors of it.
            let (whole_a, whole_b) = (padded(a), padded(b));
            let numbers = whole_a.iter().zip(&whole_b);
            is_equal.iter_mut().zip(numbers).for_each(|(flag, (a, b))| *flag = u8::from(a == b));
            let equal = pack(&is_equal) & u64::MAX >> (FLAGS - a.len());
            agreement.all += equal.count_ones();
            agreement.own += (equal & own_a & own_b).count_ones();
            agreement.either += (own_a | own_b).count_ones();
        }
        agreement
    }

    /// The [most shingles](Differences::most) in which the two documents differ.
    #[inline(always)]
    pub(super) fn most_differences(self, other: Self, least: f64) -> Differences {
        Differences::most([self.shingles, other.shingles], least)
    }
}

/// Some bins as numbers, and zeros behind them.
#[inline(always)]
fn padded(bins: &[[u8; BIN]]) -> [u16; FLAGS] {
    let mut whole = [[0; BIN]; FLAGS];
    whole[..bins.len()].copy_from_slice(bins);
    whole.map(u16::from_le_bytes)
}

/// Where two signatures agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agreement {
    /// Bins that are equal, copies included.
    pub(super) all: u32,
    /// Bins that are equal and that both documents have of their own. Each is a shingle that they
    /// share, but for chance.
    pub(super) own: u32,
    /// Bins that at least one of them has of its own. `own / either` estimates the Jaccard
    /// similarity, whatever the length of the documents (Li, Owen, Zhang).
    pub(super) either: u32,
}

impl Agreement {
    /// In at least how many shingles the two documents differ.
    ///
    /// In a bin where only one document has a shingle, or both have a different smallest one, there
    /// is a shingle that only one of them has: the documents differ in at least as many shingles as
    /// there are such bins. Of a short document nearly every shingle has a bin for itself, so the
    /// bound is nearly the truth.
    #[inline(always)]
    pub(super) fn differences(self) -> Differences {
        Differences::of(self.either - self.own)
    }
}

/// How many shingles only one of two documents has.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Differences(f64);

impl Differences {
    /// A difference of `shingles` shingles.
    #[inline(always)]
    pub(super) fn of(shingles: u32) -> Self {
        Differences(shingles.into())
    }

    /// The greatest difference of two documents with these numbers of shingles whose Jaccard
    /// similarity is at least `least`.
    ///
    /// With at most s shingles in both together and at least d in one of them only, J <= (s - d) /
    /// (s + d), so that J >= t is d <= s (1 - t) / (1 + t).
    #[inline(always)]
    pub(super) fn most(shingles: [u32; 2], least: f64) -> Self {
        let sum = f64::from(shingles[0]) + f64::from(shingles[1]);
        Differences(sum * (1.0 - least) / (1.0 + least))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::Minhasher;
    use crate::hash::mix;

    fn stored(bins: u16, shingles: &[u64]) -> Vec<u8> {
        let mut out = vec![];
        let signature = Minhasher::new(bins).signature_of(shingles, &mut vec![]);
        store(&signature, &mut out);
        assert_eq!(out.len(), width(bins));
        let read = StoredSignature::new(&out, bins, 0);
        assert_eq!(read.bins().collect::<Vec<_>>(), signature.bins);
        assert_eq!(read.occupied(), signature.occupied());
        out
    }

    fn can_reach(a: StoredSignature<'_>, b: StoredSignature<'_>, least: f64) -> bool {
        let differences = a.agreement(b).differences();
        assert!(a.least_differences(b) <= differences);
        differences <= a.most_differences(b, least)
    }

    proptest! {
        #[test]
        fn a_similarity_that_is_there_can_be_reached(
            common in prop::collection::vec(0u64..1_000, 0..200),
            left in prop::collection::vec(1_000u64..2_000, 0..100),
            right in prop::collection::vec(2_000u64..3_000, 0..100),
            bins in prop::sample::select(vec![1u16, 63, 64, 126, 200]),
        ) {
            let shingles = |own: &[u64]| common.iter().chain(own).map(|&draw| mix(draw)).collect::<Vec<_>>();
            let (a, b) = (shingles(&left), shingles(&right));
            let (stored_a, stored_b) = (stored(bins, &a), stored(bins, &b));
            let [x, y] = [(&stored_a, &a), (&stored_b, &b)]
                .map(|(stored, shingles)| StoredSignature::new(stored, bins, shingles.len() as u32));
            let (a, b): (BTreeSet<u64>, BTreeSet<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            let union = a.union(&b).count().max(1);
            let jaccard = a.intersection(&b).count() as f64 / union as f64;
            prop_assert!(can_reach(x, y, jaccard - 1e-9) && can_reach(y, x, jaccard - 1e-9));
            let agreement = x.agreement(y);
            prop_assert_eq!(agreement, y.agreement(x));
            prop_assert_eq!(agreement.all, x.agreements(y));
            prop_assert!(agreement.own as usize <= a.intersection(&b).count());
            prop_assert!(agreement.either as usize <= union);
        }
    }

    #[test]
    fn the_bound_is_close_for_short_documents() {
        let shingles: Vec<u64> = (0..40).map(mix).collect();
        let (a, b) = (stored(126, &shingles[..20]), stored(126, &shingles[15..35]));
        let [a, b] = [&a, &b].map(|stored| StoredSignature::new(stored, 126, 20));
        let exact = 5.0 / 35.0;
        assert!(can_reach(a, b, exact) && !can_reach(a, b, 0.3));
        assert!(can_reach(a, a, 1.0));
    }
}
