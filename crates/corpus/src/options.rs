//! What does the user want to read?

use crate::field::{FieldPath, FieldRole};
use crate::format::Format;

/// The longest row that can be read. A row and its parsed text are in memory at once; a file
/// without line breaks or with an unclosed quote must not take all of it.
pub(crate) const LONGEST_ROW: usize = 1 << 30;

/// How to read a collection.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The longest row that is read, in bytes; default 1 GiB, which is the most. A reader that must
    /// stay within some memory bounds it by what one row takes until it is done.
    pub longest_row: usize,
    /// What is between the fields of a CSV file; default a comma.
    pub delimiter: u8,
    /// The format of every input; `None` (default) = by extension.
    pub format: Option<Format>,
    /// The field with the document's text; default `text`.
    pub text_field: FieldPath,
    /// What the text field may hold; default [`TextCells::Text`].
    pub text_cells: TextCells,
    /// The field with the document's id. `None` (default): the field `id` where a row has a usable
    /// one, else the row's position.
    pub id_field: Option<FieldPath>,
    /// Further fields that a keep policy needs; default none.
    pub extra: Vec<FieldPath>,
    /// Whether batches hold whole rows; default true. `false` lets a columnar format read only the
    /// columns that are named here, and then [`Batch::row_json`](crate::Batch::row_json) sees only
    /// those. [`Batch::write_selected`](crate::Batch::write_selected) writes whole rows anyway.
    pub whole_rows: bool,
}

/// What the text field of a row may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextCells {
    /// Text; anything else is a bad row.
    #[default]
    Text,
    /// Text, or 64 bits, which are read as `0x` and 16 hexadecimal digits: an integer (a negative
    /// one by its two's complement), or eight bytes of Parquet, the highest first. Or a list, which
    /// is read as JSON.
    Fingerprints,
}

impl ReadOptions {
    /// What the text field is needed for.
    pub(crate) fn text_role(&self) -> FieldRole {
        match self.text_cells {
            TextCells::Text => FieldRole::Text,
            TextCells::Fingerprints => FieldRole::Fingerprint,
        }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        let text_field = "text".parse().expect("a plain name is a path");
        ReadOptions {
            longest_row: LONGEST_ROW,
            delimiter: b',',
            format: None,
            text_field,
            text_cells: TextCells::Text,
            id_field: None,
            extra: Vec::new(),
            whole_rows: true,
        }
    }
}
