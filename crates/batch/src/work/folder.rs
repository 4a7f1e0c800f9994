//! The work folder of a job, and its checkpoints.
//!
//! ```text
//! job          what the job is; a resumed job must be the same
//! checkpoint   what the job has done, by stage; without it there is nothing to resume
//! twindex.lock marks the folder, and is held while a process works here
//! ...          the columns and tables of the stages, see each stage
//! ```
//!
//! Work files are synced only by [`WorkFolder::checkpoint`]: every file, and then the new file
//! `checkpoint`. So after a kill or a power cut the checkpoint describes durable files; a resumed
//! job truncates what was appended later. Outputs are always synced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use twindex_disk::Disk;

use crate::error::{BatchError, Result};

/// The version of what is in a work folder. A folder of another version is not resumed.
const FORMAT: u32 = 9;

const JOB: &str = "job";
const CHECKPOINT: &str = "checkpoint";

/// Marks a work folder, and is locked while a process uses it.
const LOCK: &str = "twindex.lock";
const LOCK_CONTENTS: &[u8] = b"A work folder of twindex.\n";

/// Whether a lock file has the mark of a work folder, or what a power cut left of it: a prefix, or
/// zeros.
fn is_mark(found: &[u8]) -> bool {
    let is_left = |(&found, &written): (&u8, &u8)| found == written || found == 0;
    found.len() <= LOCK_CONTENTS.len() && found.iter().zip(LOCK_CONTENTS).all(is_left)
}

/// An open work folder, locked against other processes.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    resumed: bool,
    done: Mutex<Done>,
    _lock: File,
}

/// What a job has done.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Done {
    /// Finished stages.
    finished: BTreeSet<String>,
    /// The state that each stage recorded.
    states: BTreeMap<String, serde_json::Value>,
    /// Whether it has changed something that is not an output.
    #[serde(default)]
    is_irrevocable: bool,
    /// Whether the folder has a checkpoint.
    #[serde(skip)]
    is_saved: bool,
}

/// What to do with a folder that holds a resumable job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// Refuse.
    #[default]
    Refuse,
    /// Go on with the job, if it is the same.
    Resume,
    /// Throw it away.
    Replace,
}

impl WorkFolder {
    /// Creates or takes over the folder at `path`.
    pub(crate) fn open(path: &Path, existing: Existing, disk: Arc<dyn Disk>) -> Result<Self> {
        // It may hold copies of texts: a folder that is created here is readable by its owner only.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(BatchError::work(path))?;
        let path = fs::canonicalize(path).map_err(BatchError::work(path))?;
        let lock_path = path.join(LOCK);
        let is_empty = fs::read_dir(&path).map_err(BatchError::work(&path))?.next().is_none();
        // The files in it are removed at the end, so it must not hold anything else.
        let is_ours = || fs::read(&lock_path).is_ok_and(|found| is_mark(&found));
        if !is_empty && !is_ours() {
            return Err(BatchError::NotOurs { path });
        }
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let mut lock = lock.map_err(BatchError::work(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BatchError::InUse { path }),
            Err(TryLockError::Error(error)) => return Err(BatchError::work(&lock_path)(error)),
        }
        lock.write_all(LOCK_CONTENTS).map_err(BatchError::work(&lock_path))?;
        let mut folder = WorkFolder { path, disk, resumed: false, done: Mutex::default(), _lock: lock };
        let checkpoint = folder.file(CHECKPOINT);
        match existing {
            Existing::Refuse if checkpoint.exists() => {
                return Err(BatchError::Unfinished { path: folder.path });
            }
            Existing::Resume if checkpoint.exists() => {
                folder.must_have_this_format()?;
                let json = fs::read(&checkpoint).map_err(BatchError::work(&checkpoint))?;
                let done: Done = serde_json::from_slice(&json)
                    .map_err(|error| BatchError::damaged(&checkpoint, error.to_string()))?;
                folder.done = Mutex::new(Done { is_saved: true, ..done });
                folder.resumed = true;
            }
            Existing::Replace if folder.is_irrevocable() => {
                return Err(BatchError::HalfRemembered { path: folder.path });
            }
            _ => folder.clear()?,
        }
        Ok(folder)
    }

    fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the checkpoint is of a job that cannot be undone. One of another format can be
    /// thrown away.
    fn is_irrevocable(&self) -> bool {
        let json = fs::read(self.file(CHECKPOINT)).unwrap_or_default();
        serde_json::from_slice(&json).is_ok_and(|done: Done| done.is_irrevocable)
    }

    /// Makes everything recorded so far durable. From here on the job changes something that is not
    /// an output: it is not started over, and its folder stays until it is finished.
    pub(crate) fn checkpoint_of_no_return(&self) -> Result<()> {
        self.done().is_irrevocable = true;
        self.checkpoint()
    }

    /// Whether the job may only be finished.
    pub(crate) fn must_be_finished(&self) -> bool {
        self.done().is_irrevocable
    }

    /// Stores what the job is, line by line; a resumed job must be the same.
    pub(crate) fn describe(&self, description: &str) -> Result<()> {
        let description = format!("format {FORMAT}\n{description}");
        let job = self.file(JOB);
        if !self.resumed {
            return fs::write(&job, description).map_err(BatchError::work(&job));
        }
        let before = fs::read_to_string(&job).map_err(BatchError::work(&job))?;
        self.must_be_the_same(&before, &description)
    }

    /// Another version lays its checkpoint out in another way.
    fn must_have_this_format(&self) -> Result<()> {
        let job = self.file(JOB);
        let before = fs::read_to_string(&job).map_err(BatchError::work(&job))?;
        let version = before.lines().next().unwrap_or_default();
        self.must_be_the_same(version, &format!("format {FORMAT}"))
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

    /// What a stage recorded last.
    pub(crate) fn recorded<T: DeserializeOwned>(&self, stage: &str) -> Result<Option<T>> {
        let state = self.done().states.get(stage).cloned();
        let damaged =
            |error: serde_json::Error| BatchError::damaged(&self.file(CHECKPOINT), error.to_string());
        state.map(|state| serde_json::from_value(state).map_err(damaged)).transpose()
    }

    /// Whether a stage is finished.
    pub(crate) fn is_finished(&self, stage: &str) -> bool {
        self.done().finished.contains(stage)
    }

    /// Records how far a stage has come: part of the next checkpoint. Its files must be flushed by
    /// then.
    pub(crate) fn record<T: Serialize>(&self, stage: &str, state: &T) -> Result<()> {
        let state = serde_json::to_value(state)
            .map_err(|error| BatchError::damaged(&self.file(CHECKPOINT), error.to_string()))?;
        self.done().states.insert(stage.to_owned(), state);
        Ok(())
    }

    /// Records that a stage is finished. A job that has a checkpoint gets another.
    pub(crate) fn finish<T: Serialize>(&self, stage: &str, state: &T) -> Result<()> {
        self.record(stage, state)?;
        self.done().finished.insert(stage.to_owned());
        if self.has_checkpoint() { self.checkpoint() } else { Ok(()) }
    }

    /// Whether the job can be resumed.
    pub(crate) fn has_checkpoint(&self) -> bool {
        self.done().is_saved
    }

    /// Makes everything recorded so far durable.
    pub(crate) fn checkpoint(&self) -> Result<()> {
        let sync = |path: &Path| {
            let synced = File::open(path).and_then(|file| self.disk.sync(&file, path));
            synced.map_err(BatchError::work(path))
        };
        for entry in fs::read_dir(&self.path).map_err(BatchError::work(&self.path))? {
            let entry = entry.map_err(BatchError::work(&self.path))?;
            if entry.file_type().map_err(BatchError::work(&entry.path()))?.is_file() {
                sync(&entry.path())?;
            }
        }
        let sync_folder = |path: &Path| self.disk.sync_folder(path).map_err(BatchError::work(path));
        if let Some(parent) = self.path.parent().filter(|_| !self.has_checkpoint()) {
            // Otherwise the folder itself may be lost.
            sync_folder(parent)?;
        }
        sync_folder(&self.path)?;
        let path = self.file(CHECKPOINT);
        let partial = self.file("checkpoint.partial");
        let json = serde_json::to_vec(&*self.done())
            .map_err(|error| BatchError::damaged(&path, error.to_string()))?;
        fs::write(&partial, json).map_err(BatchError::work(&partial))?;
        sync(&partial)?;
        fs::rename(&partial, &path).map_err(BatchError::work(&path))?;
        sync_folder(&self.path)?;
        self.done().is_saved = true;
        Ok(())
    }

    /// Removes every file but the lock; the checkpoint first.
    fn clear(&self) -> Result<()> {
        let checkpoint = self.file(CHECKPOINT);
        if checkpoint.exists() {
            fs::remove_file(&checkpoint).map_err(BatchError::work(&checkpoint))?;
            self.disk.sync_folder(&self.path).map_err(BatchError::work(&self.path))?;
        }
        for entry in fs::read_dir(&self.path).map_err(BatchError::work(&self.path))? {
            let entry = entry.map_err(BatchError::work(&self.path))?;
            // A job creates no folders here, so a folder has another origin.
            let is_file = entry.file_type().map_err(BatchError::work(&entry.path()))?.is_file();
            if is_file && entry.file_name() != LOCK {
                fs::remove_file(entry.path()).map_err(BatchError::work(&entry.path()))?;
            }
        }
        Ok(())
    }

    /// Whether this continues an earlier run.
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

    /// Removes the folder: the job is finished, or not worth resuming.
    pub(crate) fn remove(self) -> Result<()> {
        self.clear()?;
        let lock = self.file(LOCK);
        fs::remove_file(&lock).map_err(BatchError::work(&lock))?;
        fs::remove_dir(&self.path).map_err(BatchError::work(&self.path))
    }
}

#[cfg(test)]
pub(crate) fn for_test(path: &Path) -> WorkFolder {
    WorkFolder::open(path, Existing::Refuse, Arc::new(twindex_disk::RealDisk)).expect("a folder for a test")
}

#[cfg(test)]
mod tests {
    use twindex_disk::RealDisk;

    use super::*;

    #[test]
    fn an_unfinished_job_is_neither_overwritten_nor_mixed_up() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("work");
        let open = |description: &str, existing| {
            let folder = WorkFolder::open(&path, existing, Arc::new(RealDisk))?;
            folder.describe(description).map(|()| folder)
        };
        open("a\nb", Existing::Refuse).unwrap().checkpoint().unwrap();
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
    fn a_job_without_a_checkpoint_starts_over() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("work");
        for existing in [Existing::Refuse, Existing::Resume, Existing::Replace] {
            let folder = WorkFolder::open(&path, existing, Arc::new(RealDisk)).unwrap();
            assert!(!folder.was_resumed() && !folder.is_finished("read"));
            folder.describe("a").unwrap();
            fs::write(folder.file("facts"), "something").unwrap();
            folder.finish("read", &7).unwrap();
        }
        let folder = WorkFolder::open(&path, Existing::Resume, Arc::new(RealDisk)).unwrap();
        assert!(!folder.file("facts").exists());
        folder.describe("a").unwrap();
        folder.finish("read", &7).unwrap();
        folder.checkpoint().unwrap();
        drop(folder);
        let folder = WorkFolder::open(&path, Existing::Resume, Arc::new(RealDisk)).unwrap();
        assert_eq!((folder.is_finished("read"), folder.recorded("read").unwrap()), (true, Some(7)));
    }

    #[test]
    fn a_job_that_cannot_be_undone_is_not_started_over() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("work");
        let open = |existing| WorkFolder::open(&path, existing, Arc::new(RealDisk));
        let folder = open(Existing::Refuse).unwrap();
        folder.describe("a").unwrap();
        folder.checkpoint_of_no_return().unwrap();
        drop(folder);
        assert!(matches!(open(Existing::Replace), Err(BatchError::HalfRemembered { .. })));
        let folder = open(Existing::Resume).unwrap();
        assert!(folder.must_be_finished());
        folder.remove().unwrap();
        open(Existing::Replace).unwrap();
    }

    #[test]
    fn a_folder_with_other_things_in_it_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "precious").unwrap();
        fs::write(folder.path().join(LOCK), "of another program").unwrap();
        for existing in [Existing::Refuse, Existing::Resume, Existing::Replace] {
            let opened = WorkFolder::open(folder.path(), existing, Arc::new(RealDisk));
            assert!(matches!(opened, Err(BatchError::NotOurs { .. })));
        }
        assert!(folder.path().join("thesis.txt").exists());
    }
}
