//! The inputs in the order they were named, standard input among them.

use std::fs::File;
use std::io;

use twindex_corpus::{Compression, Format, ReadOptions, STANDARD_STREAM, Source, resolve, spool_stdin};

use crate::error::{BatchError, Result};
use crate::work::WorkFolder;

/// The files among `names`, without standard input.
pub(crate) fn files(names: &[String], options: &ReadOptions) -> Result<Vec<Source>> {
    let files: Vec<String> = names.iter().filter(|name| *name != STANDARD_STREAM).cloned().collect();
    if files.is_empty() { Ok(vec![]) } else { Ok(resolve(&files, options)?) }
}

/// Sources of witnesses: files only, because standard input may hold the documents.
pub(crate) fn against(names: &[String], options: &ReadOptions) -> Result<Vec<Source>> {
    if names.iter().any(|name| name == STANDARD_STREAM) {
        return Err(BatchError::AgainstStandardInput);
    }
    files(names, options)
}

/// All inputs. Standard input is copied to the work folder, so that it can be read twice and
/// survives a kill.
pub(crate) fn inputs(names: &[String], options: &ReadOptions, work: &WorkFolder) -> Result<Vec<Source>> {
    let mut parts = names.split(|name| name == STANDARD_STREAM);
    let before = parts.next().unwrap_or_default();
    let has_standard_input = parts.next().is_some();
    if parts.next().is_some() {
        return Err(BatchError::StandardInputTwice);
    }
    // All files at once, because a file that is named twice may be on both sides of standard input.
    let mut sources = files(names, options)?;
    if let Some(source) = sources.iter().find(|source| work.holds(&source.path)) {
        return Err(BatchError::InWorkFolder { path: source.path.clone() });
    }
    if has_standard_input {
        let at = files(before, options)?.len();
        sources.insert(at, standard_input(work, options.format)?);
    }
    Ok(sources)
}

/// A resumed job goes on with the copy that it has.
fn standard_input(work: &WorkFolder, format: Option<Format>) -> Result<Source> {
    let path = work.file("stdin");
    if work.is_finished("stdin") {
        let copy = work.file("stdin.copy");
        let stream = File::open(&path).map_err(BatchError::work(&path))?;
        let source = spool_stdin(&copy, stream, format)?;
        std::fs::rename(&copy, &path).map_err(BatchError::work(&path))?;
        return Ok(Source { path, ..source });
    }
    let source = spool_stdin(&path, io::stdin().lock(), format)?;
    // It cannot be read a second time: the copy is the first checkpoint.
    work.finish("stdin", &())?;
    work.checkpoint()?;
    Ok(source)
}

/// About how many bytes a file unpacks to.
pub(crate) fn unpacked_bytes(source: &Source) -> u64 {
    /// Text unpacks to three to six times its size.
    const UNPACKED: u64 = 4;
    if source.compression == Compression::None { source.bytes } else { source.bytes * UNPACKED }
}

/// Fails if a file has changed since it was resolved.
pub(crate) fn must_be_unchanged(sources: &[Source]) -> Result<()> {
    for source in sources {
        let now = Source::of_file(&source.path, Some(source.format))?;
        if (now.bytes, now.modified) != (source.bytes, source.modified) {
            return Err(BatchError::InputChanged { name: source.name.clone() });
        }
    }
    Ok(())
}
