//! What can be wrong with one row.

use crate::field::FieldRole;
use crate::format::Format;
use crate::position::Position;
use crate::row::List;

/// Why one row is no document. The rest of the file can still be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RowError {
    /// A row without a required field.
    #[error("{position}: the row has no field \"{field}\" (it has: {present})")]
    MissingField {
        /// The row.
        position: Position,
        /// The field.
        field: String,
        /// What the field was to hold.
        role: FieldRole,
        /// The fields that the row has.
        present: List,
    },
    /// A text field with something else in it.
    #[error("{position}: the field \"{field}\" holds {found}, expected text")]
    NotText {
        /// The row.
        position: Position,
        /// The field.
        field: String,
        /// What it holds.
        found: &'static str,
    },
    /// Features that are none.
    #[error("{position}: {detail}; expected features as [[\"name\", weight], ...] with weights above 0")]
    BadFeatures {
        /// The row.
        position: Position,
        /// What is wrong.
        detail: String,
    },
    /// An id field with something else in it.
    #[error("{position}: the field \"{field}\" holds {found}, expected a string or a number")]
    NotAnId {
        /// The row.
        position: Position,
        /// The field.
        field: String,
        /// What it holds.
        found: &'static str,
    },
    /// A line that is not a JSON object.
    #[error("{position}: not a JSON object: {detail}; expected one object per line")]
    BadJson {
        /// The row.
        position: Position,
        /// What is wrong.
        detail: String,
    },
    /// Bytes that are not UTF-8.
    #[error(
        "{position}: not UTF-8: byte {offset} of the row is {byte:#04x}; convert the file, for example with iconv"
    )]
    InvalidUtf8 {
        /// The row.
        position: Position,
        /// Where in the row, from 0.
        offset: usize,
        /// The byte there.
        byte: u8,
    },
    /// A table row with too few or too many cells.
    #[error("{position}: the row has {found} fields and the header has {expected}; {}", remedy(*format))]
    FieldCount {
        /// The row.
        position: Position,
        /// The header's count.
        expected: usize,
        /// The row's count.
        found: usize,
        /// The format of the table.
        format: Format,
    },
    /// A web archive record that cannot be decoded.
    #[error("{position}: the record cannot be decoded: {detail}")]
    BadPayload {
        /// The record.
        position: Position,
        /// What is wrong.
        detail: String,
    },
}

/// What to do about a wrong number of cells.
fn remedy(format: Format) -> &'static str {
    match format {
        Format::Csv => "quote fields that hold commas or line breaks",
        _ => "TSV has no quotes, so line breaks and tabs cannot be inside a field: use CSV for those",
    }
}

impl RowError {
    /// Where the bad row is.
    pub fn position(&self) -> &Position {
        match self {
            RowError::MissingField { position, .. }
            | RowError::NotText { position, .. }
            | RowError::BadFeatures { position, .. }
            | RowError::NotAnId { position, .. }
            | RowError::BadJson { position, .. }
            | RowError::InvalidUtf8 { position, .. }
            | RowError::FieldCount { position, .. }
            | RowError::BadPayload { position, .. } => position,
        }
    }

    pub(crate) fn invalid_utf8(position: Position, bytes: &[u8], error: std::str::Utf8Error) -> RowError {
        let offset = error.valid_up_to();
        RowError::InvalidUtf8 { position, offset, byte: bytes.get(offset).copied().unwrap_or_default() }
    }
}
