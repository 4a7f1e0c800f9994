//! Kept files: copies in a folder that appears whole or not at all.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use twindex_disk::{Disk, RealDisk};

use crate::error::CorpusError;
use crate::source::Source;
use crate::write::atomic;

/// A folder that is filled under a temporary name beside its target and takes the target's name
/// when it is committed. Dropped without a commit it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct AtomicFolder {
    target: PathBuf,
    temporary: Option<PathBuf>,
    disk: Arc<dyn Disk>,
}

impl AtomicFolder {
    /// Begins a folder for copies of `sources`. A folder of that name must not exist or be empty.
    pub(crate) fn create(path: &Path, sources: &[Source]) -> Result<AtomicFolder, CorpusError> {
        AtomicFolder::create_on(path, sources, Arc::new(RealDisk))
    }

    /// The same on a given disk.
    pub(crate) fn create_on(
        path: &Path,
        sources: &[Source],
        disk: Arc<dyn Disk>,
    ) -> Result<AtomicFolder, CorpusError> {
        let target: PathBuf = path.components().collect(); // without a final slash
        check_targets(&target, sources)?;
        let failed = |source| CorpusError::write(path, source);
        match fs::read_dir(&target) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(CorpusError::FolderNotEmpty { path: target });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let temporary = atomic::temporary_name(&target)?;
        if temporary.exists() {
            // Left over by a run that was killed.
            fs::remove_dir_all(&temporary).map_err(failed)?;
        }
        fs::create_dir(&temporary).map_err(failed)?;
        Ok(AtomicFolder { target, temporary: Some(temporary), disk })
    }

    /// Copies a file, packed as it is.
    pub(crate) fn copy(&mut self, source: &Source) -> Result<(), CorpusError> {
        let Some(temporary) = &self.temporary else {
            return Ok(());
        };
        let copy = temporary.join(&source.relative);
        let failed = |error| CorpusError::write(&self.target.join(&source.relative), error);
        if let Some(folder) = copy.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::copy(&source.path, &copy).map_err(failed)?;
        let durable = fs::File::open(&copy).and_then(|file| self.disk.sync(&file, &copy));
        durable.map_err(failed)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.target
    }

    /// Brings the names in the folder to the disk; the contents of its files are there.
    pub(crate) fn sync(&self) -> Result<(), CorpusError> {
        let mut folders: Vec<PathBuf> = self.temporary.iter().cloned().collect();
        let mut sync = || -> io::Result<()> {
            while let Some(folder) = folders.pop() {
                atomic::sync_folder(&folder, &*self.disk)?;
                for entry in fs::read_dir(&folder)? {
                    let entry = entry?;
                    if entry.file_type()?.is_dir() {
                        folders.push(entry.path());
                    }
                }
            }
            Ok(())
        };
        sync().map_err(|error| CorpusError::write(&self.target, error))
    }

    pub(crate) fn rename(&mut self) -> Result<(), CorpusError> {
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target).map_err(|source| CorpusError::write(&self.target, source))?;
            self.temporary = None;
        }
        Ok(())
    }

    /// Brings the name to the disk.
    pub(crate) fn sync_name(&self) -> Result<(), CorpusError> {
        atomic::sync_name(&self.target, &*self.disk)
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // A destructor cannot return an error, and the next run removes a leftover.
            let _ = fs::remove_dir_all(temporary);
        }
    }
}

/// Refuses two copies of one name, and names that lead out of the folder.
fn check_targets(target: &Path, sources: &[Source]) -> Result<(), CorpusError> {
    let mut taken: HashMap<&Path, &Path> = HashMap::new();
    for source in sources {
        let inside = source.relative.components().all(|part| matches!(part, Component::Normal(_)));
        let other = taken.insert(&source.relative, &source.path);
        let clash = other.or(if inside { None } else { Some(source.path.as_path()) });
        if let Some(first) = clash {
            return Err(CorpusError::SameTarget {
                first: first.to_owned(),
                second: source.path.clone(),
                target: target.join(&source.relative),
            });
        }
    }
    Ok(())
}
