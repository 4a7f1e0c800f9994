//! From units to stored fingerprints.

use std::sync::Arc;

use super::record::{self, Parts};
use super::{Kind, Method};
use crate::feature::{DocumentFrequencies, Shingler, Weighed, Weigher, Weight};
use crate::fingerprint::{Margins, Minhash, Minhasher, Simhash, SimhashScratch, Simhasher, signs};
use crate::hash;
use crate::kernel::Kernel;
use crate::kernel::task::Task;
use crate::search::listed::{LISTED, Lists};
use crate::search::{listed, signature};

/// Buffers that a thread reuses from document to document.
#[derive(Debug, Default)]
pub struct MethodScratch {
    features: Vec<u64>,
    feature_ends: Vec<usize>,
    simhash: SimhashScratch,
    simhashes: Vec<Simhash>,
    smallest: Vec<u64>,
    signature: Minhash,
    slots: Vec<u8>,
    weighed: Weighed,
}

impl Method {
    /// Appends the fingerprints of a batch of documents: document `i` has the unit hashes `units[ends[i - 1]..ends[i]]`.
    ///
    /// One call for a whole batch, so that a kernel is entered once and short documents do not pay for the call.
    pub fn fingerprints(
        &self,
        units: &[u64],
        ends: &[usize],
        scratch: &mut MethodScratch,
        out: &mut Vec<u8>,
    ) {
        match &self.kind {
            Kind::Simhash { hasher, weigher, .. } => {
                self.simhashes(hasher, weigher, units, ends, scratch, out);
            }
            Kind::BottomK { sketcher, .. } => {
                for document in documents(units, ends) {
                    let hashes = &mut scratch.smallest;
                    sketcher.sketch_into(document, hashes);
                    out.extend((hashes.len() as u16).to_le_bytes());
                    out.extend(hashes.iter().flat_map(|hash| hash.to_le_bytes()));
                }
            }
            Kind::Minhash { hasher, lists, kernel, .. } => {
                let (shingler, lists, kernel) = (&self.shingler, *lists, *kernel);
                kernel.run(Records { shingler, hasher, lists, kernel, units, ends, scratch, out });
            }
            Kind::Sampled(sampled) => {
                for document in documents(units, ends) {
                    let shingles = |sink: &mut dyn FnMut(u64)| self.shingler.shingles(document, sink);
                    sampled.store(shingles, &mut scratch.smallest, out);
                }
            }
        }
    }

    fn simhashes(
        &self,
        hasher: &Simhasher,
        weigher: &Weigher,
        units: &[u64],
        ends: &[usize],
        scratch: &mut MethodScratch,
        out: &mut Vec<u8>,
    ) {
        if !(weigher.counts() || weigher.weight() == Weight::One) {
            for document in documents(units, ends) {
                let sums = self.sums(hasher, weigher, document, &[], scratch);
                out.extend(signs(&sums).0.to_le_bytes());
            }
            return;
        }
        let MethodScratch { features, feature_ends, simhash, simhashes, .. } = scratch;
        simhashes.clear();
        if weigher.counts() && self.shingler.size() == 1 {
            // The features are the units.
            hasher.batch(units, ends, simhash, simhashes);
        } else {
            features.clear();
            feature_ends.clear();
            for document in documents(units, ends) {
                self.add_features(document, features);
                feature_ends.push(features.len());
            }
            hasher.batch(features, feature_ends, simhash, simhashes);
        }
        out.extend(simhashes.iter().flat_map(|simhash| simhash.0.to_le_bytes()));
    }

    /// Appends what the fingerprint of a document is made of: every shingle, or every one once where repetitions do not
    /// count.
    fn add_features(&self, units: &[u64], features: &mut Vec<u64>) {
        let first = features.len();
        self.shingler.shingles(units, |hash| features.push(hash));
        if matches!(&self.kind, Kind::Simhash { weigher, .. } if weigher.weight() == Weight::One) {
            features[first..].sort_unstable();
            dedup_from(features, first);
        }
    }

    /// The sums behind the fingerprint of a document, if the method is simhash: its bits are their signs. `bonuses` are
    /// those of the units, where the weight asks for them; see [`Weigher::weigh`].
    pub fn margins(&self, units: &[u64], bonuses: &[u8], scratch: &mut MethodScratch) -> Option<Margins> {
        let Kind::Simhash { hasher, weigher, .. } = &self.kind else { return None };
        if !(weigher.counts() || weigher.weight() == Weight::One) {
            return Some(Margins::of_sums(&self.sums(hasher, weigher, units, bonuses, scratch)));
        }
        scratch.features.clear();
        self.add_features(units, &mut scratch.features);
        Some(hasher.margins(&scratch.features))
    }

    /// The weighted sums of one document.
    fn sums(
        &self,
        hasher: &Simhasher,
        weigher: &Weigher,
        units: &[u64],
        bonuses: &[u8],
        scratch: &mut MethodScratch,
    ) -> [i64; 64] {
        let MethodScratch { features, weighed, .. } = scratch;
        features.clear();
        self.shingler.shingles(units, |hash| features.push(hash));
        weigher.weigh(features, bonuses, weighed);
        hasher.weighted(&weighed.hashes, &weighed.weights)
    }

    /// Appends the fingerprint of a document whose features have weights of their own. Only a simhash has use for weights.
    pub fn weighted_fingerprint(
        &self,
        features: &[u64],
        weights: &[u16],
        scratch: &mut MethodScratch,
        out: &mut Vec<u8>,
    ) {
        match &self.kind {
            Kind::Simhash { hasher, .. } => {
                out.extend(signs(&hasher.weighted(features, weights)).0.to_le_bytes());
            }
            _ => self.fingerprints(features, &[features.len()], scratch, out),
        }
    }

    /// The sums behind such a fingerprint, if the method is simhash.
    pub fn weighted_margins(&self, features: &[u64], weights: &[u16]) -> Option<Margins> {
        let Kind::Simhash { hasher, .. } = &self.kind else { return None };
        Some(Margins::of_sums(&hasher.weighted(features, weights)))
    }

    /// Appends the features whose document frequencies decide their weights; nothing if none do.
    pub fn add_terms(&self, units: &[u64], terms: &mut Vec<u64>) {
        if self.weighs_by_frequency() {
            self.shingler.shingles(units, |hash| terms.push(hash));
        }
    }

    /// Whether the weights of features depend on the collection.
    pub fn weighs_by_frequency(&self) -> bool {
        matches!(&self.kind, Kind::Simhash { weigher, .. } if weigher.weight() == Weight::TfIdf)
    }

    /// From now on weights know the collection.
    pub fn set_frequencies(&mut self, frequencies: Arc<DocumentFrequencies>) {
        if let Kind::Simhash { weigher, .. } = &mut self.kind {
            weigher.set_frequencies(frequencies);
        }
    }
}

/// Appends the MinHash fingerprints of a batch of documents.
struct Records<'a> {
    shingler: &'a Shingler,
    hasher: &'a Minhasher,
    lists: Option<Lists>,
    kernel: Kernel,
    units: &'a [u64],
    ends: &'a [usize],
    scratch: &'a mut MethodScratch,
    out: &'a mut Vec<u8>,
}

impl Task for Records<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Records { shingler, hasher, lists, kernel, units, ends, scratch, out } = self;
        let MethodScratch { smallest, signature, features, slots, .. } = scratch;
        for units in documents(units, ends) {
            let shingles = shingler.count(units.len());
            let (lists, is_sorted) = match lists {
                Some(lists) => lists_of(lists, Fill { shingler, units, features }, slots, kernel),
                None => (None, false),
            };
            let is_signed = lists.is_none_or(|lists| lists.may_meet_longer(shingles));
            let parts =
                [(Parts::LIST, lists.is_some()), (Parts::SORTED, is_sorted), (Parts::SIGNATURE, is_signed)];
            record::store_head(shingles, Parts::of(parts), out);
            if lists.is_some() {
                listed::store(features, out);
            }
            if is_signed {
                hasher.begin(smallest);
                if lists.is_some() {
                    features.iter().for_each(|&hash| hasher.add(hash, smallest));
                } else {
                    // Each shingle goes into its bin at once: they are nowhere listed.
                    shingler.shingles(units, |hash| hasher.add(hash, smallest));
                }
                hasher.finish(smallest, signature);
                signature::store(signature, out);
            }
        }
    }
}

/// Fills `features` with all shingles.
struct Fill<'a> {
    shingler: &'a Shingler,
    units: &'a [u64],
    features: &'a mut Vec<u64>,
}

impl Task for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.features.clear();
        self.shingler.append_shingles(self.units, self.features);
    }
}

/// Fills `features` with the shingles of a document, if it is to be listed: then the lists come back, and whether the shingles were sorted
/// and are distinct.
fn lists_of(lists: Lists, fill: Fill<'_>, slots: &mut Vec<u8>, kernel: Kernel) -> (Option<Lists>, bool) {
    let Fill { shingler, units, features } = fill;
    let shingles = shingler.count(units.len());
    if shingles > LISTED {
        kernel.run(Fill { shingler, units: listed::beginning(shingler, units), features });
        if listed::has_many(features, slots) {
            return (None, false);
        }
    }
    kernel.run(Fill { shingler, units, features });
    // Of a text that repeats itself only those that are different count.
    let is_sorted = shingles >= listed::SORTED;
    if is_sorted {
        hash::sort(features);
        features.dedup();
    }
    if features.len() > LISTED { (None, false) } else { (Some(lists), is_sorted) }
}

/// The units of each document of a batch.
fn documents<'u>(units: &'u [u64], ends: &'u [usize]) -> impl Iterator<Item = &'u [u64]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| &units[start..end])
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
