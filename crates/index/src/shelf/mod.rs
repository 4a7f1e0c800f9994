//! The fingerprints in memory: which documents are near?
//!
//! ```text
//! add -> buffer, scanned -> full: sealed into a segment -> small segments are merged
//! ```
//!
//! A [`Shelf`] never changes: a change makes a new one that shares all but the last part, so that a reader searches the
//! one that it has while writers go on. It proposes numbers; whether a document is still there, the store knows.

mod segment;

pub(crate) use segment::Segment;

use std::sync::Arc;

use twindex_core::fingerprint::Simhash;

/// So many fresh fingerprints are scanned in about the time of one search in a segment.
const BUFFER: usize = 1 << 14;

/// A candidate: a document number and its distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    pub(crate) distance: u32,
    pub(crate) number: u32,
}

/// Every fingerprint at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shelf {
    segments: Vec<Arc<Segment>>,
    buffer: Arc<Segment>,
}

impl Shelf {
    /// Adds an entry whose number follows those that are there. Shelves that share parts with this one do not change.
    pub(crate) fn push(&mut self, fingerprint: Simhash, number: u32) {
        Arc::make_mut(&mut self.buffer).push(fingerprint, number);
        if self.buffer.len() >= BUFFER {
            self.segments.push(std::mem::take(&mut self.buffer));
        }
    }

    /// Appends everything within `radius` of `probe`, in no particular order.
    pub(crate) fn search(&self, probe: Simhash, radius: u32, found: &mut Vec<Candidate>) {
        for segment in self.segments.iter().chain([&self.buffer]) {
            segment.search(probe, radius, found);
        }
    }

    /// How many entries there are, removed ones included.
    pub(crate) fn len(&self) -> usize {
        self.segments.iter().chain([&self.buffer]).map(|segment| segment.len()).sum()
    }

    /// How many entries are in the buffer.
    pub(crate) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// How many segments there are.
    pub(crate) fn segments(&self) -> usize {
        self.segments.len()
    }
}
