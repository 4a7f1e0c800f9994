//! Where do the records of a web archive end?

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::CorpusError;
use crate::parse::head::RecordHead;
use crate::parse::warc;
use crate::position::Position;
use crate::reader::window::{Input, Window};
use crate::source::Source;
use crate::span::{Span, SpanBatch, Taken};

/// A record's own header is some hundred bytes; one without an end is no header.
const LONGEST_HEAD: usize = 1 << 20;

/// What ends a record. Some writers forget it at the end of a file.
const RECORD_END: &[u8] = b"\r\n\r\n";

/// Cuts a stream after WARC records.
pub(crate) struct WarcSplitter {
    pub(super) window: Window,
    next_record: u64,
}

impl WarcSplitter {
    pub(crate) fn new(source: &Arc<Source>, input: Input) -> Self {
        WarcSplitter { window: Window::new(source, input, false), next_record: 1 }
    }

    pub(crate) fn next(&mut self, target: usize) -> Result<Option<SpanBatch>, CorpusError> {
        let (mut rows, mut records, mut others) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut end = 0;
        while end < target.max(1) {
            let Some(record_end) = self.record(end, target)? else {
                // Only extra line breaks are left.
                end = self.window.bytes.len();
                break;
            };
            match warc::no_document(&self.window.bytes[end..record_end], self.window.longest) {
                None => rows.push(Span { start: end, end: record_end, number: self.next_record }),
                Some(reason) => *others.entry(reason).or_default() += 1,
            }
            records.push(record_end);
            self.next_record += 1;
            end = record_end;
        }
        if records.is_empty() {
            return Ok(None);
        }
        let source = Arc::clone(&self.window.source);
        let Taken { bytes, offset } = self.window.take(end);
        let (body, has_mark, header) = (0, false, None);
        Ok(Some(SpanBatch { source, bytes, offset, rows, records, others, body, has_mark, header }))
    }

    /// The end of the record that begins at `start`; `None` at the end of the file.
    fn record(&mut self, start: usize, target: usize) -> Result<Option<usize>, CorpusError> {
        let Some(block) = self.head_end(start, target)? else {
            return Ok(None);
        };
        let length = RecordHead::of(&self.window.bytes[start..]).content_length();
        let length = length.ok_or_else(|| self.bad("it has no valid Content-Length".to_owned()))?;
        let Some(end) = block.checked_add(length).filter(|_| length <= self.window.longest) else {
            self.window.check_length(self.next_record, usize::MAX)?;
            return Ok(None);
        };
        self.read_until(end + RECORD_END.len(), target)?;
        if self.window.bytes.len() < end {
            let detail = format!("record {} ends in the middle", self.next_record);
            return Err(CorpusError::Truncated { path: self.window.source.path.clone(), detail });
        }
        // Line breaks after a record are its own, also where a writer added some.
        loop {
            let after = &self.window.bytes[end..];
            let breaks = after.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if breaks < after.len() || self.window.ended {
                return Ok(Some(end + breaks));
            }
            self.window.read(target)?;
        }
    }

    /// Where the block begins, after the empty line that ends the header.
    fn head_end(&mut self, start: usize, target: usize) -> Result<Option<usize>, CorpusError> {
        let mut wanted = start + 1;
        let mut searched = 0;
        loop {
            self.read_until(wanted, target)?;
            let bytes = &self.window.bytes[start..];
            if bytes.trim_ascii_start().is_empty() && self.window.ended {
                return Ok(None);
            }
            if !warc::VERSION.starts_with(&bytes[..bytes.len().min(warc::VERSION.len())]) {
                // Any bytes may stand here, also some that a terminal obeys.
                let shown = bytes[..bytes.len().min(warc::VERSION.len())].escape_ascii();
                return Err(self.bad(format!("it begins with \"{shown}\" instead of \"WARC/\"")));
            }
            if let Some(length) = RecordHead::length_from(bytes, searched) {
                return Ok(Some(start + length));
            }
            if self.window.ended || bytes.len() > LONGEST_HEAD {
                let detail = format!("the header of record {} does not end", self.next_record);
                return Err(CorpusError::Truncated { path: self.window.source.path.clone(), detail });
            }
            searched = bytes.len();
            wanted = self.window.bytes.len() + 1;
        }
    }

    fn read_until(&mut self, length: usize, target: usize) -> Result<(), CorpusError> {
        if self.window.bytes.len() < length && !self.window.ended {
            let missing = length - self.window.bytes.len();
            self.window.read(missing.max(target))?;
        }
        Ok(())
    }

    fn bad(&self, detail: String) -> CorpusError {
        let position = Position::numbered(&self.window.source, self.next_record);
        CorpusError::BadRecord { position, detail }
    }
}
