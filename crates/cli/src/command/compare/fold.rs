//! A difference short enough to read: long stretches that are the same are folded.

use twindex_core::compare::Piece;

/// A stretch of the difference as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown<'a> {
    Same(&'a str),
    /// The number of equal characters left out.
    Folded(usize),
    Removed(&'a str),
    Added(&'a str),
}

/// As much of what is the same is shown before and after a change: a line or two.
const CONTEXT: usize = 120;

/// Folding fewer characters than this would save nothing.
const LEAST_FOLD: usize = 60;

/// Folds what is the same, except near changes.
pub(super) fn fold(pieces: &[Piece]) -> Vec<Shown<'_>> {
    let mut shown = vec![];
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Removed(text) => shown.push(Shown::Removed(text)),
            Piece::Added(text) => shown.push(Shown::Added(text)),
            Piece::Same(text) => {
                let before = if index == 0 { 0 } else { CONTEXT };
                let after = if index + 1 == pieces.len() { 0 } else { CONTEXT };
                fold_same(text, before, after, &mut shown);
            }
        }
    }
    shown
}

/// Shows `before` characters at the beginning and `after` at the end, and a little more to cut
/// between words.
fn fold_same<'a>(text: &'a str, before: usize, after: usize, shown: &mut Vec<Shown<'a>>) {
    let head = end_of_word(text, before);
    let tail = start_of_word(text, after).max(head);
    let folded = text[head..tail].chars().count();
    if folded < LEAST_FOLD {
        shown.push(Shown::Same(text));
        return;
    }
    shown.extend((head > 0).then(|| Shown::Same(&text[..head])));
    shown.push(Shown::Folded(folded));
    shown.extend((tail < text.len()).then(|| Shown::Same(&text[tail..])));
}

/// The largest distance to the next space; scripts without spaces have none.
const WORD: usize = 20;

/// The first place after `count` characters where a word has ended.
fn end_of_word(text: &str, count: usize) -> usize {
    let mut rest = text.char_indices().skip(count);
    let Some((start, first)) = rest.next() else { return text.len() };
    if count == 0 || first.is_whitespace() {
        return start;
    }
    rest.take(WORD).find(|(_, character)| character.is_whitespace()).map_or(start, |(at, _)| at)
}

/// The last place at least `count` characters from the end where a word begins.
fn start_of_word(text: &str, count: usize) -> usize {
    if count == 0 {
        return text.len();
    }
    let mut rest = text.char_indices().rev().skip(count - 1);
    let Some((start, _)) = rest.next() else { return 0 };
    let space = rest.take(WORD).find(|(_, character)| character.is_whitespace());
    space.map_or(start, |(at, character)| at + character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(text: &str) -> Piece {
        Piece::Same(text.to_owned())
    }

    #[test]
    fn short_stretches_stay() {
        let pieces = [same("one "), Piece::Removed("two".to_owned()), same(" three")];
        assert_eq!(fold(&pieces), [Shown::Same("one "), Shown::Removed("two"), Shown::Same(" three")]);
        assert!(fold(&[]).is_empty());
    }

    #[test]
    fn long_stretches_are_folded_between_words_and_nothing_is_lost() {
        let text = "word ".repeat(100);
        let pieces = [
            same(&text),
            Piece::Added("x".to_owned()),
            same(&text),
            Piece::Removed("y".to_owned()),
            same(&text),
        ];
        let shown = fold(&pieces);
        let mut characters = 0;
        for stretch in &shown {
            match stretch {
                Shown::Same(text) => {
                    assert!(text.trim().split(' ').all(|word| word == "word"), "{text:?}");
                    assert!((CONTEXT..CONTEXT + WORD).contains(&text.len()));
                    characters += text.chars().count();
                }
                Shown::Folded(count) => characters += count,
                Shown::Removed(_) | Shown::Added(_) => {}
            }
        }
        assert_eq!(characters, 3 * text.len());
        assert!(matches!(
            shown.as_slice(),
            [
                Shown::Folded(_),
                Shown::Same(_),
                Shown::Added(_),
                Shown::Same(_),
                Shown::Folded(_),
                Shown::Same(_),
                Shown::Removed(_),
                Shown::Same(_),
                Shown::Folded(_)
            ]
        ));
    }

    #[test]
    fn text_without_spaces_is_cut_between_characters() {
        let text = "天".repeat(500);
        let pieces = [Piece::Added("x".to_owned()), same(&text), Piece::Added("y".to_owned())];
        let context = "天".repeat(CONTEXT);
        assert_eq!(
            fold(&pieces)[1..4],
            [Shown::Same(context.as_str()), Shown::Folded(500 - 2 * CONTEXT), Shown::Same(context.as_str())]
        );
    }

    #[test]
    fn equal_texts_are_all_folded() {
        let text = "word ".repeat(100);
        assert_eq!(fold(&[same(&text)]), [Shown::Folded(500)]);
    }
}
