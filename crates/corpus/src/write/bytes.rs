//! Kept rows of text formats: byte for byte, one source after another.

use std::path::Path;
use std::sync::Arc;

use crate::error::CorpusError;
use crate::format::Format;
use crate::parse::delimited::Header;
use crate::reader;
use crate::source::Source;
use crate::span::{BYTE_ORDER_MARK, SpanBatch};
use crate::write::compressed::CompressedWriter;

/// Where the kept bytes go.
pub(crate) struct ByteSink {
    out: CompressedWriter,
    is_empty: bool,
    /// The source that was written last, and whether its last byte ended a line. A source without a
    /// final line break gets one only when another follows.
    last: Option<(Arc<Source>, bool)>,
    /// The header that was written, and whose it is.
    header: Option<(Arc<Header>, Arc<Source>)>,
}

impl ByteSink {
    pub(crate) fn new(out: CompressedWriter) -> ByteSink {
        ByteSink { out, is_empty: true, last: None, header: None }
    }

    pub(crate) fn write(&mut self, batch: &SpanBatch, keep: &[bool]) -> Result<(), CorpusError> {
        if batch.has_mark {
            self.begin_with_mark()?;
        }
        self.write_header(batch)?;
        if batch.source.format == Format::Warc {
            return self.write_records(batch, keep);
        }
        for stretch in batch.kept(keep) {
            self.put(&batch.source, stretch)?;
        }
        Ok(())
    }

    /// Writes the byte order mark of a source, unless that is in the middle of the output, where it
    /// would be a character of the first field after it.
    pub(crate) fn begin_with_mark(&mut self) -> Result<(), CorpusError> {
        if self.is_empty { self.out.put(BYTE_ORDER_MARK) } else { Ok(()) }
    }

    pub(crate) fn out(&mut self) -> &mut CompressedWriter {
        &mut self.out
    }

    pub(crate) fn path(&self) -> &Path {
        self.out.path()
    }

    pub(crate) fn into_out(self) -> CompressedWriter {
        self.out
    }

    fn write_header(&mut self, batch: &SpanBatch) -> Result<(), CorpusError> {
        let Some(header) = &batch.header else {
            return Ok(());
        };
        if let Some((written, first)) = &self.header {
            return must_be_equal(written, first, header, &batch.source);
        }
        self.put(&batch.source, &header.raw)?;
        self.header = Some((Arc::clone(header), Arc::clone(&batch.source)));
        Ok(())
    }

    /// Each record becomes a member of its own, as ISO 28500 recommends for compressed archives.
    fn write_records(&mut self, batch: &SpanBatch, keep: &[bool]) -> Result<(), CorpusError> {
        for record in batch.kept_records(keep) {
            self.out.put(record)?;
            self.out.end_member()?;
        }
        Ok(())
    }

    fn put(&mut self, source: &Arc<Source>, bytes: &[u8]) -> Result<(), CorpusError> {
        let Some(last_byte) = bytes.last() else {
            return Ok(());
        };
        self.end_line_of_another(source)?;
        self.out.put(bytes)?;
        self.wrote(source, *last_byte == b'\n' || (*last_byte == b'\r' && source.format == Format::Csv));
        Ok(())
    }

    /// Ends the last line, if it is of another source than what comes next.
    pub(crate) fn end_line_of_another(&mut self, next: &Arc<Source>) -> Result<(), CorpusError> {
        match &self.last {
            Some((source, false)) if !Arc::ptr_eq(source, next) => self.out.put(b"\n"),
            _ => Ok(()),
        }
    }

    /// Notes whose bytes were written last, and whether they end a line.
    pub(crate) fn wrote(&mut self, source: &Arc<Source>, ends_line: bool) {
        self.is_empty = false;
        self.last = Some((Arc::clone(source), ends_line));
    }
}

/// Refuses sources whose columns are not those of the first, before any row is read.
pub(crate) fn check_headers(sources: &[Source]) -> Result<(), CorpusError> {
    let mut first: Option<(Arc<Header>, Arc<Source>)> = None;
    for source in sources {
        let source = Arc::new(source.clone());
        let Some(header) = reader::header_of(&source)? else { continue };
        match &first {
            Some((columns, of)) => must_be_equal(columns, of, &header, &source)?,
            None => first = Some((header, source)),
        }
    }
    Ok(())
}

fn must_be_equal(
    left: &Arc<Header>,
    first: &Source,
    right: &Arc<Header>,
    second: &Source,
) -> Result<(), CorpusError> {
    if Arc::ptr_eq(left, right) || left.names == right.names {
        return Ok(());
    }
    let difference = first_difference(&left.names, &right.names);
    // What people call them: the rows may come from a copy.
    let (first, second) = (first.name.clone().into(), second.name.clone().into());
    Err(CorpusError::DifferentColumns { first, second, difference })
}

/// Says where two lists of columns part.
pub(crate) fn first_difference(first: &[String], second: &[String]) -> String {
    let parting = first.iter().zip(second).position(|(left, right)| left != right);
    let at = parting.unwrap_or(first.len().min(second.len()));
    let name = |names: &[String]| names.get(at).map_or("nothing".to_owned(), |name| format!("\"{name}\""));
    format!("column {} is {} in the first and {} in the second", at + 1, name(first), name(second))
}
