//! Simhashes within a radius.
//!
//! The fingerprint is eight bytes, the lowest first. Its keys are those of the block-permuted
//! tables ([`BlockTables`]): two simhashes within the radius agree in the leading blocks of at
//! least one table.

use super::{MethodScratch, Stored, Width, documents};
use crate::feature::{Shingler, Weigher, Weight};
use crate::fingerprint::{Margins, Simhash, Simhasher, signs};
use crate::kernel::Kernel;
use crate::recipe::Recipe;
use crate::search::BlockTables;

const BYTES: usize = size_of::<u64>();

pub(super) const WIDTH: Width = Width { fixed: Some(BYTES), typical: BYTES, most: BYTES };

/// The method.
#[derive(Debug, Clone)]
pub(crate) struct Simhashes {
    shingler: Shingler,
    hasher: Simhasher,
    weigher: Weigher,
    tables: BlockTables,
}

impl Simhashes {
    pub(super) fn new(recipe: &Recipe, kernel: Kernel) -> Self {
        let (feature, simhash) = (&recipe.feature, &recipe.simhash);
        Simhashes {
            shingler: Shingler::new(feature.unit, simhash.size, feature.hash),
            hasher: Simhasher::new(kernel),
            weigher: Weigher::new(simhash.weight).with_lambda(simhash.lambda),
            tables: BlockTables::new(simhash.blocks, simhash.radius),
        }
    }

    pub(super) fn write(
        &self,
        units: &[u64],
        ends: &[usize],
        scratch: &mut MethodScratch,
        out: &mut Stored<'_>,
    ) {
        let mut store = |simhash: Simhash| {
            out.bytes.extend_from_slice(&simhash.0.to_le_bytes());
            out.end();
        };
        if !self.weighs_evenly() {
            documents(units, ends).for_each(|document| store(signs(&self.sums(document, &[], scratch))));
            return;
        }
        let MethodScratch { features, feature_ends, simhash, simhashes, .. } = scratch;
        simhashes.clear();
        if self.weigher.counts() && self.shingler.size() == 1 {
            // The features are the units.
            self.hasher.batch(units, ends, simhash, simhashes);
        } else {
            features.clear();
            feature_ends.clear();
            for document in documents(units, ends) {
                self.add_features(document, features);
                feature_ends.push(features.len());
            }
            self.hasher.batch(features, feature_ends, simhash, simhashes);
        }
        simhashes.iter().copied().for_each(store);
    }

    /// Whether every occurrence of a feature, or every feature, weighs the same: then there are
    /// kernels for a batch.
    fn weighs_evenly(&self) -> bool {
        self.weigher.counts() || self.weigher.weight() == Weight::One
    }

    /// Appends every shingle of a document, or each distinct one where repetitions do not count.
    fn add_features(&self, units: &[u64], features: &mut Vec<u64>) {
        let first = features.len();
        self.shingler.shingles(units, |hash| features.push(hash));
        if self.weigher.weight() == Weight::One {
            features[first..].sort_unstable();
            dedup_from(features, first);
        }
    }

    /// The sums whose signs are the simhash. `bonuses` are those of the units, where the weight
    /// needs them; see [`Weigher::weigh`].
    pub(crate) fn margins(&self, units: &[u64], bonuses: &[u8], scratch: &mut MethodScratch) -> Margins {
        if !self.weighs_evenly() {
            return Margins::of_sums(&self.sums(units, bonuses, scratch));
        }
        scratch.features.clear();
        self.add_features(units, &mut scratch.features);
        self.hasher.margins(&scratch.features)
    }

    fn sums(&self, units: &[u64], bonuses: &[u8], scratch: &mut MethodScratch) -> [i64; 64] {
        let MethodScratch { features, weighed, .. } = scratch;
        features.clear();
        self.shingler.shingles(units, |hash| features.push(hash));
        self.weigher.weigh(features, bonuses, weighed);
        self.hasher.weighted(&weighed.hashes, &weighed.weights)
    }

    /// The sums of features that bring their own weights.
    pub(crate) fn weighted_margins(&self, features: &[u64], weights: &[u16]) -> Margins {
        Margins::of_sums(&self.hasher.weighted(features, weights))
    }

    /// Appends the features whose document frequencies decide their weights; nothing if none do.
    pub(crate) fn add_terms(&self, units: &[u64], terms: &mut Vec<u64>) {
        if self.weigher.weight() == Weight::TfIdf {
            self.shingler.shingles(units, |hash| terms.push(hash));
        }
    }

    pub(crate) fn weigher_mut(&mut self) -> &mut Weigher {
        &mut self.weigher
    }

    pub(super) fn tables(&self) -> &BlockTables {
        &self.tables
    }

    pub(crate) fn radius(&self) -> u32 {
        self.tables.radius()
    }

    pub(super) fn keys(&self, simhash: Simhash, keys: &mut Vec<u64>) {
        self.tables.keys(simhash, keys);
    }
}

/// Parses a stored simhash.
pub(super) fn read(stored: &[u8]) -> Simhash {
    Simhash(stored.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)))
}

/// Drops repetitions from the sorted tail that begins at `first`.
fn dedup_from(values: &mut Vec<u64>, first: usize) {
    let mut kept = first;
    for at in first..values.len() {
        if at == first || values[at] != values[at - 1] {
            values[kept] = values[at];
            kept += 1;
        }
    }
    values.truncate(kept);
}
