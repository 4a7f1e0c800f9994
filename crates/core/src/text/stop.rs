//! Which words say nothing?
//!
//! Short lists of function words, written for this purpose: articles, pronouns, prepositions,
//! conjunctions and the commonest auxiliaries. Words that carry a subject are left out, even
//! frequent ones. Each list holds tokens, not words: normalised, and cut where a token is cut. Each
//! is sorted, for the eyes of a reader.
//!
//! Languages without such a list have that of the Stopwords ISO collection, which is longer and
//! knows some words that carry a subject.

mod lists;

use serde::{Deserialize, Serialize};

use super::{Analyzer, Scratch};
use crate::document::Markup;
use crate::hash::chunks;

/// Declares the languages whose lists come from elsewhere, by their ISO 639 codes.
macro_rules! stop_lists {
    ($($variant:ident $code:literal $name:literal)*) => {
        /// A list of words that do not count, by language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum StopList {
            /// The list of each document's own language, guessed among `ar`, `de`, `en`, `es`,
            /// `fr`, `hi`, `it`, `ja`, `ko`, `nl`, `pt`, `ru`, `sv`, `tr`, `vi` and `zh`; any other
            /// language is taken for one of these, so name its list.
            Auto,
            /// English. The remains of contractions (`don't`, `we'll`) are listed too, because an
            /// apostrophe separates.
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
            /// Chinese, simplified and traditional: particles and function characters, one by one
            /// as tokens are.
            Zh,
            $(#[doc = concat!($name, ", by the list of the Stopwords ISO collection.")] $variant,)*
        }

        impl StopList {
            /// The code of a list that comes from elsewhere.
            fn code(self) -> Option<&'static str> {
                match self {
                    $(StopList::$variant => Some($code),)*
                    _ => None,
                }
            }

            /// Whether the list is one of the Stopwords ISO collection.
            pub(super) fn is_from_elsewhere(self) -> bool {
                self.code().is_some()
            }

            #[cfg(all(test, feature = "languages"))]
            const FROM_ELSEWHERE: &[StopList] = &[$(StopList::$variant,)*];
        }
    };
}

stop_lists! {
    Ar "ar" "Arabic"
    Bg "bg" "Bulgarian"
    Bn "bn" "Bengali"
    Ca "ca" "Catalan"
    Cs "cs" "Czech"
    Da "da" "Danish"
    El "el" "Greek"
    Eo "eo" "Esperanto"
    Et "et" "Estonian"
    Eu "eu" "Basque"
    Fa "fa" "Persian"
    Fi "fi" "Finnish"
    Ga "ga" "Irish"
    Gl "gl" "Galician"
    Gu "gu" "Gujarati"
    He "he" "Hebrew"
    Hi "hi" "Hindi"
    Hr "hr" "Croatian"
    Hu "hu" "Hungarian"
    Hy "hy" "Armenian"
    Id "id" "Indonesian"
    Ja "ja" "Japanese: the particles of one character, because tokens are characters"
    Ko "ko" "Korean"
    La "la" "Latin"
    Lt "lt" "Lithuanian"
    Lv "lv" "Latvian"
    Mr "mr" "Marathi"
    Ms "ms" "Malay"
    No "no" "Norwegian"
    Pl "pl" "Polish"
    Ro "ro" "Romanian"
    Sk "sk" "Slovak"
    Sl "sl" "Slovenian"
    Sv "sv" "Swedish"
    Sw "sw" "Swahili"
    Tl "tl" "Tagalog"
    Tr "tr" "Turkish"
    Uk "uk" "Ukrainian"
    Ur "ur" "Urdu"
    Vi "vi" "Vietnamese: the syllables that are words"
}

impl StopList {
    /// The list that was written for this purpose; empty for others.
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
            _ => &[],
        }
    }

    /// Appends the tokens of the list. An entry that is several tokens says nothing about any of
    /// them alone.
    fn add_tokens(self, analyzer: &Analyzer, hashes: &mut Vec<u64>) {
        hashes.extend(self.words().iter().map(|word| chunks(word.as_bytes())));
        let entries = self.code().map_or(&[][..], from_elsewhere);
        let mut scratch = Scratch::default();
        let mut tokens = vec![];
        for entry in entries {
            tokens.clear();
            analyzer.tokens(entry, Markup::None, &mut scratch, &mut |token| {
                tokens.push(chunks(token.as_bytes()));
            });
            if let [token] = tokens[..] {
                hashes.push(token);
            }
        }
    }
}

/// The list of the Stopwords ISO collection with this code.
#[cfg(feature = "languages")]
fn from_elsewhere(code: &str) -> &'static [&'static str] {
    stop_words::lookup(code).unwrap_or_default()
}

/// Never called: [`Analyzer::new`] refuses the lists that are not compiled in.
#[cfg(not(feature = "languages"))]
fn from_elsewhere(code: &str) -> &'static [&'static str] {
    unreachable!("the stop list {code} is not compiled in")
}

/// The words of several lists, as a set of their [default hashes](chunks()): a token counts as
/// listed when its hash is. So a set of hashes can be cleared of them without the tokens. Words of
/// up to eight bytes never collide, and a longer one hits one of some hundred 64-bit hashes in no
/// text that anybody will read.
///
/// The look-up is in the path of every token, so it guesses nothing: a hash has one bucket of two
/// places, and the bits that choose it are searched for until no bucket has to hold more.
#[derive(Debug, Clone)]
pub(super) struct StopWords {
    /// A power of two of buckets; zero, the hash of the empty word, in places that are free.
    buckets: Vec<[u64; 2]>,
    /// Where in a hash the number of its bucket begins.
    shift: u32,
    is_empty: bool,
}

impl StopWords {
    /// No words.
    pub(super) fn none() -> StopWords {
        StopWords { buckets: vec![[0; 2]], shift: 0, is_empty: true }
    }

    /// All words of `lists`.
    pub(super) fn of(lists: &[StopList]) -> StopWords {
        let analyzer = Analyzer::plain();
        let mut hashes = vec![];
        lists.iter().for_each(|list| list.add_tokens(&analyzer, &mut hashes));
        hashes.sort_unstable();
        hashes.dedup();
        let mut bits = (2 * hashes.len()).max(1).next_power_of_two().trailing_zeros();
        loop {
            if let Some(stop_words) = (0..64 - bits).find_map(|shift| StopWords::placed(&hashes, bits, shift))
            {
                return stop_words;
            }
            bits += 1;
        }
    }

    /// The set with `2^bits` buckets, if these bits of the hashes leave none with more than two.
    fn placed(hashes: &[u64], bits: u32, shift: u32) -> Option<StopWords> {
        let buckets = vec![[0; 2]; 1 << bits];
        let mut stop_words = StopWords { buckets, shift, is_empty: hashes.is_empty() };
        for &hash in hashes {
            let bucket = stop_words.bucket(hash);
            let place = stop_words.buckets[bucket].iter_mut().find(|place| **place == 0)?;
            *place = hash;
        }
        Some(stop_words)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Whether `token` is one of them.
    pub(super) fn contain(&self, token: &str) -> bool {
        !token.is_empty() && self.contain_hash(chunks(token.as_bytes()))
    }

    #[inline]
    fn contain_hash(&self, hash: u64) -> bool {
        let [first, second] = self.buckets[self.bucket(hash)];
        (first == hash) | (second == hash)
    }

    #[inline]
    fn bucket(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize & (self.buckets.len() - 1)
    }

    /// Removes the hashes of stop words from `hashes[first..]`, in which documents end at `ends`.
    pub(super) fn remove_from(&self, hashes: &mut Vec<u64>, first: usize, ends: &mut [usize]) {
        let mut kept = first;
        let mut start = first;
        for end in ends {
            for at in start..*end {
                // Written whether it stays or not: a branch would be unpredictable.
                let hash = hashes[at];
                hashes[kept] = hash;
                kept += usize::from(!self.contain_hash(hash));
            }
            start = std::mem::replace(end, kept);
        }
        hashes.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextOptions;

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
        assert!(StopWords::of(&[]).is_empty() && !StopWords::of(&[]).contain("the"));
    }

    #[test]
    fn all_lists_at_once_find_places() {
        let words = StopWords::of(&EVERY);
        assert!(EVERY.iter().flat_map(|list| list.words()).all(|word| words.contain(word)));
    }

    #[cfg(feature = "languages")]
    #[test]
    fn lists_from_elsewhere_hold_tokens() {
        for &list in StopList::FROM_ELSEWHERE {
            let mut hashes = vec![];
            list.add_tokens(&Analyzer::plain(), &mut hashes);
            assert!(hashes.len() >= 10, "{list:?} has {}", hashes.len());
        }
        let contains = |list, word| StopWords::of(&[list]).contain(word);
        assert!(
            contains(StopList::Sv, "och") && contains(StopList::Pl, "się") && contains(StopList::Ja, "の")
        );
        // Case folding leaves a dot over the i of Turkish; entries are folded like texts.
        assert!(contains(StopList::Tr, "için") && !contains(StopList::Tr, "okul"));
        // An entry of two words removes neither of them: "mieux que" says nothing about "mieux".
        assert!(contains(StopList::Ko, "그리고") && !contains(StopList::Ko, "학교"));
    }

    #[test]
    fn documents_are_cleared_of_them() {
        let words = StopWords::of(&[StopList::En]);
        let hash = |word: &str| chunks(word.as_bytes());
        let mut hashes = ["the", "the", "school", "of", "the", "arts", "a"].map(hash).to_vec();
        let mut ends = [1, 1, 4, 6, 7];
        words.remove_from(&mut hashes, 1, &mut ends);
        // What stands before the first is left alone.
        assert_eq!(hashes, ["the", "school", "arts"].map(hash));
        assert_eq!(ends, [1, 1, 2, 3, 3]);
    }
}
