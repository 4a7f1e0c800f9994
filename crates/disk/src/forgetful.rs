//! A disk for tests that loses what was not synced.

mod loss;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use loss::Loss;
use tree::{Inode, Tree};

use crate::Disk;

/// A disk for tests: files are written as usual, nothing is synced, and [`ForgetfulDisk::crash`]
/// rolls one folder back to what a power cut may leave of it.
///
/// A file and its names are apart, as they are on a disk: contents belong to an inode and survive
/// if the file was synced; a name leads to an inode and survives if its folder was synced. So the
/// disk keeps, by inode, a copy of each file's contents at its last sync, and of each folder's
/// names.
///
/// What may happen to the rest is what is known of ext4 with delayed allocation and of XFS:
///
/// * A name that was not synced is lost, and with a new folder all that is in it.
/// * A file is there without its data: empty, cut, or as long as it was and full of zeros. This is
///   the file that was renamed over another before it was synced.
/// * Of data written in place over synced data, some sectors are old and others new. Bytes that
///   were synced and not written again always survive.
/// * A rename is undone or done, never half: both names, or none, are not among the outcomes. What
///   it replaced comes back with the old name.
/// * A removed file comes back.
///
/// Each of these happens or not, independently for each file and each group of names: journals lose
/// less, because they keep the order of names. Not covered: files truncated and written anew count
/// as overwritten in place; damage to synced sectors; hard links, which come back as separate
/// files.
#[derive(Debug)]
pub struct ForgetfulDisk {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    synced: Tree,
    /// Handles that keep the inodes in `synced` from being given to new files.
    pins: HashMap<Inode, File>,
    /// Names of files that are written in place.
    sized: Vec<OsString>,
    syncs: usize,
    /// Syncs until the power is cut, if it will be.
    until_cut: Option<usize>,
    /// The folder as it was when the power was cut.
    at_cut: Option<Tree>,
}

impl ForgetfulDisk {
    /// A disk that holds `folder`. What is there now counts as synced.
    pub fn new(folder: &Path) -> io::Result<ForgetfulDisk> {
        let state = State {
            synced: Tree::default(),
            pins: HashMap::new(),
            sized: vec![],
            syncs: 0,
            until_cut: None,
            at_cut: None,
        };
        let disk = ForgetfulDisk { folder: fs::canonicalize(folder)?, state: Mutex::new(state) };
        disk.state().restart(&disk.folder)?;
        Ok(disk)
    }

    /// Cuts the power after `syncs` more syncs: the next one fails, as all after it, and whatever
    /// is written from then on is lost at the crash. A test can so stop a job at each of its syncs.
    pub fn cut_power_after(&self, syncs: usize) {
        self.state().until_cut = Some(syncs);
    }

    /// Files of this name are not appended to: they get their length by `set_len` and are written
    /// in place, as databases do. File systems journal such a length, so that after a power cut it
    /// is the old or the new one.
    pub fn written_in_place(&self, name: &str) {
        self.state().sized.push(name.into());
    }

    /// Syncs so far, of files and folders.
    pub fn syncs(&self) -> usize {
        self.state().syncs
    }

    /// Rolls the folder back to what the power cut may leave, and turns the power on again: what is
    /// left counts as synced. Every user of the folder must have closed its files.
    pub fn crash(&self, loss: Loss) -> io::Result<()> {
        let mut state = self.state();
        let written = match state.at_cut.take() {
            Some(tree) => tree,
            None => state.written(&self.folder)?,
        };
        let left = loss::outcome(&state.synced, &written, &state.sized, loss);
        left.replace(&self.folder)?;
        state.until_cut = None;
        state.restart(&self.folder)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked while it held the lock is a failed test anyway.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for ForgetfulDisk {
    fn sync(&self, file: &File, path: &Path) -> io::Result<()> {
        let inode = file.metadata()?.ino();
        if fs::metadata(path)?.ino() != inode {
            let what = format!("the file to sync is no longer called {}", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        self.state().sync(path, &self.folder, Depth::One)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.state().sync(folder, &self.folder, Depth::One)
    }

    fn sync_tree(&self, folder: &Path) -> io::Result<()> {
        self.state().sync(folder, &self.folder, Depth::All)
    }
}

/// How much a sync covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// The contents of a file, or the names in a folder.
    One,
    /// Everything below.
    All,
}

impl State {
    fn sync(&mut self, path: &Path, root: &Path, depth: Depth) -> io::Result<()> {
        if !fs::canonicalize(path)?.starts_with(root) {
            return Ok(()); // on another disk
        }
        if self.until_cut == Some(0) {
            self.until_cut = None;
            self.at_cut = Some(self.written(root)?);
        }
        if self.at_cut.is_some() {
            return Err(io::Error::other("the power is cut"));
        }
        self.until_cut = self.until_cut.map(|left| left - 1);
        self.syncs += 1;
        self.keep(path, depth)?;
        self.unpin()
    }

    /// Takes what is at `path` now for synced.
    fn keep(&mut self, path: &Path, depth: Depth) -> io::Result<()> {
        self.pin(path)?;
        if fs::metadata(path)?.is_dir() {
            for entry in fs::read_dir(path)? {
                let path = entry?.path();
                match depth {
                    Depth::One => self.pin(&path)?,
                    Depth::All => self.keep(&path, depth)?,
                }
            }
        }
        self.synced.read(path)
    }

    /// Keeps the inode of a file in use. The file is opened anew: a copy of the caller's handle
    /// would hold its lock.
    fn pin(&mut self, path: &Path) -> io::Result<()> {
        let file = File::open(path)?;
        self.pins.insert(file.metadata()?.ino(), file);
        Ok(())
    }

    /// What is in the folder now, and the contents of what was removed from it.
    fn written(&self, root: &Path) -> io::Result<Tree> {
        let mut written = Tree::of(root)?;
        for file in self.pins.values() {
            written.read_open(file)?;
        }
        Ok(written)
    }

    /// Lets go of files that are removed for good.
    fn unpin(&mut self) -> io::Result<()> {
        let mut gone = vec![];
        for (&inode, file) in &self.pins {
            if file.metadata()?.nlink() == 0 && !self.synced.names(inode) {
                gone.push(inode);
            }
        }
        for inode in gone {
            self.pins.remove(&inode);
            self.synced.files.remove(&inode);
            self.synced.folders.remove(&inode);
        }
        Ok(())
    }

    /// Takes what is in the folder for synced.
    fn restart(&mut self, root: &Path) -> io::Result<()> {
        self.synced = Tree::of(root)?;
        self.pins.clear();
        let mut paths = vec![root.to_owned()];
        while let Some(path) = paths.pop() {
            self.pin(&path)?;
            if path.is_dir() {
                for entry in fs::read_dir(&path)? {
                    paths.push(entry?.path());
                }
            }
        }
        Ok(())
    }
}
