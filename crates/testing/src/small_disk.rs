//! A disk that is soon full.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::skip::{Need, skip};

/// A small file system in memory, for users who may mount one. Unmounted when it is dropped, which
/// must be before the folder above it is removed.
#[derive(Debug)]
pub struct SmallDisk {
    path: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk of `megabytes` at a new folder; `None` where that is forbidden, after a
    /// [`skip`].
    pub fn mount(path: &Path, megabytes: u32) -> Option<SmallDisk> {
        match SmallDisk::try_mount(path, megabytes) {
            Ok(disk) => Some(disk),
            Err(error) => {
                skip(Need::Mount, &format!("a small disk cannot be mounted: {error}"));
                None
            }
        }
    }

    /// Mounts it, or says why that cannot be done.
    pub fn try_mount(path: &Path, megabytes: u32) -> io::Result<SmallDisk> {
        fs::create_dir(path)?;
        let size = format!("size={megabytes}m");
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "twindex-test"]).arg(path).output()?;
        if output.status.success() {
            return Ok(SmallDisk { path: path.to_owned() });
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(io::Error::other(complaint.lines().next().unwrap_or_default().to_owned()))
    }

    /// Names in its top folder.
    pub fn names(&self) -> io::Result<Vec<String>> {
        fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // The test is over, and what it found counts.
        let _ = Command::new("umount").arg(&self.path).status();
    }
}
