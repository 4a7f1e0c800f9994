//! Copies that were edited with a known strength.
//!
//! Words are replaced, deleted, doubled or swapped with their neighbour, in equal parts; where a
//! script writes no spaces, the words are single characters. An edit of strength 0.1 touches every
//! tenth word on average. The choice is a function of the text and the strength alone.

use twindex_core::hash;

/// The text with about the share `strength` of its words edited.
pub(crate) fn edited(text: &str, strength: f64) -> String {
    let words = words(text);
    let mut random = hash::content(text.as_bytes()) as u64 ^ strength.to_bits();
    let mut draw = || {
        random = random.wrapping_add(STEP);
        hash::mix(random)
    };
    let threshold = (strength * u64::MAX as f64) as u64;
    let mut out = String::with_capacity(text.len());
    let mut place = 0;
    while place < words.len() {
        let word = words[place];
        let is_edited = word.chars().any(char::is_alphanumeric) && draw() < threshold;
        if !is_edited {
            out.push_str(word);
            place += 1;
            continue;
        }
        match draw() % 4 {
            // A word from elsewhere in the text.
            0 => out.push_str(words[(draw() % words.len() as u64) as usize]),
            1 => {}
            2 => out.extend([word, " ", word]),
            // Two places on: between two words stands what separates them.
            _ => {
                if let (Some(between), Some(second)) = (words.get(place + 1), words.get(place + 2)) {
                    out.extend([second, *between, word]);
                    place += 2;
                }
            }
        }
        place += 1;
    }
    out
}

/// The increment of a Weyl sequence: odd, and without pattern.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Runs of letters and digits, and what stands between them; characters of scripts without spaces
/// stand alone.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (place, character) in text.char_indices() {
        let kind = Kind::of(character);
        if before.is_some_and(|before| before != kind || kind == Kind::Alone) {
            words.push(&text[start..place]);
            start = place;
        }
        before = Some(kind);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Word,
    Between,
    Alone,
}

/// Scripts without spaces between words begin here or are the exceptions below.
const CJK_START: char = '\u{2E80}';
const HANGUL: std::ops::RangeInclusive<char> = '\u{AC00}'..='\u{D7A3}';
const THAI_TO_TIBETAN: std::ops::RangeInclusive<char> = '\u{0E00}'..='\u{0FFF}';

impl Kind {
    fn of(character: char) -> Kind {
        let is_unspaced = THAI_TO_TIBETAN.contains(&character)
            || (character >= CJK_START && !HANGUL.contains(&character) && character.is_alphanumeric());
        match character.is_alphanumeric() {
            _ if is_unspaced => Kind::Alone,
            true => Kind::Word,
            false => Kind::Between,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_runs_and_single_characters() {
        assert_eq!(words("Two words, 北京!"), ["Two", " ", "words", ", ", "北", "京", "!"]);
        assert!(words("").is_empty());
    }

    #[test]
    fn strength_is_the_share_of_touched_words() {
        let text: String = (0..20_000).map(|number| format!("w{number} ")).collect();
        let originals = words(&text).len();
        for strength in [0.05, 0.2] {
            let copy = edited(&text, strength);
            let untouched = copy.split(' ').zip(text.split(' ')).filter(|(a, b)| a == b).count();
            // Deleted and doubled words shift what follows, so count words that are gone instead of
            // places that differ.
            let kept: std::collections::HashSet<&str> = copy.split(' ').collect();
            let gone = text.split(' ').filter(|word| !kept.contains(word)).count() as f64;
            let expected = strength / 2.0 * originals as f64 / 2.0;
            assert!(
                (0.85..1.15).contains(&(gone / expected)),
                "{strength}: {gone} of {expected}, {untouched}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_strength_is_no_change_and_any_text_can_be_edited(text in "\\PC{0,200}", strength in 0.0f64..=1.0) {
            prop_assert_eq!(edited(&text, 0.0), text.clone());
            prop_assert_eq!(edited(&text, strength), edited(&text, strength));
            prop_assert_eq!(words(&text).concat(), text);
        }
    }
}
