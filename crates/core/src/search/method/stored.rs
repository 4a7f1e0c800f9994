//! How a stored fingerprint is read.

use super::record::Record;
use super::{Kind, Method};
use crate::fingerprint::{BottomK, Simhash};
use crate::search::sampled;

impl Method {
    /// The simhash in a stored fingerprint, if the method makes one.
    pub fn stored_simhash(&self, stored: &[u8]) -> Option<Simhash> {
        matches!(self.kind, Kind::Simhash { .. }).then(|| simhash(stored))
    }

    /// The Hamming distance of two stored fingerprints, if the method makes simhashes.
    pub fn distance(&self, a: &[u8], b: &[u8]) -> Option<u32> {
        Some(self.stored_simhash(a)?.distance(self.stored_simhash(b)?))
    }

    /// Whether every fingerprint needs all of the [width](Method::width).
    pub fn has_one_length(&self) -> bool {
        match &self.kind {
            Kind::Simhash { .. } => true,
            Kind::BottomK { .. } | Kind::Sampled(_) => false,
            Kind::Minhash { lists, .. } => lists.is_none(),
        }
    }

    /// The fingerprints of which `stored` consists, one after another.
    pub fn split<'s>(&self, stored: &'s [u8]) -> impl Iterator<Item = &'s [u8]> {
        let mut rest = stored;
        std::iter::from_fn(move || {
            let length = match &self.kind {
                Kind::Simhash { .. } => size_of::<u64>(),
                Kind::BottomK { k, .. } => bottom_k_width(bottom_k_length(*k, rest)),
                Kind::Minhash { bands, .. } => Record::length(rest, *bands),
                Kind::Sampled(_) => sampled::length(rest),
            };
            rest.split_off(..length)
        })
    }

    /// Appends a stored fingerprint in hexadecimal digits: 16 for a simhash, 4 for each bin of a minhash (nothing if it has a
    /// [list](Method::listing) only), and with commas between them 16 for each hash of a bottom-k sketch, 8 for each sampled one.
    pub fn write_hex(&self, stored: &[u8], out: &mut String) {
        match &self.kind {
            Kind::Simhash { .. } => push_hex(out, simhash(stored).0, 16),
            Kind::BottomK { k, .. } => push_list(out, bottom_k(*k, stored).hashes().iter().copied(), 16),
            Kind::Sampled(_) => push_list(out, sampled::hashes(stored).map(u64::from), 8),
            Kind::Minhash { bands, .. } => {
                let bins =
                    Record::read(stored, *bands).signature.into_iter().flat_map(|signature| signature.bins());
                bins.for_each(|bin| push_hex(out, u64::from(bin), 4));
            }
        }
    }
}

/// Appends numbers of that many digits, with commas between them.
fn push_list(out: &mut String, values: impl Iterator<Item = u64>, digits: u32) {
    for (number, value) in values.enumerate() {
        if number > 0 {
            out.push(',');
        }
        push_hex(out, value, digits);
    }
}

/// Appends the lowest `digits` hexadecimal digits, the most significant first.
fn push_hex(out: &mut String, value: u64, digits: u32) {
    let digit = |place| char::from_digit((value >> (4 * place) & 0xf) as u32, 16);
    out.extend((0..digits).rev().filter_map(digit));
}

/// The stored simhash.
pub(super) fn simhash(stored: &[u8]) -> Simhash {
    Simhash(u64_at(stored, 0))
}

/// The stored sketch.
pub(super) fn bottom_k(k: usize, stored: &[u8]) -> BottomK {
    BottomK::from_sorted(k, (0..bottom_k_length(k, stored)).map(|i| u64_at(stored, 2 + 8 * i)).collect())
}

fn bottom_k_length(k: usize, stored: &[u8]) -> usize {
    stored.first_chunk().map_or(0, |&count| usize::from(u16::from_le_bytes(count)).min(k))
}

/// How many bytes a stored sketch of so many hashes takes: their number, and each of them.
pub(super) fn bottom_k_width(hashes: usize) -> usize {
    2 + 8 * hashes
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
