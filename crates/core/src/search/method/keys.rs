//! The keys of a document, and what the collection knows of them.

use std::ops::Range;

use super::stored::{bottom_k, simhash, split};
use super::{Kind, Method};
use crate::feature::Statistics;
use crate::search::{Bands, HashFrequencies, faint};

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

    /// How many keys every document has in a part, if all have as many and only keys of the same place mean anything.
    pub fn aligned_keys(&self, part: usize) -> Option<usize> {
        let Kind::Minhash { bands, .. } = &self.kind else { return None };
        Some(part_of(part, *bands).len()).filter(|&keys| keys > 0)
    }

    /// Calls `each` with the keys of such a part. They meet as the [keys](Method::keys_of_part) of the part do if they are held
    /// against keys of their own place only, and are cheaper.
    #[inline]
    pub fn for_each_aligned(&self, part: usize, stored: &[u8], mut each: impl FnMut(u64)) {
        if let Kind::Minhash { bands, .. } = &self.kind {
            let signature = split(stored, *bands).0;
            bands.for_each_aligned(part_of(part, *bands), signature.stored_bins(), |key| {
                each(faint::unmarked(key));
            });
        }
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
                let of_part = part_of(part, *bands);
                if of_part.is_empty() {
                    // The last part, if there is one more than the bands need.
                    return faint::keys(sample, keys);
                }
                let appended = keys.len();
                bands.keys_of(of_part, signature.stored_bins(), keys);
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

/// The bands of a part.
fn part_of(part: usize, bands: Bands) -> Range<u16> {
    let first = (part as u16).saturating_mul(PART_BANDS).min(bands.bands);
    first..bands.bands.min(first + PART_BANDS)
}
