//! Which words are forms of one word?
//!
//! Snowball stemmers cut endings: `connected`, `connection` and `connecting` become `connect`. The
//! crate is pinned to the letter in the workspace, because a better stemmer is another fingerprint.

pub(super) mod known;
#[cfg(feature = "stem")]
mod snowball;

use serde::{Deserialize, Serialize};

#[cfg(not(feature = "stem"))]
use super::absent::snowball;
use snowball::Stemmer;

/// Words longer than this keep their endings: no language has such words, and a stemmer need not
/// prove itself on a word of ten megabytes.
const LONGEST_STEMMED: usize = 256;

/// The language whose endings are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stem {
    /// Words stay as they are.
    #[default]
    None,
    /// The language of each document, guessed as for `stop_words`. Chinese, Japanese, Korean and
    /// Vietnamese words stay as they are.
    Auto,
    /// Arabic.
    Arabic,
    /// Armenian.
    Armenian,
    /// Basque.
    Basque,
    /// Catalan.
    Catalan,
    /// Czech.
    Czech,
    /// Danish.
    Danish,
    /// Dutch.
    Dutch,
    /// English.
    English,
    /// Esperanto.
    Esperanto,
    /// Estonian.
    Estonian,
    /// Finnish.
    Finnish,
    /// French.
    French,
    /// German.
    German,
    /// Greek.
    Greek,
    /// Hindi.
    Hindi,
    /// Hungarian.
    Hungarian,
    /// Indonesian.
    Indonesian,
    /// Irish.
    Irish,
    /// Italian.
    Italian,
    /// Lithuanian.
    Lithuanian,
    /// Nepali.
    Nepali,
    /// Norwegian.
    Norwegian,
    /// Persian.
    Persian,
    /// Polish.
    Polish,
    /// Portuguese.
    Portuguese,
    /// Romanian.
    Romanian,
    /// Russian.
    Russian,
    /// Serbian.
    Serbian,
    /// Sesotho.
    Sesotho,
    /// Spanish.
    Spanish,
    /// Swedish.
    Swedish,
    /// Tamil.
    Tamil,
    /// Turkish.
    Turkish,
    /// Ukrainian.
    Ukrainian,
    /// Yiddish.
    Yiddish,
}

/// A stemmer, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Endings(Option<Stemmer>);

impl Endings {
    /// The stemmer of a language.
    pub(super) fn of(stem: Stem) -> Endings {
        Endings(Stemmer::of(stem))
    }

    /// Whether words stay as they are.
    pub(super) fn stay(self) -> bool {
        self.0.is_none()
    }

    /// Gives `word` without its ending to `sink`; the whole of it where nothing would remain.
    pub(super) fn cut(self, word: &str, sink: &mut impl FnMut(&str)) {
        match self.0 {
            Some(stemmer) if word.len() <= LONGEST_STEMMED => {
                let stem = stemmer.stem(word);
                sink(if stem.is_empty() { word } else { &stem });
            }
            _ => sink(word),
        }
    }
}

#[cfg(all(test, feature = "stem"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(stem: Stem, word: &str) -> String {
        let mut result = String::new();
        Endings::of(stem).cut(word, &mut |word| result.push_str(word));
        result
    }

    #[test]
    fn forms_of_one_word_meet() {
        for word in ["connect", "connected", "connecting", "connection", "connections"] {
            assert_eq!(cut(Stem::English, word), "connect");
        }
        assert_eq!(cut(Stem::German, "automaten"), "automat");
        assert_eq!(cut(Stem::Russian, "книгами"), "книг");
        assert_eq!(cut(Stem::None, "connected"), "connected");
    }

    #[test]
    fn the_longest_words_keep_their_endings() {
        let long = format!("{}ing", "x".repeat(LONGEST_STEMMED));
        assert_eq!(cut(Stem::English, &long), long);
    }

    const EVERY: &[Stem] = &[
        Stem::Arabic,
        Stem::Armenian,
        Stem::Basque,
        Stem::Catalan,
        Stem::Czech,
        Stem::Danish,
        Stem::Dutch,
        Stem::English,
        Stem::Esperanto,
        Stem::Estonian,
        Stem::Finnish,
        Stem::French,
        Stem::German,
        Stem::Greek,
        Stem::Hindi,
        Stem::Hungarian,
        Stem::Indonesian,
        Stem::Irish,
        Stem::Italian,
        Stem::Lithuanian,
        Stem::Nepali,
        Stem::Norwegian,
        Stem::Persian,
        Stem::Polish,
        Stem::Portuguese,
        Stem::Romanian,
        Stem::Russian,
        Stem::Serbian,
        Stem::Sesotho,
        Stem::Spanish,
        Stem::Swedish,
        Stem::Tamil,
        Stem::Turkish,
        Stem::Ukrainian,
        Stem::Yiddish,
    ];

    proptest! {
        #[test]
        fn no_stemmer_fails_or_swallows_a_word(word in "[a-zß-öа-яא-תا-يक-हα-ωa-z0-9]{1,40}|\\PC{1,20}") {
            for &stem in EVERY {
                prop_assert!(!cut(stem, &word).is_empty());
            }
        }
    }
}
