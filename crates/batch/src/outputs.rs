//! Can every output be written? Checked before a job of hours, not after it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use twindex_corpus::{AtomicFile, CorpusError, RowWriter, STANDARD_STREAM, Source, TableWriter};

use crate::error::{BatchError, Result};
use crate::job::Job;
use crate::work::WorkFolder;

/// Begins every output and removes it again, except its folder. That shows wrong extensions,
/// folders that are not empty and missing permissions.
///
/// The caller holds the lock of the work folder: beginning an output removes what another process
/// has written of it.
pub(crate) fn check(job: &Job, inputs: &[Source], work: &WorkFolder) -> Result<()> {
    let outputs = &job.outputs;
    for output in [&outputs.kept, &outputs.removed, &outputs.pairs, &outputs.clusters, &outputs.report] {
        if let Some(path) = place(output)?
            && let Some(folder) = path.parent().and_then(|folder| fs::canonicalize(or_here(folder)).ok())
            && (work.holds(&folder) || fs::canonicalize(path).is_ok_and(|path| work.holds(&path)))
        {
            return Err(BatchError::InWorkFolder { path: path.to_owned() });
        }
    }
    if let Some(path) = place(&outputs.kept)? {
        drop(RowWriter::create(path, inputs)?);
    }
    for output in [&outputs.removed, &outputs.pairs, &outputs.clusters] {
        if let Some(path) = place(output)? {
            drop(TableWriter::create(path, &[])?);
        }
    }
    if let Some(path) = place(&outputs.report)? {
        drop(AtomicFile::create(path)?);
    }
    Ok(())
}

/// A path without a folder lies in the current one.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// The path of an output that is a regular file, its folder created. Others, such as a named pipe,
/// can be opened only once.
fn place(output: &Option<PathBuf>) -> Result<Option<&Path>> {
    let is_special = |path: &&Path| path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir());
    let is_standard = |path: &&Path| path.as_os_str() == STANDARD_STREAM;
    let path = output.as_deref().filter(|path| !is_standard(path) && !is_special(path));
    if let Some(path) = path
        && let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder).map_err(|source| {
            // Something exists there, and it is a file.
            let is_file = source.kind() == io::ErrorKind::AlreadyExists;
            let source = if is_file { io::ErrorKind::NotADirectory.into() } else { source };
            CorpusError::Write { path: path.to_owned(), source }
        })?;
    }
    Ok(path)
}
