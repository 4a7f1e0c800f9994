//! Sealing, merging and saving segments, while everybody else goes on.
//!
//! ```text
//! buffer full        -> a segment of it          -> published
//! eight of a size    -> one, without removed ones -> published
//! segment without a file -> written; then files that it replaces are removed; then the graves that it buried for good
//! ```
//!
//! The order matters: a grave may go only when no file holds the document any more. Segments are made from a view that
//! nobody changes; the writer's lock is held only to exchange views.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::Result;
use crate::index::guarded;
use crate::shelf::{Name, Saved, Sealed};
use crate::state::{State, lock};

const SHELVES: [Name; 2] = [Name::Documents, Name::Paragraphs];

/// The thread looks for work at least so often.
const PAUSE: Duration = Duration::from_millis(200);

/// When more than this part of a shelf is removed documents, they are merged away.
const REMOVED_PART: usize = 2;

impl State {
    /// Does all maintenance that is due.
    pub(crate) fn settle(&self) -> Result<()> {
        for name in SHELVES {
            while self.seal(name, false)? || self.merge_due(name)? {}
            self.save(name)?;
        }
        if self.has_many_graves()? {
            self.purge()?;
        }
        Ok(())
    }

    /// Merges everything, so that nothing of removed documents is left.
    pub(crate) fn purge(&self) -> Result<()> {
        for name in SHELVES {
            self.seal(name, true)?;
            let segments = self.view.load().shelf(name).sealed().len();
            self.merge(name, 0..segments)?;
            self.save(name)?;
        }
        Ok(())
    }

    /// Seals the buffer if it is full, or in any case; whether it did.
    fn seal(&self, name: Name, in_any_case: bool) -> Result<bool> {
        let view = self.view.load_full();
        let shelf = view.shelf(name);
        let is_due = shelf.is_full() || (in_any_case && shelf.buffered() > 0);
        if !is_due {
            return Ok(false);
        }
        let sealed = shelf.seal(view.next.on(name));
        let _lock = self.lock();
        let current = self.view.load();
        self.view.store(Arc::new(current.with(name, current.shelf(name).with_sealed(sealed))));
        Ok(true)
    }

    fn merge_due(&self, name: Name) -> Result<bool> {
        let due = self.view.load().shelf(name).merge_due();
        let Some(range) = due else { return Ok(false) };
        self.merge(name, range)?;
        Ok(true)
    }

    /// Makes one segment of several. Only one thread does this at a time: see [`Maintainer`].
    fn merge(&self, name: Name, range: Range<usize>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let view = self.view.load_full();
        let shelf = view.shelf(name);
        let removed = self.removed(name, shelf.covered(&range))?;
        let merged = shelf.merge(&range, |number| removed.binary_search(&number).is_ok());
        self.work.merged(merged.segment.len());
        let _lock = self.lock();
        let current = self.view.load();
        self.view.store(Arc::new(current.with(name, current.shelf(name).with_merged(&range, merged))));
        Ok(())
    }

    /// The removed numbers of a range, ascending.
    fn removed(&self, name: Name, covers: Range<u64>) -> Result<Vec<u32>> {
        let reader = self.store.read()?;
        match name {
            Name::Documents => reader.graves(covers),
            Name::Paragraphs => {
                let graves = reader.paragraph_graves(covers)?;
                Ok(graves.into_iter().flat_map(|(first, count)| first..first + count).collect())
            }
        }
    }

    /// Writes the segments that have no file, removes the files that have no segment, and forgets graves that no
    /// segment holds any more.
    fn save(&self, name: Name) -> Result<()> {
        let view = self.view.load_full();
        let segments: Vec<Sealed> = view.shelf(name).sealed().collect();
        let written: BTreeSet<Saved> = self.files.list(name)?.into_iter().collect();
        let wanted: BTreeSet<Saved> = segments.iter().map(Saved::of).collect();
        let missing: Vec<&Sealed> = segments.iter().filter(|it| !written.contains(&Saved::of(it))).collect();
        let stale: Vec<&Saved> = written.difference(&wanted).collect();
        if missing.is_empty() && stale.is_empty() {
            return Ok(());
        }
        // With relaxed durability a file could otherwise know documents that a crash takes back.
        self.store.flush()?;
        for sealed in missing {
            self.files.write(name, sealed)?;
        }
        for saved in stale {
            self.files.remove(name, saved)?;
        }
        self.forget(name, &segments)
    }

    /// Forgets the graves of numbers that are in no segment and not in the buffer.
    fn forget(&self, name: Name, segments: &[Sealed]) -> Result<()> {
        let end = segments.last().map_or(0, |sealed| sealed.covers.end);
        let reader = self.store.read()?;
        let graves: Vec<u32> = match name {
            Name::Documents => reader.graves(0..end)?,
            Name::Paragraphs => {
                reader.paragraph_graves(0..end)?.into_iter().map(|(first, _)| first).collect()
            }
        };
        let is_held = |number: &u32| segments.iter().any(|it| it.segment.numbers().contains(*number));
        let gone: Vec<u32> = graves.into_iter().filter(|number| !is_held(number)).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let _lock = self.lock();
        self.store.change(|tables| match name {
            Name::Documents => tables.forget(&gone, &[]),
            Name::Paragraphs => tables.forget(&[], &gone),
        })
    }

    fn has_many_graves(&self) -> Result<bool> {
        let view = self.view.load();
        let graves = usize::try_from(self.store.read()?.graves_len()?).unwrap_or(usize::MAX);
        let enough = view.documents.is_worth_purging(graves);
        Ok(enough && graves >= view.documents.len() / REMOVED_PART)
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
    /// Whoever maintains holds this: the thread, or a caller who does not want to wait for it.
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
        // Without a thread nothing is lost: the buffer grows, and `compact` does the work.
        Maintainer { signal, thread: thread.ok() }
    }

    /// Runs maintenance in this thread.
    pub(crate) fn take_turn<T>(&self, work: impl FnOnce() -> T) -> T {
        let _turn = lock(&self.signal.turn);
        work()
    }

    /// Why maintenance fails, if it does. It is tried again and again.
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
                guarded(state.folder.path(), || state.settle())
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
            // A panic there was its own; the store is the truth.
            let _ = thread.join();
        }
    }
}
