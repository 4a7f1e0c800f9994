//! How does a row of columns (Parquet) become a document?

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};

use crate::error::CorpusError;
use crate::field::{FieldPath, FieldRole};
use crate::guard;
use crate::options::{ReadOptions, TextCells};
use crate::parse::cell::{Cell, Object};
use crate::position::Position;
use crate::row::{Found, ID_SLOT, List, Row, TEXT_SLOT, Wanted};
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
    /// Bytes of a fixed number, as UUIDs are.
    Bytes,
    List,
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
        DataType::FixedSizeBinary(_) => Kind::Bytes,
        DataType::Boolean => Kind::Other("booleans"),
        DataType::Null => Kind::Nothing,
        DataType::Struct(_) | DataType::Map(_, _) => Kind::Other("objects"),
        data_type if data_type.is_nested() => Kind::List,
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
    let required =
        [(Some(&options.text_field), options.text_role()), (options.id_field.as_ref(), FieldRole::Id)];
    for (field, role) in required {
        let Some(field) = field else { continue };
        let is_meant = |name: &str| name == field.as_str() || name == field.segments()[0];
        let count = schema.fields().iter().filter(|field| is_meant(field.name())).count();
        if count > 1 && schema.fields().iter().filter(|other| other.name() == field.as_str()).count() != 1 {
            return Err(CorpusError::SameColumns { path: path(), column: field.to_string(), count });
        }
        let Some(found) = field_of(schema, field) else {
            let present = List(schema.fields().iter().map(|field| field.name().clone()).collect());
            return Err(CorpusError::MissingColumn {
                path: path(),
                column: field.to_string(),
                present,
                role,
            });
        };
        let is_text = role != FieldRole::Id;
        let is_fingerprint = role == FieldRole::Fingerprint;
        let fits = match kind(found.data_type()) {
            Kind::Text => true,
            Kind::Integer | Kind::Unsigned | Kind::Bytes => !is_text || is_fingerprint,
            Kind::Number => !is_text,
            Kind::List => is_fingerprint,
            // A table of rows without a text.
            Kind::Nothing => is_text,
            Kind::Other(_) => false,
        };
        if !fits {
            let expected = match role {
                FieldRole::Fingerprint => "text, integers, eight bytes or lists",
                FieldRole::Text => "text",
                FieldRole::Id => "text or numbers",
            };
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
    /// Eight bytes are a fingerprint, even if they are UTF-8.
    is_fingerprint: bool,
    /// Ids are written digit for digit: databases export integers as decimals of 38 digits.
    is_id: bool,
    /// The objects around the values, whose nulls count too.
    around: Vec<ArrayRef>,
    values: ArrayRef,
}

impl Column {
    fn of(rows: &RecordBatch, path: &FieldPath, slot: usize, options: &ReadOptions) -> Option<Column> {
        let is_fingerprint = slot == TEXT_SLOT && options.text_cells == TextCells::Fingerprints;
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
        Some(Column { kind, is_fingerprint, is_id: slot == ID_SLOT, around, values })
    }

    fn found(&self, row: usize) -> Found<'static> {
        if self.values.is_null(row) || self.around.iter().any(|around| around.is_null(row)) {
            return Found::Null;
        }
        let cell = Cell::of(&self.values, row);
        // A number that does not fit is a null.
        let found = match self.kind {
            Kind::Text | Kind::Bytes if self.is_fingerprint && cell.bits().is_some() => {
                cell.bits().map(Found::Unsigned)
            }
            Kind::Text => {
                let no_text = || cell.bytes().map(|bytes| Found::Bytes(bytes.to_owned()));
                cell.text().map(|text| Found::Text(text.to_owned().into())).or_else(no_text)
            }
            Kind::Bytes => cell.bytes().map(|bytes| Found::Bytes(bytes.to_owned())),
            Kind::List => serde_json::to_string(&cell).ok().map(|json| Found::Array(json.into())),
            Kind::Integer => cell.integer().map(Found::Integer),
            Kind::Unsigned => cell.unsigned().map(Found::Unsigned),
            Kind::Number => match cell.decimal() {
                Some(digits) if self.is_id => Some(Found::Text(digits.into())),
                _ => cell.number().map(Found::Number),
            },
            Kind::Nothing => None,
            Kind::Other(kind) => Some(Found::Other(kind)),
        };
        found.filter(|_| !cell.is_null()).unwrap_or(Found::Null)
    }
}

/// Parses every row of a batch.
pub(crate) fn parse<'b>(batch: &'b TableBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let bad = |panic: String, row| Err(RowError::BadPayload { position: batch.position(row), detail: panic });
    guard::foreign(|| parse_columns(batch, options))
        .unwrap_or_else(|panic| (0..batch.rows.num_rows()).map(|row| bad(panic.clone(), row)).collect())
}

fn parse_columns<'b>(batch: &'b TableBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let wanted = Wanted::new(options);
    let column = |(slot, path): (usize, &&FieldPath)| Column::of(&batch.rows, path, slot, options);
    let columns: Vec<Option<Column>> = wanted.paths().iter().enumerate().map(column).collect();
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
    let json = guard::foreign(|| serde_json::to_string(&Object { columns: &columns, row }));
    json.and_then(|json| json.map_err(|error| error.to_string())).map_err(|detail| CorpusError::Damaged {
        path: batch.source.path.clone(),
        expected: "a table that JSON can hold",
        detail,
    })
}
