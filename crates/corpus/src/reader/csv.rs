//! Where do the rows of a CSV file end? Line breaks inside quotes belong to their row.

use std::sync::Arc;

use csv_core::ReadRecordResult;

use crate::error::CorpusError;
use crate::parse::delimited::Header;
use crate::position::Position;
use crate::reader::window::{Input, Window};
use crate::source::Source;
use crate::span::{BYTE_ORDER_MARK, Span, SpanBatch};

/// The fields themselves are not wanted here, so these buffers are only overwritten.
const SCRATCH_BYTES: usize = 16 * 1024;
const SCRATCH_FIELDS: usize = 256;

/// Cuts a stream after CSV records.
pub(crate) struct CsvSplitter {
    pub(super) window: Window,
    delimiter: u8,
    automaton: csv_core::Reader,
    scratch: Box<[u8]>,
    scratch_ends: [usize; SCRATCH_FIELDS],
    started: bool,
    /// How much of the window the automaton has seen.
    seen: usize,
    /// The line on which what follows the last record begins.
    next_line: u64,
    header: Option<Arc<Header>>,
}

impl CsvSplitter {
    pub(crate) fn new(source: &Arc<Source>, input: Input, delimiter: u8) -> Self {
        CsvSplitter {
            window: Window::new(source, input, false),
            delimiter,
            automaton: automaton(delimiter),
            scratch: vec![0; SCRATCH_BYTES].into_boxed_slice(),
            scratch_ends: [0; SCRATCH_FIELDS],
            started: false,
            seen: 0,
            next_line: 1,
            header: None,
        }
    }

    pub(crate) fn next(&mut self, target: usize) -> Result<Option<SpanBatch>, CorpusError> {
        let first = !std::mem::replace(&mut self.started, true);
        if first {
            self.window.read(target.max(BYTE_ORDER_MARK.len()))?;
        }
        let has_mark = first && self.window.bytes.starts_with(BYTE_ORDER_MARK);
        let body = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        self.seen = body;
        let mut rows = Vec::new();
        let mut end = body;
        while end < target.max(1) {
            let Some(record_end) = self.record(end, target)? else {
                self.next_line += line_breaks(&self.window.bytes[end..]);
                end = self.window.bytes.len();
                break;
            };
            let record = &self.window.bytes[end..record_end];
            let start = end + blank_start(record);
            let number = self.next_line + line_breaks(&self.window.bytes[end..start]);
            rows.push(Span { start, end: record_end, number });
            self.next_line += line_breaks(record);
            end = record_end;
        }
        if end == 0 {
            return Ok(None);
        }
        let taken = self.window.take(end);
        self.seen = 0;
        let (source, header) = (&self.window.source, &mut self.header);
        let delimiter = self.delimiter;
        let name_columns = |raw: &[u8]| Header::of_csv(raw, delimiter);
        Ok(Some(SpanBatch::new(source, taken, rows, has_mark, header, Some(&name_columns))))
    }

    /// The end of the record that begins at `start`; `None` if only blank lines are left.
    fn record(&mut self, start: usize, target: usize) -> Result<Option<usize>, CorpusError> {
        loop {
            let unseen = &self.window.bytes[self.seen..];
            let waiting = unseen.is_empty() && !self.window.ended;
            if waiting {
                self.window.check_length(self.next_line, self.window.bytes.len() - start)?;
                self.window.read(Window::growth(self.window.bytes.len() - start, target))?;
                continue;
            }
            let at_end = unseen.is_empty();
            let (result, read, _, _) =
                self.automaton.read_record(unseen, &mut self.scratch, &mut self.scratch_ends);
            self.seen += read;
            match result {
                ReadRecordResult::Record if at_end => return self.last_record(start).map(Some),
                ReadRecordResult::Record => return self.after_line_break().map(Some),
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::InputEmpty
                | ReadRecordResult::OutputFull
                | ReadRecordResult::OutputEndsFull => {}
            }
        }
    }

    /// The automaton takes `\r` for the end of a row; a `\n` after it belongs to the same line
    /// break.
    fn after_line_break(&mut self) -> Result<usize, CorpusError> {
        if self.window.bytes[self.seen - 1] == b'\r' {
            if self.seen == self.window.bytes.len() && !self.window.ended {
                self.window.read(1)?;
            }
            if self.window.bytes.get(self.seen) == Some(&b'\n') {
                self.seen += 1;
            }
        }
        Ok(self.seen)
    }

    /// The automaton ends a record at the end of the file even inside quotes: a further line break
    /// tells whether the quotes are closed.
    fn last_record(&mut self, start: usize) -> Result<usize, CorpusError> {
        let mut probe = automaton(self.delimiter);
        let mut input: Vec<u8> = self.window.bytes[start..].to_vec();
        input.push(b'\n');
        let mut seen = 0;
        while seen < input.len() {
            let (result, read, _, _) =
                probe.read_record(&input[seen..], &mut self.scratch, &mut self.scratch_ends);
            seen += read;
            if matches!(result, ReadRecordResult::Record) {
                return Ok(self.window.bytes.len());
            }
        }
        let blank = blank_start(&input);
        let position = Position::numbered(&self.window.source, self.next_line + line_breaks(&input[..blank]));
        Err(CorpusError::UnclosedQuote { position })
    }
}

fn automaton(delimiter: u8) -> csv_core::Reader {
    csv_core::ReaderBuilder::new().delimiter(delimiter).build()
}

/// How many line breaks there are, a lone `\r` not counted: editors do not count it either.
fn line_breaks(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// How many bytes of blank lines are before a record; they are not its own.
fn blank_start(record: &[u8]) -> usize {
    record.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
}
