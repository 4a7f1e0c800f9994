//! A text cut into pieces of ASCII and pieces of anything.
//!
//! Most texts in Latin letters are ASCII but for a name or a dash here and there. The pieces let
//! the byte loop have nearly all of them. A cut is made before an ASCII separator: nothing before
//! can combine with it, and whatever it combines with after it, the result separates too. So the
//! tokens of the pieces are the tokens of the text.

/// ASCII is looked for in blocks of this many bytes. Shorter runs are not worth a change of loops.
const BLOCK: usize = 16;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text) enum Piece<'a> {
    /// Pure ASCII.
    Ascii(&'a str),
    /// Anything, and ASCII where it is short.
    Mixed(&'a str),
}

/// The pieces of `text`, in order.
pub(in crate::text) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ascii = ascii_length(rest);
        let (length, is_ascii) = if ascii > 0 { (ascii, true) } else { (mixed_length(rest), false) };
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(if is_ascii { Piece::Ascii(piece) } else { Piece::Mixed(piece) })
    })
}

/// The length of the ASCII piece that `text` begins with; zero if it begins otherwise.
fn ascii_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run: usize = bytes.chunks(BLOCK).take_while(|block| block.is_ascii()).map(<[u8]>::len).sum();
    if run == bytes.len() {
        return run;
    }
    bytes[..run].iter().rposition(is_separator).unwrap_or(0)
}

/// The length of the piece up to the first separator in a block of ASCII.
fn mixed_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut start = 0;
    for block in bytes.chunks(BLOCK) {
        // A cut at the very beginning would leave nothing of the piece.
        if block.is_ascii()
            && let Some(cut) = block.iter().position(is_separator)
            && start + cut > 0
        {
            return start + cut;
        }
        start += block.len();
    }
    bytes.len()
}

fn is_separator(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    #[test]
    fn ascii_is_found_in_blocks_and_cut_before_separators() {
        let text = "plain words and a naïve one, then plain words again, which are many; 中";
        let found: Vec<_> = pieces(text).collect();
        assert_eq!(
            found,
            [
                Piece::Ascii("plain words and"),
                Piece::Mixed(" a naïve one, then"),
                Piece::Ascii(" plain words again, which are"),
                Piece::Mixed(" many; 中")
            ]
        );
    }

    #[test]
    fn nothing_is_lost() {
        for text in [
            "",
            "a",
            "é",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaé",
            "é.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b",
        ] {
            let joined: String = pieces(text)
                .map(|piece| match piece {
                    Piece::Ascii(piece) | Piece::Mixed(piece) => piece,
                })
                .collect();
            assert_eq!(joined, text);
        }
    }
}
