//! What two stored fingerprints say about their documents before anybody reads these.

use super::record::Record;
use super::stored::{bottom_k, simhash};
use super::{Kind, Method};
use crate::kernel::task::Task;
use crate::search::listed::{self, Marks};
use crate::search::sampled::{PROBE, Sampled};
use crate::search::signature::StoredSignature;
use crate::search::{Bands, HashFrequencies, ROUNDING};

/// A pair is screened out when its estimate lies this many standard deviations below the threshold: one true pair in
/// thirty thousand.
const SCREEN_DEVIATIONS: f64 = 4.0;

impl Method {
    /// Whether two documents that share a key are worth reading. Cheap, and wrong about a pair that passes the rule at
    /// most as often as the method itself is.
    pub fn is_plausible(&self, a: &[u8], b: &[u8]) -> bool {
        self.beside(a, &mut BesideScratch::default()).is_plausible(b)
    }

    /// A document that is held against several others, one after another.
    pub fn beside<'a>(&'a self, stored: &'a [u8], scratch: &'a mut BesideScratch) -> Beside<'a> {
        let mut is_marked = false;
        if let Kind::Minhash { screen: Some(_), bands, lists: Some(_), .. } = &self.kind
            && let Some(list) = Record::read(stored, *bands).list
        {
            is_marked = scratch.0.set(list);
        }
        Beside { method: self, stored, marks: is_marked.then_some(&scratch.0) }
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
        // A probe meets what is stored under its key.
        let bit = if self.probes() { PROBE } else { 0 };
        let meets = |a: &u64| keys_b.iter().any(|b| a ^ b == bit);
        keys_a.iter().any(meets) && self.is_plausible(a, b)
    }

    /// The Jaccard similarity that two stored fingerprints estimate; a simhash estimates none.
    pub fn estimate(&self, a: &[u8], b: &[u8]) -> Option<f64> {
        match &self.kind {
            Kind::Simhash { .. } => None,
            Kind::BottomK { k, .. } => Some(bottom_k(*k, a).union_estimate(&bottom_k(*k, b))),
            Kind::Sampled(_) => Some(Sampled::estimate(a, b)),
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
    /// Of its shingles, if they are listed.
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
            Kind::Sampled(sampled) => sampled.is_plausible(self.stored, other),
            Kind::Minhash { screen: None, .. } => true,
            Kind::Minhash { screen: Some(threshold), bands, lists, kernel, .. } => {
                let [a, b] = [self.stored, other].map(|stored| Record::read(stored, *bands));
                if let (Some(lists), Some(left), Some(right)) = (lists, a.list, b.list) {
                    let Some(marks) = self.marks else {
                        return lists.reaches(left.most_jaccard(right, *kernel));
                    };
                    let common = marks.common(right);
                    if left.is_sorted() && right.is_sorted() {
                        return lists.reaches(listed::jaccard(left.len(), right.len(), common));
                    }
                    // J is at most the shared part of either document. Few pairs pass this, and need their lists sorted.
                    return lists.reaches(common as f64 / marks.len().max(1) as f64)
                        && lists.reaches(left.most_jaccard(right, *kernel));
                }
                // A document that has only a list shares too little with any that has none.
                let (Some(left), Some(right)) = (a.signature, b.signature) else { return false };
                kernel.run(Compare { threshold: *threshold, bands: *bands, signatures: [left, right] })
            }
        }
    }
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
        // A short document repeats its few samples in many bins: only the occupied ones are evidence.
        let occupied = a.occupied().min(b.occupied());
        let deviation = (threshold * (1.0 - threshold) / f64::from(occupied.max(1))).sqrt();
        let least = threshold - SCREEN_DEVIATIONS * deviation;
        f64::from(agreement.all) >= least * f64::from(bands.bins())
    }
}
