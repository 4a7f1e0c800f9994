//! The symbols of a text: what distinguishes `C++` from `C#`, `a + b` from `a - b`, a thumb up from
//! a thumb down.
//!
//! Words are letters and digits, so that features do not cover symbols. In a page that does no
//! harm; in a line of five words a symbol can be all that matters. Symbols are mathematical signs,
//! currency signs, pictures (Unicode's Sm, Sc, So) and the ASCII characters of [`is_ascii_symbol`].
//! Characters that only structure prose are not: full stops, commas, quotes, brackets, dashes, and
//! a hyphen or underscore inside a word. Wide forms count as their ASCII characters.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use crate::hash;

/// ASCII characters that are symbols wherever they stand.
const fn is_ascii_symbol(character: char) -> bool {
    matches!(
        character,
        '#' | '$' | '%' | '&' | '*' | '+' | '/' | '<' | '=' | '>' | '@' | '\\' | '^' | '|' | '~'
    )
}

/// ASCII characters that are symbols unless they join two letters or digits.
const fn is_joiner(character: char) -> bool {
    matches!(character, '-' | '_')
}

/// The hash of a text's symbols in their order.
pub(super) fn hash(text: &str) -> u64 {
    hash::content(symbols(text).as_bytes()) as u64
}

fn symbols(text: &str) -> String {
    let mut symbols = String::new();
    let mut before = ' ';
    let mut characters = text.chars().map(narrow).peekable();
    while let Some(character) = characters.next() {
        let after = characters.peek().copied().unwrap_or(' ');
        let is_symbol = if is_joiner(character) {
            !(before.is_alphanumeric() && after.is_alphanumeric())
        } else if character.is_ascii() {
            is_ascii_symbol(character)
        } else {
            let category = CodePointMapData::<GeneralCategory>::new().get(character);
            matches!(
                category,
                GeneralCategory::MathSymbol | GeneralCategory::CurrencySymbol | GeneralCategory::OtherSymbol
            )
        };
        if is_symbol {
            symbols.push(character);
        }
        before = character;
    }
    symbols
}

/// The character that a wide form, or the typographic minus, stands for.
fn narrow(character: char) -> char {
    /// From a wide form to its ASCII character.
    const WIDE: u32 = 0xFEE0;
    match character {
        '\u{2212}' => '-',
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(character) - WIDE).unwrap_or(character),
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_signs_and_pictures_are_symbols() {
        for (text, expected) in [
            ("I write C++ and C#", "++#"),
            ("a + b", "+"),
            ("a - b", "-"),
            ("-5", "-"),
            ("\u{2212}5 \u{ff0b}", "-+"),
            ("fine \u{1F44D}", "\u{1F44D}"),
            ("10 € or 10 $", "€$"),
        ] {
            assert_eq!(symbols(text), expected, "{text}");
        }
    }

    #[test]
    fn what_structures_prose_is_none() {
        for text in [
            "\u{201c}Well\u{201d}, she said: (yes!)",
            "state-of-the-art; snake_case",
            "a\u{2014}b \u{2026}",
            "天地，玄黄。",
            "né",
        ] {
            assert_eq!(symbols(text), "", "{text}");
        }
    }
}
