//! The work folder of a job: what survives a kill.
//!
//! ```text
//! job          what the job is; a resumed job must be the same
//! lock         held while a process works here
//! NAME.done    the stage NAME is finished
//! ...          the columns and tables of the stages, see each stage
//! ```
//!
//! A stage writes its result under a provisional name and renames it, or appends to columns and records in a checkpoint
//! how much of them counts. Whatever a killed process left beyond that is overwritten.

mod column;
mod texts;

pub(crate) use column::{Column, ColumnWriter};
pub(crate) use texts::{PackedTexts, TextReader, TextScratch, TextStore};

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{BatchError, Result};

/// The version of what is in a work folder. A folder of another version is not resumed.
const FORMAT: u32 = 2;

/// An open work folder, locked against other processes.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    resumed: bool,
    _lock: File,
}

/// What to do with a folder that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Refuse: it may hold somebody's unfinished job.
    #[default]
    Refuse,
    /// Go on with the job, if it is the same.
    Resume,
    /// Throw it away.
    Replace,
}

impl WorkFolder {
    /// Creates or takes over the folder at `path`.
    pub(crate) fn open(path: &Path, existing: Existing) -> Result<Self> {
        fs::create_dir_all(path).map_err(BatchError::work(path))?;
        let lock_path = path.join("lock");
        let is_empty = fs::read_dir(path).map_err(BatchError::work(path))?.next().is_none();
        // The folder is removed at the end: it must not be one that holds anything else.
        if !is_empty && !lock_path.exists() {
            return Err(BatchError::NotOurs { path: path.to_owned() });
        }
        let lock = File::create(&lock_path).map_err(BatchError::work(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BatchError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(BatchError::work(&lock_path)(error)),
        }
        let mut folder = WorkFolder { path: path.to_owned(), resumed: false, _lock: lock };
        if folder.file("job").exists() {
            match existing {
                Existing::Refuse => return Err(BatchError::Unfinished { path: path.to_owned() }),
                Existing::Resume => folder.resumed = true,
                Existing::Replace => folder.clear()?,
            }
        } else {
            // Killed before it said what the job is: whatever is here belongs to no job.
            folder.clear()?;
        }
        Ok(folder)
    }

    /// Notes what the job is, line by line; a resumed job must be the same.
    pub(crate) fn describe(&self, description: &str) -> Result<()> {
        let description = format!("format {FORMAT}\n{description}");
        if !self.resumed {
            return self.write("job", description.as_bytes());
        }
        let job = self.file("job");
        let before = fs::read_to_string(&job).map_err(BatchError::work(&job))?;
        self.must_be_the_same(&before, &description)
    }

    fn must_be_the_same(&self, before: &str, now: &str) -> Result<()> {
        let mut lines = (before.lines(), now.lines());
        loop {
            match (lines.0.next(), lines.1.next()) {
                (None, None) => return Ok(()),
                (a, b) if a == b => {}
                (a, b) => {
                    return Err(BatchError::OtherJob {
                        path: self.path.clone(),
                        before: a.unwrap_or("(nothing)").to_owned(),
                        now: b.unwrap_or("(nothing)").to_owned(),
                    });
                }
            }
        }
    }

    /// Removes everything but the lock.
    fn clear(&self) -> Result<()> {
        for entry in fs::read_dir(&self.path).map_err(BatchError::work(&self.path))? {
            let path = entry.map_err(BatchError::work(&self.path))?.path();
            if path.file_name().is_some_and(|name| name != "lock") {
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(BatchError::work(&path))?;
            }
        }
        Ok(())
    }

    /// Where the folder is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this goes on with an earlier run.
    pub(crate) fn was_resumed(&self) -> bool {
        self.resumed
    }

    /// Whether a file lies in the folder.
    pub(crate) fn holds(&self, file: &Path) -> bool {
        file.starts_with(&self.path)
    }

    /// The path of a file in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a small file that appears whole and lasts.
    pub(crate) fn write(&self, name: &str, contents: &[u8]) -> Result<()> {
        let (path, partial) = (self.file(name), self.file(&format!("{name}.partial")));
        let write = || {
            let mut file = File::create(&partial)?;
            file.write_all(contents)?;
            file.sync_data()?;
            fs::rename(&partial, &path)
        };
        write().map_err(BatchError::work(&path))
    }

    /// Records how far a stage has come.
    pub(crate) fn save_checkpoint<T: Serialize>(&self, stage: &str, checkpoint: &T) -> Result<()> {
        let name = format!("{stage}.checkpoint");
        let json = serde_json::to_vec(checkpoint)
            .map_err(|error| BatchError::damaged(&self.file(&name), error.to_string()))?;
        self.write(&name, &json)
    }

    /// How far a stage had come, if it ever began.
    pub(crate) fn checkpoint<T: DeserializeOwned>(&self, stage: &str) -> Result<Option<T>> {
        let path = self.file(&format!("{stage}.checkpoint"));
        if !path.exists() {
            return Ok(None);
        }
        let json = fs::read(&path).map_err(BatchError::work(&path))?;
        let checkpoint = serde_json::from_slice(&json);
        checkpoint.map(Some).map_err(|error| BatchError::damaged(&path, error.to_string()))
    }

    /// Whether a stage is finished.
    pub(crate) fn is_done(&self, stage: &str) -> bool {
        self.file(&format!("{stage}.done")).exists()
    }

    /// Marks a stage as finished.
    pub(crate) fn mark_done(&self, stage: &str) -> Result<()> {
        self.write(&format!("{stage}.done"), b"")
    }

    /// Removes the folder: the job is finished.
    pub(crate) fn remove(self) -> Result<()> {
        fs::remove_dir_all(&self.path).map_err(BatchError::work(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_job_is_neither_overwritten_nor_mixed_up() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("work");
        let open = |description: &str, existing| {
            let folder = WorkFolder::open(&path, existing)?;
            folder.describe(description).map(|()| folder)
        };
        drop(open("a\nb", Existing::Refuse).unwrap());
        assert!(matches!(open("a\nb", Existing::Refuse), Err(BatchError::Unfinished { .. })));
        assert!(open("a\nb", Existing::Resume).unwrap().was_resumed());
        let message = open("a\nc", Existing::Resume).unwrap_err().to_string();
        assert!(message.contains("`b`") && message.contains("`c`"), "{message}");
        let folder = open("a\nc", Existing::Replace).unwrap();
        assert!(matches!(open("a\nc", Existing::Resume), Err(BatchError::InUse { .. })));
        folder.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_with_other_things_in_it_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "precious").unwrap();
        for existing in [Existing::Refuse, Existing::Resume, Existing::Replace] {
            assert!(matches!(WorkFolder::open(folder.path(), existing), Err(BatchError::NotOurs { .. })));
        }
        assert!(folder.path().join("thesis.txt").exists());
    }
}
