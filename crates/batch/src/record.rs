//! The fixed-size records of the work folder.

use twindex_core::Markup;
use twindex_core::group::KeepKey;
use twindex_core::verify::{Judgement, Scores, Term};

use crate::spill::Spillable;

/// What became of a row of an input.
pub(crate) mod row_status {
    /// It is bad, and was left out.
    pub(crate) const LEFT_OUT: u8 = 0;
    /// It is a document.
    pub(crate) const DOCUMENT: u8 = 1;
}

/// What a job knows of a document without reading it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The name of its exact text.
    pub(crate) content: u128,
    /// The hash of its id.
    pub(crate) id: u64,
    /// Its place in keep order.
    pub(crate) keep: KeepKey,
    /// How its text is written.
    pub(crate) markup: Markup,
    /// Whether there is anything to compare.
    pub(crate) has_features: bool,
}

/// The bits of a fact's last byte.
const MARKUP_HTML: u8 = 1;
const HAS_FEATURES: u8 = 2;
const MARKUP_FEATURES: u8 = 4;

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
        bytes[32] = markup | if self.has_features { HAS_FEATURES } else { 0 };
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
        }
    }
}

/// Two documents with their scores. `left` is the document that the pair is about (in a removal, the removed one).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScoredPair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    /// Millionths: scores have six decimals.
    jaccard: u32,
    containment_left: u32,
    containment_right: u32,
    cosine: u32,
    judgement: u32,
    /// The place of the term in `Term::ALL`.
    term: u8,
    distance: u8,
    /// Whether the texts are equal to the byte.
    pub(crate) exact: bool,
}

/// No simhash was computed.
const NO_DISTANCE: u8 = u8::MAX;
const MILLION: f64 = 1e6;

impl ScoredPair {
    pub(crate) fn new(left: u32, right: u32, scores: Scores, distance: Option<u32>) -> Self {
        let millionths = |score: f64| (score * MILLION).round() as u32;
        ScoredPair {
            left,
            right,
            jaccard: millionths(scores.jaccard),
            containment_left: millionths(scores.containment_left),
            containment_right: millionths(scores.containment_right),
            cosine: millionths(scores.cosine),
            judgement: millionths(scores.judgement.value),
            term: Term::ALL.iter().position(|term| *term == scores.judgement.term).unwrap_or(0) as u8,
            distance: distance.map_or(NO_DISTANCE, |distance| distance as u8),
            exact: false,
        }
    }

    /// Two documents of equal text.
    pub(crate) fn equal(left: u32, right: u32, distance: Option<u32>) -> Self {
        ScoredPair { exact: true, ..ScoredPair::new(left, right, Scores::EQUAL, distance) }
    }

    /// The scores, as they were given.
    pub(crate) fn scores(&self) -> Scores {
        Scores {
            jaccard: f64::from(self.jaccard) / MILLION,
            containment_left: f64::from(self.containment_left) / MILLION,
            containment_right: f64::from(self.containment_right) / MILLION,
            cosine: f64::from(self.cosine) / MILLION,
            judgement: Judgement {
                value: f64::from(self.judgement) / MILLION,
                term: Term::ALL.get(usize::from(self.term)).copied().unwrap_or_default(),
            },
        }
    }

    /// The Hamming distance, where there is one.
    pub(crate) fn distance(&self) -> Option<u32> {
        (self.distance != NO_DISTANCE).then_some(u32::from(self.distance))
    }

    /// The same scores for two other documents: `left` and `right` have the texts of this pair's left and right. The
    /// document that came first becomes the left one.
    pub(crate) fn between(&self, left: u32, right: u32) -> Self {
        let same_sides = ScoredPair { left, right, ..*self };
        if left <= right { same_sides } else { same_sides.swapped() }
    }

    /// The same pair for a copy of its left document.
    pub(crate) fn about(self, copy: u32) -> Self {
        ScoredPair { left: copy, ..self }
    }

    fn swapped(self) -> Self {
        ScoredPair {
            left: self.right,
            right: self.left,
            containment_left: self.containment_right,
            containment_right: self.containment_left,
            ..self
        }
    }
}

impl Spillable for ScoredPair {
    const BYTES: usize = 31;

    fn encode(&self, bytes: &mut [u8]) {
        let numbers = [
            self.left,
            self.right,
            self.jaccard,
            self.containment_left,
            self.containment_right,
            self.cosine,
            self.judgement,
        ];
        for (field, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            field.copy_from_slice(&number.to_le_bytes());
        }
        bytes[28] = self.term;
        bytes[29] = self.distance;
        bytes[30] = u8::from(self.exact);
    }

    fn decode(bytes: &[u8]) -> Self {
        let number = |i: usize| {
            u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
        };
        ScoredPair {
            left: number(0),
            right: number(1),
            jaccard: number(2),
            containment_left: number(3),
            containment_right: number(4),
            cosine: number(5),
            judgement: number(6),
            term: bytes[28],
            distance: bytes[29],
            exact: bytes[30] == 1,
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
        };
        for markup in [Markup::None, Markup::Html, Markup::Features] {
            for has_features in [false, true] {
                let fact = Fact { markup, has_features, ..fact };
                assert_eq!(Fact::decode(&fact.encode()), fact);
            }
        }

        let scores = Scores {
            jaccard: 0.5,
            containment_left: 0.666667,
            containment_right: 1.0,
            cosine: 0.123456,
            judgement: Judgement { value: 0.654321, term: Term::Reuse },
        };
        for distance in [None, Some(0), Some(64)] {
            let pair = ScoredPair::new(9, 4, scores, distance);
            let mut bytes = [0; ScoredPair::BYTES];
            pair.encode(&mut bytes);
            let back = ScoredPair::decode(&bytes);
            assert_eq!((back, back.scores(), back.distance()), (pair, scores, distance));
        }
    }

    #[test]
    fn swapping_sides_swaps_containment() {
        let judgement = Judgement::shared(0.5);
        let scores =
            Scores { jaccard: 0.5, containment_left: 0.6, containment_right: 0.9, cosine: 0.7, judgement };
        let pair = ScoredPair::new(9, 4, scores, None).between(9, 4);
        assert_eq!((pair.left, pair.right, pair.scores()), (4, 9, scores.swapped()));
    }
}
