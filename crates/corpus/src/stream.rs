//! What can be read only once?

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::STANDARD_STREAM;
use crate::error::CorpusError;
use crate::format::Format;
use crate::source::Source;
use crate::stdin::spool_stdin;

/// Whether an input can be read only once: `-` (standard input), and whatever has a name and is
/// neither a file nor a folder, such as a named pipe or the shell's `<(command)`.
pub fn is_stream(input: &str) -> bool {
    input == STANDARD_STREAM || is_special(Path::new(input))
}

/// Whether a path leads to a device, a pipe or a socket.
pub fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Opens a stream. Opening a named pipe waits for its writer.
pub fn open_stream(input: &str) -> Result<Box<dyn Read + Send>, CorpusError> {
    if input == STANDARD_STREAM {
        return Ok(Box::new(io::stdin()));
    }
    let path = Path::new(input);
    Ok(Box::new(File::open(path).map_err(|source| CorpusError::open(path, source))?))
}

/// The format of a stream: the given one, else what its name says.
pub fn stream_format(input: &str, given: Option<Format>) -> Option<Format> {
    given.or_else(|| Format::of_path(Path::new(input)).0)
}

/// Copies a stream to the file `into`, so that it can be read more than once. Its format is the
/// given one, what its name says, or else what its first bytes show.
pub fn spool(
    into: &Path,
    input: &str,
    stream: impl Read,
    format: Option<Format>,
) -> Result<Source, CorpusError> {
    let source = spool_stdin(into, stream, stream_format(input, format))?;
    if input == STANDARD_STREAM {
        return Ok(source);
    }
    let relative = Path::new(input).file_name().map(PathBuf::from).unwrap_or_default();
    Ok(Source { name: input.to_owned(), relative, ..source })
}
