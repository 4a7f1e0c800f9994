//! What does the user want to read?

use crate::field::FieldPath;
use crate::format::Format;

/// How to read a collection.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The format of every input; `None` (default) = by extension.
    pub format: Option<Format>,
    /// The field with the document's text; default `text`.
    pub text_field: FieldPath,
    /// The field with the document's id. `None` (default): the field `id` where a row has a usable
    /// one, else the row's position.
    pub id_field: Option<FieldPath>,
    /// Further fields that a keep policy needs; default none.
    pub extra: Vec<FieldPath>,
    /// Whether batches can be written out again; default true. `false` lets a columnar format read
    /// only the columns that are named here, and then
    /// [`Batch::write_selected`](crate::Batch::write_selected) and
    /// [`Batch::row_json`](crate::Batch::row_json) see only those.
    pub whole_rows: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        let text_field = "text".parse().expect("a plain name is a path");
        ReadOptions { format: None, text_field, id_field: None, extra: Vec::new(), whole_rows: true }
    }
}
