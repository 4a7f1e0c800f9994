//! Candidates of the method simhash: the join of fingerprints, on disk.
//!
//! Buckets would propose every pair that shares a block, and most of these are far apart. The join
//! of [`twindex_core::search::Join`] compares in the cache and gives exactly the pairs within the
//! radius. It knows fingerprints only; their documents are found by merging sorted files, in
//! bounded memory:
//!
//! ```text
//! owned    (fingerprint, rank), sorted: equal fingerprints stand together
//! near     join of the distinct fingerprints -> (a, b), sorted by a
//! halves   near merged with owned by a       -> (b, rank of an owner of a), sorted by b
//! edges    halves merged with owned by b     -> (rank, rank); and all pairs of owners of one
//!          fingerprint
//! ```
//!
//! Where all documents share a template, the number of pairs is quadratic. So a caller may set a
//! limit, beyond which the join is given up.

use std::cell::Cell;
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use twindex_core::kernel::Kernel;
use twindex_core::search::Edge;
use twindex_core::search::join::{Join, Source};

use super::Pool;
use super::spill::{Records, SpillSort};
use crate::error::{BatchError, Result};
use crate::progress::{Progress, Silent, Unit};
use crate::work::{Spillable, WorkFolder};

/// A fingerprint and the rank of a document that has it.
pub(crate) type Owned = (u64, u32);

/// Passes every fingerprint with its owner on, in any order.
pub(crate) type OwnedSource<'a> = dyn Fn(&mut dyn FnMut(Owned) -> Result<()>) -> Result<()> + 'a;

/// Fingerprints that the join reads at once.
const CHUNK: usize = 1 << 20;

/// The parameters of the join.
pub(crate) struct NearPairs<'a> {
    pub(crate) owned: &'a OwnedSource<'a>,
    pub(crate) kernel: Kernel,
    /// Pairs differ in at most `radius` bits.
    pub(crate) radius: u32,
    pub(crate) memory: usize,
    pub(crate) work: &'a WorkFolder,
    /// The join is given up beyond this many pairs.
    pub(crate) most: u64,
    /// Counts how often the fingerprints were read.
    pub(crate) progress: &'a dyn Progress,
}

/// The files of a join, by their names in the work folder.
const FILES: [&str; 3] = ["near-owned", "near", "near-halves"];

/// Why a join ended early.
#[derive(Debug)]
enum Stop {
    TooMany,
    Failed(BatchError),
}

type Outcome<T> = std::result::Result<T, Stop>;

impl From<BatchError> for Stop {
    fn from(error: BatchError) -> Self {
        Stop::Failed(error)
    }
}

/// Counts down to the limit of pairs.
struct Meter(u64);

impl Meter {
    fn count(&mut self, pairs: usize) -> Outcome<()> {
        self.0 = self.0.checked_sub(pairs as u64).ok_or(Stop::TooMany)?;
        Ok(())
    }
}

impl NearPairs<'_> {
    /// Calls `sink` with every pair of documents whose fingerprints differ in at most `radius`
    /// bits. Returns false if there are more than `most`; `sink` may have got some of them by then.
    pub(crate) fn edges(&self, sink: &mut dyn FnMut(Edge) -> Result<()>) -> Result<bool> {
        let is_complete = match self.try_edges(sink) {
            Ok(()) => true,
            Err(Stop::TooMany) => false,
            Err(Stop::Failed(error)) => return Err(error),
        };
        for file in FILES.map(|name| self.work.file(name)).into_iter().filter(|file| file.exists()) {
            fs::remove_file(&file).map_err(BatchError::work(&file))?;
        }
        Ok(is_complete)
    }

    fn try_edges(&self, sink: &mut dyn FnMut(Edge) -> Result<()>) -> Outcome<()> {
        let owned = self.owned()?;
        let mut meter = Meter(self.most);
        let mut owners = Owners::open(&owned)?;
        while let Some(equal) = owners.next_group()? {
            meter.count(equal.len() * (equal.len() - 1) / 2)?;
            for (place, &later) in equal.iter().enumerate() {
                for &earlier in &equal[..place] {
                    sink(Edge { later, earlier })?;
                }
            }
        }
        let near = self.near(&owned)?;
        let halves = self.halves(&owned, &near)?;
        let mut owners = Owners::open(&owned)?;
        for half in Records::<Owned>::open(&halves)? {
            let (b, left) = half?;
            let others = owners.of(b)?;
            meter.count(others.len())?;
            for &right in others {
                sink(Edge { later: left.max(right), earlier: left.min(right) })?;
            }
        }
        Ok(())
    }

    /// The fingerprints with their documents, sorted.
    fn owned(&self) -> Result<PathBuf> {
        let mut sort = SpillSort::<Owned>::new(self.work, "near-owned", self.memory / 2);
        (self.owned)(&mut |owned| sort.push(owned))?;
        self.finish(sort, "near-owned")
    }

    /// The pairs of distinct fingerprints within the radius, sorted.
    fn near(&self, owned: &Path) -> Outcome<PathBuf> {
        let is_enough = Cell::new(false);
        let reads = Cell::new(0);
        let mut source =
            Fingerprints { path: owned, is_enough: &is_enough, reads: &reads, progress: &Silent };
        let mut distinct = 0;
        source.read(&mut |chunk| distinct += chunk.len())?;
        source.progress = self.progress;
        let join = Join { radius: self.radius, kernel: self.kernel, workers: &Pool, memory: self.memory / 4 };
        reads.set(0);
        self.progress.begin("candidates", join.reads(distinct) as u64, Unit::Things);
        let mut sort = SpillSort::<(u64, u64)>::new(self.work, "near", self.memory / 4);
        let mut meter = Meter(self.most);
        let mut outcome = Ok(());
        let joined = join.run_source(&mut source, distinct, &mut |pair| {
            if outcome.is_ok() {
                outcome = meter.count(1).and_then(|()| Ok(sort.push(pair)?));
                is_enough.set(outcome.is_err());
            }
        });
        // The outcome says why the join ended.
        outcome.and(joined)?;
        Ok(self.finish(sort, "near")?)
    }

    /// The pairs with a document for the first fingerprint, sorted by the second one.
    fn halves(&self, owned: &Path, near: &Path) -> Outcome<PathBuf> {
        let mut sort = SpillSort::<Owned>::new(self.work, "near-halves", self.memory / 2);
        let mut meter = Meter(self.most);
        let mut owners = Owners::open(owned)?;
        for pair in Records::<(u64, u64)>::open(near)? {
            let (a, b) = pair?;
            let ranks = owners.of(a)?;
            meter.count(ranks.len())?;
            for &rank in ranks {
                sort.push((b, rank))?;
            }
        }
        Ok(self.finish(sort, "near-halves")?)
    }

    fn finish<T: Spillable>(&self, sort: SpillSort<'_, T>, name: &str) -> Result<PathBuf> {
        let path = self.work.file(name);
        sort.finish(&path)?;
        Ok(path)
    }
}

/// The distinct fingerprints of a sorted file.
struct Fingerprints<'a> {
    path: &'a Path,
    /// Set when the join is given up.
    is_enough: &'a Cell<bool>,
    reads: &'a Cell<u64>,
    progress: &'a dyn Progress,
}

impl Source for Fingerprints<'_> {
    type Error = Stop;

    fn read(&mut self, each: &mut dyn FnMut(&[u64])) -> Outcome<()> {
        if self.is_enough.get() {
            return Err(Stop::TooMany);
        }
        let mut chunk = Vec::with_capacity(CHUNK);
        let mut last = None;
        for record in Records::<Owned>::open(self.path)? {
            let (fingerprint, _) = record?;
            if last != Some(fingerprint) {
                last = Some(fingerprint);
                chunk.push(fingerprint);
                if chunk.len() == CHUNK {
                    each(&chunk);
                    chunk.clear();
                }
            }
        }
        each(&chunk);
        self.reads.set(self.reads.get() + 1);
        self.progress.position(self.reads.get());
        Ok(())
    }
}

/// The owners of ascending fingerprints, read from a sorted file in one pass.
struct Owners {
    records: Peekable<Records<Owned>>,
    fingerprint: Option<u64>,
    /// Of the fingerprint, ascending.
    ranks: Vec<u32>,
}

impl Owners {
    fn open(path: &Path) -> Result<Self> {
        Ok(Owners { records: Records::open(path)?.peekable(), fingerprint: None, ranks: vec![] })
    }

    /// The owners of the next fingerprint.
    fn next_group(&mut self) -> Result<Option<&[u32]>> {
        self.ranks.clear();
        self.fingerprint = None;
        while let Some(record) = self.records.peek() {
            if let (Ok((fingerprint, _)), Some(current)) = (record, self.fingerprint)
                && *fingerprint != current
            {
                break;
            }
            let Some(record) = self.records.next() else { break };
            let (fingerprint, rank) = record?;
            self.fingerprint = Some(fingerprint);
            self.ranks.push(rank);
        }
        Ok(self.fingerprint.map(|_| self.ranks.as_slice()))
    }

    /// The owners of a fingerprint; calls must have ascending fingerprints.
    fn of(&mut self, fingerprint: u64) -> Result<&[u32]> {
        while self.fingerprint.is_none_or(|current| current < fingerprint) {
            if self.next_group()?.is_none() {
                return Ok(&[]);
            }
        }
        Ok(if self.fingerprint == Some(fingerprint) { &self.ranks } else { &[] })
    }
}

impl Spillable for Owned {
    const BYTES: usize = 12;

    fn encode(&self, bytes: &mut [u8]) {
        bytes[..8].copy_from_slice(&self.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.1.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let (fingerprint, rank) = bytes.split_at(8);
        (u64::decode(fingerprint), rank.iter().rev().fold(0, |rank, &byte| rank << 8 | u32::from(byte)))
    }
}

impl Spillable for (u64, u64) {
    const BYTES: usize = 16;

    fn encode(&self, bytes: &mut [u8]) {
        bytes[..8].copy_from_slice(&self.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.1.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let (a, b) = bytes.split_at(8);
        (u64::decode(a), u64::decode(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_come_in_order_and_other_fingerprints_have_none() {
        let folder = tempfile::tempdir().unwrap();
        let work = crate::work::for_test(&folder.path().join("work"));
        let path = work.file("owned");
        let mut sort = SpillSort::<Owned>::new(&work, "owned", 0);
        for record in [(5, 1), (9, 7), (5, 300_000), (9, 2), (4, 0), (u64::MAX, 9)] {
            sort.push(record).unwrap();
        }
        sort.finish(&path).unwrap();
        let mut owners = Owners::open(&path).unwrap();
        assert_eq!(owners.of(3).unwrap(), [0u32; 0]);
        assert_eq!(owners.of(5).unwrap(), [1, 300_000]);
        assert_eq!(owners.of(5).unwrap(), [1, 300_000]);
        assert_eq!(owners.of(6).unwrap(), [0u32; 0]);
        assert_eq!(owners.of(u64::MAX).unwrap(), [9]);
        let (mut distinct, is_enough, reads) = (vec![], Cell::new(false), Cell::new(0));
        let mut source =
            Fingerprints { path: &path, is_enough: &is_enough, reads: &reads, progress: &Silent };
        source.read(&mut |chunk| distinct.extend_from_slice(chunk)).unwrap();
        assert_eq!(distinct, [4, 5, 9, u64::MAX]);
        is_enough.set(true);
        assert!(matches!(source.read(&mut |_| {}), Err(Stop::TooMany)));
    }
}
