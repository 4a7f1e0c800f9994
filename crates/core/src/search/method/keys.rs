//! The keys of a document, and what the collection knows of them.

use super::stored::{bottom_k, simhash, split};
use super::{Kind, Method};
use crate::feature::Statistics;
use crate::search::{HashFrequencies, faint};

/// Bands of a part: a sixth of the default's. Fewer take less memory and more passes, each of which looks up every document.
const PART_BANDS: u16 = 7;

impl Method {
    /// What the keys depend on besides the fingerprint, for a collection of so many documents; every fingerprint must be
    /// [counted](Method::count) before keys are asked for. Empty if keys depend on nothing else.
    pub fn frequencies(&self, documents: usize) -> HashFrequencies {
        match &self.kind {
            Kind::BottomK { .. } => HashFrequencies::for_documents(documents),
            Kind::Simhash { .. } | Kind::Minhash { .. } => HashFrequencies::default(),
        }
    }

    /// How many bytes [`Method::frequencies`] takes.
    pub fn frequency_bytes(&self, documents: usize) -> usize {
        match &self.kind {
            Kind::BottomK { .. } => HashFrequencies::bytes_for_documents(documents),
            Kind::Simhash { .. } | Kind::Minhash { .. } => 0,
        }
    }

    /// Whether fingerprints must be counted.
    pub fn counts_frequencies(&self) -> bool {
        matches!(self.kind, Kind::BottomK { .. })
    }

    /// Counts a stored fingerprint.
    pub fn count(&self, stored: &[u8], frequencies: &mut HashFrequencies) {
        if let Kind::BottomK { k, .. } = &self.kind {
            frequencies.add(bottom_k(*k, stored).hashes());
        }
    }

    /// Appends the keys of a stored fingerprint.
    pub fn keys(&self, stored: &[u8], frequencies: &HashFrequencies, keys: &mut Vec<u64>) {
        (0..self.key_parts()).for_each(|part| self.keys_of_part(part, stored, frequencies, keys));
    }

    /// How many keys every document has in a part, if all have as many and only keys of the same place are equal.
    pub fn aligned_keys(&self, part: usize) -> Option<usize> {
        let Kind::Minhash { bands, .. } = &self.kind else { return None };
        let left = usize::from(bands.bands).checked_sub(part * usize::from(PART_BANDS));
        left.map(|left| left.min(PART_BANDS.into())).filter(|&keys| keys > 0)
    }

    /// Into how many parts the keys of a document fall that can be computed, and joined, one after the other: but for chance,
    /// no key of one part is one of another.
    pub fn key_parts(&self) -> usize {
        match &self.kind {
            Kind::Simhash { .. } | Kind::BottomK { .. } => 1,
            Kind::Minhash { bands, has_faint, .. } => {
                usize::from(bands.bands.div_ceil(PART_BANDS)) + usize::from(*has_faint)
            }
        }
    }

    /// Appends the keys of one part.
    pub fn keys_of_part(
        &self,
        part: usize,
        stored: &[u8],
        frequencies: &HashFrequencies,
        keys: &mut Vec<u64>,
    ) {
        match &self.kind {
            Kind::Simhash { tables, .. } => tables.keys(simhash(stored), keys),
            Kind::BottomK { k, prefix, .. } => prefix.keys(bottom_k(*k, stored).hashes(), frequencies, keys),
            Kind::Minhash { bands, has_faint, .. } => {
                let (signature, sample) = split(stored, *bands);
                let first = (part as u16).saturating_mul(PART_BANDS);
                if first >= bands.bands {
                    // The last part, if there is one more than the bands need.
                    return faint::keys(sample, keys);
                }
                let appended = keys.len();
                bands.keys_of(first..bands.bands.min(first + PART_BANDS), signature.stored_bins(), keys);
                if *has_faint {
                    faint::unmark(&mut keys[appended..]);
                }
            }
        }
    }

    /// Whether a key that so many documents share means nothing.
    pub fn is_common(&self, key: u64, documents: usize) -> bool {
        self.has_statistics() && faint::is_common(key, documents)
    }

    /// Whether stored fingerprints hold what the [`Statistics`] count.
    pub fn has_statistics(&self) -> bool {
        matches!(self.kind, Kind::Minhash { has_faint: true, .. })
    }

    /// Counts a document by its stored fingerprint, if it holds what is counted.
    pub fn add_to_statistics(&self, stored: &[u8], statistics: &mut Statistics) {
        if let Kind::Minhash { has_faint: true, bands, .. } = &self.kind {
            statistics.count(faint::hashes(split(stored, *bands).1));
        }
    }
}
