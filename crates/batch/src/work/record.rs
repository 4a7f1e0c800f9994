//! The fixed-size records of the work folder.

use twindex_core::Markup;
use twindex_core::group::KeepKey;
use twindex_core::recipe::Rule;
use twindex_core::verify::{Measured, Overlap, Verdict};

/// A record of fixed size that can be sorted on disk.
pub(crate) trait Spillable: Copy + Ord + Send {
    /// Its size on disk.
    const BYTES: usize;
    /// Writes it to exactly [`Spillable::BYTES`] bytes.
    fn encode(&self, bytes: &mut [u8]);
    /// Reads it back.
    fn decode(bytes: &[u8]) -> Self;
}

impl Spillable for u64 {
    const BYTES: usize = 8;

    fn encode(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let mut word = [0; 8];
        word.copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }
}

/// The status of a row of an input.
pub(crate) mod row_status {
    /// Bad, and left out.
    pub(crate) const LEFT_OUT: u8 = 0;
    /// A document.
    pub(crate) const DOCUMENT: u8 = 1;
}

/// What a job knows of a document without reading it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The hash of its text.
    pub(crate) content: u128,
    /// The hash of its id.
    pub(crate) id: u64,
    /// Its place in keep order.
    pub(crate) keep: KeepKey,
    /// How its text is written.
    pub(crate) markup: Markup,
    /// Whether it has features to compare.
    pub(crate) has_features: bool,
    /// Whether its row says that it has no text.
    pub(crate) is_null: bool,
}

/// The bits of a fact's last byte.
const MARKUP_HTML: u8 = 1;
const HAS_FEATURES: u8 = 2;
const MARKUP_FEATURES: u8 = 4;
const IS_NULL: u8 = 8;

impl Fact {
    /// Its size on disk.
    pub(crate) const BYTES: usize = 33;

    pub(crate) fn encode(&self) -> [u8; Fact::BYTES] {
        let mut bytes = [0; Fact::BYTES];
        bytes[..16].copy_from_slice(&self.content.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.id.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.keep.0.to_le_bytes());
        let markup = match self.markup {
            Markup::None => 0,
            Markup::Html => MARKUP_HTML,
            Markup::Features => MARKUP_FEATURES,
        };
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        bytes[32] = markup | flag(self.has_features, HAS_FEATURES) | flag(self.is_null, IS_NULL);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Fact {
        Fact {
            content: u128::from(u64::decode(&bytes[..8])) | u128::from(u64::decode(&bytes[8..16])) << 64,
            id: u64::decode(&bytes[16..24]),
            keep: KeepKey(u64::decode(&bytes[24..32])),
            markup: match bytes[32] & (MARKUP_HTML | MARKUP_FEATURES) {
                MARKUP_HTML => Markup::Html,
                MARKUP_FEATURES => Markup::Features,
                _ => Markup::None,
            },
            has_features: bytes[32] & HAS_FEATURES != 0,
            is_null: bytes[32] & IS_NULL != 0,
        }
    }
}

/// Two documents and what was measured of them. `left` is the document that the pair is about (in a
/// removal, the removed one).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScoredPair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    /// How many features the documents have, and share.
    left_features: u32,
    right_features: u32,
    common: u32,
    /// The bits of a non-negative number, which sort as the number does.
    cosine: u64,
    distance: u8,
    flags: u8,
}

/// No simhash was computed.
const NO_DISTANCE: u8 = u8::MAX;

/// The bits of the flags.
const EQUAL: u8 = 1;
const ONLY_SYMBOLS_DIFFER: u8 = 2;

impl ScoredPair {
    pub(crate) fn new(left: u32, right: u32, measured: Measured, distance: Option<u32>) -> Self {
        let Measured { overlap, cosine, equal, only_symbols_differ } = measured;
        let [left_features, right_features, common] = [overlap.left, overlap.right, overlap.common]
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        ScoredPair {
            left,
            right,
            left_features,
            right_features,
            common,
            cosine: cosine.to_bits(),
            distance: distance.map_or(NO_DISTANCE, |distance| distance as u8),
            flags: flag(equal, EQUAL) | flag(only_symbols_differ, ONLY_SYMBOLS_DIFFER),
        }
    }

    /// Two documents of equal text.
    pub(crate) fn equal(left: u32, right: u32, distance: Option<u32>) -> Self {
        ScoredPair::new(left, right, Measured::EQUAL, distance)
    }

    /// What was measured.
    pub(crate) fn measured(&self) -> Measured {
        let [left, right, common] =
            [self.left_features, self.right_features, self.common].map(|count| count as usize);
        Measured {
            overlap: Overlap { left, right, common },
            cosine: f64::from_bits(self.cosine),
            equal: self.flags & EQUAL != 0,
            only_symbols_differ: self.flags & ONLY_SYMBOLS_DIFFER != 0,
        }
    }

    /// What the rule says about the two.
    pub(crate) fn verdict(&self, rule: Rule) -> Verdict {
        Verdict::new(rule, self.measured())
    }

    /// How many features the left and the right document have.
    pub(crate) fn features(&self) -> [u32; 2] {
        [self.left_features, self.right_features]
    }

    /// The Hamming distance, where there is one.
    pub(crate) fn distance(&self) -> Option<u32> {
        (self.distance != NO_DISTANCE).then_some(u32::from(self.distance))
    }

    /// The same scores for two other documents: `left` and `right` have the texts of this pair's
    /// left and right. The document that came first becomes the left one.
    pub(crate) fn between(&self, left: u32, right: u32) -> Self {
        let same_sides = ScoredPair { left, right, ..*self };
        if left <= right { same_sides } else { same_sides.swapped() }
    }

    /// The same pair for a copy of its left document.
    pub(crate) fn about(self, copy: u32) -> Self {
        ScoredPair { left: copy, ..self }
    }

    /// The same pair, about the other document.
    pub(crate) fn swapped(self) -> Self {
        ScoredPair {
            left: self.right,
            right: self.left,
            left_features: self.right_features,
            right_features: self.left_features,
            ..self
        }
    }
}

impl Spillable for ScoredPair {
    const BYTES: usize = 30;

    fn encode(&self, bytes: &mut [u8]) {
        let numbers = [self.left, self.right, self.left_features, self.right_features, self.common];
        for (field, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            field.copy_from_slice(&number.to_le_bytes());
        }
        bytes[20..28].copy_from_slice(&self.cosine.to_le_bytes());
        bytes[28] = self.distance;
        bytes[29] = self.flags;
    }

    fn decode(bytes: &[u8]) -> Self {
        let number = |i: usize| {
            u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
        };
        ScoredPair {
            left: number(0),
            right: number(1),
            left_features: number(2),
            right_features: number(3),
            common: number(4),
            cosine: u64::decode(&bytes[20..28]),
            distance: bytes[28],
            flags: bytes[29],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_the_disk() {
        let fact = Fact {
            content: 0x0123_4567_89ab_cdef_0011_2233_4455_6677,
            id: 42,
            keep: KeepKey(7),
            markup: Markup::Html,
            has_features: true,
            is_null: false,
        };
        for markup in [Markup::None, Markup::Html, Markup::Features] {
            for (has_features, is_null) in [(false, false), (false, true), (true, false)] {
                let fact = Fact { markup, has_features, is_null, ..fact };
                assert_eq!(Fact::decode(&fact.encode()), fact);
            }
        }

        let overlap = Overlap { left: 10, right: 17, common: 9 };
        for (equal, only_symbols_differ) in [(false, false), (true, false), (false, true)] {
            let measured = Measured { overlap, cosine: 0.1 + 0.2, equal, only_symbols_differ };
            for distance in [None, Some(0), Some(64)] {
                let pair = ScoredPair::new(9, 4, measured, distance);
                let mut bytes = [0; ScoredPair::BYTES];
                pair.encode(&mut bytes);
                let back = ScoredPair::decode(&bytes);
                assert_eq!((back, back.measured(), back.distance()), (pair, measured, distance));
            }
        }
    }

    #[test]
    fn swapping_sides_swaps_containment() {
        let overlap = Overlap { left: 10, right: 17, common: 9 };
        let measured = Measured { overlap, cosine: 0.7, equal: false, only_symbols_differ: false };
        let pair = ScoredPair::new(9, 4, measured, None).between(9, 4);
        assert_eq!((pair.left, pair.right, pair.measured()), (4, 9, measured.swapped()));
    }
}
