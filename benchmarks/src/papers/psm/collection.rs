//! Queries and stored fingerprints, of any number.

use rayon::prelude::*;
use twindex_core::fingerprint::Margins;
use twindex_core::hash::mix;
use twindex_core::kernel::Kernel;
use twindex_core::search::psm::{FlipOrder, Psm, Settings, Volatility};
use twindex_core::search::{HammingSearch, MultiIndex, Query, Want};

use super::corpus::Corpus;
use super::generator::Generator;
use super::{RADIUS, RECALL};
use crate::measure::best_cpu_time;

/// Seeds of the queries, and of other documents for training.
const QUERIES: u64 = 31;
const TRAINING: u64 = 32;

/// Documents from which the distribution of Y is sampled.
const TRAINING_DOCUMENTS: u64 = 2000;

/// One query in this many has its near-duplicates among the stored, fewer in a small collection.
const ONE_IN: usize = 2;

/// At most this share of the stored is planted.
const PLANTED_PART: usize = 4;

/// The most flips that a calibration tries.
const MOST_FLIPS: usize = 2000;

/// Queries of one call, as a service would gather them.
const BATCH: usize = 256;

/// Which queries calibrate, and which measure.
const CALIBRATING_PART: usize = 4;

/// A collection to search.
pub(super) struct Collection {
    pub(super) stored: Vec<u64>,
    queries: Vec<Margins>,
    /// The distribution of Y over random pairs, as in the paper.
    pub(super) volatility: Volatility,
}

/// Every match of each query, found by the exact index.
pub(super) struct Truth {
    pub(super) matches: usize,
    /// Queries that have one.
    pub(super) answered: usize,
}

impl Collection {
    /// `length` stored fingerprints: the near-duplicates of some of the queries, the others
    /// uniform.
    pub(super) fn new(corpus: &Corpus, length: usize, queries: usize) -> Self {
        let generator = Generator::new(corpus, QUERIES);
        let families: Vec<Vec<Margins>> =
            (0..queries as u64).into_par_iter().map(|number| generator.family(number)).collect();
        let copies: usize = families.iter().map(|family| family.len() - 1).sum();
        let one_in = ONE_IN.max(copies.div_ceil((length / PLANTED_PART).max(1)));
        let chosen = families.iter().step_by(one_in).flat_map(|family| &family[1..]);
        let mut stored: Vec<u64> = chosen.map(|margins| margins.simhash().0).take(length).collect();
        let planted = stored.len() as u64;
        stored.extend((planted..length as u64).map(|number| mix(number.wrapping_add(mix(length as u64)))));
        let queries = families.into_iter().map(|mut family| family.swap_remove(0)).collect();
        let training = Generator::new(corpus, TRAINING);
        let documents: Vec<Margins> =
            (0..TRAINING_DOCUMENTS).map(|number| training.document(number)).collect();
        let (left, right) = documents.split_at(documents.len() / 2);
        Collection { stored, queries, volatility: Volatility::sample(left.iter().zip(right)) }
    }

    /// The queries that calibrate flips.
    pub(super) fn calibrating(&self) -> Vec<Query<'_>> {
        query(&self.queries[..self.queries.len() / CALIBRATING_PART])
    }

    /// The queries that are measured: others than those that calibrate.
    pub(super) fn measured(&self) -> Vec<Query<'_>> {
        query(&self.queries[self.queries.len() / CALIBRATING_PART..])
    }

    /// The exact index.
    pub(super) fn exact(&self) -> MultiIndex {
        MultiIndex::build(self.stored.clone(), RADIUS, Kernel::best())
    }

    /// Probabilistic matching with headers of `bits` bits, not calibrated yet.
    pub(super) fn psm(&self, bits: u32) -> Psm {
        let settings = Settings {
            header_bits: bits,
            volatility: self.volatility.clone(),
            order: FlipOrder::Heap,
            flips: 0,
        };
        Psm::build(&self.stored, settings, Kernel::best())
    }

    /// The least flips by which `psm` reaches the wanted recall on the calibrating queries, set in
    /// it. Recall grows with flips, so that a search by halves finds them.
    pub(super) fn calibrate(&self, psm: &mut Psm, want: Want, exact: &MultiIndex) -> usize {
        let queries = self.calibrating();
        let truth = Truth::of(exact, &queries);
        let needed = (RECALL * truth.of_kind(want) as f64).ceil() as usize;
        let (mut low, mut high) = (0, MOST_FLIPS);
        while low < high {
            let middle = (low + high) / 2;
            psm.set_flips(middle);
            if found(psm, &queries, want) >= needed {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        psm.set_flips(low);
        low
    }
}

fn query(margins: &[Margins]) -> Vec<Query<'_>> {
    margins.iter().map(|margins| Query { fingerprint: margins.simhash(), margins: Some(margins) }).collect()
}

impl Truth {
    pub(super) fn of(exact: &MultiIndex, queries: &[Query<'_>]) -> Truth {
        Truth { matches: found(exact, queries, Want::All), answered: found(exact, queries, Want::First) }
    }

    /// What a search that misses nothing reports.
    pub(super) fn of_kind(&self, want: Want) -> usize {
        if want == Want::All { self.matches } else { self.answered }
    }
}

/// How many matches a search reports.
pub(super) fn found(search: &dyn HammingSearch, queries: &[Query<'_>], want: Want) -> usize {
    let mut found = 0;
    for batch in queries.chunks(BATCH) {
        search.search_batch(batch, RADIUS, want, &mut |_, _| {
            found += 1;
            true
        });
    }
    found
}

/// Queries a second of one thread.
pub(super) fn rate(search: &dyn HammingSearch, queries: &[Query<'_>], want: Want, times: usize) -> f64 {
    queries.len() as f64 / best_cpu_time(times, || found(search, queries, want)).as_secs_f64()
}

/// Every match as (query, position), sorted.
pub(super) fn all(search: &dyn HammingSearch, queries: &[Query<'_>]) -> Vec<(usize, u32)> {
    crate::hamming::online::all(search, queries, RADIUS)
}
