//! Kept rows of a plain file, copied by ranges.
//!
//! Where the rows lie that do not stay is known from the first pass, so everything between them is
//! copied as it is, without looking for rows: large ranges by the system, which moves them from
//! file to file (`copy_file_range`), small ones through a buffer that neighbours share. The result
//! is what [`Batch::write_selected`](crate::Batch::write_selected) writes.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::error::CorpusError;
use crate::row_file::RowPlace;
use crate::source::Source;
use crate::span::BYTE_ORDER_MARK;
use crate::write::bytes::ByteSink;

/// Ranges of this size are left to the system: fewer bytes would not pay for two system calls.
const LARGE: u64 = 256 << 10;

/// The most that is copied, and the least, between two reports of progress.
const STEP: u64 = 64 << 20;
const LEAST_STEP: u64 = 1 << 20;

/// The size of the buffer.
const BUFFER: usize = 1 << 20;

/// A plain source whose rows stand alone, on its way to an output.
pub struct RangeCopy<'w> {
    sink: &'w mut ByteSink,
    source: Arc<Source>,
    file: File,
    /// Where the rest of it begins.
    from: u64,
    /// What was reported of it.
    reported: u64,
    /// Some bytes of the file, and where they begin.
    buffer: Vec<u8>,
    buffer_start: u64,
}

impl<'w> RangeCopy<'w> {
    pub(crate) fn new(sink: &'w mut ByteSink, source: &Source) -> Result<Self, CorpusError> {
        let file = File::open(&source.path).map_err(|error| CorpusError::open(&source.path, error))?;
        let source = Arc::new(source.clone());
        let mut copy =
            RangeCopy { sink, source, file, from: 0, reported: 0, buffer: vec![], buffer_start: 0 };
        let start = copy.hold(0)?;
        if copy.buffer[start].starts_with(BYTE_ORDER_MARK) {
            copy.sink.begin_with_mark()?;
            copy.from = BYTE_ORDER_MARK.len() as u64;
        }
        Ok(copy)
    }

    /// Copies what is before a row, and leaves the row out. Rows come in their order. False if no
    /// row begins there: the file is not what it was.
    pub fn leave_out(&mut self, row: RowPlace, progress: impl FnMut(u64)) -> Result<bool, CorpusError> {
        let is_ahead = self.from <= row.offset && row.offset + u64::from(row.length) <= self.source.bytes;
        if !is_ahead {
            return Ok(false);
        }
        let is_between_rows = self.from == row.offset || self.copy_to(row.offset, progress)? == Some(b'\n');
        self.from = row.offset + u64::from(row.length);
        Ok(is_between_rows)
    }

    /// Copies the rest. False if the file has become shorter.
    pub fn finish(mut self, progress: impl FnMut(u64)) -> Result<bool, CorpusError> {
        let end = self.source.bytes;
        Ok(self.from == end || self.copy_to(end, progress)?.is_some())
    }

    /// Copies up to `end`; returns the last byte, or nothing if the file ends before.
    fn copy_to(&mut self, end: u64, mut progress: impl FnMut(u64)) -> Result<Option<u8>, CorpusError> {
        self.sink.end_line_of_another(&self.source)?;
        while self.from < end {
            let step = end.min(self.from + STEP);
            if step - self.from >= LARGE {
                self.from += self.sink.out().copy_range(&self.file, self.from, step - self.from)?;
            }
            // All of a small range, and what the system could not copy.
            while self.from < step {
                let mut held = self.hold(self.from)?;
                let count = held.len().min((step - self.from) as usize);
                if count == 0 {
                    return Ok(None);
                }
                held.end = held.start + count;
                self.sink.out().put(&self.buffer[held])?;
                self.from += count as u64;
            }
            if self.from - self.reported >= LEAST_STEP {
                self.reported = self.from;
                progress(self.from);
            }
        }
        let last = self.byte_at(end - 1)?;
        self.sink.wrote(&self.source, last == Some(b'\n'));
        Ok(last)
    }

    /// One byte of the file, from the buffer if it is there.
    fn byte_at(&self, offset: u64) -> Result<Option<u8>, CorpusError> {
        let place = offset.checked_sub(self.buffer_start).map(|place| place as usize);
        if let Some(byte) = place.and_then(|place| self.buffer.get(place)) {
            return Ok(Some(*byte));
        }
        let mut byte = [0];
        let count = self.file.read_at(&mut byte, offset).map_err(|error| self.unreadable(error))?;
        Ok((count == 1).then_some(byte[0]))
    }

    /// Where in the buffer the bytes of the file from `offset` on are: none only at its end.
    fn hold(&mut self, offset: u64) -> Result<Range<usize>, CorpusError> {
        let held = self.buffer_start..self.buffer_start + self.buffer.len() as u64;
        if !held.contains(&offset) {
            self.buffer.resize(BUFFER.min(self.source.bytes as usize), 0);
            let count = loop {
                match self.file.read_at(&mut self.buffer, offset) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    count => break count.map_err(|error| self.unreadable(error))?,
                }
            };
            self.buffer.truncate(count);
            self.buffer_start = offset;
        }
        Ok((offset - self.buffer_start) as usize..self.buffer.len())
    }

    fn unreadable(&self, error: io::Error) -> CorpusError {
        CorpusError::read(&self.source.path, error)
    }
}
