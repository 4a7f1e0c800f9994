//! Which words say nothing?
//!
//! Short lists of function words, written for this purpose: articles, pronouns, prepositions, conjunctions and the
//! commonest auxiliaries. Words that carry a subject are left out, even frequent ones. Each list holds tokens, not
//! words: normalised, and cut where a token is cut. Each is sorted, for the eyes of a reader.

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

/// The words of several lists, in a hash table with open addressing: the look-up is in the path of every token, and
/// a binary search there takes four times as long as finding the token (measured: 59 against 296 MB/s).
#[derive(Debug, Clone)]
pub(super) struct StopWords {
    /// A power of two of slots, at most a quarter of them in use, the empty word in the others.
    slots: Vec<&'static str>,
    longest: usize,
}

impl StopWords {
    /// All words of `lists`.
    pub(super) fn of(lists: &[StopList]) -> StopWords {
        let count: usize = lists.iter().map(|list| list.words().len()).sum();
        let mut stop_words = StopWords { slots: vec![""; (4 * count).next_power_of_two()], longest: 0 };
        for word in lists.iter().flat_map(|list| list.words()) {
            let slot = stop_words.slot(word);
            stop_words.slots[slot] = word;
            stop_words.longest = stop_words.longest.max(word.len());
        }
        stop_words
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.longest == 0
    }

    /// Whether `token` is one of them. Most tokens are too long to be, and need no search.
    pub(super) fn contain(&self, token: &str) -> bool {
        !token.is_empty() && token.len() <= self.longest && !self.slots[self.slot(token)].is_empty()
    }

    /// The slot of a word, or the empty one that it would have.
    fn slot(&self, word: &str) -> usize {
        let hash = word.bytes().fold(0u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(MULTIPLIER));
        let last = self.slots.len() - 1;
        // The upper half of a product is its better half.
        let mut slot = (hash >> 32) as usize & last;
        while !self.slots[slot].is_empty() && self.slots[slot] != word {
            slot = (slot + 1) & last;
        }
        slot
    }
}

/// Any large odd number mixes well enough; this one is the golden ratio's.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

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
        for word in StopList::En.words().iter().chain(StopList::De.words()) {
            assert!(words.contain(word) && !words.contain(&format!("{word}x")), "{word}");
        }
        assert!(StopWords::of(&[]).is_empty());
    }
}
