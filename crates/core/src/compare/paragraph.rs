//! Which paragraph of the right document is most similar to each of the left one?
//!
//! Equal paragraphs are found by their text, the others by counting shared shingles through an
//! inverted index, so that two documents of thousands of paragraphs are not compared paragraph by
//! paragraph.

use std::collections::HashMap;

use crate::document::Markup;
use crate::engine::{Engine, EngineScratch};
use crate::text::paragraphs;
use crate::verify::{Evidence, Measured};
use serde::Serialize;

use super::measure::Measures;

/// A shingle of more paragraphs than this is looked up in the first ones only: it is a phrase of
/// the template, and without a limit a template of ten thousand paragraphs would cost a hundred
/// million steps per word.
const PARAGRAPHS_PER_SHINGLE: usize = 100;

/// Where a paragraph stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The number of the paragraph, from 1.
    pub number: usize,
    /// The line where it begins, from 1. Only for plain text: the visible text of a page has other
    /// lines.
    pub line: Option<usize>,
    /// Where it begins and ends in the visible text, in bytes.
    pub start: usize,
    /// Behind its last byte.
    pub end: usize,
}

/// A paragraph and the most similar one on the right.
#[derive(Debug, Serialize)]
pub struct Match {
    /// The paragraph of the left document.
    pub left: Place,
    /// The best match by Jaccard; `None` if no paragraph has a shingle in common.
    pub right: Option<Place>,
    /// Their measures.
    #[serde(flatten)]
    pub measures: Option<Measures>,
    /// What the left paragraph begins with.
    pub beginning: String,
}

/// The paragraphs of a visible text; lines are counted if it is plain.
pub(super) fn all(visible: &str, is_plain: bool) -> Vec<Place> {
    let (mut line, mut counted_to) = (1, 0);
    let place = |(index, range): (usize, std::ops::Range<usize>)| {
        line += visible[counted_to..range.start].matches('\n').count();
        counted_to = range.start;
        Place { number: index + 1, line: is_plain.then_some(line), start: range.start, end: range.end }
    };
    paragraphs(visible).enumerate().map(place).collect()
}

/// The best match of every paragraph on the left.
pub(super) fn matches(
    engine: &Engine,
    left: &str,
    left_places: Vec<Place>,
    right: &str,
    right_places: Vec<Place>,
) -> Vec<Match> {
    let mut scratch = EngineScratch::default();
    let mut evidence = |text: &str| engine.evidence(text, Markup::None, &mut scratch);
    let index = Index::new(right, &right_places, &mut evidence);
    let find = |place: Place| {
        let text = &left[place.start..place.end];
        let found = match index.by_text.get(text) {
            Some(&equal) => Some((equal, Measured::EQUAL)),
            None => {
                let evidence = evidence(text);
                let best = index.most_alike(&evidence);
                best.map(|best| (best, engine.verifier().verdict(&evidence, &index.evidence[best]).measured))
            }
        };
        Match {
            left: place,
            right: found.map(|(best, _)| right_places[best].clone()),
            measures: found.map(|(_, measured)| measured.scores().into()),
            beginning: beginning(text),
        }
    };
    left_places.into_iter().map(find).collect()
}

/// Enough of a paragraph to recognise it.
fn beginning(text: &str) -> String {
    const CHARACTERS: usize = 60;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(CHARACTERS) {
        Some((cut, _)) => format!("{}...", words[..cut].trim_end()),
        None => words,
    }
}

/// The paragraphs on the right, by text and by shingle.
struct Index<'a> {
    by_text: HashMap<&'a str, usize>,
    by_shingle: HashMap<u64, Vec<usize>>,
    evidence: Vec<Evidence>,
}

impl<'a> Index<'a> {
    fn new(visible: &'a str, places: &[Place], evidence: &mut impl FnMut(&str) -> Evidence) -> Self {
        let mut index = Index { by_text: HashMap::new(), by_shingle: HashMap::new(), evidence: vec![] };
        for (number, place) in places.iter().enumerate() {
            let text = &visible[place.start..place.end];
            let evidence = evidence(text);
            index.by_text.entry(text).or_insert(number);
            for &shingle in evidence.features.as_slice() {
                let paragraphs = index.by_shingle.entry(shingle).or_default();
                if paragraphs.len() < PARAGRAPHS_PER_SHINGLE {
                    paragraphs.push(number);
                }
            }
            index.evidence.push(evidence);
        }
        index
    }

    /// The paragraph with the highest Jaccard, the first of equals; `None` if none shares a
    /// shingle.
    fn most_alike(&self, evidence: &Evidence) -> Option<usize> {
        let mut common: HashMap<usize, usize> = HashMap::new();
        let shingles = evidence.features.as_slice();
        for paragraph in shingles.iter().filter_map(|shingle| self.by_shingle.get(shingle)).flatten() {
            *common.entry(*paragraph).or_default() += 1;
        }
        let jaccard = |paragraph: usize, common: usize| {
            common as f64 / (shingles.len() + self.evidence[paragraph].features.len() - common) as f64
        };
        let scored = common.into_iter().map(|(paragraph, common)| (jaccard(paragraph, common), paragraph));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        best.map(|(_, paragraph)| paragraph)
    }
}

#[cfg(test)]
mod tests {
    use crate::Recipe;
    use crate::kernel::Kernel;

    use super::*;

    fn found(left: &str, right: &str) -> Vec<(Option<usize>, Option<usize>, Option<f64>)> {
        let engine = Engine::new(&Recipe::default(), Kernel::best()).unwrap();
        matches(&engine, left, all(left, true), right, all(right, true))
            .into_iter()
            .map(|found| {
                let jaccard = found.measures.map(|measures| measures.jaccard);
                (found.left.line, found.right.and_then(|place| place.line), jaccard)
            })
            .collect()
    }

    #[test]
    fn every_paragraph_finds_its_best_match() {
        let left = "red green blue white\n\n\none two three four five\nsix\n\nnothing like it";
        let right = "one two three four five six seven\n\nred green blue white\n\none two three";
        assert_eq!(
            found(left, right),
            [(Some(1), Some(3), Some(1.0)), (Some(4), Some(1), Some(0.8)), (Some(7), None, None)]
        );
    }

    #[test]
    fn paragraphs_without_words_match_only_their_equals() {
        assert_eq!(found("***\n\n---", "---\n\n+++"), [(Some(1), None, None), (Some(3), Some(1), Some(1.0))]);
        assert!(found("", "one").is_empty());
        assert_eq!(found("one", ""), [(Some(1), None, None)]);
    }

    #[test]
    fn the_first_of_equally_good_matches_is_taken() {
        assert_eq!(found("a b c d", "x\n\na b c e\n\na b c f"), [(Some(1), Some(3), Some(0.333333))]);
    }

    #[test]
    fn long_paragraphs_are_cut() {
        assert_eq!(beginning("one\n two"), "one two");
        assert_eq!(beginning(&"天".repeat(61)), format!("{}...", "天".repeat(60)));
    }
}
