//! What is a parsed row, and when is it a bad one?

use std::borrow::Cow;
use std::fmt;

use twindex_core::Markup;

use crate::field::{FieldPath, FieldRole, FieldValue};
use crate::options::{ReadOptions, TextCells};
use crate::position::Position;
use crate::row_error::RowError;

/// One document as read. What a batch holds as it is, is not copied out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'b> {
    /// The id that the row gives itself; `None` = its position is its id.
    pub id: Option<Cow<'b, str>>,
    /// The text, markup included; empty where it is null.
    pub text: Cow<'b, str>,
    /// Whether the row says that it has no text: its text field is null.
    pub is_null: bool,
    /// How `text` is written.
    pub markup: Markup,
    /// The values of [`ReadOptions::extra`], in that order.
    pub extra: Vec<Option<FieldValue>>,
    /// Where the row stands.
    pub position: Position,
}

impl Row<'_> {
    /// The same without its batch.
    pub fn into_owned(self) -> Row<'static> {
        let id = self.id.map(|id| Cow::Owned(id.into_owned()));
        let text = Cow::Owned(self.text.into_owned());
        Row { id, text, ..self }
    }

    /// The row's own id, or its position: `docs.jsonl:17`.
    pub fn id_or_position(&self) -> Cow<'_, str> {
        match &self.id {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Owned(self.position.to_string()),
        }
    }
}

/// The value of a requested field.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Found<'b> {
    #[default]
    Missing,
    Null,
    Boolean,
    Integer(i64),
    /// An integer above `i64::MAX`.
    Unsigned(u64),
    Number(f64),
    Text(Cow<'b, str>),
    /// As JSON.
    Array(Cow<'b, str>),
    Object,
    /// Bytes that are no text.
    Bytes(Vec<u8>),
    /// Dates and other columns that are no text.
    Other(&'static str),
}

impl Found<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Found::Missing => "nothing",
            Found::Null => "null",
            Found::Boolean => "a boolean",
            Found::Integer(_) | Found::Unsigned(_) => "an integer",
            Found::Number(number) if !number.is_finite() => "no finite number",
            Found::Number(_) => "a number",
            Found::Text(_) => "text",
            Found::Array(_) => "an array",
            Found::Object => "an object",
            Found::Bytes(_) => "bytes that are no text",
            Found::Other(kind) => kind,
        }
    }

    /// The value of an untyped cell (CSV, TSV): a number if it reads as one, else text.
    pub(crate) fn from_untyped(text: &str) -> Found<'static> {
        if let Ok(integer) = text.parse() {
            return Found::Integer(integer);
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Found::Number(number),
            _ => Found::Text(text.to_owned().into()),
        }
    }

    fn into_value(self) -> Option<FieldValue> {
        match self {
            Found::Integer(integer) => Some(FieldValue::Integer(integer)),
            Found::Unsigned(integer) => Some(FieldValue::Number(integer as f64)),
            Found::Number(number) => Some(FieldValue::Number(number)),
            Found::Text(text) => Some(FieldValue::Text(text.into_owned())),
            Found::Array(json) => Some(FieldValue::List(json.into_owned())),
            _ => None,
        }
    }
}

/// The fields that [`ReadOptions`] name, in the order of the slots that a format's parser fills.
pub(crate) struct Wanted<'a> {
    options: &'a ReadOptions,
    default_id: FieldPath,
}

/// The slot of the text; the id follows, then the extra fields.
pub(crate) const TEXT_SLOT: usize = 0;
pub(crate) const ID_SLOT: usize = 1;
pub(crate) const FIRST_EXTRA_SLOT: usize = 2;

impl<'a> Wanted<'a> {
    pub(crate) fn new(options: &'a ReadOptions) -> Self {
        Wanted { options, default_id: "id".parse().expect("a plain name is a path") }
    }

    /// The paths, one per slot.
    pub(crate) fn paths(&self) -> Vec<&FieldPath> {
        let id = self.options.id_field.as_ref().unwrap_or(&self.default_id);
        [&self.options.text_field, id].into_iter().chain(&self.options.extra).collect()
    }

    /// Makes a row of what the slots hold. `fields` names the fields of the row, for the error.
    pub(crate) fn row<'b>(
        &self,
        slots: &mut [Found<'b>],
        position: Position,
        fields: impl FnOnce() -> Vec<String>,
    ) -> Result<Row<'b>, RowError> {
        let is_fingerprint = self.options.text_cells == TextCells::Fingerprints;
        let (text, is_null) = match std::mem::take(&mut slots[TEXT_SLOT]) {
            Found::Text(text) => (text, false),
            Found::Integer(bits) if is_fingerprint => (hexadecimal(bits.cast_unsigned()).into(), false),
            Found::Unsigned(bits) if is_fingerprint => (hexadecimal(bits).into(), false),
            Found::Array(json) if is_fingerprint => (json, false),
            Found::Null => (Cow::Borrowed(""), true),
            Found::Missing => {
                let field = self.options.text_field.to_string();
                return Err(RowError::MissingField {
                    position,
                    field,
                    role: self.options.text_role(),
                    present: List(fields()),
                });
            }
            Found::Bytes(bytes) => {
                let Err(error) = std::str::from_utf8(&bytes) else {
                    let field = self.options.text_field.to_string();
                    return Err(RowError::NotText { position, field, found: "bytes" });
                };
                return Err(RowError::invalid_utf8(position, &bytes, error));
            }
            other => {
                let field = self.options.text_field.to_string();
                return Err(RowError::NotText { position, field, found: other.kind() });
            }
        };
        let id = match (std::mem::take(&mut slots[ID_SLOT]), &self.options.id_field) {
            (Found::Text(id), _) => Some(id),
            (Found::Integer(id), _) => Some(id.to_string().into()),
            (Found::Unsigned(id), _) => Some(id.to_string().into()),
            // pandas makes numbers with a fraction of integers where one is missing.
            (Found::Number(id), _) if id.is_finite() => Some(serde_json::Value::from(id).to_string().into()),
            (Found::Bytes(id), _) => Some(digits_of(&id).into()),
            (Found::Missing | Found::Null, None) => None,
            (Found::Missing, Some(field)) => {
                let field = field.to_string();
                return Err(RowError::MissingField {
                    position,
                    field,
                    role: FieldRole::Id,
                    present: List(fields()),
                });
            }
            (other, _) => {
                let field = self.options.id_field.as_ref().unwrap_or(&self.default_id).to_string();
                return Err(RowError::NotAnId { position, field, found: other.kind() });
            }
        };
        let extra =
            slots[FIRST_EXTRA_SLOT..].iter_mut().map(|slot| std::mem::take(slot).into_value()).collect();
        Ok(Row { id, text, is_null, markup: Markup::None, extra, position })
    }
}

/// Bytes as an id: sixteen as a UUID is written, any other number in hexadecimal digits.
fn digits_of(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut digits = String::with_capacity(2 * bytes.len() + 4);
    for (number, byte) in bytes.iter().enumerate() {
        if bytes.len() == 16 && matches!(number, 4 | 6 | 8 | 10) {
            digits.push('-');
        }
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// 64 bits in hexadecimal digits.
fn hexadecimal(bits: u64) -> String {
    format!("{bits:#018x}")
}

/// Names in a message: `id, body`, shortened where there are many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List(pub Vec<String>);

/// Messages list at most this many names.
const LISTED: usize = 20;

impl fmt::Display for List {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("none");
        }
        formatter.write_str(&self.0[..self.0.len().min(LISTED)].join(", "))?;
        if self.0.len() > LISTED {
            write!(formatter, " and {} more", self.0.len() - LISTED)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untyped_cells_become_numbers_where_they_can() {
        assert_eq!(Found::from_untyped("-3"), Found::Integer(-3));
        assert_eq!(Found::from_untyped("2.5"), Found::Number(2.5));
        assert_eq!(Found::from_untyped("2024-01-02"), Found::Text("2024-01-02".into()));
        assert_eq!(Found::from_untyped("nan"), Found::Text("nan".into()));
    }

    #[test]
    fn bytes_are_ids() {
        let uuid: Vec<u8> = (0..16).collect();
        assert_eq!(digits_of(&uuid), "00010203-0405-0607-0809-0a0b0c0d0e0f");
        assert_eq!(digits_of(b"\xff\x00"), "ff00");
    }

    #[test]
    fn long_lists_are_cut() {
        let names = |count: usize| List((0..count).map(|number| number.to_string()).collect()).to_string();
        assert_eq!((names(0).as_str(), names(2).as_str()), ("none", "0, 1"));
        assert!(names(25).ends_with("18, 19 and 5 more"));
    }
}
