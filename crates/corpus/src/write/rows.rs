//! How are kept rows passed on?

use std::path::{Path, PathBuf};

use crate::compression::Compression;
use crate::error::CorpusError;
use crate::format::Format;
use crate::source::Source;
use crate::span::SpanBatch;
use crate::write::bytes::ByteSink;
use crate::write::compressed::{self, STANDARD_OUTPUT};
use crate::write::pending::Pending;

/// Writes kept rows exactly as they came.
pub struct RowWriter {
    sink: Sink,
}

enum Sink {
    Bytes(ByteSink),
}

impl RowWriter {
    /// Begins an output for rows of `sources`, which must all have one format, at `path` (`-` = standard output).
    ///
    /// The path's extension must fit: rows are passed on, not converted.
    pub fn create(path: &Path, sources: &[Source]) -> Result<RowWriter, CorpusError> {
        let format = one_format(sources)?.or(Format::of_path(path).0).unwrap_or(Format::Jsonl);
        check_extension(path, format)?;
        Ok(RowWriter { sink: Sink::Bytes(ByteSink::new(compressed::create_compressed(path)?)) })
    }

    /// Hands on what is buffered, for a reader that waits at the other end of a pipe.
    pub fn flush(&mut self) -> Result<(), CorpusError> {
        match &mut self.sink {
            Sink::Bytes(sink) => sink.out().flush_all(),
        }
    }

    /// Writes what is left. The output appears when the result is committed.
    pub fn finish(self) -> Result<Pending, CorpusError> {
        match self.sink {
            Sink::Bytes(sink) => sink.into_out().finish(),
        }
    }

    pub(crate) fn write_spans(&mut self, batch: &SpanBatch, keep: &[bool]) -> Result<(), CorpusError> {
        match &mut self.sink {
            Sink::Bytes(sink) => sink.write(batch, keep),
        }
    }
}

/// The format that all sources share; `None` if there are no sources.
fn one_format(sources: &[Source]) -> Result<Option<Format>, CorpusError> {
    let Some(first) = sources.first() else {
        return Ok(None);
    };
    match sources.iter().find(|source| source.format != first.format) {
        None => Ok(Some(first.format)),
        Some(second) => Err(CorpusError::MixedFormats {
            first: first.path.clone(),
            first_format: first.format,
            second: second.path.clone(),
            second_format: second.format,
        }),
    }
}

/// Refuses an output whose name promises another format.
fn check_extension(path: &Path, format: Format) -> Result<(), CorpusError> {
    if path.as_os_str() == STANDARD_OUTPUT || is_special(path) {
        return Ok(());
    }
    let name = path.to_string_lossy().to_lowercase();
    let (stem, compression) = Compression::split_extension(&name);
    let fits = format.extensions().any(|extension| stem.ends_with(&format!(".{extension}")));
    if fits && (format != Format::Parquet || compression == Compression::None) {
        return Ok(());
    }
    let names: Vec<String> = format.extensions().map(|extension| format!(".{extension}")).collect();
    let packed = if format == Format::Parquet { "" } else { ", each also with .gz or .zst" };
    Err(CorpusError::WrongOutput {
        path: PathBuf::from(path),
        what: format!("rows of {format} inputs, which are passed on as they are"),
        expected: format!("a name with {}{packed}", names.join(" or ")),
    })
}

/// Devices and pipes take anything.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}
