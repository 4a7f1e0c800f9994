//! Sealing, merging and saving segments in the background.
//!
//! ```text
//! buffer full                 -> sealed into a segment
//! eight segments of a size    -> merged into one, without removed documents
//! segment without a file      -> written; replaced files are removed; tombstones are dropped
//! ```
//!
//! The order matters: a tombstone is dropped only when no file holds the document any more.
//! Segments are made from an immutable view; the writer's lock is held only to exchange views.

mod postings;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::Result;
use crate::segments::{FileName, Kind, SealedSegment};
use crate::state::{State, lock};
use crate::store::catch_panics;

const KINDS: [Kind; 2] = [Kind::Documents, Kind::Paragraphs];

/// The longest pause of the thread.
const PAUSE: Duration = Duration::from_millis(200);

/// If at least one in this many entries is a removed document, they are merged away.
const REMOVED_PART: usize = 2;

impl State {
    /// Does all maintenance that is due.
    pub(crate) fn settle(&self) -> Result<()> {
        for kind in KINDS {
            while self.seal(kind, false)? || self.merge_due(kind)? {}
            self.save(kind)?;
        }
        self.settle_postings()?;
        if self.has_many_tombstones()? {
            self.purge()?;
        }
        Ok(())
    }

    /// Merges everything, which removes all tombstones.
    pub(crate) fn purge(&self) -> Result<()> {
        for kind in KINDS {
            self.seal(kind, true)?;
            let segments = self.view.load().set(kind).sealed().len();
            self.merge(kind, 0..segments)?;
            self.save(kind)?;
        }
        self.purge_postings()
    }

    /// Seals the buffer if it is full, or in any case if it is not empty; whether it did.
    fn seal(&self, kind: Kind, in_any_case: bool) -> Result<bool> {
        let view = self.view.load_full();
        let set = view.set(kind);
        let is_due = set.is_full() || (in_any_case && set.buffered() > 0);
        if !is_due {
            return Ok(false);
        }
        let sealed = set.seal(view.next_of(kind));
        let _lock = self.lock();
        let current = self.view.load();
        self.view.store(Arc::new(current.with(kind, current.set(kind).with_sealed(sealed))));
        Ok(true)
    }

    fn merge_due(&self, kind: Kind) -> Result<bool> {
        let due = self.view.load().set(kind).merge_due();
        let Some(range) = due else { return Ok(false) };
        self.merge(kind, range)?;
        Ok(true)
    }

    /// Makes one segment of several. Only one thread does this at a time: see [`Maintainer`].
    fn merge(&self, kind: Kind, range: Range<usize>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let view = self.view.load_full();
        let set = view.set(kind);
        let removed = self.removed(kind, set.covered(&range))?;
        let merged = set.merge(&range, |number| removed.binary_search(&number).is_ok());
        self.totals.merges.fetch_add(1, Relaxed);
        self.totals.merged_fingerprints.fetch_add(merged.segment.len() as u64, Relaxed);
        let _lock = self.lock();
        let current = self.view.load();
        self.view.store(Arc::new(current.with(kind, current.set(kind).with_merged(&range, merged))));
        Ok(())
    }

    /// The removed numbers of a range, ascending.
    pub(super) fn removed(&self, kind: Kind, covers: Range<u64>) -> Result<Vec<u32>> {
        let reader = self.store.read()?;
        match kind {
            Kind::Documents => reader.tombstones(covers),
            Kind::Paragraphs => {
                let tombstones = reader.paragraph_tombstones(covers)?;
                Ok(tombstones.into_iter().flat_map(|(first, count)| first..first + count).collect())
            }
        }
    }

    /// Writes the segments that have no file, removes the files that have no segment, and drops
    /// tombstones of numbers that no segment holds any more.
    fn save(&self, kind: Kind) -> Result<()> {
        let view = self.view.load_full();
        let segments: Vec<SealedSegment> = view.set(kind).sealed().collect();
        let written: BTreeSet<FileName> = self.files.list(kind)?.into_iter().collect();
        let wanted: BTreeSet<FileName> = segments.iter().map(FileName::of).collect();
        let missing: Vec<&SealedSegment> =
            segments.iter().filter(|it| !written.contains(&FileName::of(it))).collect();
        let stale: Vec<&FileName> = written.difference(&wanted).collect();
        if missing.is_empty() && stale.is_empty() {
            return Ok(());
        }
        // With relaxed durability a file could otherwise hold documents that a crash loses.
        self.store.flush()?;
        for sealed in missing {
            self.files.write(kind, sealed)?;
        }
        for file in stale {
            self.files.remove(kind, file)?;
        }
        // A removed file must not come back after a power cut when its tombstones are gone.
        self.files.sync()?;
        self.drop_tombstones(kind, &segments)
    }

    /// Drops the tombstones of numbers that are in no segment and not in the buffer.
    fn drop_tombstones(&self, kind: Kind, segments: &[SealedSegment]) -> Result<()> {
        let end = segments.last().map_or(0, |sealed| sealed.covers.end);
        let reader = self.store.read()?;
        let tombstones: Vec<u32> = match kind {
            Kind::Documents => reader.tombstones(0..end)?,
            Kind::Paragraphs => {
                reader.paragraph_tombstones(0..end)?.into_iter().map(|(first, _)| first).collect()
            }
        };
        let is_held = |number: &u32| segments.iter().any(|it| it.segment.numbers().contains(*number));
        let gone: Vec<u32> = tombstones.into_iter().filter(|number| !is_held(number)).collect();
        self.drop(kind, &gone)
    }

    /// Drops these tombstones.
    pub(super) fn drop(&self, kind: Kind, gone: &[u32]) -> Result<()> {
        if gone.is_empty() {
            return Ok(());
        }
        let _lock = self.lock();
        self.store.change(|tables| match kind {
            Kind::Documents => tables.drop_tombstones(gone, &[]),
            Kind::Paragraphs => tables.drop_tombstones(&[], gone),
        })
    }

    fn has_many_tombstones(&self) -> Result<bool> {
        let view = self.view.load();
        let tombstones = usize::try_from(self.store.read()?.tombstone_count()?).unwrap_or(usize::MAX);
        let (enough, documents) = match &view.postings {
            Some(postings) => (postings.is_worth_purging(tombstones), postings.len()),
            None => (view.documents.is_worth_purging(tombstones), view.documents.len()),
        };
        Ok(enough && tombstones >= documents / REMOVED_PART)
    }
}

/// The thread that maintains an index until it is closed.
#[derive(Debug)]
pub(crate) struct Maintainer {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Signal {
    stop: Mutex<bool>,
    changed: Condvar,
    /// Held during maintenance, by the thread or by a caller that does it at once.
    turn: Mutex<()>,
    /// Why the last attempt failed.
    failure: Mutex<Option<String>>,
}

impl Maintainer {
    pub(crate) fn start(state: &Arc<State>) -> Maintainer {
        let signal = Arc::new(Signal::default());
        let thread = std::thread::Builder::new().name("twindex-index".to_owned()).spawn({
            let (signal, state) = (Arc::clone(&signal), Arc::downgrade(state));
            move || signal.run(&state)
        });
        // Without a thread nothing is lost: the buffer grows, and `settle` and `compact` work.
        let thread = thread.map_err(|error| {
            *lock(&signal.failure) = Some(format!("the maintenance thread did not start: {error}"));
        });
        Maintainer { signal, thread: thread.ok() }
    }

    /// Runs maintenance in this thread.
    pub(crate) fn take_turn<T>(&self, work: impl FnOnce() -> T) -> T {
        let _turn = lock(&self.signal.turn);
        work()
    }

    /// Why the last maintenance failed, if it did. It is retried.
    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.signal.failure).clone()
    }
}

impl Signal {
    fn run(&self, state: &Weak<State>) {
        let mut stop = lock(&self.stop);
        while !*stop {
            drop(stop);
            let Some(state) = state.upgrade() else { return };
            let result = {
                let _turn = lock(&self.turn);
                catch_panics(state.store.path(), || state.settle())
            };
            *lock(&self.failure) = result.err().map(|error| error.to_string());
            drop(state);
            stop = lock(&self.stop);
            if !*stop {
                let waited = self.changed.wait_timeout(stop, PAUSE);
                stop = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
            }
        }
    }
}

impl Drop for Maintainer {
    fn drop(&mut self) {
        *lock(&self.signal.stop) = true;
        self.signal.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // Its panics are caught; segments can be rebuilt from the store in any case.
            let _ = thread.join();
        }
    }
}
