//! A file that appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_disk::{Disk, RealDisk};

use crate::error::CorpusError;
use crate::stream::is_special;
use crate::write::provisional::{Kind, Provisional};

/// A file that is written under a provisional name beside its target and
/// takes the target's name when it is committed. Dropped without a commit it leaves nothing behind,
/// and the file that was there before stays as it was.
///
/// A target that is no regular file (`/dev/null`, a pipe) is written directly: there is nothing to
/// replace.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    file: File,
    /// `None` if it never has another name.
    provisional: Option<Provisional>,
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
        let failed = |source| CorpusError::write(path, source);
        if is_special(&target) {
            let file = OpenOptions::new().write(true).open(&target).map_err(failed)?;
            return Ok(AtomicFile { target, file, provisional: None, disk });
        }
        let provisional = Provisional::begin(&target, Kind::File)?;
        let file = provisional.handle().try_clone().map_err(failed)?;
        Ok(AtomicFile { target, file, provisional: Some(provisional), disk })
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

    /// Appends `length` bytes of `from`, beginning at `offset`, without bringing them into this
    /// process; returns how many the system copied.
    pub(crate) fn copy_range(&self, from: &File, offset: u64, length: u64) -> io::Result<u64> {
        if self.provisional.is_none() {
            return Ok(0); // a device or a pipe
        }
        copy_range(from, offset, &self.file, length)
    }

    /// Flushes and syncs the file.
    pub(crate) fn sync(&mut self) -> Result<(), CorpusError> {
        // Pipes and devices cannot be synced.
        let Some(provisional) = &self.provisional else { return Ok(()) };
        let synced = self.disk.sync(&self.file, provisional.path());
        synced.map_err(|source| CorpusError::write(&self.target, source))
    }

    /// Fails if the target is no longer what it was when the file was begun.
    pub(crate) fn target_must_be_unchanged(&self) -> Result<(), CorpusError> {
        self.provisional.as_ref().map_or(Ok(()), Provisional::target_must_be_unchanged)
    }

    /// Renames the file to its target.
    pub(crate) fn rename(&mut self) -> Result<(), CorpusError> {
        self.provisional.as_mut().map_or(Ok(()), Provisional::rename)
    }

    /// Syncs the name.
    pub(crate) fn sync_name(&self) -> Result<(), CorpusError> {
        if self.provisional.is_none() {
            return Ok(());
        }
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

#[cfg(any(target_os = "linux", target_os = "android"))]
fn copy_range(from: &File, mut offset: u64, to: &File, length: u64) -> io::Result<u64> {
    use rustix::io::Errno;
    let end = offset + length;
    while offset < end {
        let wanted = usize::try_from(end - offset).unwrap_or(usize::MAX);
        match rustix::fs::copy_file_range(from, Some(&mut offset), to, None, wanted) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::IO | Errno::FBIG)) => return Err(error.into()),
            // Two file systems, or one that cannot.
            Err(_) => break,
        }
    }
    Ok(length - (end - offset))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn copy_range(_from: &File, _offset: u64, _to: &File, _length: u64) -> io::Result<u64> {
    Ok(0)
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
