//! What the shelves propose, before anything is read from the store.
//!
//! Candidates are numbers and distances: most questions have none, and are answered without the store. Of those that
//! there are, only as many are looked at as the answer needs, so a template that everybody has costs no more than the
//! matches that are listed, and a few more where a witness is looked for.
//!
//! ```text
//! wholes      a heap: the nearest document first, of equally near ones the oldest
//! paragraphs  in the order of their numbers: those of a document are neighbours, older documents come first
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use twindex_core::search;

use crate::question::Question;
use crate::shelf::Candidate;
use crate::view::{Next, View};

/// Of a paragraph that very many documents have, no more than this are looked at: it is a part of a template.
const PARAGRAPH_CANDIDATES: usize = 1_000;

/// All paragraphs of a question together have about so many: where there are hundreds, each has fewer, but some.
const ALL_CANDIDATES: usize = 200_000;
const FEWEST_CANDIDATES: usize = 8;

/// Paragraphs that are looked up together: the waits of their look-ups for memory overlap.
const TOGETHER: usize = 64;

/// A question that has met so many paragraphs, about a second's work, looks up no more of its own: nobody shall keep the
/// service busy by a text of thousands of paragraphs that are everywhere.
const MOST_MET: usize = 20_000_000;

/// Everything near a question.
#[derive(Debug, Default)]
pub(crate) struct Near {
    /// The documents that are near as a whole.
    pub(crate) wholes: BinaryHeap<Reverse<Candidate>>,
    /// The paragraphs that are near one of the question's, ascending.
    pub(crate) paragraphs: Vec<NearParagraph>,
    /// Whether paragraphs were left out.
    pub(crate) more: bool,
}

/// A paragraph that is near one of the question's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NearParagraph {
    pub(crate) number: u32,
    /// Which paragraph of the question it is near.
    pub(crate) left: usize,
    pub(crate) distance: u32,
}

impl Near {
    /// What a view has within the radius, from the numbers of `since` on.
    pub(crate) fn find(question: &Question<'_>, view: &View, radius: u32, since: Next) -> Near {
        let mut near = Near::default();
        let mut wholes = vec![];
        // A text without words is a duplicate of nothing, not even of its equal.
        if question.has_words {
            view.documents.search(&[question.probe.query()], radius, since.document, |_, candidate| {
                wholes.push(Reverse(candidate));
            });
        }
        near.wholes = wholes.into();
        if question.paragraphs.is_empty() {
            return near;
        }
        let probes: Vec<search::Query<'_>> =
            question.paragraphs.iter().map(|paragraph| paragraph.probe.query()).collect();
        let most = (ALL_CANDIDATES / probes.len()).clamp(FEWEST_CANDIDATES, PARAGRAPH_CANDIDATES);
        let mut met = 0;
        for (part, probes) in probes.chunks(TOGETHER).enumerate() {
            if met > MOST_MET {
                near.more = true;
                break;
            }
            let mut nearest: Vec<Nearest> = vec![Nearest::default(); probes.len()];
            view.paragraphs.search(probes, radius, since.paragraph, |left, candidate| {
                met += 1;
                nearest[left].push(candidate, most);
            });
            for (mut nearest, left) in nearest.into_iter().zip(part * TOGETHER..) {
                nearest.cut(most);
                near.more |= nearest.more;
                let paragraph = |Candidate { distance, number }| NearParagraph { number, left, distance };
                near.paragraphs.extend(nearest.candidates.into_iter().map(paragraph));
            }
        }
        near.paragraphs.sort_unstable();
        near
    }

    /// Whether nothing is near.
    pub(crate) fn is_empty(&self) -> bool {
        self.wholes.is_empty() && self.paragraphs.is_empty()
    }
}

/// The nearest of many candidates, in the memory of a few.
#[derive(Debug, Clone, Default)]
struct Nearest {
    candidates: Vec<Candidate>,
    /// Whether some were left out.
    more: bool,
}

impl Nearest {
    fn push(&mut self, candidate: Candidate, most: usize) {
        self.candidates.push(candidate);
        if self.candidates.len() == 2 * most {
            self.cut(most);
        }
    }

    fn cut(&mut self, most: usize) {
        if self.candidates.len() > most {
            self.more = true;
            self.candidates.select_nth_unstable(most);
            self.candidates.truncate(most);
        }
    }
}

/// Those of the paragraphs, which are ascending, whose numbers are in the range.
pub(crate) fn within(paragraphs: &[NearParagraph], numbers: Range<u64>) -> &[NearParagraph] {
    let place = |number: u64| paragraphs.partition_point(|it| u64::from(it.number) < number);
    &paragraphs[place(numbers.start)..place(numbers.end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_of_sorting_everything() {
        let all: Vec<Candidate> = (0..1_000u32)
            .map(|number| Candidate { distance: number * 7_919 % 13, number: number * 31 % 1_000 })
            .collect();
        for most in [1, 8, 999, 1_000] {
            let mut nearest = Nearest::default();
            all.iter().for_each(|&candidate| nearest.push(candidate, most));
            nearest.cut(most);
            nearest.candidates.sort_unstable();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            assert_eq!(nearest.candidates, sorted[..most]);
            assert_eq!(nearest.more, most < all.len());
        }
    }
}
