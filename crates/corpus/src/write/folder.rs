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
use crate::write::provisional::{Kind, Provisional};

/// This many files and folders are synced one by one, which takes milliseconds each. A sync of the
/// file system waits for what other programs have written, too, which may be much: it pays where
/// there are many files (50,000 of them took 253 s one by one).
const FEW: usize = 32;

/// A folder that is filled under a [provisional](super::provisional) name beside its target and
/// takes the target's name when it is committed. Dropped without a commit it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct AtomicFolder {
    target: PathBuf,
    provisional: Provisional,
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
        let provisional = Provisional::begin(&target, Kind::Folder)?;
        Ok(AtomicFolder { target, provisional, disk })
    }

    /// Copies a file, packed as it is.
    pub(crate) fn copy(&mut self, source: &Source) -> Result<(), CorpusError> {
        let copy = self.provisional.path().join(&source.relative);
        let failed = |error| CorpusError::write(&self.target.join(&source.relative), error);
        if let Some(folder) = copy.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::copy(&source.path, &copy).map_err(failed)?;
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.target
    }

    /// Syncs the folder and all that is in it.
    pub(crate) fn sync(&self) -> Result<(), CorpusError> {
        self.sync_all().map_err(|error| CorpusError::write(&self.target, error))
    }

    fn sync_all(&self) -> io::Result<()> {
        let (mut files, mut folders) = (vec![], vec![self.provisional.path().to_owned()]);
        let mut walked = 0;
        while let Some(folder) = folders.get(walked).cloned() {
            walked += 1;
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let list = if entry.file_type()?.is_dir() { &mut folders } else { &mut files };
                list.push(entry.path());
            }
        }
        if files.len() + folders.len() > FEW {
            return self.disk.sync_tree(self.provisional.path());
        }
        for path in &files {
            self.disk.sync(&fs::File::open(path)?, path)?;
        }
        folders.iter().try_for_each(|folder| atomic::sync_folder(folder, &*self.disk))
    }

    /// Fails if the target is no longer what it was when the folder was begun.
    pub(crate) fn target_must_be_unchanged(&self) -> Result<(), CorpusError> {
        self.provisional.target_must_be_unchanged()
    }

    pub(crate) fn rename(&mut self) -> Result<(), CorpusError> {
        self.provisional.rename()
    }

    /// Brings the name to the disk.
    pub(crate) fn sync_name(&self) -> Result<(), CorpusError> {
        atomic::sync_name(&self.target, &*self.disk)
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
