//! A collection that grows: a buffer of fresh fingerprints, and sealed segments.
//!
//! An index is immutable, and building one for every new fingerprint would cost too much. So fresh ones are scanned in a
//! [`Buffer`]; a full buffer is *sealed* into a segment; segments of like size are *merged* into larger ones:
//!
//! ```text
//! insert:  push into the buffer;  if it is full: seal it into a segment of 2^14
//! merge:   eight neighbours of one size become one of eight times that size
//! search:  the buffer, then every segment
//! ```
//!
//! A fingerprint is merged once for each size, log8(n / 2^14) times in all, and a query looks into at most seven segments
//! of each size. Deletion is the caller's: the sink refuses what is deleted, and a merge drops it.
//!
//! Sealing and merging are functions of immutable segments, so that an index can do them on another thread and exchange
//! the result when it is done.

mod merge;

use std::sync::Arc;

use crate::kernel::Kernel;
use crate::search::hamming::{HammingSearch, Query, Want};
use crate::search::multi_index::MultiIndex;
use crate::search::scan::Buffer;

pub use merge::{BUFFER, FAN_IN};

/// What a fingerprint belongs to: the caller's number for it.
pub trait Id: Copy + Ord + std::fmt::Debug + Send + Sync {}

impl Id for u32 {}
impl Id for u64 {}

/// Sealed fingerprints with their numbers.
#[derive(Debug, Clone)]
pub struct Segment<I> {
    index: MultiIndex,
    ids: Vec<I>,
}

impl<I: Id> Segment<I> {
    /// Seals fingerprints, each with its number, for queries of `radius`.
    ///
    /// Panics if there are not as many of one as of the other.
    pub fn build(fingerprints: Vec<u64>, ids: Vec<I>, radius: u32, kernel: Kernel) -> Self {
        Segment::from_index(MultiIndex::build(fingerprints, radius, kernel), ids)
    }

    /// A segment from the parts of a snapshot.
    ///
    /// Panics if there are not as many numbers as fingerprints.
    pub fn from_index(index: MultiIndex, ids: Vec<I>) -> Self {
        assert_eq!(index.len(), ids.len(), "every fingerprint has one number");
        Segment { index, ids }
    }

    /// The index of the fingerprints; its positions are those of [`Segment::ids`].
    pub fn index(&self) -> &MultiIndex {
        &self.index
    }

    /// The numbers by position.
    pub fn ids(&self) -> &[I] {
        &self.ids
    }

    /// How many fingerprints.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// A found fingerprint and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found<I> {
    /// The caller's number.
    pub id: I,
    /// In how many bits it differs from the query.
    pub distance: u32,
}

/// The buffer and the segments. Cloning is cheap but for the buffer: segments are shared.
#[derive(Debug, Clone)]
pub struct Segments<I> {
    sealed: Vec<Arc<Segment<I>>>,
    buffer: Buffer,
    buffer_ids: Vec<I>,
    radius: u32,
    kernel: Kernel,
}

impl<I: Id> Segments<I> {
    /// An empty collection for queries of `radius`.
    pub fn new(radius: u32, kernel: Kernel) -> Self {
        Segments { sealed: vec![], buffer: Buffer::new(kernel), buffer_ids: vec![], radius, kernel }
    }

    /// A collection of sealed segments, the oldest first.
    pub fn from_sealed(sealed: Vec<Arc<Segment<I>>>, radius: u32, kernel: Kernel) -> Self {
        Segments { sealed, ..Segments::new(radius, kernel) }
    }

    /// Adds a fingerprint. The caller looks at [`Segments::is_full`] afterwards.
    pub fn insert(&mut self, fingerprint: u64, id: I) {
        self.buffer.push(fingerprint);
        self.buffer_ids.push(id);
    }

    /// Whether the buffer should be sealed. It may grow beyond: queries only become slower.
    pub fn is_full(&self) -> bool {
        self.buffer_ids.len() >= BUFFER
    }

    /// Turns the buffer into a segment; does nothing if it is empty.
    pub fn seal(&mut self) {
        if !self.buffer_ids.is_empty() {
            let ids = std::mem::take(&mut self.buffer_ids);
            let segment = Segment::build(self.buffer.take(), ids, self.radius, self.kernel);
            self.sealed.push(Arc::new(segment));
        }
    }

    /// The sealed segments, the oldest first.
    pub fn sealed(&self) -> &[Arc<Segment<I>>] {
        &self.sealed
    }

    /// The fresh fingerprints and their numbers.
    pub fn fresh(&self) -> (&[u64], &[I]) {
        (self.buffer.fingerprints(), &self.buffer_ids)
    }

    /// How many fingerprints.
    pub fn len(&self) -> usize {
        self.buffer_ids.len() + self.sealed.iter().map(|segment| segment.len()).sum::<usize>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `sink` with every fingerprint within `radius` bits of each query, or with the first: fresh ones before sealed
    /// ones, young segments before old ones. `sink` returns whether a match counts: a deleted one does not.
    pub fn search_batch(
        &self,
        queries: &[Query<'_>],
        radius: u32,
        want: Want,
        sink: &mut dyn FnMut(usize, Found<I>) -> bool,
    ) {
        // The queries that still want matches, by their number. `All` keeps them all.
        let mut open: Vec<usize> = (0..queries.len()).collect();
        let mut waiting: Vec<Query<'_>> = queries.to_vec();
        let youngest_first =
            self.sealed.iter().rev().map(|it| (&it.index as &dyn HammingSearch, it.ids.as_slice()));
        let fresh = (&self.buffer as &dyn HammingSearch, self.buffer_ids.as_slice());
        for (part, ids) in [fresh].into_iter().chain(youngest_first) {
            let mut answered = vec![false; open.len()];
            part.search_batch(&waiting, radius, want, &mut |query, found| {
                let id = ids[found.position as usize];
                let counts = sink(open[query], Found { id, distance: found.distance });
                answered[query] |= counts && want == Want::First;
                counts
            });
            open = retain_unanswered(&open, &answered);
            waiting = retain_unanswered(&waiting, &answered);
            if open.is_empty() {
                break;
            }
        }
    }
}

fn retain_unanswered<T: Copy>(of_queries: &[T], answered: &[bool]) -> Vec<T> {
    of_queries.iter().zip(answered).filter(|(_, answered)| !**answered).map(|(item, _)| *item).collect()
}

#[cfg(test)]
mod tests;
