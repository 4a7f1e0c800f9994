//! The inputs in the order they were named, streams among them.

use std::collections::HashSet;
use std::fs::File;

use twindex_corpus::{
    Compression, CorpusError, Format, ReadOptions, STANDARD_STREAM, Source, is_stream, open_stream, resolve,
    spool, stream_format,
};

use crate::error::{BatchError, Result};
use crate::work::WorkFolder;

/// The files among `names`, without what can be read only once.
pub(crate) fn files(names: &[String], options: &ReadOptions) -> Result<Vec<Source>> {
    let files: Vec<String> = names.iter().filter(|name| !is_stream(name)).cloned().collect();
    if files.is_empty() { Ok(vec![]) } else { Ok(resolve(&files, options)?) }
}

/// What the sources are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Their documents can only be witnesses.
    Against,
    Input,
}

impl Role {
    /// As the job's description has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Against => "against",
            Role::Input => "input",
        }
    }
}

/// Refuses `-` for witnesses, because standard input may hold the documents, and streams that are
/// named twice.
pub(crate) fn check_streams(against: &[String], inputs: &[String]) -> Result<()> {
    if against.iter().any(|name| name == STANDARD_STREAM) {
        return Err(BatchError::AgainstStandardInput);
    }
    let mut seen = HashSet::new();
    for name in against.iter().chain(inputs).filter(|name| is_stream(name)) {
        if seen.insert(name) {
            continue;
        }
        if name == STANDARD_STREAM {
            return Err(BatchError::StandardInputTwice);
        }
        return Err(CorpusError::NamedTwice { path: name.into() }.into());
    }
    Ok(())
}

/// The formats of the inputs, as far as they are known before a stream is read.
pub(crate) fn known_formats(inputs: &[String], options: &ReadOptions) -> Result<Vec<Format>> {
    let streams = inputs.iter().filter(|input| is_stream(input));
    let mut formats: Vec<Format> =
        streams.filter_map(|stream| stream_format(stream, options.format)).collect();
    formats.extend(files(inputs, options)?.iter().map(|source| source.format));
    formats.dedup();
    Ok(formats)
}

/// All sources. What can be read only once is copied to the work folder, so that it can be read
/// twice and survives a kill.
pub(crate) fn all(
    role: Role,
    names: &[String],
    options: &ReadOptions,
    work: &WorkFolder,
) -> Result<Vec<Source>> {
    // All files at once, because a file that is named twice may be on both sides of a stream.
    let files = files(names, options)?;
    if let Some(source) = files.iter().find(|source| work.holds(&source.path)) {
        return Err(BatchError::InWorkFolder { path: source.path.clone() });
    }
    let streams = names.iter().filter(|name| is_stream(name)).count();
    if streams == 0 {
        return Ok(files);
    }
    let (mut sources, mut files) = (Vec::with_capacity(files.len() + streams), files.into_iter());
    let mut number = 0;
    for group in names.chunk_by(|left, right| !is_stream(left) && !is_stream(right)) {
        if is_stream(&group[0]) {
            sources.push(stream(role, number, &group[0], options.format, work)?);
            number += 1;
        } else {
            sources.extend(files.by_ref().take(resolve(group, options)?.len()));
        }
    }
    Ok(sources)
}

/// A resumed job goes on with the copy that it has.
fn stream(
    role: Role,
    number: usize,
    name: &str,
    format: Option<Format>,
    work: &WorkFolder,
) -> Result<Source> {
    let copy = match name {
        STANDARD_STREAM => "stdin".to_owned(),
        _ => format!("stream-{}-{number}", role.name()),
    };
    let path = work.file(&copy);
    if work.is_finished(&copy) {
        let again = work.file(&format!("{copy}.copy"));
        let stream = File::open(&path).map_err(BatchError::work(&path))?;
        let source = spool(&again, name, stream, format)?;
        std::fs::rename(&again, &path).map_err(BatchError::work(&path))?;
        return Ok(Source { path, ..source });
    }
    let source = spool(&path, name, open_stream(name)?, format)?;
    // It cannot be read a second time: the copy is a checkpoint.
    work.finish(&copy, &())?;
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
