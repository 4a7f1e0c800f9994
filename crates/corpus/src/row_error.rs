//! What can be wrong with one row, said so that the reader knows what to do next.

use crate::position::Position;
use crate::row::List;

/// Why one row is no document. The rest of the file can still be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RowError {
    /// A row without a field that was asked for.
    #[error(
        "{position}: the row has no field \"{field}\" (it has: {present}); name the right one with {option}"
    )]
    MissingField {
        /// The row.
        position: Position,
        /// The field.
        field: String,
        /// The option that names it.
        option: &'static str,
        /// The fields that the row has.
        present: List,
    },
    /// A text field with something else in it.
    #[error("{position}: the field \"{field}\" holds {found}, expected text; name another with --text-field")]
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
    #[error(
        "{position}: the field \"{field}\" holds {found}, expected a string or an integer; name another with --id-field"
    )]
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
    #[error("{position}: the row has {found} fields and the header has {expected}{hint}")]
    FieldCount {
        /// The row.
        position: Position,
        /// The header's count.
        expected: usize,
        /// The row's count.
        found: usize,
        /// What to do.
        hint: &'static str,
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
