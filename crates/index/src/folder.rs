//! The folder of an index.
//!
//! ```text
//! twindex-index.lock   marks the folder; locked while a process has the index open
//! store.redb           the documents
//! segments/            fingerprints, derived from the store
//! ```

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_disk::{Disk, RealDisk};

use crate::error::{IndexError, Result};

const LOCK: &str = "twindex-index.lock";
const LOCK_CONTENTS: &[u8] = b"An index of twindex.\n";
const STORE: &str = "store.redb";
const PARTIAL_STORE: &str = "store.redb.partial";
const SEGMENTS: &str = "segments";

/// The file of the documents in the folder of an index.
pub(crate) fn store(folder: &Path) -> PathBuf {
    folder.join(STORE)
}

/// Whether a folder holds an index that is complete.
pub(crate) fn holds_index(folder: &Path) -> bool {
    folder.join(LOCK).is_file() && store(folder).is_file()
}

/// The disk of a test, or else that of this machine.
pub(crate) fn or_real(disk: Option<&Arc<dyn Disk>>) -> Arc<dyn Disk> {
    disk.map_or_else(|| Arc::new(RealDisk), Arc::clone)
}

/// A folder that is locked against other processes.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
    disk: Arc<dyn Disk>,
}

impl Folder {
    /// Makes the folder, or takes an empty one.
    pub(crate) fn create(path: &Path, disk: Arc<dyn Disk>) -> Result<Folder> {
        // A relative path of one name has the parent "".
        let parent = |folder: &Path| match folder.parent() {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent.to_owned(),
            None => folder.to_owned(),
        };
        let is_new = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made: Vec<PathBuf> = path.ancestors().take_while(is_new).map(parent).collect();
        // The folder holds texts: only its owner may read them.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(IndexError::io(path))?;
        for parent in made {
            disk.sync_folder(&parent).map_err(IndexError::io(&parent))?;
        }
        for entry in fs::read_dir(path).map_err(IndexError::io(path))? {
            let name = entry.map_err(IndexError::io(path))?.file_name();
            // Left by an interrupted creation.
            let is_empty = |folder: PathBuf| fs::read_dir(&folder).map(|mut it| it.next().is_none());
            let is_left = name == LOCK
                || name == PARTIAL_STORE
                || (name == SEGMENTS && is_empty(path.join(SEGMENTS)).map_err(IndexError::io(path))?);
            if !is_left {
                return Err(IndexError::NotEmpty { path: path.to_owned() });
            }
        }
        let lock = path.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&lock);
        let folder = Folder::locked(path, file.map_err(IndexError::io(&lock))?, disk)?;
        (&folder._lock).write_all(LOCK_CONTENTS).map_err(IndexError::io(&lock))?;
        folder.disk.sync(&folder._lock, &lock).map_err(IndexError::io(&lock))?;
        Ok(folder)
    }

    /// Takes the folder of an index.
    pub(crate) fn open(path: &Path, disk: Arc<dyn Disk>) -> Result<Folder> {
        let lock = path.join(LOCK);
        let missing = || IndexError::NoIndex { path: path.to_owned() };
        let file = match File::options().read(true).write(true).open(&lock) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(missing()),
            Err(error) => return Err(IndexError::io(&lock)(error)),
        };
        let folder = Folder::locked(path, file, disk)?;
        // Without a store, its creation was interrupted.
        if folder.store().exists() { Ok(folder) } else { Err(missing()) }
    }

    fn locked(path: &Path, file: File, disk: Arc<dyn Disk>) -> Result<Folder> {
        match file.try_lock() {
            Ok(()) => Ok(Folder { path: path.to_owned(), _lock: file, disk }),
            Err(TryLockError::WouldBlock) => Err(IndexError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(IndexError::io(path)(error)),
        }
    }

    /// Where the index is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the store while it is being made.
    pub(crate) fn partial_store(&self) -> PathBuf {
        self.path.join(PARTIAL_STORE)
    }

    /// Makes the names in the folder durable.
    pub(crate) fn sync(&self) -> Result<()> {
        self.disk.sync_folder(&self.path).map_err(IndexError::io(&self.path))
    }

    /// The folder of the segments, created if it is missing.
    pub(crate) fn segments(&self) -> Result<PathBuf> {
        let path = self.path.join(SEGMENTS);
        DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(IndexError::io(&path))?;
        Ok(path)
    }

    /// The file of the documents.
    pub(crate) fn store(&self) -> PathBuf {
        store(&self.path)
    }
}
