//! The index as its callers see it.

use std::path::Path;
use std::sync::Arc;

use twindex_core::{Markup, Recipe};
use twindex_disk::Disk;

use crate::backup;
use crate::change::{AddOptions, Queue, Verdict};
use crate::document::{Imported, NewDocument, Stored};
use crate::error::Result;
use crate::folder;
use crate::maintain::Maintainer;
use crate::query::{Answer, Needed, Query};
use crate::settings::{OpenOptions, Settings};
use crate::state::State;
use crate::stats::Stats;
use crate::store::catch_panics;
use crate::time::Timestamp;
use crate::verify::Verified;

/// An open index. Shared by all threads; while it is open no other process can open it.
#[derive(Debug)]
pub struct Index {
    // Dropped first: the thread must not outlive the index.
    maintainer: Maintainer,
    state: Arc<State>,
    queue: Queue,
}

impl Index {
    /// Makes an index in a folder that is empty or does not exist.
    pub fn create(path: &Path, settings: &Settings) -> Result<()> {
        backup::create(path, settings, None, |_| Ok(()))
    }

    /// Makes an index on a disk that a test may cut off.
    #[doc(hidden)]
    pub fn create_on(path: &Path, settings: &Settings, disk: &Arc<dyn Disk>) -> Result<()> {
        backup::create(path, settings, Some(disk), |_| Ok(()))
    }

    /// Opens the index in a folder; if there is none, creates one with the default recipe first.
    ///
    /// # Errors
    ///
    /// Whatever [`Index::create`] and [`Index::open`] report.
    pub fn open_or_create(path: &Path) -> Result<Index> {
        if !path.exists() {
            Index::create(path, &Settings::new(Recipe::default()))?;
        }
        Index::open(path, OpenOptions::default())
    }

    /// Whether a folder holds an index.
    pub fn is_at(path: &Path) -> bool {
        folder::holds_index(path)
    }

    /// Opens an index.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Index> {
        Index::start(path, options, None)
    }

    /// Opens an index on a disk that a test may cut off.
    #[doc(hidden)]
    pub fn open_on(path: &Path, options: OpenOptions, disk: &Arc<dyn Disk>) -> Result<Index> {
        Index::start(path, options, Some(disk))
    }

    fn start(path: &Path, options: OpenOptions, disk: Option<&Arc<dyn Disk>>) -> Result<Index> {
        let state = Arc::new(catch_panics(&folder::store(path), || State::open(path, options, disk))?);
        Ok(Index { maintainer: Maintainer::start(&state), state, queue: Queue::default() })
    }

    /// Makes an index of a backup, in a folder that is empty or does not exist. The backup is
    /// verified first.
    pub fn restore(backup: &Path, path: &Path) -> Result<()> {
        catch_panics(&folder::store(backup), || {
            let state = State::open(backup, OpenOptions::default(), None)?;
            state.verify()?.into_result()?;
            state.backup(path)
        })
    }

    /// Adds documents and reports the matches of each. When this returns they are durable.
    ///
    /// Adding a document again changes nothing but its expiry; another text under the same id
    /// replaces the first. Documents match earlier ones of the batch. All are added, or none.
    pub fn add(
        &self,
        documents: &[NewDocument],
        options: AddOptions,
        now: Timestamp,
    ) -> Result<Vec<Verdict>> {
        self.guarded(|state| self.queue.add(state, documents, options, now))
    }

    /// Adds fingerprints that were made elsewhere; how many. They have no evidence, so their
    /// matches are not verified. An existing id is replaced; of equal ids the last counts.
    pub fn import(&self, documents: impl IntoIterator<Item = Imported>) -> Result<u64> {
        self.guarded(|state| state.import(documents))
    }

    /// The documents that match a text.
    pub fn check(&self, query: &Query<'_>, now: Timestamp) -> Result<Answer> {
        self.guarded(|state| state.check(query, now))
    }

    /// The numbers of the documents that a job over new documents compares with a text, oldest
    /// first.
    pub fn needed(&self, text: &str, markup: Markup, needed: Needed, now: Timestamp) -> Result<Vec<u32>> {
        self.guarded(|state| state.needed((text, markup), needed, now))
    }

    /// The document of that number; `None` if it was removed or has expired.
    pub fn numbered(&self, number: u32, now: Timestamp) -> Result<Option<Stored>> {
        self.guarded(|state| state.numbered(number, now))
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

    /// Removes expired documents; how many. They stopped matching when they expired.
    pub fn expire(&self, now: Timestamp) -> Result<u64> {
        self.guarded(|state| state.expire(now))
    }

    /// Does the maintenance that is due now, instead of waiting for the maintenance thread.
    pub fn settle(&self) -> Result<()> {
        self.maintainer.take_turn(|| self.guarded(State::settle))
    }

    /// Merges all segments, drops all tombstones and gives unused space of the store back to the
    /// disk. The space stays with the store if a reader is open.
    pub fn compact(&self) -> Result<()> {
        self.maintainer.take_turn(|| {
            self.guarded(|state| {
                state.purge()?;
                let _lock = state.lock();
                state.store.compact()
            })
        })
    }

    /// Reads everything, and compares it with its checksums and the parts with each other.
    pub fn verify(&self) -> Result<Verified> {
        self.maintainer.take_turn(|| self.guarded(State::verify))
    }

    /// Writes a copy of the index as it is now into a folder that is empty or does not exist.
    /// Reads and writes go on meanwhile.
    pub fn backup(&self, path: &Path) -> Result<()> {
        self.guarded(|state| state.backup(path))
    }

    /// The figures of the index.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.state.stats()?;
        stats.maintenance_failure = self.maintainer.failure();
        Ok(stats)
    }

    /// The settings with which the index was created.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Where the index is.
    pub fn path(&self) -> &Path {
        self.state.folder.path()
    }

    fn guarded<T>(&self, work: impl FnOnce(&State) -> Result<T>) -> Result<T> {
        catch_panics(self.state.store.path(), || work(&self.state))
    }
}
