//! How is standard input read twice?

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::compression::{self, Compression};
use crate::error::CorpusError;
use crate::format::Format;
use crate::source::Source;

/// What people call it; default ids are `stdin:17`.
const NAME: &str = "stdin";

/// Longer than any magic number.
const SAMPLE: u64 = 64;

/// Copies a stream to the file `into`, so that it can be read more than once. How it is compressed
/// is seen from its first bytes; so is Parquet and WARC where no format is given, and anything else
/// is JSON Lines then.
pub fn spool_stdin(
    into: &Path,
    mut stream: impl Read,
    format: Option<Format>,
) -> Result<Source, CorpusError> {
    let mut sample = Vec::new();
    let mut copy = || -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(into)?);
        stream.by_ref().take(SAMPLE).read_to_end(&mut sample)?;
        file.write_all(&sample)?;
        io::copy(&mut stream, &mut file)?;
        // The stream cannot be read again: a job that goes on after a power cut needs all of the
        // copy.
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()
    };
    copy().map_err(|source| CorpusError::write(into, source))?;
    let compression = Compression::of_magic(&sample);
    let format = match format {
        Some(format) => format,
        None => sniff(into, compression)?,
    };
    let mut source = Source::of_file(into, Some(format))?;
    source.name = NAME.to_owned();
    source.relative = NAME.into();
    if compression != Compression::None {
        source.compression = compression;
    }
    if format == Format::Parquet && compression != Compression::None {
        return Err(CorpusError::CompressedParquet { path: NAME.into() });
    }
    Ok(source)
}

fn sniff(path: &Path, compression: Compression) -> Result<Format, CorpusError> {
    let mut start = Vec::new();
    let unpacked = compression::open(path, compression, &Default::default())?;
    unpacked.take(SAMPLE).read_to_end(&mut start).map_err(|source| CorpusError::read(path, source))?;
    Ok(if start.starts_with(b"PAR1") {
        Format::Parquet
    } else if start.starts_with(b"WARC/") {
        Format::Warc
    } else {
        Format::Jsonl
    })
}
