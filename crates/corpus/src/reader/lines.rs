//! Where do the rows of a line format (JSON Lines, TSV, lines) end?

use std::sync::Arc;

use crate::error::CorpusError;
use crate::parse::delimited::Header;
use crate::reader::window::{Input, Window};
use crate::source::Source;
use crate::span::{BYTE_ORDER_MARK, NameColumns, Span, SpanBatch};

/// Cuts a stream after line breaks.
pub(crate) struct LineSplitter {
    pub(super) window: Window,
    /// The number of the line that the next batch begins with.
    next_line: u64,
    /// Whether the first line names the columns.
    has_header: bool,
    header: Option<Arc<Header>>,
    /// Rows of the batch before: about as many come again.
    expected: usize,
}

impl LineSplitter {
    pub(crate) fn new(source: &Arc<Source>, input: Input, has_header: bool, live: bool) -> Self {
        LineSplitter {
            window: Window::new(source, input, live),
            next_line: 1,
            has_header,
            header: None,
            expected: 0,
        }
    }

    pub(crate) fn next(&mut self, target: usize) -> Result<Option<SpanBatch>, CorpusError> {
        let cut = self.fill(target)?;
        if cut == 0 {
            return Ok(None);
        }
        let taken = self.window.take(cut);
        let has_mark = self.next_line == 1 && taken.bytes.starts_with(BYTE_ORDER_MARK);
        let body = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        let rows = self.spans(&taken.bytes, body);
        let name_columns: Option<NameColumns<'_>> =
            if self.has_header { Some(&Header::of_tabs) } else { None };
        let (source, header) = (&self.window.source, &mut self.header);
        Ok(Some(SpanBatch::new(source, taken, rows, has_mark, header, name_columns)))
    }

    /// Reads until a line is whole, and returns how many bytes end with one; 0 at the end.
    fn fill(&mut self, target: usize) -> Result<usize, CorpusError> {
        let mut wanted = target.saturating_sub(self.window.bytes.len());
        loop {
            // What is left over of the last batch has no line break, so only what is new is
            // searched.
            let searched = self.window.bytes.len();
            if !self.window.ended {
                self.window.read(wanted)?;
            }
            if self.window.ended {
                return Ok(self.window.bytes.len());
            }
            if let Some(found) = memchr::memrchr(b'\n', &self.window.bytes[searched..]) {
                return Ok(searched + found + 1);
            }
            self.window.check_length(self.next_line, self.window.bytes.len())?;
            wanted = Window::growth(self.window.bytes.len(), target);
        }
    }

    /// The lines of `bytes` from `start` that are not blank.
    fn spans(&mut self, bytes: &[u8], mut start: usize) -> Vec<Span> {
        let mut rows = Vec::with_capacity(self.expected + self.expected / 8);
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found + 1);
            if !bytes[start..end].trim_ascii_start().is_empty() {
                rows.push(Span { start, end, number: self.next_line });
            }
            self.next_line += 1;
            start = end;
        }
        self.expected = rows.len();
        rows
    }
}
