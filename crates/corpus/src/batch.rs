//! What is the unit of work that travels from the reader to a worker thread?

use std::sync::Arc;

use crate::error::{CorpusError, RowError};
use crate::format::Format;
use crate::options::ReadOptions;
use crate::parse;
use crate::position::Position;
use crate::row::Row;
use crate::source::Source;
use crate::span::SpanBatch;
use crate::write::RowWriter;

/// Some consecutive rows, raw. Rows have an order and a number from 0 that [`Batch::parse`] and
/// [`Batch::write_selected`] share.
#[derive(Debug)]
pub struct Batch {
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// A text format: bytes of one source.
    Spans(SpanBatch),
}

impl Batch {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Spans(batch) => batch.rows.len(),
        }
    }

    /// Whether there are none: blank lines and records that are no documents travel in batches too.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The source of the rows; of the first row where each row is a file.
    pub fn source(&self) -> &Arc<Source> {
        match &self.content {
            Content::Spans(batch) => &batch.source,
        }
    }

    /// The memory that the rows take.
    pub fn raw_bytes(&self) -> usize {
        match &self.content {
            Content::Spans(batch) => batch.bytes.len(),
        }
    }

    /// Where a row stands, known without parsing it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn position(&self, row: usize) -> Position {
        match &self.content {
            Content::Spans(batch) => batch.position(row),
        }
    }

    /// Parses the rows. The costly step: call it on worker threads. It always gives the same rows.
    pub fn parse(&self, options: &ReadOptions) -> Vec<Result<Row, RowError>> {
        match &self.content {
            Content::Spans(batch) => match batch.source.format {
                Format::Jsonl => parse::jsonl::parse(batch, options),
                _ => Vec::new(),
            },
        }
    }

    /// Writes the rows whose `keep` is true as they came, and everything that is no document.
    ///
    /// # Panics
    /// If `keep` is not as long as the batch.
    pub fn write_selected(&self, keep: &[bool], out: &mut RowWriter) -> Result<(), CorpusError> {
        assert_eq!(keep.len(), self.len(), "one decision per row");
        match &self.content {
            Content::Spans(batch) => out.write_spans(batch, keep),
        }
    }
}
