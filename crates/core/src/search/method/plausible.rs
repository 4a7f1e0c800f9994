//! What two stored fingerprints say about their documents before anybody reads these.

use super::stored::{bottom_k, simhash, split};
use super::{Kind, Method};
use crate::recipe::judgement::NOISE_LEAST_JACCARD;
use crate::search::{HashFrequencies, faint};

/// A pair is screened out when its estimate lies this many standard deviations below the threshold: one true pair in
/// thirty thousand.
const SCREEN_DEVIATIONS: f64 = 4.0;

/// Scores are rounded before the rule sees them: a bound leaves that much room.
const ROUNDING: f64 = 1e-6;

impl Method {
    /// Whether two documents that share a key are worth reading. Cheap, and wrong about a pair that passes the rule at
    /// most as often as the method itself is.
    pub fn is_plausible(&self, a: &[u8], b: &[u8]) -> bool {
        match &self.kind {
            Kind::Simhash { tables, .. } => simhash(a).distance(simhash(b)) <= tables.radius(),
            Kind::BottomK { k, prefix, .. } => prefix.is_candidate(&bottom_k(*k, a), &bottom_k(*k, b)),
            Kind::Minhash { screen: None, .. } => true,
            Kind::Minhash { screen: Some(threshold), bands, has_faint, .. } => {
                let [(a, sample_a), (b, sample_b)] = [a, b].map(|stored| split(stored, *bands));
                let has_samples = *has_faint && [sample_a, sample_b].into_iter().all(faint::has_keys);
                let [few, many] =
                    [*threshold, NOISE_LEAST_JACCARD].map(|least| a.most_differences(b, least - ROUNDING));
                // Counted once for both questions: whether enough is shared, and whether anything is.
                let most = if has_samples && many > few { many } else { few };
                let Some(differences) = a.differences(b, most) else { return false };
                let agreements = a.agreements(b);
                let is_faint = || {
                    has_samples
                        && differences <= many
                        && faint::Pair {
                            samples: [sample_a, sample_b],
                            shingles: [a.shingles(), b.shingles()],
                            agreements,
                            bins: bands.bins(),
                        }
                        .is_plausible(self.statistics.as_deref())
                };
                // A short document repeats its few samples in many bins: only the occupied ones are evidence.
                let samples = a.occupied().min(b.occupied());
                let deviation = (threshold * (1.0 - threshold) / f64::from(samples.max(1))).sqrt();
                let least = threshold - SCREEN_DEVIATIONS * deviation;
                let shares_enough =
                    differences <= few && f64::from(agreements) >= least * f64::from(bands.bins());
                shares_enough || is_faint()
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
