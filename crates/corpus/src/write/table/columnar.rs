//! Tables in Parquet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;

use crate::error::CorpusError;
use crate::write::atomic::AtomicFile;
use crate::write::parquet::{finish, parquet_error, properties};
use crate::write::pending::Pending;
use crate::write::table::number::rounded;
use crate::write::table::{Cell, Column, ColumnKind};

/// Rows are handed over in groups of this many: large enough for the column encodings, small in
/// memory.
const ROWS_AT_ONCE: usize = 16 * 1024;
/// The same bound for rows with long texts.
const BYTES_AT_ONCE: usize = 16 << 20;
/// A row group is closed at this size, whatever its number of rows.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// A Parquet file that is being written.
pub(crate) struct ParquetTable {
    path: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<AtomicFile>,
    builders: Vec<Builder>,
    rows: usize,
    bytes: usize,
}

/// The cells of a column that wait.
enum Builder {
    Text(StringBuilder),
    Number(Float64Builder),
    Integer(Int64Builder),
    TextList(ListBuilder<StringBuilder>),
}

impl Builder {
    fn new(kind: ColumnKind) -> Builder {
        match kind {
            ColumnKind::Text | ColumnKind::Json => Builder::Text(StringBuilder::new()),
            ColumnKind::Number => Builder::Number(Float64Builder::new()),
            ColumnKind::Integer => Builder::Integer(Int64Builder::new()),
            ColumnKind::TextList => Builder::TextList(ListBuilder::new(StringBuilder::new())),
        }
    }

    /// Appends a cell, whose kind was checked, and returns its size.
    fn append(&mut self, cell: &Cell<'_>) -> usize {
        match (self, cell) {
            (Builder::Text(builder), Cell::Text(text) | Cell::Json(text)) => {
                builder.append_value(text);
                text.len()
            }
            (Builder::Text(builder), _) => {
                builder.append_null();
                0
            }
            (Builder::Number(builder), cell) => {
                let number = if let Cell::Number(Some(number)) = cell { rounded(*number) } else { None };
                builder.append_option(number);
                size_of::<f64>()
            }
            (Builder::Integer(builder), cell) => {
                let integer = if let Cell::Integer(integer) = cell { *integer } else { None };
                builder.append_option(integer);
                size_of::<i64>()
            }
            (Builder::TextList(builder), Cell::TextList(texts)) => {
                builder.append_value(texts.iter().map(Some));
                texts.iter().map(String::len).sum()
            }
            (Builder::TextList(builder), _) => {
                builder.append_null();
                0
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Text(builder) => Arc::new(builder.finish()),
            Builder::Number(builder) => Arc::new(builder.finish()),
            Builder::Integer(builder) => Arc::new(builder.finish()),
            Builder::TextList(builder) => Arc::new(builder.finish()),
        }
    }
}

fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text | ColumnKind::Json => DataType::Utf8,
        ColumnKind::Number => DataType::Float64,
        ColumnKind::Integer => DataType::Int64,
        ColumnKind::TextList => DataType::new_list(DataType::Utf8, true),
    }
}

impl ParquetTable {
    pub(crate) fn create(path: &Path, columns: &[Column]) -> Result<ParquetTable, CorpusError> {
        let fields: Vec<Field> =
            columns.iter().map(|column| Field::new(&column.name, data_type(column.kind), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let file = AtomicFile::create(path)?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties().build()))
            .map_err(|error| parquet_error(path, error))?;
        let builders = columns.iter().map(|column| Builder::new(column.kind)).collect();
        Ok(ParquetTable { path: path.to_owned(), schema, writer, builders, rows: 0, bytes: 0 })
    }

    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), CorpusError> {
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            self.bytes += builder.append(cell);
        }
        self.rows += 1;
        if self.rows >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE { self.hand_over() } else { Ok(()) }
    }

    pub(crate) fn finish(mut self) -> Result<Pending, CorpusError> {
        self.hand_over()?;
        finish(self.writer, &self.path)
    }

    fn hand_over(&mut self) -> Result<(), CorpusError> {
        if self.rows == 0 {
            return Ok(());
        }
        (self.rows, self.bytes) = (0, 0);
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        let wrong = |error| parquet_error(&self.path, error);
        let batch =
            RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|error| wrong(error.into()))?;
        self.writer.write(&batch).map_err(wrong)?;
        if self.writer.in_progress_size() >= ROW_GROUP_BYTES {
            self.writer.flush().map_err(wrong)?;
        }
        Ok(())
    }
}
