//! What part a character plays in a token: the definition, by Unicode properties.

use icu_properties::props::{Alphabetic, GeneralCategory, GeneralCategoryGroup, Script};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData};

/// The part that a character plays in a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::text) enum Class {
    /// Ends a token and belongs to none: blanks, punctuation, symbols, controls.
    Separator = 0,
    /// Continues a word: letters and digits.
    Word = 1,
    /// A token of its own: a character of a script that is written without spaces.
    Single = 2,
    /// Stays with the character before it: combining marks, vowel signs, viramas.
    Mark = 3,
}

/// The scripts that put no space between words, so that a run of letters is a sentence and not a
/// word.
///
/// A dictionary would find words in some of them, at a tenth of the speed and with results that
/// change with every dictionary. Shingles of single characters need neither. Bopomofo, Yi and Nushu
/// are written like Han; the other names below Katakana are those whose line breaks Unicode leaves
/// to a dictionary (Line_Break = SA) and the two large scripts of the same habit, Javanese and
/// Balinese. Tibetan is absent: its tsheg separates syllables.
const UNSPACED: [Script; 18] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Bopomofo,
    Script::Yi,
    Script::Nushu,
    Script::Tangut,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
    Script::TaiLe,
    Script::NewTaiLue,
    Script::TaiTham,
    Script::TaiViet,
    Script::Ahom,
    Script::Javanese,
    Script::Balinese,
];

/// The class of a character, from its general category, its Alphabetic property and its scripts.
///
/// Script *extensions* decide, not the script: the prolonged sound mark `ー` and the kana repeat
/// marks `〱` are "common" by script but used with kana only, so they are tokens of their own like
/// their neighbours.
pub(in crate::text) fn class_of(character: char) -> Class {
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    if GeneralCategoryGroup::Mark.contains(category) {
        return Class::Mark;
    }
    let in_word = GeneralCategoryGroup::Letter.contains(category)
        || GeneralCategoryGroup::Number.contains(category)
        || CodePointSetData::new::<Alphabetic>().contains(character);
    if !in_word {
        return Class::Separator;
    }
    let scripts = ScriptWithExtensions::new().get_script_extensions_val(character);
    if scripts.iter().any(|script| UNSPACED.contains(&script)) { Class::Single } else { Class::Word }
}

#[cfg(test)]
mod tests {
    use super::{Class, class_of};

    fn check(class: Class, characters: &str) {
        for character in characters.chars() {
            assert_eq!(class_of(character), class, "{character:?} U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn letters_and_digits_make_words() {
        check(Class::Word, "azAZ09éßжΩאبक한ㅎ٣ªⅧ²");
    }

    #[test]
    fn characters_of_unspaced_scripts_stand_alone() {
        check(Class::Single, "中々〇〆あゝカヽー〱ㄅกเ๑ກកက");
    }

    #[test]
    fn marks_stay_with_their_base() {
        check(Class::Mark, "\u{301}\u{94d}\u{93f}\u{e31}\u{e49}\u{3099}\u{fe0f}\u{5b8}");
    }

    #[test]
    fn everything_else_separates() {
        check(
            Class::Separator,
            " \t\n\0.,-_'’&<>@#。、・，😀€\u{a0}\u{ad}\u{200d}\u{fffd}\u{e000}\u{10ffff}",
        );
    }
}
