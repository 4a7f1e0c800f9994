//! The outputs: begun before a job of hours, not after it.

mod columns;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use twindex_corpus::{
    CompressedWriter, CorpusError, Format, RowWriter, STANDARD_STREAM, Source, TableWriter,
    create_compressed, is_special,
};

use crate::error::{BatchError, Result};
use crate::job::Job;
use crate::work::WorkFolder;

pub use columns::removed_columns;

/// Refuses names that do not fit what is written, before the first row is read and before a stream
/// is copied; `formats` are those of the inputs, as far as they are known by then.
pub(crate) fn check_names(job: &Job, formats: &[Format]) -> Result<()> {
    let outputs = &job.outputs;
    // Inputs of several formats have an error of their own.
    if let (Some(path), [format]) = (&outputs.kept, formats) {
        RowWriter::check_name(path, *format)?;
    }
    for path in [&outputs.removed, &outputs.pairs, &outputs.clusters].into_iter().flatten() {
        TableWriter::check_name(path)?;
    }
    Ok(())
}

/// The outputs of a job. Those that are files are begun at its start, which shows folders that are
/// not empty, missing permissions, inputs whose rows do not fit into one file and another run that
/// writes the same file. All others, such as a pipe, are opened when they are written: what is
/// written to them cannot be taken back.
#[derive(Default)]
pub(crate) struct Begun {
    kept: Option<RowWriter>,
    removed: Option<TableWriter>,
    pairs: Option<TableWriter>,
    clusters: Option<TableWriter>,
    report: Option<CompressedWriter>,
}

impl Begun {
    /// Begins the outputs that are files.
    pub(crate) fn new(job: &Job, inputs: &[Source], work: &WorkFolder) -> Result<Begun> {
        let outputs = &job.outputs;
        for output in [&outputs.kept, &outputs.removed, &outputs.pairs, &outputs.clusters, &outputs.report] {
            if let Some(path) = place(output)?
                && let Some(folder) = path.parent().and_then(|folder| fs::canonicalize(or_here(folder)).ok())
                && (work.holds(&folder) || fs::canonicalize(path).is_ok_and(|path| work.holds(&path)))
            {
                return Err(BatchError::InWorkFolder { path: path.to_owned() });
            }
        }
        let mut begun = Begun::default();
        if place(&outputs.kept)?.is_some() {
            begun.kept = begun.kept(job, inputs)?;
        } else if let Some(path) = &outputs.kept {
            RowWriter::check(path, inputs)?;
        }
        if place(&outputs.removed)?.is_some() {
            begun.removed = begun.removed(job)?;
        }
        if place(&outputs.pairs)?.is_some() {
            begun.pairs = begun.pairs(job)?;
        }
        if place(&outputs.clusters)?.is_some() {
            begun.clusters = begun.clusters(job)?;
        }
        if place(&outputs.report)?.is_some() {
            begun.report = begun.report(job)?;
        }
        Ok(begun)
    }

    /// The kept rows, if they are wanted.
    pub(crate) fn kept(&mut self, job: &Job, inputs: &[Source]) -> Result<Option<RowWriter>> {
        begun_or(&mut self.kept, &job.outputs.kept, |path| RowWriter::create(path, inputs))
    }

    /// The removed documents.
    pub(crate) fn removed(&mut self, job: &Job) -> Result<Option<TableWriter>> {
        let columns = columns::removed(job.outputs.removed_rows);
        begun_or(&mut self.removed, &job.outputs.removed, |path| TableWriter::create(path, &columns))
    }

    /// The pairs.
    pub(crate) fn pairs(&mut self, job: &Job) -> Result<Option<TableWriter>> {
        begun_or(&mut self.pairs, &job.outputs.pairs, |path| TableWriter::create(path, &columns::pairs()))
    }

    /// The clusters.
    pub(crate) fn clusters(&mut self, job: &Job) -> Result<Option<TableWriter>> {
        let columns = columns::clusters();
        begun_or(&mut self.clusters, &job.outputs.clusters, |path| TableWriter::create(path, &columns))
    }

    /// The report.
    pub(crate) fn report(&mut self, job: &Job) -> Result<Option<CompressedWriter>> {
        begun_or(&mut self.report, &job.outputs.report, create_compressed)
    }
}

/// Takes what was begun, or opens it now.
fn begun_or<W>(
    begun: &mut Option<W>,
    path: &Option<PathBuf>,
    open: impl FnOnce(&Path) -> std::result::Result<W, CorpusError>,
) -> Result<Option<W>> {
    match begun.take() {
        Some(begun) => Ok(Some(begun)),
        None => Ok(path.as_deref().map(open).transpose()?),
    }
}

/// A path without a folder lies in the current one.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// The path of an output that is a regular file, its folder created. Others, such as a named pipe,
/// can be opened only once.
fn place(output: &Option<PathBuf>) -> Result<Option<&Path>> {
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
