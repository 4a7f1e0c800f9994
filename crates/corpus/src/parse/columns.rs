//! How does a row of columns (Parquet) become a document?

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};

use crate::error::CorpusError;
use crate::field::{FieldPath, FieldRole};
use crate::options::ReadOptions;
use crate::parse::cell::{Cell, Object};
use crate::position::Position;
use crate::row::{Found, List, Row, Wanted};
use crate::row_error::RowError;
use crate::source::Source;

/// Consecutive rows of a columnar file.
#[derive(Debug)]
pub(crate) struct TableBatch {
    pub(crate) source: Arc<Source>,
    pub(crate) rows: RecordBatch,
    /// How many bytes the values hold.
    pub(crate) bytes: usize,
    /// The number of the first row, from 1.
    pub(crate) first_row: u64,
}

impl TableBatch {
    pub(crate) fn position(&self, row: usize) -> Position {
        Position::numbered(&self.source, self.first_row + row as u64)
    }
}

/// What a column can give.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Unsigned,
    Number,
    /// Nulls and nothing else.
    Nothing,
    Other(&'static str),
}

fn kind(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
        // Old writers do not say that their strings are strings.
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Kind::Text,
        DataType::Dictionary(_, values) => kind(values),
        DataType::UInt64 => Kind::Unsigned,
        data_type if data_type.is_integer() => Kind::Integer,
        // Dates and times keep their order as integers, which is what a keep policy needs of them.
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, _) => Kind::Integer,
        data_type if data_type.is_floating() => Kind::Number,
        data_type if data_type.is_decimal() => Kind::Number,
        DataType::Boolean => Kind::Other("booleans"),
        DataType::Null => Kind::Nothing,
        DataType::Struct(_) | DataType::Map(_, _) => Kind::Other("objects"),
        data_type if data_type.is_nested() => Kind::Other("lists"),
        _ => Kind::Other("values that are no text"),
    }
}

/// Checks that a file has the required columns, and returns the indices of their root columns.
pub(crate) fn check(
    source: &Source,
    schema: &Schema,
    options: &ReadOptions,
) -> Result<Vec<usize>, CorpusError> {
    let wanted = Wanted::new(options);
    let path = || source.name.clone().into();
    let required = [(Some(&options.text_field), FieldRole::Text), (options.id_field.as_ref(), FieldRole::Id)];
    for (field, role) in required {
        let Some(field) = field else { continue };
        let Some(found) = field_of(schema, field) else {
            let present = List(schema.fields().iter().map(|field| field.name().clone()).collect());
            return Err(CorpusError::MissingColumn {
                path: path(),
                column: field.to_string(),
                present,
                role,
            });
        };
        let is_text = role == FieldRole::Text;
        let fits = match kind(found.data_type()) {
            Kind::Text => true,
            Kind::Integer | Kind::Unsigned => !is_text,
            // A table of rows without a text.
            Kind::Nothing => is_text,
            Kind::Number | Kind::Other(_) => false,
        };
        if !fits {
            let expected = if is_text { "text" } else { "text or integers" };
            let (column, found) = (field.to_string(), found.data_type().to_string());
            return Err(CorpusError::WrongColumn { path: path(), column, found, expected, role });
        }
    }
    let root = |path: &&FieldPath| {
        let whole = schema.index_of(path.as_str());
        whole.or_else(|_| schema.index_of(&path.segments()[0])).ok()
    };
    Ok(wanted.paths().iter().filter_map(root).collect())
}

/// The field at a path: a column with the whole name, else a nested one.
fn field_of<'s>(schema: &'s Schema, path: &FieldPath) -> Option<&'s Field> {
    if let Ok(field) = schema.field_with_name(path.as_str()) {
        return Some(field);
    }
    let mut fields = schema.fields();
    for (depth, segment) in path.segments().iter().enumerate() {
        let field = fields.iter().find(|field| field.name() == segment)?;
        if depth + 1 == path.segments().len() {
            return Some(field);
        }
        let DataType::Struct(inner) = field.data_type() else { return None };
        fields = inner;
    }
    None
}

/// A requested column.
struct Column {
    kind: Kind,
    /// The objects around the values, whose nulls count too.
    around: Vec<ArrayRef>,
    values: ArrayRef,
}

impl Column {
    fn of(rows: &RecordBatch, path: &FieldPath) -> Option<Column> {
        let mut around = Vec::new();
        let values = match rows.column_by_name(path.as_str()) {
            Some(values) => Arc::clone(values),
            None => {
                let mut values = Arc::clone(rows.column_by_name(&path.segments()[0])?);
                for segment in &path.segments()[1..] {
                    let inner = Arc::clone(values.as_struct_opt()?.column_by_name(segment)?);
                    around.push(std::mem::replace(&mut values, inner));
                }
                values
            }
        };
        let kind = kind(values.data_type());
        Some(Column { kind, around, values })
    }

    fn found(&self, row: usize) -> Found<'static> {
        if self.values.is_null(row) || self.around.iter().any(|around| around.is_null(row)) {
            return Found::Null;
        }
        let cell = Cell::of(&self.values, row);
        // Bytes that are no text are a null, as is a number that does not fit.
        let found = match self.kind {
            Kind::Text => cell.text().map(|text| Found::Text(text.to_owned().into())),
            Kind::Integer => cell.integer().map(Found::Integer),
            Kind::Unsigned => cell.unsigned().map(Found::Unsigned),
            Kind::Number => cell.number().map(Found::Number),
            Kind::Nothing => None,
            Kind::Other(kind) => Some(Found::Other(kind)),
        };
        found.filter(|_| !cell.is_null()).unwrap_or(Found::Null)
    }
}

/// Parses every row of a batch.
pub(crate) fn parse<'b>(batch: &'b TableBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let wanted = Wanted::new(options);
    let columns: Vec<Option<Column>> =
        wanted.paths().iter().map(|path| Column::of(&batch.rows, path)).collect();
    let mut slots = vec![Found::Missing; columns.len()];
    let one = |row: usize| {
        for (slot, column) in slots.iter_mut().zip(&columns) {
            *slot = column.as_ref().map_or(Found::Missing, |column| column.found(row));
        }
        let names = || batch.rows.schema().fields().iter().map(|field| field.name().clone()).collect();
        wanted.row(&mut slots, batch.position(row), names)
    };
    (0..batch.rows.num_rows()).map(one).collect()
}

/// A row as a JSON object.
pub(crate) fn row_json(batch: &TableBatch, row: usize) -> Result<String, CorpusError> {
    let columns = StructArray::from(batch.rows.clone());
    serde_json::to_string(&Object { columns: &columns, row }).map_err(|error| CorpusError::Damaged {
        path: batch.source.path.clone(),
        expected: "a table that JSON can hold",
        detail: error.to_string(),
    })
}
