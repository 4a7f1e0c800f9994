//! A file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::CorpusError;

/// How the name of an output ends that is not whole yet; it begins with a dot.
pub(crate) const PARTIAL_SUFFIX: &str = ".twindex-partial";

/// A file that is written under a temporary name beside its target (`.NAME.twindex-partial`) and takes the
/// target's name when it is committed. Dropped without a commit it leaves nothing behind, and the file that was
/// there before stays as it was.
///
/// A target that is no regular file (`/dev/null`, a pipe) is written directly: there is nothing to replace.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    /// `None` once it has its final name, or if it never had another.
    temporary: Option<PathBuf>,
    file: File,
}

impl AtomicFile {
    /// Begins a file that will be called `path`. Its folder must exist.
    pub fn create(path: &Path) -> Result<AtomicFile, CorpusError> {
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
        Ok(AtomicFile { target, temporary, file })
    }

    /// The name that the file will have.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// Puts the file in its place, durably.
    pub fn commit(mut self) -> Result<(), CorpusError> {
        self.sync()?;
        self.rename()?;
        sync_folder(&self.target)
    }

    /// Brings what was written to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), CorpusError> {
        match self.file.sync_all() {
            Ok(()) => Ok(()),
            // Pipes and devices have nothing to bring anywhere.
            Err(_) if self.temporary.is_none() => Ok(()),
            Err(source) => Err(CorpusError::write(&self.target, source)),
        }
    }

    /// Gives the file its name.
    pub(crate) fn rename(&mut self) -> Result<(), CorpusError> {
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.target).map_err(|source| CorpusError::write(&self.target, source))?;
            self.temporary = None;
        }
        Ok(())
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
            // There is nobody to tell, and a leftover is overwritten by the next run.
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
pub(crate) fn sync_folder(target: &Path) -> Result<(), CorpusError> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Only a folder that can be opened can be synced; some systems allow neither.
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(source) if source.kind() == io::ErrorKind::StorageFull => Err(CorpusError::write(target, source)),
        _ => Ok(()),
    }
}
