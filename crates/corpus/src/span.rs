//! Rows as stretches of raw bytes: what a batch of any text format is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::parse::delimited::Header;
use crate::position::Position;
use crate::row_file::RowPlace;
use crate::source::Source;

/// What some programs write before UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads the row that names the columns.
pub(crate) type NameColumns<'a> = &'a dyn Fn(&[u8]) -> Arc<Header>;

/// One row: its bytes with the line break, and its line or record number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) number: u64,
}

/// Consecutive bytes of one source, and where they begin in it, unpacked.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) bytes: Vec<u8>,
    pub(crate) offset: u64,
}

/// Consecutive bytes of one source with the rows in them. Bytes from `body` on that belong to no
/// row (blank lines, records that are no documents) are passed on whatever is kept.
#[derive(Debug)]
pub(crate) struct SpanBatch {
    pub(crate) source: Arc<Source>,
    pub(crate) bytes: Vec<u8>,
    /// Where they begin in the source, unpacked.
    pub(crate) offset: u64,
    pub(crate) rows: Vec<Span>,
    /// Where each record ends, in formats with records that are no documents (WARC).
    pub(crate) records: Vec<usize>,
    /// How many of these are no documents, by reason.
    pub(crate) others: BTreeMap<String, u64>,
    /// Where the rows begin: after the byte order mark and the header.
    pub(crate) body: usize,
    /// Whether a byte order mark was before them.
    pub(crate) has_mark: bool,
    pub(crate) header: Option<Arc<Header>>,
}

impl SpanBatch {
    /// Rows of a format without records that are no documents. Where the first row of a source
    /// names the columns, `name_columns` reads it; it is taken out of the rows and kept in `header`
    /// for the batches that follow.
    pub(crate) fn new(
        source: &Arc<Source>,
        Taken { bytes, offset }: Taken,
        mut rows: Vec<Span>,
        has_mark: bool,
        header: &mut Option<Arc<Header>>,
        name_columns: Option<NameColumns<'_>>,
    ) -> SpanBatch {
        let mut body = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        if let (None, Some(name_columns), false) = (&header, name_columns, rows.is_empty()) {
            let first = rows.remove(0);
            body = first.end;
            *header = Some(name_columns(&bytes[first.start..first.end]));
        }
        let source = Arc::clone(source);
        let header = header.clone();
        let (records, others) = (Vec::new(), BTreeMap::new());
        SpanBatch { source, bytes, offset, rows, records, others, body, has_mark, header }
    }

    pub(crate) fn position(&self, row: usize) -> Position {
        Position::numbered(&self.source, self.rows[row].number)
    }

    /// Where a row lies in the unpacked source.
    pub(crate) fn place(&self, row: usize) -> RowPlace {
        let Span { start, end, .. } = self.rows[row];
        RowPlace { offset: self.offset + start as u64, length: (end - start) as u32 }
    }

    /// The raw bytes of a row with its line break.
    pub(crate) fn raw(&self, row: usize) -> &[u8] {
        &self.bytes[self.rows[row].start..self.rows[row].end]
    }

    /// The raw bytes of a row without its line break.
    pub(crate) fn line(&self, row: usize) -> &[u8] {
        &self.bytes[self.line_range(row)]
    }

    /// Where they are.
    pub(crate) fn line_range(&self, row: usize) -> Range<usize> {
        let raw = self.raw(row);
        let line = raw.strip_suffix(b"\n").unwrap_or(raw);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = self.rows[row].start;
        start..start + line.len()
    }

    /// The stretches that remain when the rows that are not kept are cut out.
    pub(crate) fn kept(&self, keep: &[bool]) -> Vec<&[u8]> {
        let mut stretches = Vec::new();
        let mut from = self.body;
        for (row, _) in self.rows.iter().zip(keep).filter(|(_, keep)| !**keep) {
            stretches.push(&self.bytes[from..row.start]);
            from = row.end;
        }
        stretches.push(&self.bytes[from..]);
        stretches.retain(|stretch| !stretch.is_empty());
        stretches
    }

    /// The same for records: each record that is no document, and each that is kept.
    pub(crate) fn kept_records(&self, keep: &[bool]) -> Vec<&[u8]> {
        let mut dropped =
            self.rows.iter().zip(keep).filter(|(_, keep)| !**keep).map(|(row, _)| row.start).peekable();
        let mut kept = Vec::new();
        let mut start = 0;
        for &end in &self.records {
            if dropped.next_if_eq(&start).is_none() {
                kept.push(&self.bytes[start..end]);
            }
            start = end;
        }
        kept
    }
}
