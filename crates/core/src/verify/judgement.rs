//! The judgement: one answer from several measures.
//!
//! No single measure is right for every collection: half of the word shingles in common is the best cut for posts,
//! licences, revisions and editions, and misses most copies of a scanned text, where noise breaks nearly every shingle, and
//! most answers that were copied from a longer source. The judgement asks a few terms in order; the first that is
//! satisfied carries the pair, and the answer names it.
//!
//! ```text
//! shared  jaccard >= threshold (0.5)
//! noise   spelling - (words + jaccard) / 2 >= 0.1, the same length, and most of what is shared is rare
//! reuse   jaccard * rare >= 0.15, and two thirds of the smaller one's single words in the other's order
//!
//!     jaccard   Jaccard of the word shingles       words  Jaccard of the distinct words
//!     spelling  Jaccard of five-character runs     rare   the share of the shared shingles that few other documents have
//! ```
//!
//! *Noise*: a misread letter costs three word shingles but few runs of characters, so copies under noise are more alike
//! in spelling than in words; texts that share passages, or a template with other names in it, are not, because there
//! whole words are replaced.
//!
//! *Reuse*: whoever copies part of a source copies it in order, and few others have it.
//!
//! *Rare* needs the [statistics](crate::feature::Statistics) of the collection. Without them (two documents by
//! themselves, a fresh index) noise must be clearer, 0.13, and reuse is never found.
//!
//! A later term that is satisfied has the value of the threshold: the judgement is a measure from 0 to 1 like the others,
//! and the recipe's threshold moves the first term. The numbers are in
//! [`recipe::judgement`](crate::recipe::judgement), and how they were chosen in `benchmarks/quality/`.

use crate::feature::{Shingler, Statistics};
use crate::recipe::judgement::{
    NOISE_CUT, NOISE_CUT_ALONE, NOISE_LEAST_JACCARD, NOISE_LEAST_RARE, NOISE_LEAST_RATIO, NOISE_LEAST_WORDS,
    REUSE_CUT, REUSE_LEAST_CHAIN, REUSE_LEAST_WORDS,
};
use crate::text::Analyzer;
use crate::verify::{Evidence, Wording};

/// What carried a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Term {
    /// Enough word shingles in common.
    #[default]
    Shared,
    /// The same text under noise.
    Noise,
    /// A part of the one in the order of the other.
    Reuse,
}

impl Term {
    /// Every term, in the order in which they are asked.
    pub const ALL: [Term; 3] = [Term::Shared, Term::Noise, Term::Reuse];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Term::Shared => "shared",
            Term::Noise => "noise",
            Term::Reuse => "reuse",
        }
    }
}

/// The value of the judgement, and the term that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Judgement {
    /// From 0 to 1.
    pub value: f64,
    /// The term with that value.
    pub term: Term,
}

impl Judgement {
    /// The judgement of word shingles alone.
    pub const fn shared(jaccard: f64) -> Self {
        Judgement { value: jaccard, term: Term::Shared }
    }
}

/// Who decides, and what is known.
pub(super) struct Judge<'a> {
    /// What the first term needs to pass.
    pub(super) threshold: f64,
    pub(super) analyzer: &'a Analyzer,
    pub(super) shingler: &'a Shingler,
    pub(super) statistics: Option<&'a Statistics>,
}

impl Judge<'_> {
    /// Judges a pair whose word shingles have this Jaccard.
    pub(super) fn judge(&self, jaccard: f64, left: &Evidence, right: &Evidence) -> Judgement {
        let shared = Judgement::shared(jaccard);
        if jaccard >= self.threshold || jaccard < NOISE_LEAST_JACCARD {
            return shared;
        }
        let (Some(left_wording), Some(right_wording)) = (&left.wording, &right.wording) else {
            return shared;
        };
        let lengths = [left.counts.total(), right.counts.total()];
        let pair = Pair {
            jaccard,
            shorter: lengths[0].min(lengths[1]),
            longer: lengths[0].max(lengths[1]),
            rare: self.statistics.and_then(|statistics| {
                statistics.rare_share(left.features.as_slice(), right.features.as_slice())
            }),
            evidence: [left, right],
            wording: [left_wording, right_wording],
        };
        let carried = |term| Judgement { value: self.threshold, term };
        if self.is_noise(&pair) {
            carried(Term::Noise)
        } else if self.is_reuse(&pair) {
            carried(Term::Reuse)
        } else {
            shared
        }
    }

    fn is_noise(&self, pair: &Pair) -> bool {
        let cut = if pair.rare.is_some() { NOISE_CUT } else { NOISE_CUT_ALONE };
        // Cheap questions first: the spelling is the longest list.
        pair.shorter >= NOISE_LEAST_WORDS
            && pair.shorter as f64 >= NOISE_LEAST_RATIO * pair.longer as f64
            && pair.rare.is_none_or(|rare| rare >= NOISE_LEAST_RARE)
            && {
                let least = |words: f64| cut + (words + pair.jaccard) / 2.0;
                let [left, right] = pair.wording;
                let most = left.most_alike(right, self.analyzer).min(1.0);
                // A bound first: where it says no, words need not be counted, nor runs sorted.
                most >= least(0.0) && {
                    let [a, b] = pair.evidence;
                    let least = least(a.counts.jaccard(&b.counts));
                    most >= least
                        && left.spelling(self.analyzer).union_estimate(right.spelling(self.analyzer)) >= least
                }
            }
    }

    fn is_reuse(&self, pair: &Pair) -> bool {
        pair.shorter >= REUSE_LEAST_WORDS
            && pair.rare.is_some_and(|rare| pair.jaccard * rare >= REUSE_CUT)
            && {
                let [left, right] = pair.wording.map(|wording| wording.single(self.analyzer, self.shingler));
                let single = left.len().min(right.len());
                single > 0 && left.chain(right) as f64 >= REUSE_LEAST_CHAIN * single as f64
            }
    }
}

/// What the later terms look at.
struct Pair<'a> {
    jaccard: f64,
    /// Words of the shorter document, and of the longer one.
    shorter: u64,
    longer: u64,
    rare: Option<f64>,
    evidence: [&'a Evidence; 2],
    wording: [&'a Wording; 2],
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::hash::mix;
    use crate::recipe::Recipe;
    use crate::{Markup, Pipeline, PipelineScratch};

    /// A text of words of five letters, with `changed(place)` saying what becomes of each.
    fn text(words: u64, changed: impl Fn(u64, &str) -> String) -> String {
        let word = |place: u64| {
            let letter = |at: u64| char::from(b'a' + (mix(place * 5 + at + 1) % 26) as u8);
            (0..5).map(letter).collect::<String>()
        };
        (0..words).map(|place| changed(place, &word(place))).collect::<Vec<_>>().join(" ")
    }

    /// Every fifth word is misread in its first letter.
    fn misread(place: u64, word: &str) -> String {
        if place.is_multiple_of(5) { format!("0{}", &word[1..]) } else { word.to_owned() }
    }

    /// Every fifth word is another.
    fn replaced(place: u64, word: &str) -> String {
        if place.is_multiple_of(5) { format!("{:05}", mix(place) % 100_000) } else { word.to_owned() }
    }

    fn judged(left: &str, right: &str, statistics: Option<&Statistics>) -> Judgement {
        let pipeline = Pipeline::new(&Recipe::default(), crate::kernel::Kernel::Scalar).unwrap();
        let mut scratch = PipelineScratch::default();
        let [a, b] = [left, right].map(|text| pipeline.evidence(text, Markup::None, &mut scratch));
        let mut verifier = pipeline.verifier().clone();
        if let Some(statistics) = statistics {
            verifier.set_statistics(Arc::new(statistics.clone()));
        }
        verifier.scores(&a, &b).judgement
    }

    /// A table in which every shingle of the texts is common.
    fn common_everywhere(texts: &[&str]) -> Statistics {
        let pipeline = Pipeline::new(&Recipe::default(), crate::kernel::Kernel::Scalar).unwrap();
        let mut statistics = Statistics::new(100);
        for _ in 0..10 {
            for text in texts {
                let evidence = pipeline.evidence(text, Markup::None, &mut PipelineScratch::default());
                statistics.count(evidence.features.as_slice().iter().copied());
            }
        }
        statistics
    }

    #[test]
    fn misread_letters_are_noise_and_other_words_are_not() {
        let original = text(200, |_, word| word.to_owned());
        let scan = text(200, misread);
        let template = text(200, replaced);
        assert_eq!(judged(&original, &scan, None), Judgement { value: 0.5, term: Term::Noise });
        assert_eq!(judged(&original, &scan, Some(&Statistics::new(2))).term, Term::Noise);
        let other = judged(&original, &template, None);
        assert!(other.term == Term::Shared && other.value < 0.5, "{other:?}");
        // What everybody has is no sign of a copy.
        let common = common_everywhere(&[&original, &scan]);
        assert_eq!(judged(&original, &scan, Some(&common)).term, Term::Shared);
        // Too short to tell.
        assert_eq!(judged(&text(50, |_, word| word.to_owned()), &text(50, misread), None).term, Term::Shared);
    }

    #[test]
    fn a_part_in_the_order_of_its_source_is_reuse_if_it_is_rare() {
        let source = text(400, |_, word| word.to_owned());
        let own: String = (0..60u64).map(|place| format!(" own{}", mix(place))).collect();
        let part = source.split(' ').take(150).collect::<Vec<_>>().join(" ") + &own;
        let fresh = Statistics::new(2);
        assert_eq!(judged(&source, &part, Some(&fresh)), Judgement { value: 0.5, term: Term::Reuse });
        assert_eq!(judged(&source, &part, None).term, Term::Shared, "nothing is known of the collection");
        let common = common_everywhere(&[&source, &part]);
        assert_eq!(judged(&source, &part, Some(&common)).term, Term::Shared);
        // The same passages in another order: pieces of ten words, the last first.
        let words: Vec<&str> = source.split(' ').take(150).collect();
        let shuffled =
            words.chunks(10).rev().map(|piece| piece.join(" ")).collect::<Vec<_>>().join(" ") + &own;
        assert_eq!(judged(&source, &shuffled, Some(&fresh)).term, Term::Shared);
    }
}
