//! Making an index, empty or as a copy of another.

use std::path::Path;

use crate::error::{IndexError, Result};
use crate::folder::Folder;
use crate::settings::{OpenOptions, Settings};
use crate::state::State;
use crate::store::Store;

/// Makes an index in an empty folder. It appears whole: the store gets its name when `fill` is done.
pub(crate) fn create(
    path: &Path,
    settings: &Settings,
    fill: impl FnOnce(&Store) -> Result<()>,
) -> Result<()> {
    settings.validate()?;
    let folder = Folder::create(path)?;
    let partial = folder.partial_store();
    if partial.exists() {
        std::fs::remove_file(&partial).map_err(IndexError::io(&partial))?;
    }
    Store::create(&partial, settings)?;
    fill(&Store::open(&partial, &OpenOptions::default())?.0)?;
    std::fs::rename(&partial, folder.store()).map_err(IndexError::io(&partial))?;
    folder.segments()?;
    folder.sync()
}

impl State {
    /// Writes a copy of the documents at this moment. Segments are made again when the copy is opened.
    pub(crate) fn backup(&self, path: &Path) -> Result<()> {
        let reader = self.store.read()?;
        create(path, &self.settings, |copy| reader.copy_to(copy))
    }
}
