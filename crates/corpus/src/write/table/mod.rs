//! How are results (pairs, removed rows, clusters) written?
//!
//! One table, three notations, chosen by extension: `.jsonl`, `.tsv` (both also `.gz` and `.zst`)
//! and `.parquet`. The same cells give the same numbers in all of them: at most six decimals,
//! shortest form.

mod columnar;
mod number;
mod text;

use std::path::Path;

use crate::STANDARD_STREAM;
use crate::compression::Compression;
use crate::error::CorpusError;
use crate::row::List;
use crate::stream::is_special;
use crate::write::compressed;
use crate::write::pending::Pending;
use columnar::ParquetTable;
pub(crate) use text::push_json_string;
use text::{JsonTable, TsvTable};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A number with at most six decimals.
    Number,
    /// A 64-bit integer.
    Integer,
    /// A list of texts.
    TextList,
    /// A JSON value, written as it is.
    Json,
}

/// A column of a result table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

impl Column {
    /// A column called `name`.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Column {
        Column { name: name.into(), kind }
    }
}

/// One value of a row. A value that is not there is `Null`, which TSV writes as nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// No value, in a column of any kind.
    Null,
    /// A value of a [`ColumnKind::Text`] column.
    Text(&'a str),
    /// A value of a [`ColumnKind::Number`] column; what is not finite counts as no value.
    Number(Option<f64>),
    /// A value of a [`ColumnKind::Integer`] column.
    Integer(Option<i64>),
    /// A value of a [`ColumnKind::TextList`] column.
    TextList(&'a [String]),
    /// A value of a [`ColumnKind::Json`] column: one JSON value without line breaks.
    Json(&'a str),
}

impl Cell<'_> {
    fn fits(&self, kind: ColumnKind) -> bool {
        match self {
            Cell::Null => true,
            Cell::Text(_) => kind == ColumnKind::Text,
            Cell::Number(_) => kind == ColumnKind::Number,
            Cell::Integer(_) => kind == ColumnKind::Integer,
            Cell::TextList(_) => kind == ColumnKind::TextList,
            Cell::Json(_) => kind == ColumnKind::Json,
        }
    }
}

/// Writes a result table, row by row.
///
/// ```
/// use twindex_corpus::{Cell, Column, ColumnKind, TableWriter};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("pairs.tsv");
/// let columns = [
///     Column::new("left", ColumnKind::Text),
///     Column::new("right", ColumnKind::Text),
///     Column::new("jaccard", ColumnKind::Number),
/// ];
/// let mut table = TableWriter::create(&path, &columns)?;
/// table.row(&[Cell::Text("a"), Cell::Text("b"), Cell::Number(Some(0.75))])?;
/// let pending = table.finish()?;
/// assert!(!path.exists(), "it appears whole or not at all");
/// pending.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "left\tright\tjaccard\na\tb\t0.75\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    columns: Vec<Column>,
    notation: Notation,
}

enum Notation {
    Jsonl(JsonTable),
    Tsv(TsvTable),
    Parquet(Box<ParquetTable>),
}

impl TableWriter {
    /// Refuses a name that names no notation. Opens nothing.
    pub fn check_name(path: &Path) -> Result<(), CorpusError> {
        extension(path).map(drop)
    }

    /// Begins a table at `path`, in the notation of its extension. `-` is standard output, which
    /// gets tab separated values, as do devices and pipes whose name does not say otherwise.
    pub fn create(path: &Path, columns: &[Column]) -> Result<TableWriter, CorpusError> {
        let notation = match extension(path)? {
            Extension::Jsonl => Notation::Jsonl(JsonTable::new(compressed::create_compressed(path)?)),
            Extension::Tsv => Notation::Tsv(TsvTable::new(compressed::create_compressed(path)?, columns)?),
            Extension::Parquet => Notation::Parquet(Box::new(ParquetTable::create(path, columns)?)),
        };
        Ok(TableWriter { columns: columns.to_owned(), notation })
    }

    /// Begins a table of tab separated values on standard output.
    pub fn stdout(columns: &[Column]) -> Result<TableWriter, CorpusError> {
        TableWriter::create(Path::new(STANDARD_STREAM), columns)
    }

    /// Writes a row: one cell per column, of its kind.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), CorpusError> {
        let fits = cells.len() == self.columns.len()
            && cells.iter().zip(&self.columns).all(|(cell, column)| cell.fits(column.kind));
        if !fits {
            let expected = List(self.columns.iter().map(|column| column.name.clone()).collect());
            return Err(CorpusError::WrongCells { expected, found: cells.len() });
        }
        match &mut self.notation {
            Notation::Jsonl(table) => table.row(&self.columns, cells),
            Notation::Tsv(table) => table.row(cells),
            Notation::Parquet(table) => table.row(cells),
        }
    }

    /// Writes what is left. The table appears when the result is committed.
    pub fn finish(self) -> Result<Pending, CorpusError> {
        match self.notation {
            Notation::Jsonl(table) => table.finish(),
            Notation::Tsv(table) => table.finish(),
            Notation::Parquet(table) => table.finish(),
        }
    }
}

/// What an extension says about a table.
enum Extension {
    Jsonl,
    Tsv,
    Parquet,
}

fn extension(path: &Path) -> Result<Extension, CorpusError> {
    let name = path.to_string_lossy().to_lowercase();
    let (stem, compression) = Compression::split_extension(&name);
    Ok(match stem.rsplit_once('.').map(|(_, extension)| extension) {
        Some("jsonl" | "ndjson") => Extension::Jsonl,
        Some("tsv") => Extension::Tsv,
        Some("parquet") if compression == Compression::None => Extension::Parquet,
        _ if path.as_os_str() == STANDARD_STREAM || is_special(path) => Extension::Tsv,
        _ => {
            return Err(CorpusError::WrongOutput {
                path: path.to_owned(),
                what: "a table".to_owned(),
                expected: "a name with .jsonl or .tsv (each also with .gz or .zst) or .parquet".to_owned(),
            });
        }
    })
}
