//! The fingerprints in memory: which documents are near?
//!
//! ```text
//! add -> buffer, scanned -> full: sealed into a segment -> eight segments of a size become one
//! ```
//!
//! A [`SegmentSet`] proposes numbers; the store knows whether the document still exists. A set is
//! cheap to copy, so a change makes a new one, and readers go on with the one that they have. Every
//! sealed segment covers a range of numbers: it holds all that the store had of this range and that
//! was not removed before the segment was made. So it can be written to a file named after the
//! range, and rebuilt from the store.

mod files;
pub(crate) mod postings;
mod snapshot;
mod view;

pub(crate) use files::{FileName, Kind, POSTINGS, SegmentFiles};
#[doc(hidden)]
pub use snapshot::parse as parse_snapshot;
pub(crate) use view::View;

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
    /// How many new fingerprints are scanned before they are sealed into a segment.
    pub(crate) buffer: usize,
}

/// A sealed segment, and the range of numbers that it covers.
#[derive(Debug, Clone)]
pub(crate) struct SealedSegment {
    pub(crate) segment: Arc<Segment>,
    pub(crate) covers: Range<u64>,
}

/// Every fingerprint at one moment.
#[derive(Debug, Clone)]
pub(crate) struct SegmentSet {
    parts: Segments,
    /// What each sealed segment covers, in order, without overlap.
    covers: Vec<Range<u64>>,
    layout: Layout,
}

impl SegmentSet {
    /// A set of sealed segments, in the order of their ranges.
    pub(crate) fn new(sealed: Vec<SealedSegment>, layout: Layout) -> SegmentSet {
        let covers = sealed.iter().map(|sealed| sealed.covers.clone()).collect();
        let segments = sealed.into_iter().map(|sealed| sealed.segment).collect();
        SegmentSet { parts: Segments::from_sealed(segments, layout.plan), covers, layout }
    }

    /// Adds an entry. Its number is larger than all others.
    pub(crate) fn push(&mut self, fingerprint: Simhash, number: u32) {
        self.parts.insert(fingerprint.0, number);
    }

    /// Calls `each` with the position of the query and the candidate, for every candidate within
    /// `radius` of a query whose number is at least `since`, in no particular order.
    pub(crate) fn search(
        &self,
        queries: &[Query<'_>],
        radius: u32,
        since: u64,
        mut each: impl FnMut(usize, Candidate),
    ) {
        self.parts.search_batch(queries, radius, Want::All, &mut |query, Found { number, distance }| {
            if u64::from(number) >= since {
                each(query, Candidate { distance, number });
            }
            true
        });
    }

    /// How many entries there are, removed ones included.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// How many entries are in the buffer.
    pub(crate) fn buffered(&self) -> usize {
        self.parts.fresh().1.len()
    }

    /// The sealed segments.
    pub(crate) fn sealed(&self) -> impl ExactSizeIterator<Item = SealedSegment> + '_ {
        let sealed = self.parts.sealed().iter().zip(&self.covers);
        sealed.map(|(segment, covers)| SealedSegment { segment: Arc::clone(segment), covers: covers.clone() })
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let sealed: usize = self.parts.sealed().iter().map(|it| it.bytes()).sum();
        // A buffered fingerprint is held twice, see `Buffer`.
        sealed + self.buffered() * (2 * size_of::<u64>() + size_of::<u32>())
    }

    /// Whether the buffer should be sealed.
    pub(crate) fn is_full(&self) -> bool {
        self.buffered() >= self.layout.buffer
    }

    /// Whether rebuilding the segments without `removed` documents is worth the work.
    pub(crate) fn is_worth_purging(&self, removed: usize) -> bool {
        removed > self.layout.buffer
    }

    /// A segment of the buffer; `next` is the next number to give.
    pub(crate) fn seal(&self, next: u64) -> SealedSegment {
        let (fingerprints, numbers) = self.parts.fresh();
        let start = self.covers.last().map_or(0, |covers| covers.end);
        sealed(fingerprints.to_vec(), numbers.to_vec(), start..next, self.layout)
    }

    /// The set after the oldest entries of the buffer were sealed into this segment.
    pub(crate) fn with_sealed(&self, sealed: SealedSegment) -> SegmentSet {
        let end = sealed.covers.end;
        let mut all: Vec<SealedSegment> = self.sealed().collect();
        if !sealed.segment.is_empty() {
            all.push(sealed);
        }
        let mut set = SegmentSet::new(all, self.layout);
        let (fingerprints, numbers) = self.parts.fresh();
        let rest = numbers.partition_point(|&number| u64::from(number) < end);
        for (&fingerprint, &number) in fingerprints[rest..].iter().zip(&numbers[rest..]) {
            set.push(Simhash(fingerprint), number);
        }
        set
    }

    /// Neighbouring segments of similar size that should become one.
    pub(crate) fn merge_due(&self) -> Option<Range<usize>> {
        // In powers of the fan-in, so that a segment keeps its size class when it loses a few
        // documents.
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

    /// The numbers that the segments of a range cover together.
    pub(crate) fn covered(&self, range: &Range<usize>) -> Range<u64> {
        match &self.covers[range.clone()] {
            [] => 0..0,
            [first, .., last] => first.start..last.end,
            [only] => only.clone(),
        }
    }

    /// One segment made of several, without the removed numbers.
    pub(crate) fn merge(&self, range: &Range<usize>, is_removed: impl Fn(u32) -> bool) -> SealedSegment {
        let segments = &self.parts.sealed()[range.clone()];
        let keep = |number| !is_removed(number);
        let segment = Segment::merge(segments, keep, &self.layout.plan);
        SealedSegment { segment: Arc::new(segment), covers: self.covered(range) }
    }

    /// The set with a merged segment in place of those that it was made of.
    pub(crate) fn with_merged(&self, range: &Range<usize>, merged: SealedSegment) -> SegmentSet {
        let mut all: Vec<SealedSegment> = self.sealed().collect();
        let merged = (!merged.segment.is_empty()).then_some(merged);
        all.splice(range.clone(), merged);
        let mut set = SegmentSet::new(all, self.layout);
        let (fingerprints, numbers) = self.parts.fresh();
        for (&fingerprint, &number) in fingerprints.iter().zip(numbers) {
            set.push(Simhash(fingerprint), number);
        }
        set
    }
}

/// A segment of these entries.
pub(crate) fn sealed(
    fingerprints: Vec<u64>,
    numbers: Vec<u32>,
    covers: Range<u64>,
    layout: Layout,
) -> SealedSegment {
    let segment = Segment::build(fingerprints, numbers, &layout.plan);
    SealedSegment { segment: Arc::new(segment), covers }
}
