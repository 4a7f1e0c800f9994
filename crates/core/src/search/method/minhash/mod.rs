//! MinHash: signatures in bands for long documents, lists of shingles for short ones.
//!
//! A document of at most 192 distinct shingles keeps all of them ([`list`]): lists are joined
//! exactly, by a prefix filter. A longer document keeps a [`signature`], whose [`bands`] are its
//! keys. A document that may be a duplicate of both kinds has both. `README.md` in this folder
//! draws the bytes.

pub(crate) mod bands;
pub(crate) mod list;
mod record;
mod signature;

pub(crate) use list::Marks;
pub use record::Record;

use self::bands::Bands;
use self::list::{LISTED, List, Lists};
use self::record::Parts;
use self::signature::StoredSignature;
use super::{Keys, MethodScratch, Probes, Stored, Width, documents};
use crate::feature::Shingler;
use crate::fingerprint::Minhasher;
use crate::hash;
use crate::kernel::Kernel;
use crate::kernel::task::Task;
use crate::recipe::{Measure, Recipe};
use crate::search::ROUNDING;

/// A pair is screened out if its estimate lies this many standard deviations below the threshold:
/// one true pair in thirty thousand.
const SCREEN_DEVIATIONS: f64 = 4.0;

/// Tells keys of lists from keys of bands before they are mixed.
const OF_LIST: u64 = 1 << 63;

/// The number of shingles of a long document that are hashed at a time.
const PART: usize = 1 << 10;

/// The method.
#[derive(Debug, Clone)]
pub(crate) struct Signatures {
    shingler: Shingler,
    hasher: Minhasher,
    bands: Bands,
    /// The threshold, if the rule is one on what signatures estimate.
    screen: Option<f64>,
    /// Which documents are listed, if any.
    lists: Option<Lists>,
    kernel: Kernel,
}

impl Signatures {
    pub(super) fn new(recipe: &Recipe, kernel: Kernel) -> Self {
        let feature = &recipe.feature;
        let bands = Bands { bands: recipe.minhash.bands, rows: recipe.minhash.rows };
        // A signature estimates the Jaccard of shingles, so it can only screen for a rule on that.
        let screen = (recipe.rule.measure == Measure::Jaccard).then_some(recipe.rule.threshold);
        Signatures {
            shingler: Shingler::new(feature.unit, feature.size, feature.hash),
            hasher: Minhasher::new(bands.bins()),
            bands,
            screen,
            lists: screen.and_then(|threshold| Lists::new(threshold - ROUNDING)),
            kernel,
        }
    }

    /// From now on every document has a signature and no list.
    pub(crate) fn without_lists(&mut self) {
        self.lists = None;
    }

    pub(super) fn width(&self) -> Width {
        let most = record::width(self.bands, self.lists.is_some());
        Width { fixed: self.lists.is_none().then_some(most), typical: most, most }
    }

    pub(super) fn write(
        &self,
        units: &[u64],
        ends: &[usize],
        scratch: &mut MethodScratch,
        out: &mut Stored<'_>,
    ) {
        self.kernel.run(Records { method: self, units, ends, scratch, out });
    }

    #[inline(always)]
    pub(super) fn read<'a>(&self, stored: &'a [u8]) -> Record<'a> {
        Record::read(stored, self.bands)
    }

    /// Appends a key for each band, if there is a signature.
    #[inline]
    pub(super) fn keys(&self, record: &Record<'_>, keys: &mut Vec<u64>) {
        if let Some(signature) = record.signature {
            self.bands.keys(signature.stored_bins(), keys);
        }
    }

    pub(super) fn key_count(&self, record: &Record<'_>) -> usize {
        record.signature.map_or(0, |_| self.band_count())
    }

    pub(super) fn band_count(&self) -> usize {
        usize::from(self.bands.bands)
    }

    /// See [`Method::keys`](super::Method::keys).
    pub(super) fn keys_of(&self, record: &Record<'_>) -> Keys {
        let mut keys = Keys::default();
        self.keys(record, &mut keys.stored);
        keys.probes.push(Probes { keys: keys.stored.clone(), enough: keys.stored.len() });
        if let (Some(list), Some(lists)) = (record.list, self.lists) {
            let mut shingles: Vec<u64> =
                list.shingles().map(|shingle| hash::mix(u64::from(shingle) | OF_LIST)).collect();
            shingles.sort_unstable();
            shingles.dedup();
            // Shingles that share their 32 bits count once: the prefix of all of them is long
            // enough.
            let enough = lists.prefix(list.len());
            keys.add_prefix(shingles, enough);
        }
        keys
    }

    /// The list of a document, if lists decide who is plausible.
    pub(crate) fn compared_list<'a>(&self, record: &Record<'a>) -> Option<List<'a>> {
        record.list.filter(|_| self.lists.is_some())
    }

    /// How long the prefix of a list is, if documents are listed.
    pub(crate) fn lists(&self) -> Option<Lists> {
        self.lists
    }

    /// Whether two documents can pass the rule; `marks` are those of the left one's list.
    pub(super) fn is_plausible(&self, a: &Record<'_>, marks: Option<&Marks>, b: &Record<'_>) -> bool {
        let Some(threshold) = self.screen else { return true };
        if let (Some(lists), Some(left), Some(right)) = (self.lists, a.list, b.list) {
            let Some(marks) = marks else {
                return lists.reaches(left.most_jaccard(right, self.kernel));
            };
            let common = marks.common(right);
            if left.is_sorted() && right.is_sorted() {
                return lists.reaches(list::jaccard(left.len(), right.len(), common));
            }
            // J is at most the shared part of either document. Few pairs pass this, and need their
            // lists sorted.
            return lists.reaches(common as f64 / marks.len().max(1) as f64)
                && lists.reaches(left.most_jaccard(right, self.kernel));
        }
        // A document that has only a list shares too little with any that has none.
        let (Some(left), Some(right)) = (a.signature, b.signature) else { return false };
        self.kernel.run(Compare { threshold, bands: self.bands, signatures: [left, right] })
    }
}

/// Appends the fingerprints of a batch of documents.
struct Records<'a, 'o> {
    method: &'a Signatures,
    units: &'a [u64],
    ends: &'a [usize],
    scratch: &'a mut MethodScratch,
    out: &'a mut Stored<'o>,
}

impl Task for Records<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Records { method, units, ends, scratch, out } = self;
        let Signatures { shingler, hasher, lists, kernel, .. } = method;
        let MethodScratch { smallest, signature, features, slots, .. } = scratch;
        for units in documents(units, ends) {
            let shingles = shingler.count(units.len());
            let (lists, is_sorted) = match lists {
                Some(lists) => lists_of(*lists, Fill { shingler, units, features }, slots, *kernel),
                None => (None, false),
            };
            let is_signed = lists.is_none_or(|lists| lists.may_meet_longer(shingles));
            let parts =
                [(Parts::LIST, lists.is_some()), (Parts::SORTED, is_sorted), (Parts::SIGNATURE, is_signed)];
            record::store_head(shingles, Parts::of(parts), out.bytes);
            if lists.is_some() {
                list::store(features, out.bytes);
            }
            if is_signed {
                hasher.begin(smallest);
                if lists.is_some() {
                    features.iter().for_each(|&hash| hasher.add(hash, smallest));
                } else {
                    // In parts that stay in the cache.
                    for part in shingler.parts(units, PART) {
                        features.clear();
                        shingler.append_shingles(part, features);
                        hasher.add_all(features, smallest);
                    }
                }
                hasher.finish(smallest, signature);
                signature::store(signature, out.bytes);
            }
            out.end();
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

/// Fills `features` with the shingles of a document that is to be listed: returns the lists then,
/// and whether the shingles are sorted and distinct.
fn lists_of(lists: Lists, fill: Fill<'_>, slots: &mut Vec<u8>, kernel: Kernel) -> (Option<Lists>, bool) {
    let Fill { shingler, units, features } = fill;
    let shingles = shingler.count(units.len());
    if shingles > LISTED {
        let mut marked = 0;
        list::clear(slots);
        for units in shingler.parts(units, list::MARKED) {
            kernel.run(Fill { shingler, units, features });
            marked += list::mark(features, slots);
            if marked > LISTED {
                return (None, false);
            }
        }
    }
    kernel.run(Fill { shingler, units, features });
    // Of a text that repeats itself only distinct shingles count.
    let is_sorted = shingles >= list::SORTED;
    if is_sorted {
        hash::distinct(features);
    }
    if features.len() > LISTED { (None, false) } else { (Some(lists), is_sorted) }
}

/// Whether two signatures leave it possible that the Jaccard is at least the threshold.
struct Compare<'a> {
    threshold: f64,
    bands: Bands,
    signatures: [StoredSignature<'a>; 2],
}

impl Task for Compare<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Compare { threshold, bands, signatures: [a, b] } = self;
        let most = a.most_differences(b, threshold - ROUNDING);
        if a.least_differences(b) > most {
            return false;
        }
        let agreement = a.agreement(b);
        if agreement.differences() > most {
            return false;
        }
        // A short document repeats its few samples in many bins: only the occupied ones are
        // evidence.
        let occupied = a.occupied().min(b.occupied());
        let deviation = (threshold * (1.0 - threshold) / f64::from(occupied.max(1))).sqrt();
        let least = threshold - SCREEN_DEVIATIONS * deviation;
        f64::from(agreement.all) >= least * f64::from(bands.bins())
    }
}
