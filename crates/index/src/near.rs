//! What the shelves propose, before anything is read from the store.
//!
//! Candidates are numbers and distances: most questions have none, and are answered without the store. Of those that
//! there are, only as many are looked at as the answer needs, so a template that everybody has costs no more than the
//! matches that are listed.
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
        view.documents.search(
            &[question.probe.query()],
            question.radius(radius),
            since.document,
            |_, candidate| wholes.push(Reverse(candidate)),
        );
        near.wholes = wholes.into();
        if question.paragraphs.is_empty() {
            return near;
        }
        // All together: the waits of their look-ups for memory overlap.
        let probes: Vec<search::Query<'_>> =
            question.paragraphs.iter().map(|paragraph| paragraph.probe.query()).collect();
        let mut found: Vec<Vec<Candidate>> = vec![vec![]; probes.len()];
        view.paragraphs
            .search(&probes, radius, since.paragraph, |left, candidate| found[left].push(candidate));
        for (left, mut found) in found.into_iter().enumerate() {
            if found.len() > PARAGRAPH_CANDIDATES {
                near.more = true;
                found.select_nth_unstable(PARAGRAPH_CANDIDATES);
                found.truncate(PARAGRAPH_CANDIDATES);
            }
            let paragraph = |Candidate { distance, number }| NearParagraph { number, left, distance };
            near.paragraphs.extend(found.into_iter().map(paragraph));
        }
        near.paragraphs.sort_unstable();
        near
    }

    /// Whether nothing is near.
    pub(crate) fn is_empty(&self) -> bool {
        self.wholes.is_empty() && self.paragraphs.is_empty()
    }
}

/// Those of the paragraphs, which are ascending, whose numbers are in the range.
pub(crate) fn within(paragraphs: &[NearParagraph], numbers: Range<u64>) -> &[NearParagraph] {
    let place = |number: u64| paragraphs.partition_point(|it| u64::from(it.number) < number);
    &paragraphs[place(numbers.start)..place(numbers.end)]
}
