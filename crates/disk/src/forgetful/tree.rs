//! A folder as a disk has it: contents and names by inode.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirEntryExt, FileExt, MetadataExt};
use std::path::Path;

pub(super) type Inode = u64;
type Names = BTreeMap<OsString, Inode>;

/// Every inode that a name leads to has its contents or its names here, empty if nothing is known
/// of them.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) root: Inode,
    pub(super) files: HashMap<Inode, Vec<u8>>,
    pub(super) folders: HashMap<Inode, Names>,
}

impl Tree {
    /// Everything below a folder.
    pub(super) fn of(root: &Path) -> io::Result<Tree> {
        let mut tree = Tree { root: fs::metadata(root)?.ino(), ..Tree::default() };
        let mut paths = vec![root.to_owned()];
        while let Some(path) = paths.pop() {
            tree.read(&path)?;
            if path.is_dir() {
                for entry in fs::read_dir(&path)? {
                    paths.push(entry?.path());
                }
            }
        }
        Ok(tree)
    }

    /// Takes the contents of one file, or the names in one folder.
    pub(super) fn read(&mut self, path: &Path) -> io::Result<()> {
        let metadata = fs::symlink_metadata(path)?;
        if metadata.is_file() {
            self.files.insert(metadata.ino(), fs::read(path)?);
            return Ok(());
        }
        let mut names = Names::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.folders.entry(entry.ino()).or_default();
            } else if kind.is_file() {
                self.files.entry(entry.ino()).or_default();
            } else {
                let what = format!("{} is neither a file nor a folder", entry.path().display());
                return Err(io::Error::new(io::ErrorKind::Unsupported, what));
            }
            names.insert(entry.file_name(), entry.ino());
        }
        self.folders.insert(metadata.ino(), names);
        Ok(())
    }

    /// Takes the contents of a file that is open and may have no name any more.
    pub(super) fn read_open(&mut self, file: &File) -> io::Result<()> {
        let metadata = file.metadata()?;
        if metadata.is_file() && !self.files.contains_key(&metadata.ino()) {
            let mut contents = vec![0; metadata.len() as usize];
            file.read_exact_at(&mut contents, 0)?;
            self.files.insert(metadata.ino(), contents);
        }
        Ok(())
    }

    /// Whether a name in some folder leads to the inode.
    pub(super) fn names(&self, inode: Inode) -> bool {
        self.folders.values().any(|names| names.values().any(|&named| named == inode))
    }

    /// Makes a folder hold what the root of the tree holds, and nothing else.
    pub(super) fn replace(&self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        self.write(self.root, folder)
    }

    fn write(&self, inode: Inode, folder: &Path) -> io::Result<()> {
        for (name, inode) in self.folders.get(&inode).into_iter().flatten() {
            let path = folder.join(name);
            match self.files.get(inode) {
                Some(contents) => fs::write(path, contents)?,
                None => {
                    fs::create_dir(&path)?;
                    self.write(*inode, &path)?;
                }
            }
        }
        Ok(())
    }
}
