//! All shingles of a text, kept instead of it.
//!
//! Hashes have no order and no redundancy: 8 bytes a shingle, which for prose is more than twice
//! its compressed text. In return nothing is decompressed and split into words when two documents
//! are compared, and no text is kept. Fewer bits of each hash would be smaller, and no longer
//! exact.

use twindex_core::feature::FeatureSet;
use twindex_core::verify::Evidence;

use super::record::take;

const HASH: usize = size_of::<u64>();

/// How many, whether the symbols matter, the hash of the symbols, then the hash of each shingle.
pub(super) fn encode(evidence: &Evidence, bytes: &mut Vec<u8>) {
    let hashes = evidence.features.as_slice();
    bytes.extend((hashes.len() as u32).to_le_bytes());
    bytes.push(u8::from(evidence.symbols.is_some()));
    bytes.extend(evidence.symbols.unwrap_or(0).to_le_bytes());
    bytes.extend(hashes.iter().flat_map(|hash| hash.to_le_bytes()));
}

/// Takes the features of one text off the bytes.
pub(super) fn decode(bytes: &mut &[u8]) -> Option<Evidence> {
    let length = u32::from_le_bytes(take(bytes)?);
    let [has_symbols] = take(bytes)?;
    let symbols = u64::from_le_bytes(take(bytes)?);
    let (hashes, rest) = bytes.split_at_checked(usize::try_from(length).ok()?.checked_mul(HASH)?)?;
    *bytes = rest;
    let hashes = hashes.as_chunks().0.iter().map(|&hash| u64::from_le_bytes(hash)).collect();
    Some(Evidence {
        features: FeatureSet::from_sorted(hashes)?,
        symbols: (has_symbols != 0).then_some(symbols),
        ..Evidence::default()
    })
}
