//! Outputs that are finished and wait for the end of the job.

use crate::error::CorpusError;
use crate::write::atomic::AtomicFile;
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
    /// Syncs the output and gives it its name.
    pub fn commit(self) -> Result<(), CorpusError> {
        Pending::commit_all([self])
    }

    /// Commits all outputs of a job: syncs every file first and renames them afterwards, so that a
    /// full disk is an error before the first rename. So is an output that another program wrote
    /// meanwhile.
    pub fn commit_all(outputs: impl IntoIterator<Item = Pending>) -> Result<(), CorpusError> {
        let mut outputs: Vec<Pending> = outputs.into_iter().collect();
        for output in &mut outputs {
            match &mut output.0 {
                Finished::File(file) => file.sync()?,
                Finished::Folder(folder) => folder.sync()?,
                Finished::Standard => {}
            }
        }
        for output in &outputs {
            match &output.0 {
                Finished::File(file) => file.target_must_be_unchanged()?,
                Finished::Folder(folder) => folder.target_must_be_unchanged()?,
                Finished::Standard => {}
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
                Finished::File(file) => file.sync_name()?,
                Finished::Folder(folder) => folder.sync_name()?,
                Finished::Standard => {}
            }
        }
        Ok(())
    }
}
