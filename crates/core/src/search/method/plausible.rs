//! What two stored fingerprints say about their documents before anybody reads these.

use super::record::Record;
use super::stored::{bottom_k, simhash};
use super::{Kind, Method};
use crate::kernel::memory::prefetch;
use crate::kernel::task::Task;
use crate::recipe::judgement::{NOISE_LEAST_JACCARD, REUSE_LEAST_WORDS};
use crate::search::faint::Likeness;
use crate::search::listed::{self, Marks};
use crate::search::signature::{Agreement, Differences, StoredSignature};
use crate::search::{Bands, Edge, HashFrequencies, ROUNDING, faint};

/// A pair is screened out when its estimate lies this many standard deviations below the threshold: one true pair in
/// thirty thousand.
const SCREEN_DEVIATIONS: f64 = 4.0;

/// The outlines of a pair are asked for so many pairs ahead: those of a large collection are not in the nearest caches.
const ANNOUNCED: usize = 8;

/// What decides about most candidates: small enough that those of a collection stay in the cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outline {
    /// Which parts of the range of shingles have any: those of a list, or the bins of a signature with a shingle of their own, its
    /// words laid on top of each other.
    own: [u64; 2],
    shingles: u32,
    has_sample: bool,
    is_listed: bool,
    is_signed: bool,
}

impl Method {
    /// The outline of a stored fingerprint, if the method knows any.
    pub fn outline(&self, stored: &[u8]) -> Option<Outline> {
        let Kind::Minhash { screen: Some(_), bands, .. } = &self.kind else { return None };
        let record = Record::read(stored, *bands);
        let own = match (record.list, record.signature) {
            (Some(list), _) => list.outline(),
            (None, Some(signature)) => signature.folded_own(),
            (None, None) => [0; 2],
        };
        Some(Outline {
            own,
            shingles: record.shingles,
            has_sample: record.has_sample(),
            is_listed: record.list.is_some(),
            is_signed: record.signature.is_some(),
        })
    }

    /// Keeps those of the `candidates` about which [`Method::is_plausible`] must be asked: it says no about all the rest. They are places
    /// in `outlines`.
    pub fn retain_likely(&self, outlines: &[Outline], candidates: &mut Vec<Edge>) {
        if let Kind::Minhash { screen: Some(threshold), kernel, .. } = &self.kind {
            let (threshold, reuse) = (*threshold, self.shingles_for_reuse());
            kernel.run(RetainLikely { threshold, reuse, outlines, candidates });
        }
    }

    /// Whether two documents that share a key are worth reading. Cheap, and wrong about a pair that passes the rule at
    /// most as often as the method itself is.
    pub fn is_plausible(&self, a: &[u8], b: &[u8]) -> bool {
        self.beside(a, &mut BesideScratch::default()).is_plausible(b)
    }

    /// A document that is held against several others, one after another.
    pub fn beside<'a>(&'a self, stored: &'a [u8], scratch: &'a mut BesideScratch) -> Beside<'a> {
        let mut is_marked = false;
        if let Kind::Minhash { screen: Some(_), bands, lists: Some(_), .. } = &self.kind
            && let Some(list) = Record::read(stored, *bands).list.filter(|list| list.is_sorted())
        {
            is_marked = scratch.0.set(list);
        }
        Beside { method: self, stored, marks: is_marked.then_some(&scratch.0) }
    }

    /// The least number of shingles of a document with words enough for the term `reuse`.
    fn shingles_for_reuse(&self) -> u32 {
        self.shingler.count(REUSE_LEAST_WORDS as usize) as u32
    }

    /// Whether a later term of the judgement may accept the two.
    fn may_be_faint(&self, a: &Record<'_>, b: &Record<'_>, likeness: Likeness) -> bool {
        let (samples, shingles) = ([a.sample, b.sample], [a.shingles, b.shingles]);
        if faint::least_jaccard(shingles, self.shingles_for_reuse()).is_none() {
            return false;
        }
        faint::Pair { samples, shingles, likeness }.is_plausible(self.statistics.as_deref())
    }

    /// Whether the search proposes two documents: they share a key and are plausible, or their lists say that they share enough.
    pub fn is_candidate(&self, a: &[u8], b: &[u8]) -> bool {
        if let Kind::Minhash { lists: Some(lists), bands, kernel, .. } = &self.kind
            && let [Some(left), Some(right)] = [a, b].map(|stored| Record::read(stored, *bands).list)
            && lists.reaches(left.most_jaccard(right, *kernel))
        {
            return true;
        }
        let (mut keys_a, mut keys_b) = (vec![], vec![]);
        // Frequencies change the keys of a method only if it proposes the same pairs with any.
        let none = HashFrequencies::default();
        self.keys(a, &none, &mut keys_a);
        self.keys(b, &none, &mut keys_b);
        keys_a.iter().any(|key| keys_b.contains(key)) && self.is_plausible(a, b)
    }

    /// The Jaccard similarity that two stored fingerprints estimate; a simhash estimates none.
    pub fn estimate(&self, a: &[u8], b: &[u8]) -> Option<f64> {
        match &self.kind {
            Kind::Simhash { .. } => None,
            Kind::BottomK { k, .. } => Some(bottom_k(*k, a).union_estimate(&bottom_k(*k, b))),
            Kind::Minhash { bands, kernel, .. } => {
                let [a, b] = [a, b].map(|stored| Record::read(stored, *bands));
                if let (Some(left), Some(right)) = (a.list, b.list) {
                    return Some(left.most_jaccard(right, *kernel));
                }
                let (a, b) = a.signature.zip(b.signature)?;
                // Documents without shingles agree in every bin, and estimate nothing.
                let agreements = if a.occupied().min(b.occupied()) == 0 { 0 } else { a.agreements(b) };
                Some(f64::from(agreements) / f64::from(bands.bins()))
            }
        }
    }
}

/// A buffer for [`Method::beside`].
#[derive(Debug, Clone, Default)]
pub struct BesideScratch(Marks);

/// A document that others are held against.
#[derive(Debug)]
pub struct Beside<'a> {
    method: &'a Method,
    stored: &'a [u8],
    /// Of its shingles, if they are listed and each is there once.
    marks: Option<&'a Marks>,
}

impl Beside<'_> {
    /// The same as [`Method::is_plausible`].
    pub fn is_plausible(&self, other: &[u8]) -> bool {
        match &self.method.kind {
            Kind::Simhash { tables, .. } => simhash(self.stored).distance(simhash(other)) <= tables.radius(),
            Kind::BottomK { k, prefix, .. } => {
                prefix.is_candidate(&bottom_k(*k, self.stored), &bottom_k(*k, other))
            }
            Kind::Minhash { screen: None, .. } => true,
            Kind::Minhash { screen: Some(threshold), bands, lists, kernel, .. } => {
                let [a, b] = [self.stored, other].map(|stored| Record::read(stored, *bands));
                if let (Some(lists), Some(left), Some(right)) = (lists, a.list, b.list) {
                    let jaccard = match self.marks.filter(|_| right.is_sorted()) {
                        Some(marks) => listed::jaccard(left.len(), right.len(), marks.common(right)),
                        None => left.most_jaccard(right, *kernel),
                    };
                    return lists.reaches(jaccard)
                        || self.method.may_be_faint(&a, &b, Likeness::Known(jaccard));
                }
                // Whoever has only a list is not like anybody who has none.
                let (Some(left), Some(right)) = (a.signature, b.signature) else { return false };
                let has_samples = a.has_sample() && b.has_sample();
                let screen = Screen { threshold: *threshold, bands: *bands, has_samples };
                match kernel.run(Compare { screen, signatures: [left, right] }) {
                    Impression::Unlike => false,
                    Impression::Alike => true,
                    Impression::Faint(agreement) => {
                        self.method.may_be_faint(&a, &b, Likeness::Estimated(agreement))
                    }
                }
            }
        }
    }
}

/// See [`Method::retain_likely`].
struct RetainLikely<'a> {
    threshold: f64,
    reuse: u32,
    outlines: &'a [Outline],
    candidates: &'a mut Vec<Edge>,
}

impl Task for RetainLikely<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let RetainLikely { threshold, reuse, outlines, candidates } = self;
        let is_likely = |Edge { later, earlier }| {
            let (a, b) = (&outlines[later as usize], &outlines[earlier as usize]);
            if a.is_listed != b.is_listed {
                return a.is_signed && b.is_signed;
            }
            let shingles = [a.shingles, b.shingles];
            let least = least_jaccard(shingles, a.has_sample && b.has_sample, threshold, reuse);
            // Words on top of each other differ in no more bits than side by side.
            let differences = a.own.iter().zip(&b.own).map(|(a, b)| (a ^ b).count_ones()).sum();
            Differences::of(differences) <= Differences::most(shingles, least - ROUNDING)
        };
        let mut kept = 0;
        for at in 0..candidates.len() {
            if let Some(next) = candidates.get(at + ANNOUNCED) {
                prefetch(outlines, next.later as usize);
                prefetch(outlines, next.earlier as usize);
            }
            let edge = candidates[at];
            candidates[kept] = edge;
            kept += usize::from(is_likely(edge));
        }
        candidates.truncate(kept);
    }
}

/// The least Jaccard with which some term of the rule may accept two documents of so many shingles.
#[inline(always)]
fn least_jaccard(shingles: [u32; 2], has_samples: bool, threshold: f64, reuse: u32) -> f64 {
    let faint = has_samples.then(|| faint::least_jaccard(shingles, reuse)).flatten();
    faint.map_or(threshold, |least| least.min(threshold))
}

/// What two signatures are held against.
struct Screen {
    threshold: f64,
    bands: Bands,
    /// Whether both documents have a sample.
    has_samples: bool,
}

/// What two signatures say about their documents.
enum Impression {
    /// No term of the rule can accept them.
    Unlike,
    /// They may share enough.
    Alike,
    /// They may share something.
    Faint(Agreement),
}

/// Compares two signatures.
struct Compare<'a> {
    screen: Screen,
    signatures: [StoredSignature<'a>; 2],
}

impl Task for Compare<'_> {
    type Output = Impression;

    #[inline(always)]
    fn run(self) -> Impression {
        let Compare { screen: Screen { threshold, bands, has_samples }, signatures: [a, b] } = self;
        let [few, many] =
            [threshold, NOISE_LEAST_JACCARD].map(|least| a.most_differences(b, least - ROUNDING));
        // Counted once for both questions: whether enough is shared, and whether anything is.
        let most = if has_samples && many > few { many } else { few };
        if a.least_differences(b) > most {
            return Impression::Unlike;
        }
        let agreement = a.agreement(b);
        let differences = agreement.differences();
        if differences > most {
            return Impression::Unlike;
        }
        // A short document repeats its few samples in many bins: only the occupied ones are evidence.
        let occupied = a.occupied().min(b.occupied());
        let deviation = (threshold * (1.0 - threshold) / f64::from(occupied.max(1))).sqrt();
        let least = threshold - SCREEN_DEVIATIONS * deviation;
        let agrees_enough = f64::from(agreement.all) >= least * f64::from(bands.bins());
        if agrees_enough && differences <= few {
            Impression::Alike
        } else if has_samples && differences <= many {
            Impression::Faint(agreement)
        } else {
            Impression::Unlike
        }
    }
}
