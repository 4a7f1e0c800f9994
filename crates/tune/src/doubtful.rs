//! The pairs on both sides of the line, for a person to judge.

use serde::Serialize;
use twindex_core::Document;
use twindex_core::compare::{Piece, difference};
use twindex_core::recipe::Measure;

use crate::pairs::Compared;

/// A pair near the threshold, with both texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Doubtful {
    /// The ids.
    pub left: String,
    /// The ids.
    pub right: String,
    /// The value of the deciding measure.
    pub value: f64,
    /// Jaccard of the shingles.
    pub jaccard: f64,
    /// Cosine of the counts.
    pub cosine: f64,
    /// Hamming distance of the simhashes.
    pub distance: Option<u32>,
    /// What the labels say, if they say anything.
    pub is_right: Option<bool>,
    /// What the texts have in common and what not, from their beginnings.
    pub pieces: Vec<Piece>,
}

/// How many pairs are shown on each side, and how much of each text.
const SHOWN: usize = 12;
const SHOWN_CHARACTERS: usize = 700;

/// The accepted pairs with the least value, and the rejected ones with the largest.
pub(crate) fn doubtful(
    documents: &[Document],
    pairs: &[Compared],
    measure: Measure,
    label: impl Fn(&Compared) -> Option<bool>,
) -> (Vec<Doubtful>, Vec<Doubtful>) {
    let value = |pair: &Compared| pair.measured.scores().of(measure);
    let show = |pair: &&Compared| {
        let scores = pair.measured.scores();
        let (left, right) = (&documents[pair.left as usize], &documents[pair.right as usize]);
        Doubtful {
            left: left.id.clone(),
            right: right.id.clone(),
            value: value(pair),
            jaccard: scores.jaccard,
            cosine: scores.cosine,
            distance: pair.distance,
            is_right: label(pair),
            pieces: difference(beginning(&left.text), beginning(&right.text)),
        }
    };
    let (mut accepted, mut rejected): (Vec<&Compared>, Vec<&Compared>) =
        pairs.iter().partition(|pair| pair.is_accepted);
    accepted.sort_by(|a, b| value(a).total_cmp(&value(b)));
    rejected.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let shown = |pairs: &[&Compared]| pairs.iter().take(SHOWN).map(show).collect();
    (shown(&accepted), shown(&rejected))
}

fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(SHOWN_CHARACTERS).map_or(text.len(), |(place, _)| place);
    &text[..end]
}
