//! Outputs that are finished and wait for the end of the job.

use crate::error::CorpusError;
use crate::write::atomic::{self, AtomicFile};
use crate::write::folder::AtomicFolder;

/// A finished output that does not have its name yet. Dropped, it leaves nothing behind.
#[must_use = "an output that is not committed disappears"]
#[derive(Debug)]
pub struct Pending(pub(crate) Finished);

#[derive(Debug)]
pub(crate) enum Finished {
    File(AtomicFile),
    Folder(AtomicFolder),
    /// Standard output: what was written is gone already.
    Standard,
}

impl Pending {
    /// Puts the output in its place.
    pub fn commit(self) -> Result<(), CorpusError> {
        Pending::commit_all([self])
    }

    /// Puts all outputs of a job in their places: first every byte reaches the disk, then the names change one
    /// after another, so that a full disk shows before the first name has changed.
    pub fn commit_all(outputs: impl IntoIterator<Item = Pending>) -> Result<(), CorpusError> {
        let mut outputs: Vec<Pending> = outputs.into_iter().collect();
        for output in &mut outputs {
            match &mut output.0 {
                Finished::File(file) => file.sync()?,
                // Its files were brought there one by one.
                Finished::Folder(_) | Finished::Standard => {}
            }
        }
        for output in &mut outputs {
            match &mut output.0 {
                Finished::File(file) => file.rename()?,
                Finished::Folder(folder) => folder.rename()?,
                Finished::Standard => {}
            }
        }
        for output in &outputs {
            match &output.0 {
                Finished::File(file) => atomic::sync_folder(file.path())?,
                Finished::Folder(folder) => atomic::sync_folder(folder.path())?,
                Finished::Standard => {}
            }
        }
        Ok(())
    }
}
