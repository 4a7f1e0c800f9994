//! How are kept rows passed on?

use std::path::{Path, PathBuf};

use crate::STANDARD_STREAM;
use crate::compression::Compression;
use crate::error::CorpusError;
use crate::format::Format;
use crate::parse::columns::TableBatch;
use crate::parse::file::FileBatch;
use crate::source::Source;
use crate::span::SpanBatch;
use crate::stream::is_special;
use crate::write::bytes::{ByteSink, check_headers};
use crate::write::compressed::{self, CompressedWriter};
use crate::write::copy::RangeCopy;
use crate::write::folder::AtomicFolder;
use crate::write::parquet::{self, ParquetSink};
use crate::write::pending::{Finished, Pending};
use crate::write::table::push_json_string;

/// Writes kept rows exactly as they came.
///
/// Rows of one format go to a file of that format: text formats byte for byte, Parquet with all
/// columns. Where a file is a document, a folder receives copies of the kept files, and a `.jsonl`
/// file receives rows with `id` and `text`.
pub struct RowWriter {
    sink: Sink,
}

enum Sink {
    Bytes(ByteSink),
    Parquet(Box<ParquetSink>),
    Folder(AtomicFolder),
    /// File documents as JSON Lines.
    Documents(CompressedWriter),
}

impl RowWriter {
    /// Refuses an output whose name does not fit rows of `format`: rows are passed on, not
    /// converted. Opens nothing.
    pub fn check_name(path: &Path, format: Format) -> Result<(), CorpusError> {
        match format.is_file_per_document() {
            true if is_folder(path) => Ok(()),
            true => check_extension(path, Format::Jsonl, format),
            false => check_extension(path, format, format),
        }
    }

    /// Refuses an output that cannot hold the rows of all `sources`, which must have one format and
    /// the same columns. Opens nothing but the sources; returns their format.
    pub fn check(path: &Path, sources: &[Source]) -> Result<Format, CorpusError> {
        let format = one_format(sources)?.or(Format::of_path(path).0).unwrap_or(Format::Jsonl);
        RowWriter::check_name(path, format)?;
        match format {
            Format::Csv | Format::Tsv => check_headers(sources)?,
            Format::Parquet => parquet::check_schemas(sources)?,
            _ => {}
        }
        Ok(format)
    }

    /// Begins an output for rows of `sources`, which [must fit](RowWriter::check), at `path` (`-` =
    /// standard output).
    pub fn create(path: &Path, sources: &[Source]) -> Result<RowWriter, CorpusError> {
        let format = RowWriter::check(path, sources)?;
        let sink = if format.is_file_per_document() {
            if is_folder(path) {
                Sink::Folder(AtomicFolder::create(path, sources)?)
            } else {
                Sink::Documents(compressed::create_compressed(path)?)
            }
        } else {
            match format {
                Format::Parquet => match ParquetSink::create(path, sources)? {
                    Some(sink) => Sink::Parquet(Box::new(sink)),
                    None => Sink::Bytes(ByteSink::new(compressed::create_compressed(path)?)),
                },
                _ => Sink::Bytes(ByteSink::new(compressed::create_compressed(path)?)),
            }
        };
        Ok(RowWriter { sink })
    }

    /// Copies a source by ranges; `None` unless it is plain and its rows [stand
    /// alone](Format::rows_stand_alone), so that what is between two rows is rows.
    pub fn copy(&mut self, source: &Source) -> Result<Option<RangeCopy<'_>>, CorpusError> {
        match &mut self.sink {
            Sink::Bytes(sink) if is_copyable(source) => RangeCopy::new(sink, source).map(Some),
            _ => Ok(None),
        }
    }

    /// Flushes all buffers, for a reader at the other end of a pipe.
    pub fn flush(&mut self) -> Result<(), CorpusError> {
        match &mut self.sink {
            Sink::Bytes(sink) => sink.out().flush_all(),
            Sink::Documents(out) => out.flush_all(),
            Sink::Parquet(_) | Sink::Folder(_) => Ok(()),
        }
    }

    /// Writes what is left. The output appears when the result is committed.
    pub fn finish(self) -> Result<Pending, CorpusError> {
        match self.sink {
            Sink::Bytes(sink) => sink.into_out().finish(),
            Sink::Documents(out) => out.finish(),
            Sink::Parquet(sink) => sink.finish(),
            Sink::Folder(folder) => Ok(Pending(Finished::Folder(folder))),
        }
    }

    pub(crate) fn write_spans(&mut self, batch: &SpanBatch, keep: &[bool]) -> Result<(), CorpusError> {
        match &mut self.sink {
            Sink::Bytes(sink) => sink.write(batch, keep),
            _ => Err(self.unexpected(batch.source.format)),
        }
    }

    pub(crate) fn write_table(&mut self, batch: &TableBatch, keep: &[bool]) -> Result<(), CorpusError> {
        match &mut self.sink {
            Sink::Parquet(sink) => sink.write(batch, keep),
            _ => Err(self.unexpected(batch.source.format)),
        }
    }

    pub(crate) fn write_files(&mut self, batch: &FileBatch, keep: &[bool]) -> Result<(), CorpusError> {
        for (file, _) in batch.files.iter().zip(keep).filter(|(_, keep)| **keep) {
            match &mut self.sink {
                Sink::Folder(folder) => folder.copy(&file.source)?,
                Sink::Documents(out) => {
                    let mut line = String::from("{\"id\":");
                    push_json_string(&mut line, &file.source.name);
                    line.push_str(",\"text\":");
                    push_json_string(&mut line, &file.text());
                    line.push_str("}\n");
                    out.put(line.as_bytes())?;
                }
                _ => return Err(self.unexpected(file.source.format)),
            }
        }
        Ok(())
    }

    /// A batch of a source that the output was not made for.
    fn unexpected(&self, found: Format) -> CorpusError {
        let path = match &self.sink {
            Sink::Bytes(sink) => sink.path().to_owned(),
            Sink::Documents(out) => out.path().to_owned(),
            Sink::Parquet(sink) => sink.path().to_owned(),
            Sink::Folder(folder) => folder.path().to_owned(),
        };
        let expected = "rows of the sources that it was made for".to_owned();
        CorpusError::WrongOutput { path, what: format!("rows of {found} inputs"), expected }
    }
}

/// Whether a source can be copied by ranges.
fn is_copyable(source: &Source) -> bool {
    source.compression == Compression::None && source.format.rows_stand_alone()
}

/// Whether a path means a folder: by its final slash, by being one, or by having no extension.
fn is_folder(path: &Path) -> bool {
    if path.as_os_str() == STANDARD_STREAM || is_special(path) {
        return false;
    }
    path.to_string_lossy().ends_with(std::path::is_separator) || path.is_dir() || path.extension().is_none()
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

/// Refuses an output whose name does not promise `format` for rows of `input` format.
fn check_extension(path: &Path, format: Format, input: Format) -> Result<(), CorpusError> {
    // Devices and pipes take anything.
    let anything = path.as_os_str() == STANDARD_STREAM && format != Format::Parquet || is_special(path);
    if anything {
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
    let folder = if input.is_file_per_document() { "a folder, or " } else { "" };
    Err(CorpusError::WrongOutput {
        path: PathBuf::from(path),
        what: format!("rows of {input} inputs, which are passed on as they are"),
        expected: format!("{folder}a name with {}{packed}", names.join(" or ")),
    })
}
