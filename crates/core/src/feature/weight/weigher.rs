//! The weights of a document's features.
//!
//! ```text
//! count        n                                  how often it occurs
//! one          1
//! normalised   n / max n
//! tf-idf       n * idf                            see `idf`; without a table every idf is 1
//! length-noun  Score / max Score,  Score = n + lambda * (Len + Pos)
//!              Len = 1 if the word has four characters or more, Pos = 1 if it is a noun
//! ```
//!
//! The last one is the formula of Yu, Hu and Zhang (2016). They leave lambda open, but say that it
//! is related to the length of the document. Here a bonus is worth `lambda` average occurrences:
//! lambda = `lambda` * words / distinct words. Counts grow faster than the vocabulary of a
//! document, so that lambda grows with its length, and a noun counts as much in a long document as
//! in a short one.
//!
//! A common factor changes neither the signs of sums nor a cosine, so that `normalised` gives the
//! fingerprint of `count`. It changes the margins, which become comparable between documents of
//! different lengths.
//!
//! Weights are integers: tf-idf in 1/256, the two relative to the maximum in 1/32768.

use std::sync::Arc;

use super::idf::Idfs;
use super::{DocumentFrequencies, TermCounts, Weight};

/// A weight of 1 where weights are relative to the maximum.
const WHOLE: u64 = 1 << 15;

/// lambda has eight binary places.
const LAMBDA_ONE: f64 = 256.0;

/// Gives features their weights.
///
/// ```
/// use twindex_core::feature::{Weighed, Weigher, Weight};
///
/// let mut weighed = Weighed::default();
/// Weigher::new(Weight::Normalised).weigh(&[5, 2, 5], &[], &mut weighed);
/// assert_eq!(weighed.hashes, [2, 5]);
/// assert_eq!(weighed.weights, [16384, 32768], "parts of the commonest, which is 32768");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Weigher {
    weight: Weight,
    /// In 1/256.
    lambda: u64,
    idfs: Option<Arc<Idfs>>,
}

/// Features with their weights, either one entry per occurrence or one per distinct feature.
#[derive(Debug, Default)]
pub struct Weighed {
    /// The features.
    pub hashes: Vec<u64>,
    /// As many weights.
    pub weights: Vec<u16>,
    runs: Vec<Run>,
    sorted: Vec<(u64, u8)>,
}

/// A distinct feature.
#[derive(Debug, Clone, Copy)]
struct Run {
    hash: u64,
    count: u64,
    /// Len + Pos.
    bonus: u8,
}

impl Weigher {
    /// Weights of this kind, with a lambda of 1.
    pub fn new(weight: Weight) -> Self {
        Weigher { weight, lambda: LAMBDA_ONE as u64, idfs: None }
    }

    /// How many average occurrences a bonus of `length-noun` is worth.
    pub fn with_lambda(self, lambda: f64) -> Self {
        Weigher { lambda: (lambda * LAMBDA_ONE).round() as u64, ..self }
    }

    /// Sets the document frequencies of the collection; only `tf-idf` has a use for them.
    pub fn set_frequencies(&mut self, frequencies: &DocumentFrequencies) {
        self.idfs = (self.weight == Weight::TfIdf).then(|| Arc::new(frequencies.idfs()));
    }

    /// Whether every occurrence weighs the same, so that weighing can be skipped.
    pub fn counts(&self) -> bool {
        self.weight == Weight::Count || self.weight == Weight::TfIdf && self.idfs.is_none()
    }

    /// Which kind of weights.
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// Weighs the features of a document, one hash for each occurrence. `bonuses` has Len + Pos for
    /// each of them; it may be empty if this kind of weight has no bonus.
    pub fn weigh(&self, features: &[u64], bonuses: &[u8], weighed: &mut Weighed) {
        weighed.hashes.clear();
        weighed.weights.clear();
        match (self.weight, &self.idfs) {
            (Weight::TfIdf, Some(idfs)) => {
                // n occurrences of weight w are one of weight n * w.
                weighed.hashes.extend_from_slice(features);
                weighed.weights.extend(features.iter().map(|&feature| idfs.idf(feature)));
            }
            (Weight::Count | Weight::TfIdf, _) => {
                weighed.hashes.extend_from_slice(features);
                weighed.weights.resize(features.len(), 1);
            }
            (Weight::One, _) => {
                weighed.find_runs(features, bonuses);
                weighed.hashes.extend(weighed.runs.iter().map(|run| run.hash));
                weighed.weights.resize(weighed.hashes.len(), 1);
            }
            (Weight::Normalised | Weight::LengthNoun, _) => {
                weighed.find_runs(features, bonuses);
                let (words, distinct) = (features.len() as u64, weighed.runs.len() as u64);
                // Score * distinct * 256, an integer.
                let score = |run: &Run| {
                    let bonus = if self.weight == Weight::LengthNoun { u64::from(run.bonus) } else { 0 };
                    run.count * distinct * LAMBDA_ONE as u64 + self.lambda * words * bonus
                };
                weighed.weigh_runs(score);
            }
        }
    }

    /// The weights of a document's units as the vector of a cosine.
    pub fn vector(&self, units: &[u64], bonuses: &[u8], weighed: &mut Weighed) -> TermCounts {
        self.weigh(units, bonuses, weighed);
        TermCounts::weighted(weighed.hashes.iter().copied().zip(weighed.weights.iter().copied()))
    }
}

/// The weight of `score` relative to the maximum `most`; at least 1.
fn part(score: u64, most: u64) -> u16 {
    let part = u128::from(score) * u128::from(WHOLE) / u128::from(most.max(1));
    part.clamp(1, u128::from(WHOLE)) as u16
}

/// Weights of any size as integers: the greatest is 32768, none is 0.
pub(in crate::feature) fn parts(weights: &[f64]) -> Vec<u16> {
    let most = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    weights
        .iter()
        .map(|weight| (weight / most * WHOLE as f64).round().clamp(1.0, WHOLE as f64) as u16)
        .collect()
}

impl Weighed {
    /// Gives each run its weight relative to the greatest score.
    fn weigh_runs(&mut self, score: impl Fn(&Run) -> u64) {
        let most = self.runs.iter().map(&score).max().unwrap_or(1);
        self.hashes.extend(self.runs.iter().map(|run| run.hash));
        self.weights.extend(self.runs.iter().map(|run| part(score(run), most)));
    }

    /// The distinct features, by ascending hash. A word that is sometimes a noun gets the greater
    /// bonus.
    fn find_runs(&mut self, features: &[u64], bonuses: &[u8]) {
        let bonuses = bonuses.iter().copied().chain(std::iter::repeat(0));
        self.sorted.clear();
        self.sorted.extend(features.iter().copied().zip(bonuses));
        self.sorted.sort_unstable();
        self.runs.clear();
        self.runs.extend(self.sorted.chunk_by(|a, b| a.0 == b.0).map(|run| Run {
            hash: run[0].0,
            count: run.len() as u64,
            bonus: run[run.len() - 1].1,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::FrequencyCounter;
    use super::*;

    fn weights(weigher: &Weigher, features: &[u64], bonuses: &[u8]) -> Vec<(u64, u16)> {
        let mut weighed = Weighed::default();
        weigher.weigh(features, bonuses, &mut weighed);
        weighed.hashes.into_iter().zip(weighed.weights).collect()
    }

    #[test]
    fn count_one_and_normalised() {
        let features = [5, 9, 5, 5, 2];
        assert_eq!(
            weights(&Weigher::new(Weight::Count), &features, &[]),
            [(5, 1), (9, 1), (5, 1), (5, 1), (2, 1)]
        );
        assert_eq!(weights(&Weigher::new(Weight::One), &features, &[]), [(2, 1), (5, 1), (9, 1)]);
        let normalised = weights(&Weigher::new(Weight::Normalised), &features, &[]);
        assert_eq!(normalised, [(2, 32768 / 3), (5, 32768), (9, 32768 / 3)]);
        for weight in [Weight::Count, Weight::One, Weight::Normalised, Weight::TfIdf, Weight::LengthNoun] {
            assert!(weights(&Weigher::new(weight), &[], &[]).is_empty());
        }
    }

    #[test]
    fn rare_terms_weigh_more_where_the_collection_is_known() {
        let counter = FrequencyCounter::default();
        (0..99).for_each(|_| counter.count(&[5]));
        let mut weigher = Weigher::new(Weight::TfIdf);
        assert!(weigher.counts());
        assert_eq!(weights(&weigher, &[5, 6], &[]), [(5, 1), (6, 1)]);
        weigher.set_frequencies(&counter.finish());
        assert!(!weigher.counts());
        let found = weights(&weigher, &[5, 6, 5], &[]);
        assert_eq!((found[0], found[2]), ((5, 256), (5, 256)));
        assert!(found[1].1 > 7 * 256);
    }

    /// The paper's formula on a document of six words, four of them distinct, lambda = 1 * 6 / 4.
    #[test]
    fn long_words_and_nouns_weigh_more() {
        let (features, bonuses) = ([1, 2, 2, 2, 3, 4], [0, 0, 0, 0, 1, 2]);
        let found = weights(&Weigher::new(Weight::LengthNoun), &features, &bonuses);
        // Scores 1, 3, 2.5 and 4.
        let expected = [(1, 8192), (2, 24576), (3, 20480), (4, 32768)];
        assert_eq!(found, expected);
        // Without lambda it is the normalised count.
        let none = weights(&Weigher::new(Weight::LengthNoun).with_lambda(0.0), &features, &bonuses);
        assert_eq!(none, weights(&Weigher::new(Weight::Normalised), &features, &[]));
    }

    #[test]
    fn weights_of_any_size() {
        assert_eq!(parts(&[2.0, 1.0, 1e-9, 0.5]), [32768, 16384, 1, 8192]);
        assert_eq!(parts(&[1e300, 1e299]), [32768, 3277]);
        assert!(parts(&[]).is_empty());
    }
}
