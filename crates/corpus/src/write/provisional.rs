//! The name under which an output is written until it is whole.
//!
//! `.NAME.ID.twindex-partial`, beside the target. The id is unique, and what has the name is
//! created by its writer alone, so two runs with one output never write into one file. The writer
//! holds a lock on it, which the system releases when the process ends, however it ends. So whoever
//! begins the same output can tell what a killed run left behind, which is removed, from a run that
//! is still writing, which keeps the output.
//!
//! Without locks (some network file systems) leftovers stay and a rival is noticed late: when the
//! target is no longer what it was when the output was begun.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::CorpusError;

/// The suffix of an unfinished output; its name begins with a dot.
pub(crate) const PARTIAL_SUFFIX: &str = ".twindex-partial";

/// Hexadecimal digits of an id: nanoseconds since 1970, so that ids sort by the time at which
/// outputs were begun, and a random number.
const ID_DIGITS: usize = 16 + 8;

/// The bits of a mode that are passed on: not setuid, setgid and sticky.
const PERMISSIONS: u32 = 0o777;
const GROUP: u32 = 0o070;

/// A file or folder with a provisional name. Dropped before it is renamed, it is removed.
#[derive(Debug)]
pub(crate) struct Provisional {
    target: PathBuf,
    path: PathBuf,
    /// The file, or the open folder; it holds the lock.
    handle: File,
    /// What had the target's name when this was begun.
    before: Option<Identity>,
    is_renamed: bool,
}

/// What is to be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
}

/// Device and inode: which file has a name.
type Identity = (u64, u64);

impl Provisional {
    /// Begins what will be called `target`, with the permissions of what has that name now. Fails
    /// if another run has begun it before.
    pub(crate) fn begin(target: &Path, kind: Kind) -> Result<Provisional, CorpusError> {
        let failed = |source| CorpusError::write(target, source);
        let name = target
            .file_name()
            .ok_or_else(|| failed(io::Error::new(io::ErrorKind::InvalidInput, "it has no file name")))?;
        let old = fs::metadata(target).ok();
        let id = new_id();
        let named = |id: &str| {
            let mut provisional = std::ffi::OsString::from(".");
            provisional.push(name);
            provisional.push(format!(".{id}{PARTIAL_SUFFIX}"));
            target.with_file_name(provisional)
        };
        let path = named(&id);
        // It has another name until it is locked: without a lock it would be taken for a leftover.
        let handle = create(&named(&format!("new-{id}")), &path, kind, old.as_ref()).map_err(failed)?;
        let begun = Provisional {
            target: target.to_owned(),
            path,
            handle,
            before: old.as_ref().map(identity),
            is_renamed: false,
        };
        begun.look_for_others()?;
        Ok(begun)
    }

    /// The present name.
    pub(crate) fn path(&self) -> &Path {
        if self.is_renamed { &self.target } else { &self.path }
    }

    /// The file, or the open folder.
    pub(crate) fn handle(&self) -> &File {
        &self.handle
    }

    /// Fails if the target is no longer what it was in the beginning.
    pub(crate) fn target_must_be_unchanged(&self) -> Result<(), CorpusError> {
        if fs::metadata(&self.target).ok().as_ref().map(identity) == self.before {
            return Ok(());
        }
        Err(CorpusError::OutputReplaced { path: self.target.clone() })
    }

    /// Gives it the target's name. What came to have that name meanwhile stays, and is an error.
    pub(crate) fn rename(&mut self) -> Result<(), CorpusError> {
        self.target_must_be_unchanged()?;
        let renamed = match self.before {
            Some(_) => fs::rename(&self.path, &self.target),
            None => rename_to_new(&self.path, &self.target),
        };
        match renamed {
            Ok(()) => {
                self.is_renamed = true;
                Ok(())
            }
            Err(error) if self.before.is_none() && error.kind() == io::ErrorKind::AlreadyExists => {
                Err(CorpusError::OutputReplaced { path: self.target.clone() })
            }
            Err(error) => Err(CorpusError::write(&self.target, error)),
        }
    }

    /// Removes what killed runs left of this output. Fails if a run is alive that began it before.
    fn look_for_others(&self) -> Result<(), CorpusError> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // A folder that may be written and not read does not tell.
        let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
            return Ok(());
        };
        let (Some(own), Some(name)) = (self.path.file_name(), self.target.file_name()) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let other = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            if other == own || !is_provisional(other.as_bytes(), name.as_bytes()) || kind.is_symlink() {
                continue;
            }
            let path = entry.path();
            let Ok(file) = File::open(&path) else { continue };
            match file.try_lock() {
                // What cannot be removed (it may be another user's) does no harm.
                Ok(()) if kind.is_dir() => drop(fs::remove_dir_all(&path)),
                Ok(()) => drop(fs::remove_file(&path)),
                // One that was begun later gives way itself.
                Err(TryLockError::WouldBlock) if other.as_bytes() < own.as_bytes() => {
                    return Err(CorpusError::OutputInUse { path: self.target.clone() });
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}

impl Drop for Provisional {
    fn drop(&mut self) {
        if self.is_renamed {
            return;
        }
        // A destructor cannot return an error, and the next run removes a leftover.
        let _ = match self.handle.metadata() {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&self.path),
            _ => fs::remove_file(&self.path),
        };
    }
}

/// Creates a file or folder that did not exist, locks it and renames it to `path`.
fn create(unlocked: &Path, path: &Path, kind: Kind, old: Option<&fs::Metadata>) -> io::Result<File> {
    let mode = old.map(|old| old.mode() & PERMISSIONS);
    let handle = match kind {
        Kind::File => {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            // Not even for a moment readable by more users than the old one.
            mode.map(|mode| options.mode(mode));
            options.open(unlocked)?
        }
        Kind::Folder => {
            let mut builder = DirBuilder::new();
            mode.map(|mode| builder.mode(mode));
            builder.create(unlocked)?;
            File::open(unlocked)?
        }
    };
    // A file system without locks does not hinder the job.
    let _ = handle.try_lock();
    if let (Some(old), Some(mode)) = (old, mode) {
        let own = handle.metadata()?;
        let is_same_group = own.gid() == old.gid() || fchown(&handle, None, Some(old.gid())).is_ok();
        // Another group does not get what this one had.
        let mode = if is_same_group { mode } else { mode & !GROUP };
        if own.uid() != old.uid() {
            // Only root may give a file away; what others write is theirs.
            let _ = fchown(&handle, Some(old.uid()), None);
        }
        handle.set_permissions(Permissions::from_mode(mode))?;
    }
    fs::rename(unlocked, path)?;
    Ok(handle)
}

/// Renames, but replaces nothing.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Not every file system can.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            renamed => return Ok(renamed?),
        }
    }
    fs::rename(from, to)
}

fn identity(metadata: &fs::Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

fn new_id() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let random = RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:08x}", since.as_nanos() as u64, random as u32)
}

/// Whether `name` is a provisional name of an output called `target`.
fn is_provisional(name: &[u8], target: &[u8]) -> bool {
    let id = name.strip_prefix(b".").and_then(|name| name.strip_prefix(target));
    let id = id.and_then(|name| name.strip_prefix(b".")?.strip_suffix(PARTIAL_SUFFIX.as_bytes()));
    id.is_some_and(|id| id.len() == ID_DIGITS && id.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let leftover = |target: &str| format!(".{target}.{}{PARTIAL_SUFFIX}", new_id());
        let others =
            [leftover("other"), leftover("out.txt"), format!(".out.x{PARTIAL_SUFFIX}"), "out.txt".into()];
        for name in &others {
            fs::write(folder.path().join(name), "not ours").unwrap();
        }
        fs::write(folder.path().join(leftover("out")), "half").unwrap();
        fs::create_dir_all(folder.path().join(leftover("out")).join("deep")).unwrap();
        for kind in [Kind::File, Kind::Folder] {
            drop(Provisional::begin(&target, kind).unwrap());
            let mut expected = others.clone();
            expected.sort();
            assert_eq!(names(folder.path()), expected);
        }
    }

    /// Many runs begin one output at once: one keeps it, and the others fail before they write.
    #[test]
    fn one_of_many_wins() {
        const RUNS: usize = 8;
        let folder = tempfile::tempdir().unwrap();
        for round in 0..50 {
            let target = folder.path().join(format!("out-{round}"));
            let barrier = std::sync::Barrier::new(RUNS);
            let run = || {
                barrier.wait();
                let begun = Provisional::begin(&target, Kind::File);
                barrier.wait();
                begun
            };
            let begun: Vec<_> = std::thread::scope(|scope| {
                let runs: Vec<_> = (0..RUNS).map(|_| scope.spawn(run)).collect();
                runs.into_iter().map(|run| run.join().unwrap()).collect()
            });
            let (winners, losers): (Vec<_>, Vec<_>) = begun.into_iter().partition(Result::is_ok);
            assert!(
                losers.iter().all(|lost| matches!(lost, Err(CorpusError::OutputInUse { .. }))),
                "{losers:?}"
            );
            // A thread that was stopped between its id and its file may win beside another; only
            // one of them gets the name.
            let mut named = 0;
            for winner in winners {
                match winner.unwrap().rename() {
                    Ok(()) => named += 1,
                    Err(error) => assert!(matches!(error, CorpusError::OutputReplaced { .. }), "{error}"),
                }
            }
            assert_eq!(named, 1);
        }
        assert_eq!(names(folder.path()).len(), 50, "{:?}", names(folder.path()));
    }
}
