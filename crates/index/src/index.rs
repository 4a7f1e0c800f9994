//! The index as its callers see it.

use std::path::Path;
use std::sync::Arc;

use crate::answer::{AddOptions, Answer, Query, Verdict};
use crate::backup;
use crate::document::{Imported, NewDocument, Stored};
use crate::error::{IndexError, Result};
use crate::folder::STORE;
use crate::maintain::Maintainer;
use crate::settings::{OpenOptions, Settings};
use crate::state::State;
use crate::stats::Stats;
use crate::time::Timestamp;
use crate::verify::Verified;

/// An open index. Shared by all threads; while it is open no other process can open it.
#[derive(Debug)]
pub struct Index {
    // Dropped first: the thread must not outlive the index.
    maintainer: Maintainer,
    state: Arc<State>,
}

impl Index {
    /// Makes an index in a folder that is empty or does not exist.
    pub fn create(path: &Path, settings: &Settings) -> Result<()> {
        backup::create(path, settings, |_| Ok(()))
    }

    /// Opens an index.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Index> {
        let state = Arc::new(guarded(path, || State::open(path, options))?);
        Ok(Index { maintainer: Maintainer::start(&state), state })
    }

    /// Makes an index of a backup, in a folder that is empty or does not exist. The backup is verified on the way.
    pub fn restore(backup: &Path, path: &Path) -> Result<()> {
        guarded(backup, || {
            let state = State::open(backup, OpenOptions::default())?;
            state.verify()?.into_result()?;
            state.backup(path)
        })
    }

    /// Adds documents and says of each what it duplicates. When this returns they are durable.
    ///
    /// Adding a document again changes nothing but its expiry; another text under the same id replaces the first.
    /// Documents see those before them in the batch. All are added, or none.
    pub fn add(
        &self,
        documents: &[NewDocument],
        options: AddOptions,
        now: Timestamp,
    ) -> Result<Vec<Verdict>> {
        self.guarded(|state| state.add(documents, options, now))
    }

    /// Adds fingerprints that were made elsewhere; how many. There is no evidence for them, so their matches are not
    /// verified. An id that is there is replaced; of equal ids the last counts.
    pub fn import(&self, documents: impl IntoIterator<Item = Imported>) -> Result<u64> {
        self.guarded(|state| state.import(documents))
    }

    /// Which documents are like this text?
    pub fn check(&self, query: &Query<'_>, now: Timestamp) -> Result<Answer> {
        self.guarded(|state| state.check(query, now))
    }

    /// The document of that id.
    pub fn get(&self, id: &str, now: Timestamp) -> Result<Option<Stored>> {
        self.guarded(|state| state.get(id, now))
    }

    /// Removes a document; whether it was there.
    pub fn remove(&self, id: &str) -> Result<bool> {
        self.guarded(|state| state.remove(id))
    }

    /// Changes when a document expires (`None`: never); whether it was there.
    pub fn renew(&self, id: &str, expires: Option<Timestamp>, now: Timestamp) -> Result<bool> {
        self.guarded(|state| state.renew(id, expires, now))
    }

    /// Removes what has expired; how many documents that were. They stopped matching when they expired.
    pub fn expire(&self, now: Timestamp) -> Result<u64> {
        self.guarded(|state| state.expire(now))
    }

    /// Does the maintenance that is due now instead of waiting for the thread that does it.
    pub fn settle(&self) -> Result<()> {
        self.maintainer.take_turn(|| self.guarded(State::settle))
    }

    /// Merges all segments, forgets removed documents and gives unused space of the file back to the disk, unless
    /// somebody is reading it.
    pub fn compact(&self) -> Result<()> {
        self.maintainer.take_turn(|| {
            self.guarded(|state| {
                state.purge()?;
                let _lock = state.lock();
                state.store.compact()
            })
        })
    }

    /// Reads everything and compares it with its checksums, and the parts with each other.
    pub fn verify(&self) -> Result<Verified> {
        self.maintainer.take_turn(|| self.guarded(State::verify))
    }

    /// Writes a copy of the index as it is now into a folder that is empty or does not exist, while others go on.
    pub fn backup(&self, path: &Path) -> Result<()> {
        self.guarded(|state| state.backup(path))
    }

    /// The figures of the index.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.state.stats()?;
        stats.maintenance_failure = self.maintainer.failure();
        Ok(stats)
    }

    /// What the index was told when it was created.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Where the index is.
    pub fn path(&self) -> &Path {
        self.state.folder.path()
    }

    fn guarded<T>(&self, work: impl FnOnce(&State) -> Result<T>) -> Result<T> {
        guarded(self.path(), || work(&self.state))
    }
}

/// Runs `work`; a panic becomes an error. redb panics when a page holds what it never wrote (an `unreachable` of its
/// B-tree), and a damaged file must not bring a service down. What the panic says is on standard error.
pub(crate) fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Locks that a panic poisons guard nothing half-done: see `state::lock`.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let what = "reading it failed where only damage can make it fail".to_owned();
        Err(IndexError::Damaged { path: path.join(STORE), what })
    })
}
