//! The part of a stream that is in memory.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::CorpusError;
use crate::options::LONGEST_ROW;
use crate::position::Position;
use crate::source::Source;
use crate::span::Taken;

/// The most that one system call of a live stream brings.
const LIVE_READ: usize = 512 * 1024;

/// A stream and the bytes of it that no batch has taken yet.
pub(crate) struct Window {
    pub(crate) source: Arc<Source>,
    /// What was read and not yet taken.
    pub(crate) bytes: Vec<u8>,
    /// How many bytes were taken before them.
    taken: u64,
    /// Whether the stream has ended: `bytes` is all there is.
    pub(crate) ended: bool,
    input: Input,
    live: bool,
    /// The longest row that is read.
    pub(crate) longest: usize,
}

/// Where the bytes come from.
pub(crate) enum Input {
    /// A plain file, and the counter of the bytes that were read. The system writes them where they
    /// stay; behind a reader of our own, which cannot promise to leave the rest of a buffer alone,
    /// the buffer would be cleared first.
    File(File, Arc<AtomicU64>),
    /// Anything else.
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// Appends `wanted` bytes, fewer only at the end; returns how many.
    fn append(&mut self, wanted: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Input::File(file, counter) => {
                let count = file.take(wanted as u64).read_to_end(bytes)?;
                counter.fetch_add(count as u64, Ordering::Relaxed);
                Ok(count)
            }
            Input::Stream(stream) => stream.take(wanted as u64).read_to_end(bytes),
        }
    }

    /// What one system call brings.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::File(file, counter) => {
                let count = file.read(buffer)?;
                counter.fetch_add(count as u64, Ordering::Relaxed);
                Ok(count)
            }
            Input::Stream(stream) => stream.read(buffer),
        }
    }
}

impl Window {
    /// A window on `input`. A `live` one gives what has arrived instead of waiting for as much as
    /// was wanted.
    pub(crate) fn new(source: &Arc<Source>, input: Input, live: bool) -> Window {
        let (source, bytes, longest) = (Arc::clone(source), Vec::new(), LONGEST_ROW);
        Window { source, bytes, taken: 0, ended: false, input, live, longest }
    }

    /// Reads `wanted` more bytes, fewer only at the end of the stream (or if it is live).
    pub(crate) fn read(&mut self, wanted: usize) -> Result<(), CorpusError> {
        let wanted = wanted.max(1);
        let result = if self.live { self.read_once(wanted.min(LIVE_READ)) } else { self.read_all(wanted) };
        result.map_err(|source| CorpusError::read(&self.source.path, source))
    }

    fn read_all(&mut self, wanted: usize) -> io::Result<()> {
        self.bytes.reserve(wanted);
        let count = self.input.append(wanted, &mut self.bytes)?;
        self.ended = count < wanted;
        Ok(())
    }

    fn read_once(&mut self, wanted: usize) -> io::Result<()> {
        let before = self.bytes.len();
        self.bytes.resize(before + wanted, 0);
        let result = loop {
            match self.input.read(&mut self.bytes[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.bytes.truncate(before + *result.as_ref().unwrap_or(&0));
        self.ended = matches!(result, Ok(0));
        result.map(drop)
    }

    /// Takes the first `count` bytes; what follows them stays.
    pub(crate) fn take(&mut self, count: usize) -> Taken {
        let rest = self.bytes.split_off(count);
        let offset = self.taken;
        self.taken += count as u64;
        Taken { bytes: std::mem::replace(&mut self.bytes, rest), offset }
    }

    /// How much to read after `held` bytes did not hold one whole row: twice as much, so that a
    /// long row is searched and moved a constant number of times per byte.
    pub(crate) fn growth(held: usize, target: usize) -> usize {
        held.max(target)
    }

    /// Refuses a row that begins at line or record `number` and has `length` bytes so far.
    pub(crate) fn check_length(&self, number: u64, length: usize) -> Result<(), CorpusError> {
        if length <= self.longest {
            return Ok(());
        }
        let position = Position::numbered(&self.source, number);
        Err(CorpusError::RowTooLong { position, limit: self.longest })
    }
}
