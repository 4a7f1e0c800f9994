//! The work folder of a job: what survives a kill.
//!
//! ```text
//! job          what the job is; a resumed job must be the same
//! twindex.lock marks the folder, and is held while a process works here
//! boot         while the job is brief: during which run of the machine it began
//! NAME.done    the stage NAME is finished
//! ...          the columns and tables of the stages, see each stage
//! ```
//!
//! A stage writes its result under a provisional name and renames it, or appends to columns and records in a checkpoint
//! how much of them counts. Whatever a killed process left beyond that is overwritten.
//!
//! *Brief jobs do not wait for the disk.* What a process has written outlives it, whatever kills it: only a machine that
//! stops may lose it. So a job begins by noting which run of the machine it belongs to, and does not ask for files to
//! reach the disk; on another run of the machine such a folder counts as empty. With its first checkpoint inside a stage
//! the job has become long enough to be worth more: everything is brought to the disk, the note is removed, and from then
//! on what is marked as done has reached the disk before. What such a job has read it keeps in memory as long as that serves
//! (see the stage that reads).

mod boot;
mod column;
mod fingerprints;
mod rows;
mod texts;
pub(crate) mod unpacked;

pub(crate) use column::{Column, ColumnWriter};
pub(crate) use fingerprints::{FingerprintReader, FingerprintStore, PackedFingerprints};
pub(crate) use rows::{RowSources, stay_in_place};
pub(crate) use texts::{PackedTexts, TextPacker, TextReader, TextScratch, TextStore, with_room};

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{BatchError, Result};

/// The version of what is in a work folder. A folder of another version is not resumed.
const FORMAT: u32 = 8;

/// Says what the job is. Without it there is none.
const JOB: &str = "job";

/// Says during which run of the machine a brief job began.
const BOOT: &str = "boot";

/// Marks a folder as ours, and is locked while a process works in it.
const LOCK: &str = "twindex.lock";
const LOCK_CONTENTS: &[u8] = b"A work folder of twindex.\n";

/// An open work folder, locked against other processes.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    resumed: bool,
    /// Whether what is written must survive the machine, not only the process.
    lasting: AtomicBool,
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
        // Texts are copied here: nobody else should read them.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(BatchError::work(path))?;
        let path = fs::canonicalize(path).map_err(BatchError::work(path))?;
        let lock_path = path.join(LOCK);
        let is_empty = fs::read_dir(&path).map_err(BatchError::work(&path))?.next().is_none();
        // The files in it are removed at the end: it must not be a folder that holds anything else.
        let is_ours = || fs::read(&lock_path).is_ok_and(|found| found == LOCK_CONTENTS || found.is_empty());
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
        let mut folder = WorkFolder { path, resumed: false, lasting: AtomicBool::new(false), _lock: lock };
        if folder.file(JOB).exists() {
            match existing {
                Existing::Refuse => return Err(BatchError::Unfinished { path: folder.path }),
                Existing::Resume => folder.resumed = !boot::is_of_another_run(&folder.file(BOOT)),
                Existing::Replace => {}
            }
        }
        if folder.resumed {
            folder.lasting = AtomicBool::new(!folder.file(BOOT).exists());
        } else {
            // Not to be gone on with, or killed before it said what the job is: whatever is here belongs to no job.
            folder.clear()?;
            let boot = folder.file(BOOT);
            let is_noted = boot::note(&boot).map_err(BatchError::work(&boot))?;
            folder.lasting = AtomicBool::new(!is_noted);
        }
        Ok(folder)
    }

    /// Brings everything to the disk, now and from now on.
    pub(crate) fn make_lasting(&self) -> Result<()> {
        if self.lasting.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let settle =
            |path: &Path| File::open(path).and_then(|file| file.sync_all()).map_err(BatchError::work(path));
        for entry in fs::read_dir(&self.path).map_err(BatchError::work(&self.path))? {
            settle(&entry.map_err(BatchError::work(&self.path))?.path())?;
        }
        settle(&self.path)?;
        let boot = self.file(BOOT);
        fs::remove_file(&boot).map_err(BatchError::work(&boot))
    }

    /// Brings a file of the folder to the disk, if the job has become long enough for that.
    pub(crate) fn settle(&self, file: &File) -> io::Result<()> {
        if self.lasting.load(Ordering::Relaxed) { file.sync_data() } else { Ok(()) }
    }

    /// Notes what the job is, line by line; a resumed job must be the same.
    pub(crate) fn describe(&self, description: &str) -> Result<()> {
        let description = format!("format {FORMAT}\n{description}");
        if !self.resumed {
            return self.write(JOB, description.as_bytes());
        }
        let job = self.file(JOB);
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

    /// Removes every file but the lock; first the one that says that there is a job.
    fn clear(&self) -> Result<()> {
        let job = self.file(JOB);
        if job.exists() {
            fs::remove_file(&job).map_err(BatchError::work(&job))?;
        }
        for entry in fs::read_dir(&self.path).map_err(BatchError::work(&self.path))? {
            let entry = entry.map_err(BatchError::work(&self.path))?;
            // No job makes folders here: one that is here is somebody else's.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_file && entry.file_name() != LOCK {
                fs::remove_file(entry.path()).map_err(BatchError::work(&entry.path()))?;
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

    /// Writes a small file that appears whole.
    pub(crate) fn write(&self, name: &str, contents: &[u8]) -> Result<()> {
        let (path, partial) = (self.file(name), self.file(&format!("{name}.partial")));
        let write = || {
            let mut file = File::create(&partial)?;
            file.write_all(contents)?;
            self.settle(&file)?;
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

    /// Whether something is there that would have to be done again: a part of the inputs was read, a stage is finished, or there is a copy
    /// of standard input, which nobody can give a second time.
    pub(crate) fn has_results(&self) -> bool {
        self.file("read.checkpoint").exists()
            || ["exact", "stdin"].into_iter().any(|stage| self.is_done(stage))
    }

    /// Marks a stage as finished.
    pub(crate) fn mark_done(&self, stage: &str) -> Result<()> {
        self.write(&format!("{stage}.done"), b"")
    }

    /// Removes the folder: the job is finished, or not worth going on with.
    pub(crate) fn remove(self) -> Result<()> {
        self.clear()?;
        let lock = self.file(LOCK);
        fs::remove_file(&lock).map_err(BatchError::work(&lock))?;
        fs::remove_dir(&self.path).map_err(BatchError::work(&self.path))
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
    fn a_brief_job_ends_with_its_machine_and_a_lasting_one_does_not() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("work");
        let is_done = |is_lasting: bool, is_other_run: bool| {
            let folder = WorkFolder::open(&path, Existing::Replace).unwrap();
            folder.describe("a").unwrap();
            if is_lasting {
                folder.make_lasting().unwrap();
            }
            folder.mark_done("read").unwrap();
            if is_other_run && folder.file(BOOT).exists() {
                fs::write(folder.file(BOOT), "of another run").unwrap();
            }
            drop(folder);
            let folder = WorkFolder::open(&path, Existing::Resume).unwrap();
            assert_eq!(folder.was_resumed(), folder.is_done("read"));
            folder.is_done("read")
        };
        assert!(is_done(false, false) && is_done(true, false) && is_done(true, true));
        assert!(!is_done(false, true));
    }

    #[test]
    fn a_folder_with_other_things_in_it_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "precious").unwrap();
        fs::write(folder.path().join(LOCK), "of another program").unwrap();
        for existing in [Existing::Refuse, Existing::Resume, Existing::Replace] {
            assert!(matches!(WorkFolder::open(folder.path(), existing), Err(BatchError::NotOurs { .. })));
        }
        assert!(folder.path().join("thesis.txt").exists());
    }
}
