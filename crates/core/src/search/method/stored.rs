//! How a stored fingerprint is read.

use super::{Kind, Method};
use crate::fingerprint::{BottomK, Simhash};
use crate::search::signature::{self, StoredSignature};
use crate::search::{Bands, faint};

impl Method {
    /// The simhash in a stored fingerprint, if the method makes one.
    pub fn stored_simhash(&self, stored: &[u8]) -> Option<Simhash> {
        matches!(self.kind, Kind::Simhash { .. }).then(|| simhash(stored))
    }

    /// Whether every fingerprint needs all of the [width](Method::width).
    pub fn has_one_length(&self) -> bool {
        match &self.kind {
            Kind::Simhash { .. } => true,
            Kind::BottomK { .. } => false,
            Kind::Minhash { has_faint, .. } => !has_faint,
        }
    }

    /// A fingerprint without the padding behind what it needs: it can be stored, and used, in place of the whole.
    pub fn trimmed<'s>(&self, stored: &'s [u8]) -> &'s [u8] {
        let length = match &self.kind {
            Kind::Simhash { .. } => stored.len(),
            Kind::BottomK { k, .. } => bottom_k_width(bottom_k_length(*k, stored)),
            Kind::Minhash { bands, .. } => {
                let sample = split(stored, *bands).1;
                stored.len() - sample.len() + faint::trimmed_length(sample)
            }
        };
        &stored[..length]
    }

    /// Appends a stored fingerprint in hexadecimal digits: 16 for a simhash, 4 for each bin of a minhash, and 16 for
    /// each hash of a bottom-k sketch, with commas between them.
    pub fn write_hex(&self, stored: &[u8], out: &mut String) {
        match &self.kind {
            Kind::Simhash { .. } => push_hex(out, simhash(stored).0, 16),
            Kind::BottomK { k, .. } => {
                for (number, &hash) in bottom_k(*k, stored).hashes().iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                    }
                    push_hex(out, hash, 16);
                }
            }
            Kind::Minhash { bands, .. } => {
                let bins = split(stored, *bands).0.bins();
                bins.for_each(|bin| push_hex(out, u64::from(bin), 4));
            }
        }
    }
}

/// Appends the lowest `digits` hexadecimal digits, the most significant first.
fn push_hex(out: &mut String, value: u64, digits: u32) {
    let digit = |place| char::from_digit((value >> (4 * place) & 0xf) as u32, 16);
    out.extend((0..digits).rev().filter_map(digit));
}

/// A stored signature, and the sample behind it, if there is one.
pub(super) fn split(stored: &[u8], bands: Bands) -> (StoredSignature<'_>, &[u8]) {
    let (signature, sample) = stored.split_at(signature::width(bands.bins()));
    (StoredSignature::new(signature, bands.bins()), sample)
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
    usize::from(u16::from_le_bytes([stored[0], stored[1]])).min(k)
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
