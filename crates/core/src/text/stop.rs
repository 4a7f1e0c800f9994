//! Which words say nothing?
//!
//! Short lists of function words, written for this purpose: articles, pronouns, prepositions, conjunctions and the
//! commonest auxiliaries. Words that carry a subject are left out, even frequent ones. Each list holds tokens, not
//! words: normalised, and cut where a token is cut. A list is sorted, so that membership is a binary search.

mod lists;

use serde::{Deserialize, Serialize};

/// A list of words that do not count, by language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopList {
    /// English. The remains of contractions (`don't`, `we'll`) are listed too, because an apostrophe separates.
    En,
    /// German, as case folding writes it: `ss` for `ß`.
    De,
    /// French. Elided forms (`l'eau`, `qu'il`) leave single letters, which are listed.
    Fr,
    /// Spanish.
    Es,
    /// Italian. Elided articles (`dell'arte`) leave their stumps, which are listed.
    It,
    /// Portuguese.
    Pt,
    /// Dutch.
    Nl,
    /// Russian, as composition writes it: `й` is one character.
    Ru,
    /// Chinese, simplified and traditional: particles and function characters, one by one as tokens are.
    Zh,
}

impl StopList {
    fn words(self) -> &'static [&'static str] {
        match self {
            StopList::En => &lists::EN,
            StopList::De => &lists::DE,
            StopList::Fr => &lists::FR,
            StopList::Es => &lists::ES,
            StopList::It => &lists::IT,
            StopList::Pt => &lists::PT,
            StopList::Nl => &lists::NL,
            StopList::Ru => &lists::RU,
            StopList::Zh => &lists::ZH,
        }
    }
}

/// The words of several lists.
#[derive(Debug, Clone)]
pub(super) struct StopWords {
    words: Vec<&'static str>,
    longest: usize,
}

impl StopWords {
    /// All words of `lists`, each once.
    pub(super) fn of(lists: &[StopList]) -> StopWords {
        let mut words: Vec<_> = lists.iter().flat_map(|list| list.words()).copied().collect();
        words.sort_unstable();
        words.dedup();
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        StopWords { words, longest }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether `token` is one of them. Most tokens are too long to be, and need no search.
    pub(super) fn contain(&self, token: &str) -> bool {
        token.len() <= self.longest && self.words.binary_search(&token).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Markup;
    use crate::text::{Analyzer, Scratch, TextOptions};

    const EVERY: [StopList; 9] = [
        StopList::En,
        StopList::De,
        StopList::Fr,
        StopList::Es,
        StopList::It,
        StopList::Pt,
        StopList::Nl,
        StopList::Ru,
        StopList::Zh,
    ];

    #[test]
    fn lists_are_sorted_without_repetition() {
        for list in EVERY {
            let words = list.words();
            assert!(words.is_sorted_by(|left, right| left < right), "{list:?}");
        }
    }

    #[test]
    fn every_entry_is_a_token() {
        let analyzer = Analyzer::new(&TextOptions::default()).unwrap();
        for word in EVERY.iter().flat_map(|list| list.words()) {
            let mut tokens = Vec::new();
            analyzer.tokens(word, Markup::None, &mut Scratch::default(), &mut |token| {
                tokens.push(token.to_owned())
            });
            assert_eq!(tokens, [*word], "an entry that is no token can never match");
        }
    }

    #[test]
    fn lists_join() {
        let words = StopWords::of(&[StopList::En, StopList::De]);
        assert!(words.contain("the") && words.contain("und") && words.contain("in"));
        assert!(!words.contain("school") && !words.contain(""));
        assert!(StopWords::of(&[]).is_empty());
    }
}
