//! What an open index holds, shared by its callers and the maintenance thread.

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use twindex_core::search::segment::Plan;
use twindex_disk::Disk;

use crate::engines::Engines;
use crate::error::{IndexError, Result};
use crate::folder::{Folder, or_real};
use crate::segments::{Layout, SegmentFiles, View};
use crate::settings::{OpenOptions, Search, Settings};
use crate::store::Store;

/// An open index.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) engines: Engines,
    pub(crate) search: Search,
    pub(crate) store: Store,
    pub(crate) files: SegmentFiles,
    pub(crate) view: ArcSwap<View>,
    /// Held while store or view are changed.
    writer: Mutex<()>,
    pub(crate) totals: Totals,
    pub(crate) folder: Folder,
}

/// Totals since the index was opened. For statistics only.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) merges: AtomicU64,
    pub(crate) merged_fingerprints: AtomicU64,
    pub(crate) expired: AtomicU64,
}

impl State {
    /// Opens the index in a folder: the store, then the segments from their files or the store.
    ///
    /// `disk` is that of a test; `None` is the disk of this machine.
    pub(crate) fn open(path: &Path, options: OpenOptions, disk: Option<&Arc<dyn Disk>>) -> Result<State> {
        let folder = Folder::open(path, or_real(disk))?;
        let (store, settings) = Store::open(&folder.store(), &options, disk)?;
        if settings.is_keyed() && options.search == Search::Psm {
            return Err(IndexError::InvalidSettings(
                "probabilistic matching flips bits of simhashes, and the recipe of this index finds documents \
                 by other keys; leave the search as it is",
            ));
        }
        let engines = Engines::new(&settings, options)?;
        let files = SegmentFiles::new(&folder.segments()?, or_real(disk));
        let radius = settings.recipe.simhash.radius;
        let plan = Plan { radius, accuracy: options.search.into(), kernel: options.kernel };
        let layout = Layout { plan, buffer: options.buffer };
        let view = View::load(&store.read()?, &files, layout, &engines)?;
        Ok(State {
            settings,
            engines,
            search: options.search,
            store,
            files,
            view: ArcSwap::from_pointee(view),
            writer: Mutex::default(),
            totals: Totals::default(),
            folder,
        })
    }

    /// The lock that every change holds.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        lock(&self.writer)
    }
}

/// Locks a mutex, also after a panic: data is either committed or unchanged, never half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
