//! Texts that are ASCII but for characters that separate.
//!
//! Two posts of five have a curved quote, a dash or an emoji in them, and nothing else that is not
//! ASCII. Where words are all that is wanted, blanks in place of those characters leave the same
//! words, and the text is ASCII.

use super::TABLE;

/// What makes an emoji of a symbol, and one emoji of several: the normal form has neither.
const VANISHING: [char; 2] = ['\u{fe0f}', '\u{200d}'];

/// Writes blanks over every character of `text` that is not ASCII into `bytes`, a copy of it.
/// `false` if one of them does more than to end a word.
///
/// A character that separates begins anew and is held back by nothing, so that its neighbours are
/// normalised without it. What vanishes after it leaves it alone; after a letter it would join what
/// stands on both sides.
pub(in crate::text) fn blank_separators(text: &str, bytes: &mut [u8]) -> bool {
    let table = &*TABLE;
    let mut here = 0;
    // Behind the last of these characters.
    let mut separated = None;
    loop {
        here += ascii_length(&text.as_bytes()[here..]);
        let Some(character) = text[here..].chars().next() else { return true };
        let vanishes = separated == Some(here) && VANISHING.contains(&character);
        if !vanishes && !table.entry(character).separates() {
            return false;
        }
        let end = here + character.len_utf8();
        bytes[here..end].fill(b' ');
        here = end;
        separated = Some(end);
    }
}

/// How many bytes of ASCII there are before the first other byte.
fn ascii_length(bytes: &[u8]) -> usize {
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let (words, rest) = bytes.as_chunks();
    for (number, word) in words.iter().enumerate() {
        let highs = u64::from_le_bytes(*word) & HIGHS;
        if highs != 0 {
            return number * size_of::<u64>() + highs.trailing_zeros() as usize / 8;
        }
    }
    bytes.len() - rest.len() + rest.iter().take_while(|byte| byte.is_ascii()).count()
}
