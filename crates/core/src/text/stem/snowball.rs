//! The stemmers of the Snowball project.

use std::borrow::Cow;
use std::fmt;

use frostem::Algorithm;

use super::Stem;

/// The stemmer of a language.
#[derive(Clone, Copy)]
pub(super) struct Stemmer(frostem::Stemmer);

impl fmt::Debug for Stemmer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Stemmer").field(&self.0.algorithm()).finish()
    }
}

impl Stemmer {
    /// The stemmer that a recipe names, if it names one.
    pub(super) fn of(stem: Stem) -> Option<Stemmer> {
        algorithm(stem).map(|algorithm| Stemmer(frostem::Stemmer::new(algorithm)))
    }

    /// The word without its ending.
    pub(super) fn stem(self, word: &str) -> Cow<'_, str> {
        self.0.stem(word)
    }
}

fn algorithm(stem: Stem) -> Option<Algorithm> {
    Some(match stem {
        Stem::None | Stem::Auto => return None,
        Stem::Arabic => Algorithm::Arabic,
        Stem::Armenian => Algorithm::Armenian,
        Stem::Basque => Algorithm::Basque,
        Stem::Catalan => Algorithm::Catalan,
        Stem::Czech => Algorithm::Czech,
        Stem::Danish => Algorithm::Danish,
        Stem::Dutch => Algorithm::Dutch,
        Stem::English => Algorithm::English,
        Stem::Esperanto => Algorithm::Esperanto,
        Stem::Estonian => Algorithm::Estonian,
        Stem::Finnish => Algorithm::Finnish,
        Stem::French => Algorithm::French,
        Stem::German => Algorithm::German,
        Stem::Greek => Algorithm::Greek,
        Stem::Hindi => Algorithm::Hindi,
        Stem::Hungarian => Algorithm::Hungarian,
        Stem::Indonesian => Algorithm::Indonesian,
        Stem::Irish => Algorithm::Irish,
        Stem::Italian => Algorithm::Italian,
        Stem::Lithuanian => Algorithm::Lithuanian,
        Stem::Nepali => Algorithm::Nepali,
        Stem::Norwegian => Algorithm::Norwegian,
        Stem::Persian => Algorithm::Persian,
        Stem::Polish => Algorithm::Polish,
        Stem::Portuguese => Algorithm::Portuguese,
        Stem::Romanian => Algorithm::Romanian,
        Stem::Russian => Algorithm::Russian,
        Stem::Serbian => Algorithm::Serbian,
        Stem::Sesotho => Algorithm::Sesotho,
        Stem::Spanish => Algorithm::Spanish,
        Stem::Swedish => Algorithm::Swedish,
        Stem::Tamil => Algorithm::Tamil,
        Stem::Turkish => Algorithm::Turkish,
        Stem::Ukrainian => Algorithm::Ukrainian,
        Stem::Yiddish => Algorithm::Yiddish,
    })
}
