//! The wording of a document: how it is spelt, and in which order its words come.
//!
//! A misread or mistyped letter changes one word and with it every shingle of words around it, but few runs of
//! characters. So two copies of a text that differ by noise are far more alike in spelling than in words, and two texts
//! that merely share passages are not: that difference is what the judgement looks at.
//!
//! Most pairs are decided by their shingles alone, and runs of characters are the longest list of all. So the text is
//! kept, and read when a pair first asks.

use std::sync::OnceLock;

use crate::document::Markup;
use crate::feature::{Shingler, SingleUnits};
use crate::fingerprint::BottomK;
use crate::hash;
use crate::text::{Analyzer, Scratch};
use crate::verify::run_bits::RunBits;

/// Characters of a run: the usual choice for scanned text, about a word's length.
pub(super) const RUN: usize = 5;

/// Runs that are kept: all of them up to some 800 words; of a longer text a sample that estimates the similarity with a
/// standard error of at most 0.008.
pub(super) const MOST_RUNS: usize = 4096;

/// A text that can be asked for its wording.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wording {
    text: Box<str>,
    markup: Markup,
    run_bits: OnceLock<RunBits>,
    spelling: OnceLock<BottomK>,
    single: OnceLock<SingleUnits>,
}

impl Wording {
    /// Of a text; nothing is read yet.
    pub fn new(text: &str, markup: Markup) -> Self {
        Wording { text: text.into(), markup, ..Wording::default() }
    }

    /// How many bytes this takes on the heap when everything was asked for.
    pub fn bytes(&self) -> usize {
        let runs = self.text.len().min(MOST_RUNS);
        // A single word has two bytes at least: a character, and a blank.
        let spelling = RunBits::BYTES + runs * size_of::<u64>();
        self.text.len() + spelling + self.text.len() / 2 * size_of::<(u64, u32)>()
    }

    /// No more than this are two documents alike in [spelling](Wording::spelling); much cheaper, and nearly as good for short texts.
    pub fn most_alike(&self, other: &Wording, analyzer: &Analyzer) -> f64 {
        if [self, other].iter().any(|wording| RunBits::is_too_long(wording.text.len())) {
            return 1.0;
        }
        self.run_bits(analyzer).most_jaccard(other.run_bits(analyzer))
    }

    fn run_bits(&self, analyzer: &Analyzer) -> &RunBits {
        self.run_bits.get_or_init(|| RunBits::new(&self.characters(analyzer)))
    }

    /// The characters of the document's words, one blank between two words.
    fn characters(&self, analyzer: &Analyzer) -> Vec<u64> {
        let mut characters: Vec<u64> = Vec::with_capacity(self.text.len());
        analyzer.tokens(&self.text, self.markup, &mut Scratch::default(), &mut |token| {
            if !characters.is_empty() {
                characters.push(u64::from(' '));
            }
            characters.extend(token.chars().map(u64::from));
        });
        characters
    }

    /// The distinct runs of five of the document's characters.
    pub fn spelling(&self, analyzer: &Analyzer) -> &BottomK {
        self.spelling.get_or_init(|| {
            let characters = self.characters(analyzer);
            if characters.len() < RUN {
                // All of it, if there is anything.
                let all = (!characters.is_empty()).then(|| hash::shingle(characters));
                return BottomK::new(MOST_RUNS, all);
            }
            BottomK::new(MOST_RUNS, characters.array_windows::<RUN>().map(|run| hash::shingle(*run)))
        })
    }

    /// The units that occur once, with their places.
    pub fn single(&self, analyzer: &Analyzer, shingler: &Shingler) -> &SingleUnits {
        self.single.get_or_init(|| {
            let mut units = vec![];
            shingler.units(analyzer, &self.text, self.markup, &mut Scratch::default(), &mut units);
            SingleUnits::new(&units)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn runs(text: &str) -> Vec<u64> {
        let analyzer = Analyzer::new(&Default::default()).unwrap();
        Wording::new(text, Markup::None).spelling(&analyzer).hashes().to_vec()
    }

    #[test]
    fn punctuation_and_case_do_not_count() {
        assert_eq!(runs("The quick, brown fox."), runs("the QUICK brown fox"));
        // "quick brown fox" has 15 characters.
        assert_eq!(runs("quick brown fox").len(), 15 - RUN + 1);
        assert_eq!((runs("fox").len(), runs("?!").len()), (1, 0));
    }

    proptest! {
        /// Whatever the script and the length, the bound is one.
        #[test]
        fn no_text_is_more_alike_than_the_bound_says(
            common in "[ab 天地ﷺ]{0,900}",
            left in "[a-e ]{0,1200}",
            right in "[a-e 玄黄]{0,300}",
        ) {
            let analyzer = Analyzer::new(&Default::default()).unwrap();
            let [a, b] = [left, right].map(|own| Wording::new(&format!("{common} {own}"), Markup::None));
            let exact = a.spelling(&analyzer).union_estimate(b.spelling(&analyzer));
            prop_assert!(a.most_alike(&b, &analyzer) >= exact);
        }
    }

    #[test]
    fn of_a_long_text_a_sample_is_kept() {
        let text: String = (0..20_000u64).map(|number| format!("{:x} ", hash::mix(number))).collect();
        assert_eq!(runs(&text).len(), MOST_RUNS);
    }
}
