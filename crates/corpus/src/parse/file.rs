//! How does a whole file become a document?

use std::sync::Arc;

use twindex_core::Markup;

use crate::format::Format;
use crate::options::ReadOptions;
use crate::parse::charset;
use crate::position::Position;
use crate::row::Row;
use crate::row_error::RowError;
use crate::source::Source;

/// Some files, one document each.
#[derive(Debug)]
pub(crate) struct FileBatch {
    pub(crate) files: Vec<FileDocument>,
}

/// A file and what is in it, unpacked.
#[derive(Debug)]
pub(crate) struct FileDocument {
    pub(crate) source: Arc<Source>,
    pub(crate) bytes: Vec<u8>,
}

impl FileDocument {
    pub(crate) fn text(&self) -> String {
        charset::decode(&self.bytes, self.markup(), None)
    }

    fn markup(&self) -> Markup {
        if self.source.format == Format::Html { Markup::Html } else { Markup::None }
    }
}

/// Decodes every file of a batch.
pub(crate) fn parse<'b>(batch: &'b FileBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let one = |file: &FileDocument| {
        Ok(Row {
            id: None,
            text: file.text().into(),
            is_null: false,
            markup: file.markup(),
            extra: vec![None; options.extra.len()],
            position: Position::whole_file(&file.source),
        })
    };
    batch.files.iter().map(one).collect()
}
