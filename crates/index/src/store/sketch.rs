//! A small sample of a document's shingles, kept instead of its text.
//!
//! The `k` smallest shingle hashes, cut to 32 bits, and the number of distinct shingles. Two
//! sketches together hold every hash of the union up to the smaller of their last hashes, so the
//! share of those that are in both is an unbiased estimate of the Jaccard. It is exact if both
//! sketches hold every shingle. Containments follow from it and the sizes.
//!
//! 32 bits are enough: among the 128 smallest hashes of a document of ten thousand shingles two are
//! equal once in five thousand documents, and then the sketch has one hash less.

use twindex_core::fingerprint::BottomK;
use twindex_core::verify::{Measured, Overlap};

use super::record::take;

/// The sample of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sketch {
    /// How many distinct shingles the text has.
    features: u32,
    /// The largest number of hashes.
    k: u32,
    /// Ascending and distinct.
    hashes: Vec<u32>,
}

impl Sketch {
    /// The sketch of distinct shingle hashes.
    pub(crate) fn new(k: usize, features: &[u64]) -> Sketch {
        let mut hashes: Vec<u32> = BottomK::new(k, features.iter().copied())
            .hashes()
            .iter()
            .map(|hash| (hash >> 32) as u32)
            .collect();
        hashes.dedup();
        let count = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Sketch { features: count(features.len()), k: count(k), hashes }
    }

    /// The last hash up to which the sketch knows every shingle; `None` if it knows all of them.
    fn horizon(&self) -> Option<u32> {
        if self.features <= self.k { None } else { self.hashes.last().copied() }
    }

    /// Estimates how many features two documents share. A sketch knows neither words nor symbols:
    /// the cosine is 0, and no difference of symbols is reported.
    pub(crate) fn measure(&self, right: &Sketch) -> Measured {
        let horizon = [self.horizon(), right.horizon()].into_iter().flatten().min().unwrap_or(u32::MAX);
        let known = |hashes: &[u32]| hashes.partition_point(|&hash| hash <= horizon);
        let (a, b) = (&self.hashes[..known(&self.hashes)], &right.hashes[..known(&right.hashes)]);
        let common = common(a, b);
        let union = a.len() + b.len() - common;
        let jaccard = if union == 0 { 0.0 } else { common as f64 / union as f64 };
        let shared = jaccard * (f64::from(self.features) + f64::from(right.features)) / (1.0 + jaccard);
        let [left, right] = [self.features, right.features].map(|features| features as usize);
        let common = (shared.round() as usize).min(left).min(right);
        Measured {
            overlap: Overlap { left, right, common },
            cosine: 0.0,
            equal: false,
            only_symbols_differ: false,
        }
    }

    /// features, k, number of hashes, hashes.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.features.to_le_bytes());
        bytes.extend(self.k.to_le_bytes());
        bytes.extend((self.hashes.len() as u32).to_le_bytes());
        bytes.extend(self.hashes.iter().flat_map(|hash| hash.to_le_bytes()));
    }

    /// Takes a sketch off the bytes.
    pub(crate) fn decode(bytes: &mut &[u8]) -> Option<Sketch> {
        let [features, k, length] = [take(bytes)?, take(bytes)?, take(bytes)?].map(u32::from_le_bytes);
        let (hashes, rest) = bytes.split_at_checked(usize::try_from(length).ok()?.checked_mul(4)?)?;
        *bytes = rest;
        let hashes =
            hashes.chunks_exact(4).map(|hash| u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]));
        Some(Sketch { features, k, hashes: hashes.collect() })
    }
}

/// How many values two ascending lists share.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        common += usize::from(a[i] == b[j]);
        let (left, right) = (a[i], b[j]);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    common
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use twindex_core::feature::FeatureSet;
    use twindex_core::hash::mix;
    use twindex_core::verify::Overlap;

    use super::*;

    const K: usize = 128;

    fn set(range: std::ops::Range<u64>) -> FeatureSet {
        FeatureSet::new(range.map(mix).collect())
    }

    proptest! {
        #[test]
        fn sketches_of_few_shingles_are_exact(a in 0u64..128, shift in 0u64..128, b in 0u64..128) {
            let (a, b) = (set(0..a), set(shift..shift + b));
            let measured = Sketch::new(K, a.as_slice()).measure(&Sketch::new(K, b.as_slice()));
            prop_assert_eq!(measured.overlap, Overlap::of(&a, &b));
        }

        #[test]
        fn a_sketch_survives(length in 0u64..400) {
            let sketch = Sketch::new(K, set(0..length).as_slice());
            let mut bytes = vec![];
            sketch.encode(&mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(Sketch::decode(&mut rest), Some(sketch));
            prop_assert!(rest.is_empty());
        }
    }

    /// Five standard errors of 128 samples.
    #[test]
    fn estimates_are_near_the_truth() {
        for (left, right) in [(0..1_000, 500..1_500), (0..5_000, 1_000..5_000), (0..150, 50..10_000)] {
            let (a, b) = (set(left), set(right));
            let truth = Overlap::of(&a, &b);
            let found = Sketch::new(K, a.as_slice()).measure(&Sketch::new(K, b.as_slice())).overlap;
            let error = 5.0 * (truth.jaccard() * (1.0 - truth.jaccard()) / K as f64).sqrt();
            assert!((found.jaccard() - truth.jaccard()).abs() < error, "{found:?} {truth:?}");
        }
    }
}
