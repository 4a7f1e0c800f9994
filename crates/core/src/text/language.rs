//! Which language is a document written in, and what follows from it?
//!
//! Where a recipe says `auto`, stop words and endings are those of the document's own language. The
//! language is guessed from the beginning of the visible text by a linear model over groups of
//! three letters ([`whichlang`]), which knows 16 languages and takes any other for the nearest of
//! these: a recipe for documents in other languages should name them.

use std::sync::Arc;

use whichlang::{LANGUAGES, Lang, detect_language};

use super::stem::{Endings, Stem};
use super::stop::{StopList, StopWords};

/// Bytes that are looked at. Two sentences are nearly always enough; more would cost time in long
/// documents.
const LOOKED_AT: usize = 1 << 10;

/// What does not count in each language.
#[derive(Debug, Clone)]
pub(super) struct Languages(Arc<Vec<Language>>);

/// What does not count in a language.
#[derive(Debug)]
struct Language {
    stop_words: StopWords,
    endings: Endings,
}

impl Languages {
    /// What a recipe says, if it says `auto`: for each language its own list and endings where it
    /// says `auto`, and otherwise what it names.
    pub(super) fn of(lists: &[StopList], stem: Stem) -> Option<Languages> {
        let is_auto = lists.contains(&StopList::Auto) || stem == Stem::Auto;
        is_auto.then(|| Languages::each(lists, stem))
    }

    fn each(lists: &[StopList], stem: Stem) -> Languages {
        let language = |&lang: &Lang| {
            let (own_list, own_stem) = of_language(lang);
            let own = |list: &StopList| if *list == StopList::Auto { own_list } else { *list };
            Language {
                stop_words: StopWords::of(&lists.iter().map(own).collect::<Vec<_>>()),
                endings: Endings::of(if stem == Stem::Auto { own_stem } else { stem }),
            }
        };
        Languages(Arc::new(LANGUAGES.iter().map(language).collect()))
    }

    /// The stop words and endings of the language of a text.
    pub(super) fn find(&self, text: &str) -> (&StopWords, Endings) {
        let mut end = text.len().min(LOOKED_AT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let found = detect_language(&text[..end]);
        let place = LANGUAGES.iter().position(|&lang| lang == found).unwrap_or(0);
        let language = &self.0[place];
        (&language.stop_words, language.endings)
    }
}

/// The list and the stemmer of a language. Chinese, Japanese, Korean and Vietnamese have no endings
/// to cut.
fn of_language(lang: Lang) -> (StopList, Stem) {
    match lang {
        Lang::Ara => (StopList::Ar, Stem::Arabic),
        Lang::Cmn => (StopList::Zh, Stem::None),
        Lang::Deu => (StopList::De, Stem::German),
        Lang::Eng => (StopList::En, Stem::English),
        Lang::Fra => (StopList::Fr, Stem::French),
        Lang::Hin => (StopList::Hi, Stem::Hindi),
        Lang::Ita => (StopList::It, Stem::Italian),
        Lang::Jpn => (StopList::Ja, Stem::None),
        Lang::Kor => (StopList::Ko, Stem::None),
        Lang::Nld => (StopList::Nl, Stem::Dutch),
        Lang::Por => (StopList::Pt, Stem::Portuguese),
        Lang::Rus => (StopList::Ru, Stem::Russian),
        Lang::Spa => (StopList::Es, Stem::Spanish),
        Lang::Swe => (StopList::Sv, Stem::Swedish),
        Lang::Tur => (StopList::Tr, Stem::Turkish),
        Lang::Vie => (StopList::Vi, Stem::None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "stem")]
    use crate::{document::Markup, text::Analyzer, text::Scratch, text::TextOptions};

    #[cfg(feature = "stem")]
    #[test]
    fn each_document_has_the_stop_words_and_endings_of_its_own_language() {
        let options =
            TextOptions { stop_words: vec![StopList::Auto], stem: Stem::Auto, ..TextOptions::default() };
        let analyzer = Analyzer::new(&options).unwrap();
        let mut scratch = Scratch::default();
        let mut check = |text: &str, expected: &[&str]| {
            let mut tokens = vec![];
            analyzer.tokens(text, Markup::None, &mut scratch, &mut |token| tokens.push(token.to_owned()));
            assert_eq!(tokens, expected, "{text}");
        };
        check("The connections of the houses were connected", &["connect", "hous", "connect"]);
        check("Die Häuser der Stadt und die Automaten", &["haus", "stadt", "automat"]);
        check("Я читаю книгу в большом доме", &["чита", "книг", "больш", "дом"]);
        check("Jag läser böckerna och tidningarna i huset", &["läs", "böck", "tidning", "hus"]);
        check("我的书在桌子上", &["书", "桌", "子", "上"]);
        check("", &[]);
    }

    #[test]
    fn named_lists_join_the_one_of_the_language() {
        let languages = Languages::each(&[StopList::Auto, StopList::De], Stem::None);
        let (stop_words, endings) =
            languages.find("This is a sentence in the English language, and it is long enough.");
        assert!(stop_words.contain("the") && stop_words.contain("und"));
        assert!(endings.stay());
    }

    #[test]
    fn long_texts_are_looked_at_up_to_a_whole_character() {
        let text = "这".repeat(LOOKED_AT);
        let languages = Languages::each(&[StopList::Auto], Stem::Auto);
        assert!(languages.find(&text).0.contain("的"));
    }
}
