//! Kept rows of text formats: byte for byte, one source after another.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::CorpusError;
use crate::format::Format;
use crate::parse::delimited::Header;
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
    header: Option<(Arc<Header>, PathBuf)>,
}

impl ByteSink {
    pub(crate) fn new(out: CompressedWriter) -> ByteSink {
        ByteSink { out, is_empty: true, last: None, header: None }
    }

    pub(crate) fn write(&mut self, batch: &SpanBatch, keep: &[bool]) -> Result<(), CorpusError> {
        // A byte order mark in the middle of a file would be a character of the first field after
        // it.
        if batch.has_mark && self.is_empty {
            self.out.put(BYTE_ORDER_MARK)?;
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
        // What people call it: the rows may come from a copy.
        let name = || PathBuf::from(&batch.source.name);
        if let Some((written, first)) = &self.header {
            if Arc::ptr_eq(written, header) || written.names == header.names {
                return Ok(());
            }
            let difference = first_difference(&written.names, &header.names);
            let (first, second) = (first.clone(), name());
            return Err(CorpusError::DifferentColumns { first, second, difference });
        }
        self.put(&batch.source, &header.raw)?;
        self.header = Some((Arc::clone(header), name()));
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
        if let Some((last_source, false)) = &self.last
            && !Arc::ptr_eq(last_source, source)
        {
            self.out.put(b"\n")?;
        }
        self.out.put(bytes)?;
        self.is_empty = false;
        let ends_line = *last_byte == b'\n' || (*last_byte == b'\r' && source.format == Format::Csv);
        self.last = Some((Arc::clone(source), ends_line));
        Ok(())
    }
}

/// Says where two lists of columns part.
pub(crate) fn first_difference(first: &[String], second: &[String]) -> String {
    let parting = first.iter().zip(second).position(|(left, right)| left != right);
    let at = parting.unwrap_or(first.len().min(second.len()));
    let name = |names: &[String]| names.get(at).map_or("nothing".to_owned(), |name| format!("\"{name}\""));
    format!("column {} is {} in the first and {} in the second", at + 1, name(first), name(second))
}
