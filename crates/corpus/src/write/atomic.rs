//! A file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_disk::{Disk, RealDisk};

use crate::error::CorpusError;

/// The suffix of an unfinished output; its name begins with a dot.
pub(crate) const PARTIAL_SUFFIX: &str = ".twindex-partial";

/// A file that is written under a temporary name beside its target (`.NAME.twindex-partial`) and
/// takes the target's name when it is committed. Dropped without a commit it leaves nothing behind,
/// and the file that was there before stays as it was.
///
/// A target that is no regular file (`/dev/null`, a pipe) is written directly: there is nothing to
/// replace.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    /// `None` once it has its final name, or if it never had another.
    temporary: Option<PathBuf>,
    file: File,
    disk: Arc<dyn Disk>,
}

impl AtomicFile {
    /// Begins a file that will be called `path`. Its folder must exist.
    pub fn create(path: &Path) -> Result<AtomicFile, CorpusError> {
        AtomicFile::create_on(path, Arc::new(RealDisk))
    }

    /// The same on a given disk.
    pub(crate) fn create_on(path: &Path, disk: Arc<dyn Disk>) -> Result<AtomicFile, CorpusError> {
        // A link stays a link: what it points at is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if target.is_dir() {
            // Renaming would fail at the very end.
            return Err(CorpusError::write(path, io::ErrorKind::IsADirectory.into()));
        }
        let special = fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file());
        let temporary = if special { None } else { Some(temporary_name(&target)?) };
        let file = File::create(temporary.as_ref().unwrap_or(&target))
            .map_err(|source| CorpusError::write(path, source))?;
        Ok(AtomicFile { target, temporary, file, disk })
    }

    /// The name that the file will have.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Syncs the file and renames it to its target.
    pub fn commit(mut self) -> Result<(), CorpusError> {
        self.sync()?;
        self.rename()?;
        self.sync_name()
    }

    /// Flushes and syncs the file.
    pub(crate) fn sync(&mut self) -> Result<(), CorpusError> {
        let path = self.temporary.as_ref().unwrap_or(&self.target);
        match self.disk.sync(&self.file, path) {
            Ok(()) => Ok(()),
            // Pipes and devices cannot be synced.
            Err(_) if self.temporary.is_none() => Ok(()),
            Err(source) => Err(CorpusError::write(&self.target, source)),
        }
    }

    /// Renames the file to its target.
    pub(crate) fn rename(&mut self) -> Result<(), CorpusError> {
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target).map_err(|source| CorpusError::write(&self.target, source))?;
            self.temporary = None;
        }
        Ok(())
    }

    /// Brings the name to the disk.
    pub(crate) fn sync_name(&self) -> Result<(), CorpusError> {
        sync_name(&self.target, &*self.disk)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // A destructor cannot return an error, and the next run overwrites a leftover.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// The name beside `target` under which it is written.
pub(crate) fn temporary_name(target: &Path) -> Result<PathBuf, CorpusError> {
    let name = target.file_name().ok_or_else(|| {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "it has no file name");
        CorpusError::write(target, source)
    })?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(PARTIAL_SUFFIX);
    Ok(target.with_file_name(temporary))
}

/// Makes the new name of `target` survive a power cut.
pub(crate) fn sync_name(target: &Path, disk: &dyn Disk) -> Result<(), CorpusError> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    sync_folder(folder, disk).map_err(|source| CorpusError::write(target, source))
}

/// Makes the names in a folder survive a power cut. A folder that may be written and not read
/// cannot be opened for that, and some file systems sync no folder: neither is an error.
pub(crate) fn sync_folder(folder: &Path, disk: &dyn Disk) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match disk.sync_folder(folder) {
        Err(error) if !matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => Err(error),
        _ => Ok(()),
    }
}
