//! What two stored fingerprints say about their documents before anybody reads these.

use super::stored::{bottom_k, simhash, split};
use super::{Kind, Method};
use crate::feature::Statistics;
use crate::kernel::task::Task;
use crate::recipe::judgement::NOISE_LEAST_JACCARD;
use crate::search::signature::{Differences, StoredSignature};
use crate::search::{Bands, HashFrequencies, faint};

/// A pair is screened out when its estimate lies this many standard deviations below the threshold: one true pair in
/// thirty thousand.
const SCREEN_DEVIATIONS: f64 = 4.0;

/// Scores are rounded before the rule sees them: a bound leaves that much room.
const ROUNDING: f64 = 1e-6;

/// What decides about most candidates: small enough that those of a collection stay in the cache.
#[derive(Debug, Clone, Copy)]
pub struct Outline {
    /// Which bins have a shingle of their own, the words of a signature laid on top of each other.
    own: [u64; 2],
    shingles: u32,
    has_sample: bool,
}

impl Method {
    /// The outline of a stored fingerprint, if the method knows any.
    pub fn outline(&self, stored: &[u8]) -> Option<Outline> {
        let Kind::Minhash { screen: Some(_), bands, has_faint, .. } = &self.kind else { return None };
        let (signature, sample) = split(stored, *bands);
        let has_sample = *has_faint && faint::has_keys(sample);
        Some(Outline { own: signature.folded_own(), shingles: signature.shingles(), has_sample })
    }

    /// Keeps those of the `others` about which, together with `one`, [`Method::is_plausible`] must be asked: it says no about all
    /// the rest. They are places in `outlines`.
    pub fn retain_likely(&self, outlines: &[Outline], one: u32, others: &mut Vec<u32>) {
        if let Kind::Minhash { screen: Some(threshold), kernel, .. } = &self.kind {
            kernel.run(RetainLikely { threshold: *threshold, outlines, one, others });
        }
    }

    /// Whether two documents that share a key are worth reading. Cheap, and wrong about a pair that passes the rule at
    /// most as often as the method itself is.
    pub fn is_plausible(&self, a: &[u8], b: &[u8]) -> bool {
        match &self.kind {
            Kind::Simhash { tables, .. } => simhash(a).distance(simhash(b)) <= tables.radius(),
            Kind::BottomK { k, prefix, .. } => prefix.is_candidate(&bottom_k(*k, a), &bottom_k(*k, b)),
            Kind::Minhash { screen: None, .. } => true,
            Kind::Minhash { screen: Some(threshold), bands, has_faint, kernel, .. } => {
                let [(a, sample_a), (b, sample_b)] = [a, b].map(|stored| split(stored, *bands));
                let has_samples = *has_faint && [sample_a, sample_b].into_iter().all(faint::has_keys);
                let screen = Screen { threshold: *threshold, bands: *bands, has_samples };
                kernel.run(IsPlausible {
                    screen,
                    signatures: [a, b],
                    samples: [sample_a, sample_b],
                    statistics: self.statistics.as_deref(),
                })
            }
        }
    }

    /// Whether the search proposes two documents: they share a key and are plausible.
    pub fn is_candidate(&self, a: &[u8], b: &[u8]) -> bool {
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
            Kind::Minhash { bands, .. } => {
                let [(a, _), (b, _)] = [a, b].map(|stored| split(stored, *bands));
                // Documents without shingles agree in every bin, and estimate nothing.
                let agreements = if a.occupied().min(b.occupied()) == 0 { 0 } else { a.agreements(b) };
                Some(f64::from(agreements) / f64::from(bands.bins()))
            }
        }
    }
}

/// See [`Method::retain_likely`].
struct RetainLikely<'a> {
    threshold: f64,
    outlines: &'a [Outline],
    one: u32,
    others: &'a mut Vec<u32>,
}

impl Task for RetainLikely<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let RetainLikely { threshold, outlines, one, others } = self;
        let a = &outlines[one as usize];
        others.retain(|&other| {
            let b = &outlines[other as usize];
            let has_samples = a.has_sample && b.has_sample;
            let least = if has_samples { threshold.min(NOISE_LEAST_JACCARD) } else { threshold };
            // Words on top of each other differ in no more bits than side by side.
            let differences = a.own.iter().zip(&b.own).map(|(a, b)| (a ^ b).count_ones()).sum();
            Differences::of(differences) <= Differences::most([a.shingles, b.shingles], least - ROUNDING)
        });
    }
}

/// What two signatures are held against.
struct Screen {
    threshold: f64,
    bands: Bands,
    /// Whether both documents have a sample.
    has_samples: bool,
}

/// See [`Method::is_plausible`].
struct IsPlausible<'a> {
    screen: Screen,
    signatures: [StoredSignature<'a>; 2],
    samples: [&'a [u8]; 2],
    statistics: Option<&'a Statistics>,
}

impl Task for IsPlausible<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let IsPlausible { screen: Screen { threshold, bands, has_samples }, signatures, samples, statistics } =
            self;
        let [a, b] = signatures;
        let [few, many] =
            [threshold, NOISE_LEAST_JACCARD].map(|least| a.most_differences(b, least - ROUNDING));
        // Counted once for both questions: whether enough is shared, and whether anything is.
        let most = if has_samples && many > few { many } else { few };
        if a.least_differences(b) > most {
            return false;
        }
        let agreement = a.agreement(b);
        let differences = agreement.differences();
        if differences > most {
            return false;
        }
        // A short document repeats its few samples in many bins: only the occupied ones are evidence.
        let occupied = a.occupied().min(b.occupied());
        let deviation = (threshold * (1.0 - threshold) / f64::from(occupied.max(1))).sqrt();
        let least = threshold - SCREEN_DEVIATIONS * deviation;
        let agrees_enough = f64::from(agreement.all) >= least * f64::from(bands.bins());
        let faint = faint::Pair { samples, shingles: [a.shingles(), b.shingles()], agreement };
        agrees_enough && differences <= few
            || has_samples && differences <= many && faint.is_plausible(statistics)
    }
}
