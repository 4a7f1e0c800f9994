//! Reading and writing collections of documents, in bounded memory and without changing a byte of
//! what is kept.
//!
//! ```text
//! inputs -> resolve -> Source... -> Reader -> Batch (raw rows) -> parse -> Row...
//!                                               \-> write_selected -> RowWriter -> Pending
//! ```
//!
//! One thread reads and cuts ([`Reader::next_batch`]), many threads parse ([`Batch::parse`]); what
//! a job found is written by [`TableWriter`], the rows that it kept by [`Batch::write_selected`].
//! Outputs get their names when [`Pending::commit_all`] is called at the end of the job, so they
//! appear whole or not at all.
//!
//! ```
//! use twindex_corpus::{ReadOptions, Reader, resolve};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("docs.jsonl");
//! std::fs::write(&file, "{\"id\": \"a\", \"body\": \"One.\"}\n{\"body\": \"Two.\"}\n")?;
//!
//! let options = ReadOptions { text_field: "body".parse()?, ..ReadOptions::default() };
//! let sources = resolve(&[file.display().to_string()], &options)?;
//! let mut reader = Reader::open(&sources, &options)?;
//! let mut found = vec![];
//! while let Some(batch) = reader.next_batch(1 << 20)? {
//!     for row in batch.parse(&options) {
//!         let row = row?;
//!         found.push((row.id_or_position().into_owned(), row.text.into_owned()));
//!     }
//! }
//! assert_eq!(found[0], ("a".into(), "One.".into()));
//! assert_eq!(found[1], (format!("{}:2", file.display()), "Two.".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file or folder | the question it answers |
//! |---|---|
//! | `resolve` | which files are meant? |
//! | `stream`, `stdin` | what can be read only once, and how is it read twice? |
//! | `source`, `format`, `compression` | what is one file, how is it written, how is it compressed? |
//! | `json_array` | how is a JSON array read as lines of JSON? |
//! | `options`, `field` | what does the user want to read, and which field is meant? |
//! | `reader/` | how is a collection cut into batches? one file per kind of cutting |
//! | `batch`, `span` | what travels to the worker threads? |
//! | `parse/` | how do raw bytes become rows? one file per format |
//! | `row`, `position` | what is a row, and where does it stand? |
//! | `row_file` | how is one row read again? |
//! | `write/` | how do results reach the disk whole or not at all? |
//! | `guard` | what happens when a library panics on a damaged file? |
//! | `error`, `row_error` | what can go wrong with a file or a row, and what should be done then? |

/// The name of standard input among inputs, and of standard output among outputs.
pub const STANDARD_STREAM: &str = "-";

mod batch;
mod compression;
mod error;
mod field;
mod format;
mod guard;
mod json_array;
mod options;
mod parse;
mod position;
mod reader;
mod resolve;
mod row;
mod row_error;
mod row_file;
mod source;
mod span;
mod stdin;
mod stream;
mod write;

pub use batch::Batch;
pub use compression::{Compression, unpack};
pub use error::CorpusError;
pub use field::{BadFieldPath, FieldPath, FieldRole, FieldValue};
pub use format::{Format, UnknownFormat};
pub use guard::is_guarded;
pub use options::{ReadOptions, TextCells};
pub use parse::json_string::TextBuffer;
pub use position::Position;
pub use reader::Reader;
pub use resolve::{WORK_SUFFIX, resolve};
pub use row::{List, Row};
pub use row_error::RowError;
pub use row_file::{RowBuffer, RowFile, RowPlace};
pub use source::Source;
pub use stdin::spool_stdin;
pub use stream::{is_special, is_stream, open_stream, spool, stream_format};
pub use write::{
    AtomicFile, Cell, Column, ColumnKind, CompressedWriter, Pending, RangeCopy, RowWriter, TableWriter,
    create_compressed,
};

/// Its example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
