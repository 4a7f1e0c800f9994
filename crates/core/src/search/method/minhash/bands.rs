//! Locality-sensitive hashing: a signature is cut into bands of rows; documents that agree in all
//! rows of a band meet.
//!
//! Two documents of similarity J agree in one band of r rows with probability J^r, so in at least
//! one of b bands with probability 1 - (1 - J^r)^b: an S-shaped curve that is steep near
//! (1/b)^(1/r).

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

    /// The bands for a threshold at the least cost: of all that find at least `recall` of the pairs
    /// at the threshold with at most `bins` bins, those that propose the fewest pairs below it, if
    /// pairs of every similarity are equally many. `None` if no number of bins up to that is
    /// enough.
    pub fn choose(threshold: f64, recall: f64, bins: u16) -> Option<Self> {
        let bands_of = |rows: u16| {
            // The fewest bands that find enough: more of them propose more. 1 - (1 - t^r)^b >=
            // recall, solved for b.
            let one_band = threshold.powi(i32::from(rows));
            let bands = ((1.0 - recall).ln() / (1.0 - one_band).ln()).ceil().max(1.0);
            (bands * f64::from(rows) <= f64::from(bins)).then_some(Bands { bands: bands as u16, rows })
        };
        let candidates = (1..=bins).map_while(bands_of);
        // Wrong candidates fall with every row more, so the comparison is among few.
        candidates.min_by(|a, b| a.below(threshold).total_cmp(&b.below(threshold)))
    }

    /// The mean of the S-curve below a threshold: how many pairs there are proposed in vain.
    fn below(self, threshold: f64) -> f64 {
        /// Points at which the curve is taken.
        const STEPS: u32 = 64;
        let at = |step: u32| threshold * (f64::from(step) + 0.5) / f64::from(STEPS);
        (0..STEPS).map(|step| self.recall(at(step))).sum::<f64>() / f64::from(STEPS)
    }

    /// Appends one key a band of the signature with these bins, each of two bytes, the lower first.
    pub fn keys(self, bins: &[[u8; 2]], keys: &mut Vec<u64>) {
        let bands = 0..self.bands;
        if self.rows == PACKED_ROWS as u16 {
            let rows = bins.as_chunks().0.iter().map(packed);
            keys.extend(bands.zip(rows).map(|(band, rows)| hash::mix(u64::from(band) << PACKED_BITS | rows)));
        } else {
            let rows = bins.chunks_exact(usize::from(self.rows.max(1)));
            keys.extend(bands.zip(rows).map(|(band, rows)| {
                hash::shingle(std::iter::once(u64::from(band)).chain(rows.iter().map(number)))
            }));
        }
    }
}

#[inline(always)]
fn number(bin: &[u8; 2]) -> u64 {
    u64::from(u16::from_le_bytes(*bin))
}

#[inline(always)]
fn packed(rows: &[[u8; 2]; PACKED_ROWS]) -> u64 {
    rows.iter().fold(0, |packed, bin| packed << u16::BITS | number(bin))
}

/// A band of this many rows and its number fill the 64 bits of a key, so that no two bands have one
/// key. It is the default; a bijection takes a third of the time of hashing four words.
const PACKED_ROWS: usize = 3;
const PACKED_BITS: u32 = u16::BITS * PACKED_ROWS as u32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Minhasher;
    use crate::hash::mix;

    /// Bins as they are stored.
    fn stored(bins: &[u16]) -> Vec<[u8; 2]> {
        bins.iter().map(|bin| bin.to_le_bytes()).collect()
    }

    /// The share of candidate pairs must lie inside the binomial 99 % interval around the S-curve.
    #[test]
    fn measured_recall_follows_the_s_curve() {
        for (bands, rows) in [(20, 5), (14, 8), (42, 3)] {
            follows_the_s_curve(Bands { bands, rows });
        }
    }

    fn follows_the_s_curve(lsh: Bands) {
        let hasher = Minhasher::new(lsh.bins());
        let (size, trials) = (2_000u64, 400u64);
        for hundredths in [50, 60, 70, 80, 90, 95] {
            let jaccard = hundredths as f64 / 100.0;
            // |A ∩ B| = c and |A ∪ B| = 2 size - c give J = c / (2 size - c).
            let common = (2.0 * size as f64 * jaccard / (1.0 + jaccard)).round() as u64;
            let met = (0..trials)
                .filter(|trial| {
                    let keys = |start: u64| {
                        let hashes: Vec<u64> = (start..start + size).map(|i| mix(i + 1)).collect();
                        let mut keys = vec![];
                        let signature = hasher.signature_of(&hashes, &mut vec![]);
                        lsh.keys(&stored(&signature.bins), &mut keys);
                        keys
                    };
                    let start = (hundredths * 1_000 + trial) * 10 * size;
                    keys(start).iter().zip(keys(start + size - common)).any(|(a, b)| *a == b)
                })
                .count() as f64;
            let expected = lsh.recall(jaccard);
            let deviation = 2.576 * (expected * (1.0 - expected) / trials as f64).sqrt();
            // The signatures are drawn without replacement inside a document, so the spread is a
            // little smaller.
            assert!(
                (met / trials as f64 - expected).abs() <= deviation + 0.5 / trials as f64,
                "J = {jaccard}: {met} of {trials} met, the curve says {expected:.4}"
            );
        }
    }

    #[test]
    fn chosen_bands_find_enough_at_the_least_cost() {
        for (threshold, recall, bins) in
            [(0.5, 0.99, 128), (0.8, 0.95, 128), (0.8, 0.99, 286), (0.3, 0.9, 256)]
        {
            let chosen = Bands::choose(threshold, recall, bins).unwrap();
            assert!(chosen.recall(threshold) >= recall && chosen.bins() <= bins, "{chosen:?}");
            for rows in 1..=bins.min(20) {
                for bands in 1..=bins / rows {
                    let other = Bands { bands, rows };
                    let is_better =
                        other.recall(threshold) >= recall && other.below(threshold) < chosen.below(threshold);
                    assert!(!is_better, "{other:?} is better than {chosen:?} at {threshold}");
                }
            }
        }
        assert_eq!(Bands::choose(0.1, 0.999, 16), None);
    }

    #[test]
    fn a_key_is_the_hash_of_a_band_and_its_rows() {
        let bins: Vec<u16> = (0..60).collect();
        for rows in 1..=6u16 {
            let lsh = Bands { bands: 60 / rows, rows };
            let of_band = |(band, rows): (usize, &[u16])| match *rows {
                [a, b, c] => {
                    mix((band as u64) << 48 | u64::from(a) << 32 | u64::from(b) << 16 | u64::from(c))
                }
                _ => {
                    hash::shingle(std::iter::once(band as u64).chain(rows.iter().map(|&row| u64::from(row))))
                }
            };
            let expected: Vec<u64> = bins.chunks_exact(usize::from(rows)).enumerate().map(of_band).collect();
            let mut keys = vec![];
            lsh.keys(&stored(&bins), &mut keys);
            assert_eq!(keys, expected);
        }
    }

    #[test]
    fn the_same_rows_in_different_bands_are_different_keys() {
        let mut keys = vec![];
        Bands { bands: 2, rows: 3 }.keys(&stored(&[7; 6]), &mut keys);
        assert_ne!(keys[0], keys[1]);
    }
}
