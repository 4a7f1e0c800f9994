//! The fingerprints in memory: which documents are near?
//!
//! ```text
//! add -> buffer, scanned -> full: sealed into a segment -> eight segments of a size become one
//! ```
//!
//! A [`Shelf`] proposes numbers; whether a document is still there, the store knows. It is cheap to copy, so a change
//! makes a new one, and a reader searches the one that it has while writers go on. Every sealed segment covers a range of
//! numbers: all that the store has of this range and that was not removed before the segment was made. So it can be
//! written to a file that is named after the range, and made again from the store.

mod files;
mod snapshot;

pub(crate) use files::{Files, Name, Saved};
#[doc(hidden)]
pub use snapshot::parse as parse_snapshot;

use std::ops::Range;
use std::sync::Arc;

use twindex_core::fingerprint::Simhash;
use twindex_core::search::hamming::{Query, Want};
use twindex_core::search::segment::{FAN_IN, Found, Plan, Segment, Segments};

/// A candidate: a number and its distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    pub(crate) distance: u32,
    pub(crate) number: u32,
}

/// How segments are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) plan: Plan,
    /// So many fresh fingerprints are scanned.
    pub(crate) buffer: usize,
}

/// A sealed segment, and the numbers that it speaks for.
#[derive(Debug, Clone)]
pub(crate) struct Sealed {
    pub(crate) segment: Arc<Segment>,
    pub(crate) covers: Range<u64>,
}

/// Every fingerprint at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Shelf {
    parts: Segments,
    /// What each sealed segment covers, in order, without overlap.
    covers: Vec<Range<u64>>,
    layout: Layout,
}

impl Shelf {
    /// A shelf of sealed segments, in the order of what they cover.
    pub(crate) fn new(sealed: Vec<Sealed>, layout: Layout) -> Shelf {
        let covers = sealed.iter().map(|sealed| sealed.covers.clone()).collect();
        let segments = sealed.into_iter().map(|sealed| sealed.segment).collect();
        Shelf { parts: Segments::from_sealed(segments, layout.plan), covers, layout }
    }

    /// Adds an entry whose number follows those that are there.
    pub(crate) fn push(&mut self, fingerprint: Simhash, number: u32) {
        self.parts.insert(fingerprint.0, number);
    }

    /// Calls `each` with the number of the probe and the candidate for everything within `radius` of a probe whose number
    /// is at least `since`, in no particular order.
    pub(crate) fn search(
        &self,
        probes: &[Query<'_>],
        radius: u32,
        since: u64,
        mut each: impl FnMut(usize, Candidate),
    ) {
        self.parts.search_batch(probes, radius, Want::All, &mut |probe, Found { number, distance }| {
            if u64::from(number) >= since {
                each(probe, Candidate { distance, number });
            }
            true
        });
    }

    /// How many entries there are, removed ones included.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// How many entries are scanned.
    pub(crate) fn buffered(&self) -> usize {
        self.parts.fresh().1.len()
    }

    /// The sealed segments.
    pub(crate) fn sealed(&self) -> impl ExactSizeIterator<Item = Sealed> + '_ {
        let sealed = self.parts.sealed().iter().zip(&self.covers);
        sealed.map(|(segment, covers)| Sealed { segment: Arc::clone(segment), covers: covers.clone() })
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let sealed: usize = self.parts.sealed().iter().map(|it| it.bytes()).sum();
        // A fresh fingerprint is held twice, see `Buffer`.
        sealed + self.buffered() * (2 * size_of::<u64>() + size_of::<u32>())
    }

    /// Whether the buffer should be sealed.
    pub(crate) fn is_full(&self) -> bool {
        self.buffered() >= self.layout.buffer
    }

    /// Whether there are so many removed documents that making segments without them is worth the work.
    pub(crate) fn is_worth_purging(&self, removed: usize) -> bool {
        removed > self.layout.buffer
    }

    /// A segment of all that is in the buffer; `next` is the number after the last one that was given.
    pub(crate) fn seal(&self, next: u64) -> Sealed {
        let (fingerprints, numbers) = self.parts.fresh();
        let start = self.covers.last().map_or(0, |covers| covers.end);
        sealed(fingerprints.to_vec(), numbers.to_vec(), start..next, self.layout)
    }

    /// The shelf whose first fresh entries are in this segment.
    pub(crate) fn with_sealed(&self, sealed: Sealed) -> Shelf {
        let end = sealed.covers.end;
        let mut all: Vec<Sealed> = self.sealed().collect();
        if !sealed.segment.is_empty() {
            all.push(sealed);
        }
        let mut shelf = Shelf::new(all, self.layout);
        let (fingerprints, numbers) = self.parts.fresh();
        let rest = numbers.partition_point(|&number| u64::from(number) < end);
        for (&fingerprint, &number) in fingerprints[rest..].iter().zip(&numbers[rest..]) {
            shelf.push(Simhash(fingerprint), number);
        }
        shelf
    }

    /// Neighbouring segments of like size that should become one.
    pub(crate) fn merge_due(&self) -> Option<Range<usize>> {
        // In powers of the fan-in, so that a segment that lost some removed documents is still of its size.
        let size = |it: &Arc<Segment>| (it.len() / self.layout.buffer.max(1)).max(1).ilog(FAN_IN);
        let mut start = 0;
        for run in self.parts.sealed().chunk_by(|a, b| size(a) == size(b)) {
            if run.len() >= FAN_IN {
                return Some(start..start + run.len());
            }
            start += run.len();
        }
        None
    }

    /// What the segments of a range cover together.
    pub(crate) fn covered(&self, range: &Range<usize>) -> Range<u64> {
        match &self.covers[range.clone()] {
            [] => 0..0,
            [first, .., last] => first.start..last.end,
            [only] => only.clone(),
        }
    }

    /// One segment of several, without the numbers that were removed.
    pub(crate) fn merge(&self, range: &Range<usize>, is_removed: impl Fn(u32) -> bool) -> Sealed {
        let segments = &self.parts.sealed()[range.clone()];
        let keep = |number| !is_removed(number);
        let segment = Segment::merge(segments, keep, &self.layout.plan);
        Sealed { segment: Arc::new(segment), covers: self.covered(range) }
    }

    /// The shelf with a merged segment in the place of those that it was made of.
    pub(crate) fn with_merged(&self, range: &Range<usize>, merged: Sealed) -> Shelf {
        let mut all: Vec<Sealed> = self.sealed().collect();
        let merged = (!merged.segment.is_empty()).then_some(merged);
        all.splice(range.clone(), merged);
        let mut shelf = Shelf::new(all, self.layout);
        let (fingerprints, numbers) = self.parts.fresh();
        for (&fingerprint, &number) in fingerprints.iter().zip(numbers) {
            shelf.push(Simhash(fingerprint), number);
        }
        shelf
    }
}

/// A segment of these entries.
pub(crate) fn sealed(
    fingerprints: Vec<u64>,
    numbers: Vec<u32>,
    covers: Range<u64>,
    layout: Layout,
) -> Sealed {
    let segment = Segment::build(fingerprints, numbers, &layout.plan);
    Sealed { segment: Arc::new(segment), covers }
}
