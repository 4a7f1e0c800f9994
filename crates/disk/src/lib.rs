//! How files reach the disk: the seam where tests put in a disk that loses what was not synced.
//!
//! A killed process loses nothing that it wrote: the system still has it. A power cut does. What
//! survives one was synced: the contents of a file by [`Disk::sync`], its name, which is an entry
//! of its folder, by [`Disk::sync_folder`], both for many files at once by [`Disk::sync_tree`].
//! Everything that makes files durable calls these, so that [`ForgetfulDisk`] can show what a
//! missing call costs.

#[cfg(not(unix))]
compile_error!(
    "twindex runs on Unix systems only: it syncs folders and uses std::os::unix (inodes, permissions, \
     positioned reads)"
);

#[cfg(unix)]
mod forgetful;

use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(unix)]
pub use forgetful::{ForgetfulDisk, Loss};

/// How files reach the disk.
pub trait Disk: Debug + Send + Sync {
    /// Waits until the contents of an open file are on the disk. `path` is its present name.
    fn sync(&self, file: &File, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Waits until a folder and everything below it is on the disk, contents and names. Everything
    /// must be on one file system.
    fn sync_tree(&self, folder: &Path) -> io::Result<()>;
}

/// The disk of this machine: `fsync`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn sync(&self, file: &File, _path: &Path) -> io::Result<()> {
        file.sync_all()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    /// One sync of the file system: it writes what others have written there, too, and takes a
    /// thousandth of the time that a sync of each of many small files takes.
    #[cfg(target_os = "linux")]
    fn sync_tree(&self, folder: &Path) -> io::Result<()> {
        Ok(rustix::fs::syncfs(File::open(folder)?)?)
    }

    /// Each file and folder for itself.
    #[cfg(not(target_os = "linux"))]
    fn sync_tree(&self, folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                self.sync_tree(&entry.path())?;
            } else {
                File::open(entry.path())?.sync_all()?;
            }
        }
        self.sync_folder(folder)
    }
}
