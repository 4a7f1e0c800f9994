//! Making an index, empty or as a copy of another.

use std::path::Path;
use std::sync::Arc;

use twindex_disk::Disk;

use crate::error::{IndexError, Result};
use crate::folder::{Folder, or_real};
use crate::settings::{OpenOptions, Settings};
use crate::state::State;
use crate::store::Store;

/// Makes an index in an empty folder. The store gets its name when `fill` is done.
pub(crate) fn create(
    path: &Path,
    settings: &Settings,
    disk: Option<&Arc<dyn Disk>>,
    fill: impl FnOnce(&Store) -> Result<()>,
) -> Result<()> {
    settings.validate()?;
    let folder = Folder::create(path, or_real(disk))?;
    let partial = folder.partial_store();
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(IndexError::io(&partial))?;
    }
    Store::create(&partial, settings, disk)?;
    fill(&Store::open(&partial, &OpenOptions::default(), disk)?.0)?;
    folder.segments()?;
    std::fs::rename(&partial, folder.store()).map_err(IndexError::io(&partial))?;
    folder.sync()
}

impl State {
    /// Writes a copy of the documents. Segments are rebuilt when the copy is opened.
    pub(crate) fn backup(&self, path: &Path) -> Result<()> {
        let reader = self.store.read()?;
        create(path, &self.settings, self.store.disk(), |copy| reader.copy_to(copy))
    }
}
