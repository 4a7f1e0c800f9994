//! How does a row of a table in text (CSV, TSV) become a document?
//!
//! CSV is quoted as in RFC 4180. TSV has no quotes: one line is one row, and a quotation mark is a
//! character like any other. Honouring quotes there would let one stray mark swallow the rows after
//! it without a sign, while a quoted line break in a TSV file shows at once as a row with too few
//! fields.

use std::sync::Arc;

use crate::error::CorpusError;
use crate::field::FieldRole;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::parse::csv_record::CsvRecord;
use crate::row::{FIRST_EXTRA_SLOT, Found, List, Row, Wanted};
use crate::row_error::RowError;
use crate::source::Source;
use crate::span::SpanBatch;

/// The first row of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// As it came, with the line break.
    pub(crate) raw: Vec<u8>,
    pub(crate) names: Vec<String>,
    /// What is between two fields.
    delimiter: u8,
}

impl Header {
    /// A header of names between tabs.
    pub(crate) fn of_tabs(raw: &[u8]) -> Arc<Header> {
        let line = String::from_utf8_lossy(raw);
        let names = line.trim_end_matches(['\n', '\r']).split('\t').map(str::to_owned).collect();
        Arc::new(Header { raw: raw.to_owned(), names, delimiter: b'\t' })
    }

    /// A CSV header.
    pub(crate) fn of_csv(raw: &[u8], delimiter: u8) -> Arc<Header> {
        let mut record = CsvRecord::new(delimiter);
        record.split(raw);
        let name = |index| String::from_utf8_lossy(record.field(index).unwrap_or_default()).into_owned();
        let names = (0..record.len()).map(name).collect();
        Arc::new(Header { raw: raw.to_owned(), names, delimiter })
    }

    /// Refuses a table without the required columns.
    pub(crate) fn check(&self, source: &Source, options: &ReadOptions) -> Result<(), CorpusError> {
        let text = Some((&options.text_field, options.text_role()));
        let id = options.id_field.as_ref().map(|field| (field, FieldRole::Id));
        for (field, role) in text.into_iter().chain(id) {
            if !self.names.iter().any(|name| name == field.as_str()) {
                return Err(CorpusError::MissingColumn {
                    path: source.name.clone().into(),
                    column: field.to_string(),
                    present: List(self.names.clone()),
                    role,
                });
            }
            let count = self.names.iter().filter(|name| *name == field.as_str()).count();
            if count > 1 {
                let path = source.name.clone().into();
                return Err(CorpusError::SameColumns { path, column: field.to_string(), count });
            }
        }
        Ok(())
    }
}

/// Parses every row of a batch.
pub(crate) fn parse<'b>(batch: &'b SpanBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let wanted = Wanted::new(options);
    let names: &[String] = batch.header.as_ref().map_or(&[], |header| &header.names);
    // A table has no nested fields, so a path is simply the column's name.
    let column = |name: &str| names.iter().position(|known| known == name);
    let columns: Vec<Option<usize>> = wanted.paths().iter().map(|path| column(path.as_str())).collect();
    let mut slots = vec![Found::Missing; columns.len()];
    let mut record = CsvRecord::new(batch.header.as_ref().map_or(b',', |header| header.delimiter));
    let mut one = |row: usize| {
        let position = batch.position(row);
        let line = batch.line(row);
        if let Err(error) = std::str::from_utf8(line) {
            return Err(RowError::invalid_utf8(position, line, error));
        }
        let found = if batch.source.format == Format::Csv {
            record.split(line);
            fill(&mut slots, &columns, |index| record.field(index));
            record.len()
        } else {
            let fields: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
            fill(&mut slots, &columns, |index| fields.get(index).copied());
            fields.len()
        };
        if found != names.len() {
            let format = batch.source.format;
            return Err(RowError::FieldCount { position, expected: names.len(), found, format });
        }
        wanted.row(&mut slots, position, || names.to_vec())
    };
    (0..batch.rows.len()).map(&mut one).collect()
}

/// A table's row as a JSON object.
pub(crate) fn row_json(batch: &SpanBatch, row: usize) -> String {
    let names: &[String] = batch.header.as_ref().map_or(&[], |header| &header.names);
    let line = batch.line(row);
    let mut record = CsvRecord::new(batch.header.as_ref().map_or(b',', |header| header.delimiter));
    let fields: Vec<&[u8]> = if batch.source.format == Format::Csv {
        record.split(line);
        (0..record.len()).filter_map(|index| record.field(index)).collect()
    } else {
        line.split(|byte| *byte == b'\t').collect()
    };
    let object: serde_json::Map<String, serde_json::Value> = names
        .iter()
        .zip(fields)
        .map(|(name, field)| (name.clone(), String::from_utf8_lossy(field).into_owned().into()))
        .collect();
    serde_json::Value::Object(object).to_string()
}

fn fill<'f>(slots: &mut [Found], columns: &[Option<usize>], field: impl Fn(usize) -> Option<&'f [u8]>) {
    for (slot, (found, column)) in slots.iter_mut().zip(columns).enumerate() {
        let cell = column.and_then(&field).and_then(|bytes| std::str::from_utf8(bytes).ok());
        *found = match cell {
            None => Found::Missing,
            // A table has no other way to say that a value is missing; an empty text is still a
            // text.
            Some("") if slot != crate::row::TEXT_SLOT => Found::Missing,
            Some(cell) if slot >= FIRST_EXTRA_SLOT => Found::from_untyped(cell),
            Some(cell) => Found::Text(cell.to_owned().into()),
        };
    }
}
