//! Collections to search.
//!
//! Queries are documents: 141 features with lognormal weights, so that fingerprints and margins are
//! realistic. A tenth of the stored set is planted: near-duplicates of the queries (one to six
//! features replaced or deleted, one in eight unchanged, at most two per query), then noisy copies
//! of any stored one at distances 0 to 8. The rest is uniform. Margins of the stored set are never
//! kept.

use twindex_core::fingerprint::Margins;
use twindex_core::hash::mix;
use twindex_core::search::Query;

/// The collection and the queries.
pub(super) struct Data {
    /// The stored fingerprints.
    pub(super) stored: Vec<u64>,
    /// The queries.
    pub(super) queries: Vec<Margins>,
    /// Other documents with one near-duplicate each, for training.
    pub(super) training: Vec<(Margins, Margins)>,
}

/// Features of a document: the mean of the web pages in the paper on probabilistic matching.
const FEATURES: u64 = 141;

/// The median of the lognormal weights.
const MEDIAN_WEIGHT: f64 = 64.0;

/// Documents for learning volatility and flips.
const TRAINING: u64 = 4096;

/// An independent stream of numbers for each purpose.
struct Stream(u64);

impl Stream {
    fn new(purpose: u64, number: u64) -> Self {
        Stream(mix(purpose << 56 ^ number))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in (0, 1].
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn weight(&mut self) -> i32 {
        let normal = (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos();
        (MEDIAN_WEIGHT * normal.exp()).clamp(1.0, 1e5) as i32
    }
}

/// A document: its margins, and its features while it is edited.
struct Document {
    features: Vec<(u64, i32)>,
    sums: [i32; 64],
}

impl Document {
    fn new(number: u64) -> Self {
        let mut stream = Stream::new(1, number);
        let features: Vec<(u64, i32)> = (0..FEATURES).map(|_| (stream.next(), stream.weight())).collect();
        let mut sums = [0; 64];
        features.iter().for_each(|&(hash, weight)| add(&mut sums, hash, weight));
        Document { features, sums }
    }

    /// The margins of an edited copy.
    fn edited(&self, stream: &mut Stream) -> Margins {
        let mut sums = self.sums;
        if stream.below(8) > 0 {
            for _ in 0..1 + stream.below(6) {
                let (hash, weight) = self.features[stream.below(FEATURES) as usize];
                add(&mut sums, hash, -weight);
                if stream.below(2) == 0 {
                    add(&mut sums, stream.next(), stream.weight());
                }
            }
        }
        Margins(sums)
    }
}

fn add(sums: &mut [i32; 64], hash: u64, weight: i32) {
    for (bit, sum) in sums.iter_mut().enumerate() {
        *sum += ((hash >> bit & 1) as i32 * 2 - 1) * weight;
    }
}

impl Data {
    pub(super) fn new(length: usize, queries: usize) -> Self {
        let planted = length / 10;
        let copies = (2 * queries).min(planted);
        let mut stored = Vec::with_capacity(length);
        let mut stream = Stream::new(2, 0);
        let queries = (0..queries as u64)
            .map(|number| {
                let document = Document::new(number);
                while stored.len() < copies * (number as usize + 1) / queries {
                    stored.push(document.edited(&mut stream).simhash().0);
                }
                Margins(document.sums)
            })
            .collect();
        stored.resize_with(length - planted + copies, || stream.next());
        add_noisy(&mut stored, length, &mut stream);
        let training = (0..TRAINING).map(|number| {
            let document = Document::new(number + (1 << 40));
            let copy = document.edited(&mut stream);
            (Margins(document.sums), copy)
        });
        let training = training.collect();
        Data { stored, queries, training }
    }

    /// The queries with their margins.
    pub(super) fn queries(&self) -> Vec<Query<'_>> {
        let query = |margins| Query { fingerprint: Margins::simhash(margins), margins: Some(margins) };
        self.queries.iter().map(query).collect()
    }
}

/// Adds noisy copies of stored fingerprints until there are `length`.
fn add_noisy(stored: &mut Vec<u64>, length: usize, stream: &mut Stream) {
    while stored.len() < length {
        let mut copy = stored[stream.below(stored.len() as u64) as usize];
        for _ in 0..stream.below(9) {
            copy ^= 1 << stream.below(64);
        }
        stored.push(copy);
    }
}

/// The input of a join: near-duplicates of documents that are not in it, noisy copies, and uniform
/// fingerprints.
pub(crate) fn join_set(length: usize) -> Vec<u64> {
    let sources = (length / 64).min(1 << 18);
    let mut stream = Stream::new(3, length as u64);
    let mut stored = Vec::with_capacity(length);
    for number in 0..sources as u64 {
        let document = Document::new(number + (1 << 41));
        stored.extend((0..2).map(|_| document.edited(&mut stream).simhash().0));
    }
    let noisy = length / 16;
    stored.resize_with(length - noisy, || stream.next());
    add_noisy(&mut stored, length, &mut stream);
    stored
}
