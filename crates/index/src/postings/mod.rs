//! Posting lists: from the keys of the engine to the documents that have them.
//!
//! ```text
//! add -> runs, sorted in memory -> full: a segment, written to a file -> eight of a size merge
//! ```
//!
//! A document is stored under every key of [`Engine::keys`](twindex_core::Engine::keys) and under
//! one key for its content hash. A query probes some keys of each group, those with the shortest
//! lists ([`proposals`]), and gets numbers of documents, oldest first. Of a key 40 bits are kept,
//! so a list may hold a few documents of another key: the caller compares the stored fingerprints.
//!
//! Of a segment only a directory and 16 bits of each key are in memory, 2.25 bytes an entry; the
//! numbers are read from the file when a key is found ([`segment`]).
//!
//! Like the [segments](crate::segments) of simhashes, sets never change: a change makes a new one.

mod keys;
mod proposals;
mod run;
mod segment;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use keys::DocumentKeys;
pub(crate) use proposals::{Group, Probed, Proposals, choose};
pub(crate) use run::Run;
pub(crate) use segment::Segment;
pub(crate) use writer::SegmentWriter;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use twindex_core::hash::mix;
use twindex_core::search::segment::FAN_IN;

/// The bits of a key that are kept: of 400 million entries, a list has one of another key once in
/// two thousand lists.
const KEY_BITS: u32 = 40;

/// A key as it is kept.
pub(crate) type Key = u64;

/// A key of the engine as it is kept. The smallest hashes of a sketch are no even spread: they are
/// mixed.
pub(crate) fn key(of_engine: u64) -> Key {
    mix(of_engine) >> (u64::BITS - KEY_BITS)
}

/// A key with a document that has it.
pub(crate) type Entry = (Key, u32);

/// Every posting at one moment.
#[derive(Debug, Clone)]
pub(crate) struct PostingSet {
    /// Fresh documents: each run has more entries than the next.
    runs: Vec<Arc<Run>>,
    /// In the order of their ranges, without overlap.
    sealed: Vec<Arc<Segment>>,
    /// How many fresh documents become a segment.
    buffer: usize,
}

/// Keys that are looked up at a time, so that the waits for memory overlap.
const TOGETHER: usize = 16;

/// A run or a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    Run(&'a Run),
    Segment(&'a Segment),
}

impl Source<'_> {
    /// Where the entries of a key are.
    fn list(self, key: Key) -> Range<usize> {
        match self {
            Source::Run(run) => run.list(key),
            Source::Segment(segment) => segment.list(key),
        }
    }

    /// Adds how many entries each of at most [`TOGETHER`] keys has.
    fn count(self, keys: &[Key], counts: &mut [usize]) {
        match self {
            Source::Run(run) => run.count(keys, counts),
            Source::Segment(segment) => segment.count(keys, counts),
        }
    }

    /// Appends the numbers of some entries.
    fn read(self, entries: Range<usize>, numbers: &mut Vec<u32>) -> io::Result<()> {
        match self {
            Source::Run(run) => {
                numbers.extend(run.entries()[entries].iter().map(|&(_, number)| number));
                Ok(())
            }
            Source::Segment(segment) => segment.read(entries, numbers),
        }
    }

    /// The end of the numbers that it covers.
    fn end(self) -> u64 {
        match self {
            Source::Run(run) => run.end(),
            Source::Segment(segment) => segment.covers().end,
        }
    }
}

impl PostingSet {
    /// A set of segments, in the order of their ranges.
    pub(crate) fn new(sealed: Vec<Arc<Segment>>, buffer: usize) -> PostingSet {
        PostingSet { runs: vec![], sealed, buffer }
    }

    /// Adds a document. Its number is larger than all others.
    pub(crate) fn push(&mut self, number: u32, keys: &[Key]) {
        self.runs.push(Arc::new(Run::new(number, keys)));
        // Runs at least double from the last to the first: an entry is copied as often as the
        // buffer can be halved.
        while let [.., before, last] = self.runs.as_slice()
            && before.documents() <= last.documents()
        {
            let merged = Run::merge(before, last);
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(Arc::new(merged));
        }
    }

    /// Adds the documents of a run. Their numbers are larger than all others.
    pub(crate) fn push_run(&mut self, run: Run) {
        if run.documents() > 0 {
            self.runs.push(Arc::new(run));
        }
    }

    /// Everything that may hold numbers from `since` on.
    fn sources(&self, since: u64) -> impl Iterator<Item = Source<'_>> {
        let sealed = self.sealed.iter().map(|it| Source::Segment(it));
        let runs = self.runs.iter().map(|it| Source::Run(it));
        sealed.chain(runs).filter(move |source| source.end() > since)
    }

    /// How many documents each key has, removed ones included, in all that may hold numbers from
    /// `since` on.
    pub(crate) fn lengths(&self, keys: &[Key], since: u64) -> Vec<usize> {
        let mut lengths = vec![0; keys.len()];
        for (keys, lengths) in keys.chunks(TOGETHER).zip(lengths.chunks_mut(TOGETHER)) {
            self.sources(since).for_each(|source| source.count(keys, lengths));
        }
        lengths
    }

    /// How many documents there are, removed ones included.
    pub(crate) fn len(&self) -> usize {
        self.buffered() + self.sealed.iter().map(|it| it.documents().len()).sum::<usize>()
    }

    /// How many documents are in runs.
    pub(crate) fn buffered(&self) -> usize {
        self.runs.iter().map(|run| run.documents()).sum()
    }

    /// The segments.
    pub(crate) fn sealed(&self) -> &[Arc<Segment>] {
        &self.sealed
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let runs: usize = self.runs.iter().map(|run| run.bytes()).sum();
        runs + self.sealed.iter().map(|segment| segment.bytes()).sum::<usize>()
    }

    /// Whether the fresh documents should become a segment.
    pub(crate) fn is_full(&self) -> bool {
        self.buffered() >= self.buffer
    }

    /// Whether rebuilding the segments without `removed` documents is worth the work.
    pub(crate) fn is_worth_purging(&self, removed: usize) -> bool {
        removed > self.buffer
    }

    /// The first number that no segment covers.
    pub(crate) fn sealed_end(&self) -> u64 {
        self.sealed.last().map_or(0, |segment| segment.covers().end)
    }

    /// The runs.
    pub(crate) fn runs(&self) -> &[Arc<Run>] {
        &self.runs
    }

    /// The set after everything before the end of a segment was sealed into it.
    pub(crate) fn with_sealed(&self, sealed: Option<Arc<Segment>>, end: u64) -> PostingSet {
        let mut set = PostingSet { runs: vec![], sealed: self.sealed.clone(), buffer: self.buffer };
        set.sealed.extend(sealed);
        let rest = self.runs.iter().filter(|run| run.end() > end).map(|run| run.from(end));
        set.runs = rest.filter(|run| run.documents() > 0).map(Arc::new).collect();
        set
    }

    /// Neighbouring segments of similar size that should become one.
    pub(crate) fn merge_due(&self) -> Option<Range<usize>> {
        // In powers of the fan-in, so that a segment keeps its size class when it loses a few
        // documents.
        let size = |it: &Arc<Segment>| (it.documents().len() / self.buffer.max(1)).max(1).ilog(FAN_IN);
        let mut start = 0;
        for run in self.sealed.chunk_by(|a, b| size(a) == size(b)) {
            if run.len() >= FAN_IN {
                return Some(start..start + run.len());
            }
            start += run.len();
        }
        None
    }

    /// The set with a merged segment in place of those that it was made of.
    pub(crate) fn with_merged(&self, range: &Range<usize>, merged: Option<Arc<Segment>>) -> PostingSet {
        let mut set = self.clone();
        set.sealed.splice(range.clone(), merged);
        set
    }
}

/// The entries of several sorted streams, in order.
pub(crate) struct Merged<I: Iterator<Item = io::Result<Entry>>> {
    streams: Vec<I>,
    heads: BinaryHeap<Reverse<(Entry, usize)>>,
}

impl<I: Iterator<Item = io::Result<Entry>>> Merged<I> {
    pub(crate) fn new(streams: Vec<I>) -> io::Result<Self> {
        let mut merged = Merged { streams, heads: BinaryHeap::new() };
        for stream in 0..merged.streams.len() {
            merged.advance(stream)?;
        }
        Ok(merged)
    }

    fn advance(&mut self, stream: usize) -> io::Result<()> {
        if let Some(entry) = self.streams[stream].next() {
            self.heads.push(Reverse((entry?, stream)));
        }
        Ok(())
    }
}

impl<I: Iterator<Item = io::Result<Entry>>> Iterator for Merged<I> {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<io::Result<Entry>> {
        let Reverse((entry, stream)) = self.heads.pop()?;
        Some(self.advance(stream).map(|()| entry))
    }
}
