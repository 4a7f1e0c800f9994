//! A collection that grows: a buffer of fresh fingerprints, and sealed segments.
//!
//! An index is immutable, and building one for every new fingerprint would cost too much. So fresh
//! ones are scanned in a [`Buffer`]; a full buffer is *sealed* into a segment; segments of similar
//! size are *merged* into larger ones:
//!
//! ```text
//! insert:  push into the buffer;  if it is full: seal it into a segment of 2^14
//! merge:   eight neighbours of one size become one of eight times that size
//! search:  the buffer, then every segment
//! ```
//!
//! A fingerprint is merged once per size, log8(n / 2^14) times in all, and a query searches at most
//! seven segments of each size. Deletion is left to the caller: the sink refuses deleted
//! fingerprints, and a merge drops them.
//!
//! Sealing and merging are functions of immutable segments, so that an index can run them on
//! another thread and swap in the result.

mod merge;
mod numbers;
mod plan;

use std::borrow::Cow;
use std::sync::Arc;

use crate::search::hamming::{HammingSearch, Match, Query, Want};
use crate::search::scan::Buffer;

use plan::Index;

pub use merge::{BUFFER, FAN_IN};
pub use numbers::Numbers;
pub use plan::{Accuracy, PROBABLE_RECALL, Plan};

/// Sealed fingerprints with the caller's number of each.
#[derive(Debug, Clone)]
pub struct Segment {
    index: Index,
    numbers: Numbers,
}

impl Segment {
    /// Seals fingerprints, each with its number; numbers ascend.
    ///
    /// Panics if there are not as many of one as of the other, or if the numbers are out of order.
    pub fn build(fingerprints: Vec<u64>, numbers: Vec<u32>, plan: &Plan) -> Self {
        assert_eq!(fingerprints.len(), numbers.len(), "every fingerprint has one number");
        // Numbers first: once they are compressed there is memory for the build.
        let numbers = Numbers::new(numbers);
        Segment { index: plan.build(fingerprints), numbers }
    }

    /// The fingerprints, in the order of their numbers.
    pub fn fingerprints(&self) -> Cow<'_, [u64]> {
        self.index.fingerprints()
    }

    /// The numbers, ascending.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// How many fingerprints.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        self.index.bytes() + self.numbers.bytes()
    }
}

/// A match and its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The caller's number.
    pub number: u32,
    /// In how many bits it differs from the query.
    pub distance: u32,
}

/// The buffer and the segments. Cloning copies only the buffer: segments are shared.
#[derive(Debug, Clone)]
pub struct Segments {
    sealed: Vec<Arc<Segment>>,
    buffer: Buffer,
    buffer_numbers: Vec<u32>,
    plan: Plan,
}

impl Segments {
    /// An empty collection.
    pub fn new(plan: Plan) -> Self {
        Segments { sealed: vec![], buffer: Buffer::new(plan.kernel), buffer_numbers: vec![], plan }
    }

    /// A collection of sealed segments, the oldest first.
    pub fn from_sealed(sealed: Vec<Arc<Segment>>, plan: Plan) -> Self {
        Segments { sealed, ..Segments::new(plan) }
    }

    /// Adds a fingerprint whose number is larger than all earlier ones. The caller checks
    /// [`Segments::is_full`] afterwards.
    pub fn insert(&mut self, fingerprint: u64, number: u32) {
        self.buffer.push(fingerprint);
        self.buffer_numbers.push(number);
    }

    /// Whether the buffer should be sealed. It may grow further; queries only become slower.
    pub fn is_full(&self) -> bool {
        self.buffer_numbers.len() >= BUFFER
    }

    /// Turns the buffer into a segment; does nothing if it is empty.
    pub fn seal(&mut self) {
        if !self.buffer_numbers.is_empty() {
            let numbers = std::mem::take(&mut self.buffer_numbers);
            let segment = Segment::build(self.buffer.take(), numbers, &self.plan);
            self.sealed.push(Arc::new(segment));
        }
    }

    /// The sealed segments, the oldest first.
    pub fn sealed(&self) -> &[Arc<Segment>] {
        &self.sealed
    }

    /// The fresh fingerprints and their numbers.
    pub fn fresh(&self) -> (&[u64], &[u32]) {
        (self.buffer.fingerprints(), &self.buffer_numbers)
    }

    /// How many fingerprints.
    pub fn len(&self) -> usize {
        self.buffer_numbers.len() + self.sealed.iter().map(|segment| segment.len()).sum::<usize>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `sink` with every fingerprint within `radius` bits of each query, or with the first:
    /// fresh ones before sealed ones, young segments before old ones. `sink` returns whether a
    /// match counts: a deleted one does not.
    pub fn search_batch(
        &self,
        queries: &[Query<'_>],
        radius: u32,
        want: Want,
        sink: &mut dyn FnMut(usize, Found) -> bool,
    ) {
        // The open queries, by number. `All` keeps them all.
        let mut open: Vec<usize> = (0..queries.len()).collect();
        let mut waiting: Vec<Query<'_>> = queries.to_vec();
        for part in [Part::Fresh].into_iter().chain(self.sealed.iter().rev().map(Part::Sealed)) {
            let mut answered = vec![false; open.len()];
            let mut each = |query: usize, found: Match| {
                let number = match part {
                    Part::Fresh => self.buffer_numbers[found.position as usize],
                    Part::Sealed(segment) => segment.numbers.at(found.position),
                };
                let counts = sink(open[query], Found { number, distance: found.distance });
                answered[query] |= counts && want == Want::First;
                counts
            };
            match part {
                Part::Fresh => self.buffer.search_batch(&waiting, radius, want, &mut each),
                Part::Sealed(segment) => segment.index.search_batch(&waiting, radius, want, &mut each),
            }
            open = retain_unanswered(&open, &answered);
            waiting = retain_unanswered(&waiting, &answered);
            if open.is_empty() {
                break;
            }
        }
    }
}

/// The part that is searched.
#[derive(Clone, Copy)]
enum Part<'s> {
    Fresh,
    Sealed(&'s Arc<Segment>),
}

fn retain_unanswered<T: Copy>(of_queries: &[T], answered: &[bool]) -> Vec<T> {
    of_queries.iter().zip(answered).filter(|(_, answered)| !**answered).map(|(item, _)| *item).collect()
}

#[cfg(test)]
mod tests;
