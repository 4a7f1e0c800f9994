//! The keys of a document, and what the collection knows of them.

use std::ops::Range;

use super::record::Record;
use super::stored::{bottom_k, simhash};
use super::{Kind, Method};
use crate::search::{HashFrequencies, sampled};

/// Bands of a part: a sixth of the default's. Fewer take less memory and more passes, each of which looks up every document.
const PART_BANDS: u16 = 7;

/// A part of the keys.
enum Part {
    /// Those of some bands.
    Bands(Range<u16>),
    /// All that there are.
    Whole,
}

impl Method {
    /// What the keys depend on besides the fingerprint, for a collection of so many documents; every fingerprint must be
    /// [counted](Method::count) before keys are asked for. Empty if keys depend on nothing else.
    pub fn frequencies(&self, documents: usize) -> HashFrequencies {
        match &self.kind {
            Kind::BottomK { .. } | Kind::Sampled(_) => HashFrequencies::for_documents(documents),
            Kind::Simhash { .. } | Kind::Minhash { .. } => HashFrequencies::default(),
        }
    }

    /// How many bytes [`Method::frequencies`] takes.
    pub fn frequency_bytes(&self, documents: usize) -> usize {
        match &self.kind {
            Kind::BottomK { .. } | Kind::Sampled(_) => HashFrequencies::bytes_for_documents(documents),
            Kind::Simhash { .. } | Kind::Minhash { .. } => 0,
        }
    }

    /// Whether fingerprints must be counted, because keys depend on it.
    pub fn counts_frequencies(&self) -> bool {
        matches!(self.kind, Kind::BottomK { .. } | Kind::Sampled(_))
    }

    /// Counts a stored fingerprint.
    pub fn count(&self, stored: &[u8], frequencies: &mut HashFrequencies) {
        match &self.kind {
            Kind::BottomK { k, .. } => frequencies.add(bottom_k(*k, stored).hashes().iter().copied()),
            Kind::Sampled(_) => frequencies.add(sampled::hashes(stored).map(u64::from)),
            Kind::Simhash { .. } | Kind::Minhash { .. } => {}
        }
    }

    /// Whether documents may be [listed](Method::listing). Those that are meet by a [prefix](Method::list_prefix) of their lists, besides
    /// by keys.
    pub fn has_lists(&self) -> bool {
        matches!(self.kind, Kind::Minhash { lists: Some(_), .. })
    }

    /// The shingles of a document, 32 bits of each, if it is [listed](Method::listing).
    #[inline]
    pub fn listed<'s>(&self, stored: &'s [u8]) -> Option<impl Iterator<Item = u32> + use<'s>> {
        let Kind::Minhash { bands, .. } = &self.kind else { return None };
        Record::read(stored, *bands).list.map(|list| list.shingles())
    }

    /// Prefix length for a listed document with `shingles` shingles: any subset of this size, for example the rarest by a common order,
    /// shares at least one shingle with every listed duplicate.
    pub fn list_prefix(&self, shingles: usize) -> usize {
        match &self.kind {
            Kind::Minhash { lists: Some(lists), .. } => lists.prefix(shingles),
            _ => shingles,
        }
    }

    /// Appends the keys of a stored fingerprint.
    pub(super) fn keys(&self, stored: &[u8], frequencies: &HashFrequencies, keys: &mut Vec<u64>) {
        (0..self.key_parts()).for_each(|part| self.keys_of_part(part, stored, frequencies, keys));
    }

    /// How many keys a document has in a part, if all that [have any](Method::has_aligned_keys) have as many and only keys of the same
    /// place mean anything.
    pub fn aligned_keys(&self, part: usize) -> Option<usize> {
        match self.part(part) {
            Part::Bands(bands) => Some(bands.len()),
            Part::Whole => None,
        }
    }

    /// Whether the document has keys in such parts.
    pub fn has_aligned_keys(&self, stored: &[u8]) -> bool {
        matches!(&self.kind, Kind::Minhash { bands, .. } if Record::read(stored, *bands).signature.is_some())
    }

    /// Calls `each` with the keys of such a part. They meet as the [keys](Method::keys_of_part) of the part do if they are held
    /// against keys of their own place only, and are cheaper.
    #[inline]
    pub fn for_each_aligned(&self, part: usize, stored: &[u8], mut each: impl FnMut(u64)) {
        if let (Kind::Minhash { bands, .. }, Part::Bands(of_part)) = (&self.kind, self.part(part))
            && let Some(signature) = Record::read(stored, *bands).signature
        {
            bands.for_each_aligned(of_part, signature.stored_bins(), &mut each);
        }
    }

    /// Into how many parts the keys of a document fall that can be computed, and joined, one after the other: but for chance,
    /// no key of one part is one of another.
    pub fn key_parts(&self) -> usize {
        match &self.kind {
            Kind::Simhash { .. } | Kind::BottomK { .. } | Kind::Sampled(_) => 1,
            Kind::Minhash { bands, .. } => usize::from(bands.bands.div_ceil(PART_BANDS)),
        }
    }

    fn part(&self, part: usize) -> Part {
        let Kind::Minhash { bands, .. } = &self.kind else { return Part::Whole };
        let first = part as u16 * PART_BANDS;
        Part::Bands(first..bands.bands.min(first + PART_BANDS))
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
            Kind::BottomK { k, prefix, .. } => {
                prefix.keys(bottom_k(*k, stored).hashes(), frequencies, keys);
            }
            Kind::Minhash { bands, .. } => {
                if let (Part::Bands(of_part), Some(signature)) =
                    (self.part(part), Record::read(stored, *bands).signature)
                {
                    bands.keys_of(of_part, signature.stored_bins(), keys);
                }
            }
            Kind::Sampled(sampled) => sampled.keys(stored, frequencies, keys),
        }
    }
}
