//! How does a line of plain text become a document?

use twindex_core::Markup;

use crate::options::ReadOptions;
use crate::row::Row;
use crate::row_error::RowError;
use crate::span::SpanBatch;

/// Parses every row of a batch.
pub(crate) fn parse<'b>(batch: &'b SpanBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let one = |row: usize| {
        let position = batch.position(row);
        let line = batch.line(row);
        match std::str::from_utf8(line) {
            Ok(text) => Ok(Row {
                id: None,
                text: text.into(),
                is_null: false,
                markup: Markup::None,
                extra: vec![None; options.extra.len()],
                position,
            }),
            Err(error) => Err(RowError::invalid_utf8(position, line, error)),
        }
    };
    (0..batch.rows.len()).map(one).collect()
}
