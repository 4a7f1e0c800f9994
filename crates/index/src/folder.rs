//! The folder of an index.
//!
//! ```text
//! twindex-index.lock   marks the folder, and is held while a process has the index open
//! store.redb           the documents: the truth
//! segments/            fingerprints, derived from it
//! ```

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::{IndexError, Result};

const LOCK: &str = "twindex-index.lock";
const LOCK_CONTENTS: &[u8] = b"An index of twindex.\n";
pub(crate) const STORE: &str = "store.redb";
const PARTIAL_STORE: &str = "store.redb.partial";
const SEGMENTS: &str = "segments";

/// A folder that is locked against other processes.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder, or takes an empty one.
    pub(crate) fn create(path: &Path) -> Result<Folder> {
        // Texts are kept here: nobody else should read them.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(IndexError::io(path))?;
        for entry in fs::read_dir(path).map_err(IndexError::io(path))? {
            let name = entry.map_err(IndexError::io(path))?.file_name();
            // Somebody may have been interrupted here before.
            if name != LOCK && name != PARTIAL_STORE {
                return Err(IndexError::NotEmpty { path: path.to_owned() });
            }
        }
        let lock = path.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&lock);
        let folder = Folder::locked(path, file.map_err(IndexError::io(&lock))?)?;
        (&folder._lock).write_all(LOCK_CONTENTS).map_err(IndexError::io(&lock))?;
        Ok(folder)
    }

    /// Takes the folder of an index.
    pub(crate) fn open(path: &Path) -> Result<Folder> {
        let lock = path.join(LOCK);
        let missing = || IndexError::NoIndex { path: path.to_owned() };
        let file = match File::options().read(true).write(true).open(&lock) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(missing()),
            Err(error) => return Err(IndexError::io(&lock)(error)),
        };
        let folder = Folder::locked(path, file)?;
        // Without a store, somebody was interrupted while creating it.
        if folder.store().exists() { Ok(folder) } else { Err(missing()) }
    }

    fn locked(path: &Path, file: File) -> Result<Folder> {
        match file.try_lock() {
            Ok(()) => Ok(Folder { path: path.to_owned(), _lock: file }),
            Err(TryLockError::WouldBlock) => Err(IndexError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(IndexError::io(path)(error)),
        }
    }

    /// Where the index is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the file of the documents is made.
    pub(crate) fn partial_store(&self) -> PathBuf {
        self.path.join(PARTIAL_STORE)
    }

    /// Makes what is written in the folder's own list of files durable.
    pub(crate) fn sync(&self) -> Result<()> {
        File::open(&self.path).and_then(|folder| folder.sync_all()).map_err(IndexError::io(&self.path))
    }

    /// The folder of the segments, which is made if it is missing.
    pub(crate) fn segments(&self) -> Result<PathBuf> {
        let path = self.path.join(SEGMENTS);
        DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(IndexError::io(&path))?;
        Ok(path)
    }

    /// The file of the documents.
    pub(crate) fn store(&self) -> PathBuf {
        self.path.join(STORE)
    }
}
