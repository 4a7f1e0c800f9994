//! Keeping the file small: how many bytes each pair may take, and how its texts are shortened.
//!
//! A pair over its share first folds long common passages, because the differences matter most, and
//! only then loses its end. Both are counted, and the page says so.

use serde::{Deserialize, Serialize};

use super::embed::escaped_bytes;
use twindex_core::compare::Piece;

/// A piece as the page shows it: [`Piece`], or common text that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shown {
    /// Both texts have it.
    Same(String),
    /// Only the left text has it.
    Removed(String),
    /// Only the right text has it.
    Added(String),
    /// Number of characters of common text that are not in the file.
    Skipped(u64),
}

impl From<Piece> for Shown {
    fn from(piece: Piece) -> Shown {
        match piece {
            Piece::Same(text) => Shown::Same(text),
            Piece::Removed(text) => Shown::Removed(text),
            Piece::Added(text) => Shown::Added(text),
        }
    }
}

impl Shown {
    /// Characters of the left text, and of the right text, that the piece stands for.
    pub(super) fn characters(&self) -> (u64, u64) {
        let count = |text: &str| text.chars().count() as u64;
        match self {
            Shown::Same(text) => (count(text), count(text)),
            Shown::Removed(text) => (count(text), 0),
            Shown::Added(text) => (0, count(text)),
            Shown::Skipped(characters) => (*characters, *characters),
        }
    }

    fn bytes(&self) -> usize {
        PIECE_OVERHEAD
            + match self {
                Shown::Same(text) | Shown::Removed(text) | Shown::Added(text) => {
                    text.chars().map(escaped_bytes).sum()
                }
                Shown::Skipped(_) => U64_DIGITS,
            }
    }
}

/// `{"removed":""},` and a byte to spare.
const PIECE_OVERHEAD: usize = 16;
const U64_DIGITS: usize = 20;

/// Characters of common text to keep on each side of a fold, tried in turn until the pair fits.
const CONTEXTS: [usize; 3] = [600, 160, 40];

/// What a pair's texts take in the file, at most.
pub(super) fn bytes(pieces: &[Shown]) -> usize {
    pieces.iter().map(Shown::bytes).sum()
}

/// The largest share for which all demands fit: what small ones do not use is left to large ones.
pub(super) fn share(demands: &[usize], budget: usize) -> usize {
    let mut ascending = demands.to_vec();
    ascending.sort_unstable();
    let mut rest = budget;
    for (index, &demand) in ascending.iter().enumerate() {
        let equal_part = rest / (ascending.len() - index);
        if demand > equal_part {
            return equal_part;
        }
        rest -= demand;
    }
    usize::MAX
}

/// The texts of a pair within `limit` bytes, and how many characters the left and the right one
/// lost at the end.
pub(super) fn fit(pieces: Vec<Shown>, limit: usize) -> (Vec<Shown>, u64, u64) {
    if bytes(&pieces) <= limit {
        return (pieces, 0, 0);
    }
    let mut folded = Vec::new();
    for context in CONTEXTS {
        folded = fold(&pieces, context);
        if bytes(&folded) <= limit {
            return (folded, 0, 0);
        }
    }
    cut(folded, limit)
}

/// Leaves out the middle of common passages, and the beginning of one that opens the texts.
fn fold(pieces: &[Shown], context: usize) -> Vec<Shown> {
    let mut folded = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate() {
        let Shown::Same(text) = piece else {
            folded.push(piece.clone());
            continue;
        };
        let (first, last) = (index == 0, index + 1 == pieces.len());
        // Texts without a difference show their beginning.
        let head = if first && !last { 0 } else { context };
        let tail = if last { 0 } else { context };
        let characters = text.chars().count();
        if characters <= head + tail + U64_DIGITS {
            folded.push(piece.clone());
            continue;
        }
        let offset = |position| text.char_indices().nth(position).map_or(text.len(), |(offset, _)| offset);
        let (head_end, tail_start) = (offset(head), offset(characters - tail));
        let parts = [
            Shown::Same(text[..head_end].to_owned()),
            Shown::Skipped((characters - head - tail) as u64),
            Shown::Same(text[tail_start..].to_owned()),
        ];
        folded.extend(parts.into_iter().filter(|part| part.characters() != (0, 0)));
    }
    folded
}

/// Drops the end.
fn cut(pieces: Vec<Shown>, limit: usize) -> (Vec<Shown>, u64, u64) {
    let mut kept = Vec::new();
    let (mut rest, mut left, mut right) = (limit, 0, 0);
    for piece in pieces {
        let whole = piece.characters();
        let shortened = shorten(piece, rest);
        rest -= shortened.as_ref().map_or(rest, Shown::bytes);
        let (shown_left, shown_right) = shortened.as_ref().map_or((0, 0), Shown::characters);
        left += whole.0 - shown_left;
        right += whole.1 - shown_right;
        if (shown_left, shown_right) != whole {
            rest = 0; // what follows a cut must not be shown
        }
        kept.extend(shortened);
    }
    (kept, left, right)
}

/// The beginning of a piece within `limit` bytes, if any of it fits.
fn shorten(piece: Shown, limit: usize) -> Option<Shown> {
    if piece.bytes() <= limit {
        return Some(piece);
    }
    let beginning = |text: String| {
        let mut rest = limit.checked_sub(PIECE_OVERHEAD)?;
        let mut end = 0;
        for character in text.chars() {
            let Some(less) = rest.checked_sub(escaped_bytes(character)) else { break };
            rest = less;
            end += character.len_utf8();
        }
        (end > 0).then(|| text[..end].to_owned())
    };
    match piece {
        Shown::Same(text) => beginning(text).map(Shown::Same),
        Shown::Removed(text) => beginning(text).map(Shown::Removed),
        Shown::Added(text) => beginning(text).map(Shown::Added),
        Shown::Skipped(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_piece() -> impl Strategy<Value = Shown> {
        let text = "[a-z <\u{1}天é\"]{1,300}";
        prop_oneof![
            text.prop_map(Shown::Same),
            text.prop_map(Shown::Removed),
            text.prop_map(Shown::Added),
            (1u64..1000).prop_map(Shown::Skipped),
        ]
    }

    fn characters(pieces: &[Shown]) -> (u64, u64) {
        pieces.iter().map(Shown::characters).fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
    }

    #[test]
    fn small_demands_leave_their_rest_to_large_ones() {
        assert_eq!(share(&[], 10), usize::MAX);
        assert_eq!(share(&[3, 4], 10), usize::MAX);
        assert_eq!(share(&[2, 100, 100], 20), 9);
    }

    #[test]
    fn common_text_folds_before_differences_are_cut() {
        let pieces = vec![
            Shown::Same("a".repeat(5000)),
            Shown::Removed("x".to_owned()),
            Shown::Same("b".repeat(5000)),
            Shown::Added("y".to_owned()),
        ];
        let (shown, left, right) = fit(pieces, 1000);
        assert_eq!((left, right), (0, 0));
        assert_eq!(shown[0], Shown::Skipped(4840));
        assert_eq!(shown[3], Shown::Same("b".repeat(160)));
        assert_eq!(shown.last(), Some(&Shown::Added("y".to_owned())));
    }

    proptest! {
        #[test]
        fn shares_stay_within_the_budget(demands in prop::collection::vec(0usize..1000, 0..20), budget in 0usize..9000) {
            let share = share(&demands, budget);
            let total: usize = demands.iter().map(|&demand| demand.min(share)).sum();
            prop_assert!(total <= budget);
        }

        #[test]
        fn fitting_keeps_to_the_limit_and_counts_what_is_lost(
            pieces in prop::collection::vec(any_piece(), 0..12), limit in 0usize..3000,
        ) {
            let before = characters(&pieces);
            let (shown, left, right) = fit(pieces, limit);
            prop_assert!(bytes(&shown) <= limit || shown.is_empty());
            prop_assert!(super::super::embed::script_json(&shown).len() <= limit + 2);
            let after = characters(&shown);
            prop_assert_eq!((after.0 + left, after.1 + right), before);
        }
    }
}
