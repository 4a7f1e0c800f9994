//! Sets of fingerprints that are hard for a search, used by the tests of all searches.

use crate::fingerprint::{Margins, Simhash};
use crate::hash::mix;
use crate::search::hamming::{HammingSearch, Query, Want};

/// The sets, by name, each of about `length` fingerprints.
pub(crate) fn all_sets(length: usize) -> Vec<(&'static str, Vec<u64>)> {
    let numbers = 0..length as u64;
    let mut sorted: Vec<u64> = numbers.clone().map(mix).collect();
    sorted.sort_unstable();
    vec![
        ("random", numbers.clone().map(|i| mix(i + 1_000_000)).collect()),
        ("clustered", clustered(length)),
        ("all equal", vec![mix(1); length.min(300)]),
        ("one bit apart", numbers.clone().map(|i| mix(2) ^ 1 << (i % 64)).take(300).collect()),
        ("sorted", sorted),
        (
            "complementary",
            numbers.clone().map(|i| if i % 2 == 0 { mix(i / 8) } else { !mix(i / 8) }).collect(),
        ),
        ("few bits used", numbers.map(|i| mix(i) & 0x0101_0303_0101_8001).take(300).collect()),
        ("one", vec![42]),
        ("none", vec![]),
    ]
}

/// Centres, each with copies at distances 0 to 13.
pub(crate) fn clustered(length: usize) -> Vec<u64> {
    let copy = |i: u64| {
        let (centre, flips) = (mix(i / 14), i % 14);
        (0..flips).fold(centre, |word, flip| word ^ 1 << (mix(i * 64 + flip) % 64))
    };
    (0..length as u64).map(copy).collect()
}

/// The positions that a search finds for each query, ascending. A match reported twice is listed
/// twice.
pub(crate) fn matches(search: &dyn HammingSearch, queries: &[Simhash], radius: u32) -> Vec<Vec<usize>> {
    let batch: Vec<Query<'_>> = queries.iter().map(|&query| query.into()).collect();
    let mut found = vec![vec![]; queries.len()];
    search.search_batch(&batch, radius, Want::All, &mut |query, found_one| {
        found[query].push(found_one.position as usize);
        true
    });
    found.iter_mut().for_each(|positions| positions.sort_unstable());
    found
}

/// A document as weighted features, so that its margins and those of edited copies are realistic.
#[derive(Clone)]
pub(crate) struct Document {
    features: Vec<(u64, i32)>,
}

impl Document {
    /// Eighty features with unequal weights.
    pub(crate) fn new(seed: u64) -> Self {
        let feature =
            |i: u64| (mix(seed * 1000 + i), 1 + (mix(seed * 1000 + i + 500) % 64).pow(2) as i32 / 64);
        Document { features: (0..80).map(feature).collect() }
    }

    /// The same with a few features replaced.
    pub(crate) fn edited(&self, seed: u64) -> Self {
        let mut copy = self.clone();
        for edit in 0..1 + mix(seed) % 4 {
            let place = mix(seed * 16 + edit) as usize % copy.features.len();
            copy.features[place].0 = mix(mix(seed * 16 + edit + 8));
        }
        copy
    }

    /// The margins.
    pub(crate) fn margins(&self) -> Margins {
        let mut sums = [0; 64];
        for (hash, weight) in &self.features {
            for (bit, sum) in sums.iter_mut().enumerate() {
                *sum += if hash >> bit & 1 == 1 { *weight } else { -weight };
            }
        }
        Margins(sums)
    }
}
