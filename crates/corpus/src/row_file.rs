//! How is one row read again?
//!
//! A job asks for the texts of few of its documents a second time. Where a row can be found and
//! understood by itself, its place is all that has to be remembered of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::error::CorpusError;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::parse;
use crate::parse::json_string::TextBuffer;
use crate::row::Row;
use crate::source::Source;
use crate::span::{Span, SpanBatch};

/// Where a row lies in its source, unpacked, line break included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPlace {
    /// The first of its bytes.
    pub offset: u64,
    /// How many there are.
    pub length: u32,
}

/// Memory for one row, reused for the next one: memory that is allocated again costs page faults.
#[derive(Debug, Default)]
pub struct RowBuffer {
    batch: Option<SpanBatch>,
    texts: TextBuffer,
}

/// A buffer that is larger than this, and several times as large as a row needs, is given back.
const LARGE: usize = 1 << 20;

impl RowBuffer {
    /// The bytes of the row before, `length` long now.
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = self.batch.take().map_or_else(Vec::new, |batch| batch.bytes);
        if bytes.capacity() / 4 > length.max(LARGE) {
            bytes = Vec::new();
        }
        bytes.resize(length, 0);
        bytes
    }
}

/// A plain file whose rows are read one by one, in any order and from any thread.
#[derive(Debug)]
pub struct RowFile {
    source: Arc<Source>,
    file: File,
}

impl RowFile {
    /// Opens a source that is not compressed and whose [rows stand
    /// alone](Format::rows_stand_alone).
    pub fn open(source: &Source) -> Result<RowFile, CorpusError> {
        let file = File::open(&source.path).map_err(|error| CorpusError::open(&source.path, error))?;
        Ok(RowFile { source: Arc::new(source.clone()), file })
    }

    /// The row at a place that a batch of the same file gave; `None` if there is no such row any
    /// more.
    pub fn row<'b>(
        &self,
        place: RowPlace,
        options: &ReadOptions,
        buffer: &'b mut RowBuffer,
    ) -> Result<Option<Row<'b>>, CorpusError> {
        let mut bytes = buffer.bytes(place.length as usize);
        match self.file.read_exact_at(&mut bytes, place.offset) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            result => result.map_err(|error| CorpusError::read(&self.source.path, error))?,
        }
        // The row's number is not used.
        let rows = vec![Span { start: 0, end: bytes.len(), number: 0 }];
        let RowBuffer { batch, texts } = buffer;
        let batch = batch.insert(SpanBatch {
            source: Arc::clone(&self.source),
            bytes,
            offset: place.offset,
            rows,
            records: vec![],
            others: BTreeMap::new(),
            body: 0,
            has_mark: false,
            header: None,
        });
        let parsed = match self.source.format {
            Format::Lines => parse::lines::parse(batch, options),
            _ => parse::jsonl::parse(batch, options, &mut texts.room(place.length as usize)),
        };
        Ok(parsed.into_iter().next().and_then(Result::ok))
    }
}
