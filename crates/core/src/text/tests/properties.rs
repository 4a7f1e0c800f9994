//! The fast paths against the definition, on unusual texts.

use std::collections::HashMap;

use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};
use proptest::prelude::*;

use super::{tokens, tokens_with};
use crate::document::Markup;
use crate::hash::WordHash;
use crate::kernel::Kernel;
use crate::text::normalise::Stretch;
use crate::text::token::{Class, class_of};
use crate::text::{Analyzer, Scratch, Stem, StopList, TextOptions};

/// The definition: normalise everything, look every property up, and cut.
fn definition(text: &str, normalise: bool) -> Vec<String> {
    let text = if normalise { Stretch::default().normal(text).to_owned() } else { text.to_owned() };
    let mut tokens: Vec<String> = Vec::new();
    let mut before = Class::Separator;
    for character in text.chars() {
        let class = class_of(character);
        match (before, class) {
            (_, Class::Separator) => before = Class::Separator,
            // Nothing before the mark that it could stay with.
            (Class::Separator, Class::Mark) => {}
            (_, Class::Mark) | (Class::Word, Class::Word) => tokens.last_mut().unwrap().push(character),
            _ => {
                tokens.push(character.to_string());
                before = class;
            }
        }
    }
    tokens
}

fn characters(text: &str) -> String {
    let analyzer = Analyzer::new(&TextOptions::default()).unwrap();
    analyzer.characters(text, Markup::None, &mut Scratch::default()).to_owned()
}

/// Characters that combine, compose, decompose, reorder, fold or vanish, among plain ones.
fn awkward() -> impl Strategy<Value = char> {
    let chosen = prop::sample::select(
        "aAeEsSkKıİßẞΣςσΐΰᾳͅᾼÅÅéﬁ…½①²Ａａ１，。　中々豈\u{2f00}あがカﾞ゛゙ー한한กำที่नक़्ि\u{9be}\u{9c7}\u{1100}\u{11a8}\u{300}\u{301}\u{302}\u{308}\
         \u{323}\u{327}\u{338}<>=\u{340}\u{343}\u{344}\u{34f}\u{5b8}\u{5c1}ש\u{64b}\u{651}ا\u{653}\u{ad}\u{200b}\u{200d}\u{fe0f}\u{feff}\u{3164}\
         \u{115f}\u{1160}\u{f73}\u{f71}\u{f72}\u{20000}\u{2f800}\u{1d15e}\u{1d165}\u{110ba}\u{11099}\u{1f600}\0 \n\t.-'"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop_oneof![4 => chosen, 1 => any::<char>(), 1 => prop::char::range('\u{300}', '\u{36f}'),
        1 => prop::char::range('\u{80}', '\u{2fff}'), 1 => prop::char::range('\u{a000}', '\u{ffff}'),
        1 => prop::char::range('\u{1d100}', '\u{1d7ff}')]
}

fn text_of(characters: impl Strategy<Value = char>) -> impl Strategy<Value = String> {
    prop::collection::vec(characters, 0..40).prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn tokens_are_those_of_the_definition(text in text_of(awkward())) {
        prop_assert_eq!(tokens(&text), definition(&text, true));
    }

    #[test]
    fn tokens_of_any_text_are_those_of_the_definition(text in any::<String>()) {
        prop_assert_eq!(tokens(&text), definition(&text, true));
    }

    #[test]
    fn ascii_tokens_are_those_of_the_definition(text in text_of(prop::char::range('\0', '\u{7f}'))) {
        prop_assert_eq!(tokens(&text), definition(&text, true));
        // The same through the walk for all scripts.
        prop_assert_eq!(tokens(&format!("{text} é")), definition(&format!("{text} é"), true));
    }

    #[test]
    fn pieces_of_ascii_among_others_change_nothing(
        text in prop::collection::vec(prop_oneof!["[ -~]{0,40}", "[a-zA-Z]{0,40}", text_of(awkward()), "[ <=>a-zA-Z\u{338}\u{345}é]{0,40}"], 0..6)
    ) {
        let text = text.concat();
        prop_assert_eq!(tokens(&text), definition(&text, true));
        let expected: Vec<_> = Stretch::default().normal(&text).split_whitespace().map(str::to_owned).collect();
        prop_assert_eq!(characters(&text), expected.join(" "));
    }

    /// The kernel is used only where it gives the tokens of the general path.
    #[test]
    fn word_hashes_are_the_hashes_of_the_tokens(
        parts in prop::collection::vec(prop_oneof!["[ -~]{0,300}", "[a-zA-Z ]{0,900}", text_of(awkward()), "(the |of |School ){0,80}"], 0..6)
    ) {
        let text = parts.concat();
        let stems: &[Stem] = if cfg!(feature = "stem") { &[Stem::None, Stem::English] } else { &[Stem::None] };
        for (stop_words, &stem) in [vec![], vec![StopList::En]].into_iter().flat_map(|lists| stems.iter().map(move |stem| (lists.clone(), stem))) {
            let analyzer = Analyzer::new(&TextOptions { stop_words, stem, ..TextOptions::default() }).unwrap();
            let mut scratch = Scratch::default();
            for hash in [WordHash::Chunks, WordHash::Sdbm, WordHash::Murmur3] {
                let mut expected = vec![];
                analyzer.tokens(&text, Markup::None, &mut scratch, &mut |token| expected.push(hash.hash(token.as_bytes())));
                for kernel in Kernel::available() {
                    let mut found = vec![];
                    analyzer.word_hashes(kernel, hash, &text, Markup::None, &mut scratch, &mut found);
                    prop_assert_eq!(&found, &expected);
                }
            }
        }
    }

    /// A text that is said to be plain has its tokens in ASCII.
    #[test]
    fn plain_texts_have_the_same_tokens(
        parts in prop::collection::vec(prop_oneof![4 => "[ -~]{0,9}", 4 => "[a-zA-Z]?[’“”—…\u{a0}😀⬇\u{fe0f}\u{200d}]{1,3}[a-z]?", 1 => text_of(awkward())], 0..8)
    ) {
        let text = parts.concat();
        if let Some(plain) = plain(&text) {
            prop_assert_eq!(tokens(&plain), definition(&text, true));
        }
    }

    #[test]
    fn raw_tokens_are_those_of_the_definition(text in text_of(awkward())) {
        let options = TextOptions { normalise: false, ..TextOptions::default() };
        prop_assert_eq!(tokens_with(&options, &text), definition(&text, false));
    }

    #[test]
    fn characters_are_the_normal_form_with_single_blanks(text in text_of(awkward())) {
        let mut stretch = Stretch::default();
        let expected: Vec<_> = stretch.normal(&text).split_whitespace().collect();
        prop_assert_eq!(characters(&text), expected.join(" "));
    }

    #[test]
    fn the_normal_form_is_normal(text in text_of(awkward())) {
        let once = Stretch::default().normal(&text).to_owned();
        prop_assert_eq!(Stretch::default().normal(&once).to_owned(), once.as_str());
        prop_assert_eq!(tokens(&once), tokens(&text));
        for token in tokens(&text) {
            prop_assert_eq!(tokens(&token), [token.clone()], "a token is one token");
        }
    }
}

/// The document in ASCII, if it has the same tokens so.
fn plain(text: &str) -> Option<String> {
    let mut lines = b"before\n".to_vec();
    let is_plain = Analyzer::new(&TextOptions::default()).unwrap().push_plain(text, Markup::None, &mut lines);
    let plain = lines.split_off(b"before\n".len());
    assert!(lines == b"before\n" && plain.is_ascii() && (is_plain || plain.is_empty()));
    is_plain.then(|| String::from_utf8(plain).unwrap())
}

/// Every character that separates, between letters, next to itself and before what vanishes.
#[test]
fn plain_is_what_separates() {
    let mut separators = 0;
    for character in '\u{80}'..=char::MAX {
        for text in [
            format!("a{character}b{character}{character}c"),
            format!("{character}\u{fe0f}a{character}\u{200d}{character}b"),
        ] {
            if let Some(plain) = plain(&text) {
                separators += 1;
                assert_eq!(tokens(&plain), definition(&text, true), "{text:?}");
            }
        }
    }
    assert!(separators > 10_000, "{separators}");
    for text in ["it’s", "a—b", "“quoted”…", "⬇\u{fe0f}", "👩\u{200d}💻", "plain"] {
        assert!(plain(text).is_some(), "{text}");
    }
    for text in ["é", "a\u{fe0f}b", "a\u{200d}b", "1\u{fe0f}\u{20e3}", "中", "½", "•\u{301}"] {
        assert_eq!(plain(text), None, "{text}");
    }
}

/// Every character, alone and between others that it may combine with.
#[test]
fn every_character_is_read_by_the_definition() {
    for character in '\0'..=char::MAX {
        for text in [format!("é{character}"), format!("a{character}b\u{301}\u{ac00}{character}\u{11a8}")] {
            assert_eq!(tokens(&text), definition(&text, true), "{text:?}");
        }
    }
}

/// Every composition, its second half alone and as the beginning of another character, which then
/// comes apart.
#[test]
fn every_composition_is_read_by_the_definition() {
    let decomposition = CanonicalDecomposition::new();
    let halves = |character| match decomposition.decompose(character) {
        Decomposed::Expansion(first, second) => Some((first, second)),
        _ => None,
    };
    let beginning = |mut character| {
        while let Some((first, _)) = halves(character) {
            character = first;
        }
        character
    };
    let characters = || '\0'..=char::MAX;
    let mut begun_by: HashMap<char, Vec<char>> = HashMap::new();
    for character in characters() {
        begun_by.entry(beginning(character)).or_default().push(character);
    }
    let mut apart = 0;
    for (first, second) in characters().filter_map(halves) {
        for &character in &begun_by[&beginning(second)] {
            let text = format!("{first}{character}");
            assert_eq!(tokens(&text), definition(&text, true), "{text:?}");
            apart += usize::from(character != second);
        }
    }
    assert!(apart > 0, "nothing comes apart");
}
