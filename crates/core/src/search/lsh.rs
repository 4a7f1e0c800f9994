//! Locality-sensitive hashing: a signature is cut into bands of rows; documents that agree in all rows of a band meet.
//!
//! Two documents of similarity J agree in one band of r rows with probability J^r, so in at least one of b bands with
//! probability 1 - (1 - J^r)^b: an S-shaped curve that is steep near (1/b)^(1/r).

use crate::hash;

/// `bands` bands of `rows` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// How many bands: more of them find more pairs, and more wrong candidates.
    pub bands: u16,
    /// How many rows a band has: more of them demand more similar documents.
    pub rows: u16,
}

impl Bands {
    /// The length of the signatures that are cut.
    pub fn bins(self) -> u16 {
        self.bands * self.rows
    }

    /// The probability that two documents of similarity `jaccard` become candidates.
    pub fn recall(self, jaccard: f64) -> f64 {
        1.0 - (1.0 - jaccard.powi(i32::from(self.rows))).powi(i32::from(self.bands))
    }

    /// Appends one key a band of the signature with these bins.
    pub fn keys(self, mut bins: impl Iterator<Item = u16>, keys: &mut Vec<u64>) {
        for band in 0..u64::from(self.bands) {
            let rows = bins.by_ref().take(usize::from(self.rows)).map(u64::from);
            keys.push(hash::shingle(std::iter::once(band).chain(rows)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Minhasher;
    use crate::hash::mix;

    /// The share of candidate pairs must lie inside the binomial 99 % interval around the S-curve.
    #[test]
    fn measured_recall_follows_the_s_curve() {
        let lsh = Bands { bands: 20, rows: 5 };
        let hasher = Minhasher::new(lsh.bins());
        let (size, trials) = (2_000u64, 400u64);
        for tenths in [5, 6, 7, 8, 9] {
            let jaccard = tenths as f64 / 10.0;
            // |A ∩ B| = c and |A ∪ B| = 2 size - c give J = c / (2 size - c).
            let common = (2.0 * size as f64 * jaccard / (1.0 + jaccard)).round() as u64;
            let met = (0..trials)
                .filter(|trial| {
                    let keys = |start: u64| {
                        let hashes: Vec<u64> = (start..start + size).map(|i| mix(i + 1)).collect();
                        let mut keys = vec![];
                        let signature = hasher.signature_of(&hashes, &mut vec![]);
                        lsh.keys(signature.bins.into_iter(), &mut keys);
                        keys
                    };
                    let start = (tenths * 1_000 + trial) * 10 * size;
                    keys(start).iter().zip(keys(start + size - common)).any(|(a, b)| *a == b)
                })
                .count() as f64;
            let expected = lsh.recall(jaccard);
            let deviation = 2.576 * (expected * (1.0 - expected) / trials as f64).sqrt();
            // The signatures are drawn without replacement inside a document, so the spread is a little smaller.
            assert!(
                (met / trials as f64 - expected).abs() <= deviation + 0.5 / trials as f64,
                "J = {jaccard}: {met} of {trials} met, the curve says {expected:.4}"
            );
        }
    }

    #[test]
    fn the_same_rows_in_different_bands_are_different_keys() {
        let mut keys = vec![];
        Bands { bands: 2, rows: 3 }.keys([7; 6].into_iter(), &mut keys);
        assert_ne!(keys[0], keys[1]);
    }
}
