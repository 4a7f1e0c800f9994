//! Why a collection cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use crate::field::FieldRole;
use crate::format::Format;
use crate::json_array::OpenArray;
use crate::position::Position;
use crate::row::List;

/// Why a collection could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// An input that does not exist or must not be opened.
    #[error("cannot open {}: {source}{}", path.display(), remedy(source))]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that could be opened and not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system or the decompressor said.
        source: io::Error,
    },
    /// A file that ends too early.
    #[error("{} is truncated: {detail}; copy or download it again", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What is missing.
        detail: String,
    },
    /// A file that violates its format.
    #[error("{} is damaged or not {expected}: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
        /// What the decoder said.
        detail: String,
    },
    /// A file with an unknown extension.
    #[error(
        "the name of {} does not tell its format: expected .jsonl, .parquet, .csv, .tsv, .txt, .html or .warc \
         (each but .parquet also with .gz or .zst)", path.display()
    )]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// A format of pages, without the code that reads HTML.
    #[error(
        "{} is a file of the format {format}, which needs the cargo feature `html`, and it is not \
         compiled in", path.display()
    )]
    NotCompiled {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// Parquet inside gzip or Zstandard.
    #[error(
        "{} is a compressed Parquet file, which cannot be read in part: unpack it first (Parquet compresses its \
         columns itself)", path.display()
    )]
    CompressedParquet {
        /// The file.
        path: PathBuf,
    },
    /// A web archive of the format before WARC.
    #[error("{} is an ARC file, which is not read: convert it to WARC (`warcio recompress` does)", path.display())]
    Arc {
        /// The file.
        path: PathBuf,
    },
    /// A Parquet file that needs a key.
    #[error("{} is encrypted: decrypt it first (pyarrow and Spark do with its keys)", path.display())]
    Encrypted {
        /// The file.
        path: PathBuf,
    },
    /// A column of text with bytes that are none.
    #[error(
        "{position}: a column that is declared as text holds bytes that are not UTF-8; write them as UTF-8, or \
         the column as binary"
    )]
    NotUtf8 {
        /// The row.
        position: Position,
    },
    /// Two columns of the name that is meant.
    #[error(
        "{}: there are {count} columns \"{column}\", and which of them is meant cannot be known: rename one", path.display()
    )]
    SameColumns {
        /// The file.
        path: PathBuf,
        /// The name.
        column: String,
        /// How many columns have it.
        count: usize,
    },
    /// A pattern without matches.
    #[error(
        "no file matches \"{pattern}\": check the pattern, and quote it so that the shell does not expand it"
    )]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A pattern that cannot be understood.
    #[error("\"{pattern}\" is no valid pattern: {detail}")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A folder without files.
    #[error("the folder {} holds no files to read (names that begin with . or _ are left out)", path.display())]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A file that two inputs name.
    #[error("{} is named twice among the inputs: leave one of them out", path.display())]
    NamedTwice {
        /// The file.
        path: PathBuf,
    },
    /// `-` among files where only files can be read.
    #[error("- (standard input) cannot be read twice: it has to be copied to a file first")]
    StandardInput,
    /// A stream of a format that cannot be read as it arrives.
    #[error(
        "{format} cannot be read as it arrives: expected jsonl, tsv or lines; write the stream to a file first"
    )]
    NotLive {
        /// The format.
        format: Format,
    },
    /// A row too long to hold in memory.
    #[error(
        "{position} is longer than {limit} bytes, the longest row that can be read: split it, or check that the \
         file has line breaks and no unclosed quote"
    )]
    RowTooLong {
        /// Where the row begins.
        position: Position,
        /// The limit.
        limit: usize,
    },
    /// A quote that is never closed.
    #[error("{position}: a quote opens and never closes: close it, or double quotes inside a field (\"\")")]
    UnclosedQuote {
        /// Where the row begins.
        position: Position,
    },
    /// A table without a required column.
    #[error("{}: there is no column \"{column}\" (there are: {present})", path.display())]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The columns that exist.
        present: List,
        /// What the column was to hold.
        role: FieldRole,
    },
    /// A column that holds something else.
    #[error("{}: the column \"{column}\" holds {found}, expected {expected}", path.display())]
    WrongColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// What it holds.
        found: String,
        /// What it should hold.
        expected: &'static str,
        /// What the column was to hold.
        role: FieldRole,
    },
    /// Too many fields for the parser's bit set.
    #[error("{found} fields are requested, and at most {limit} are possible")]
    TooManyFields {
        /// The number of fields requested.
        found: usize,
        /// The largest number possible.
        limit: usize,
    },
    /// A WARC file whose record structure is broken.
    #[error("{position}: not a WARC record: {detail}; the file is damaged or not WARC")]
    BadRecord {
        /// Which record.
        position: Position,
        /// What was expected and found.
        detail: String,
    },
    /// An output that could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A full disk.
    #[error(
        "cannot write {}: no space left on its disk; free some or choose another folder (nothing was changed there)",
        path.display()
    )]
    NoSpace {
        /// The file.
        path: PathBuf,
    },
    /// An output whose name does not fit what is written.
    #[error("{} cannot hold {what}: expected {expected}", path.display())]
    WrongOutput {
        /// The output.
        path: PathBuf,
        /// What is to be written.
        what: String,
        /// What its name may be.
        expected: String,
    },
    /// Inputs of several formats for one output.
    #[error(
        "one output cannot hold the rows of {} ({first_format}) and of {} ({second_format}): run once for each format",
        first.display(), second.display()
    )]
    MixedFormats {
        /// A file.
        first: PathBuf,
        /// Its format.
        first_format: Format,
        /// A file of another format.
        second: PathBuf,
        /// That format.
        second_format: Format,
    },
    /// Inputs with different columns for one output.
    #[error("one output cannot hold the rows of {} and of {}, because their columns differ: {difference}", first.display(), second.display())]
    DifferentColumns {
        /// A file.
        first: PathBuf,
        /// A file with other columns.
        second: PathBuf,
        /// The first difference.
        difference: String,
    },
    /// Two inputs whose copies would have one name.
    #[error("{} and {} would both be copied to {}: give the folder that holds both as the input", first.display(), second.display(), target.display())]
    SameTarget {
        /// A file.
        first: PathBuf,
        /// Another.
        second: PathBuf,
        /// Where both would go.
        target: PathBuf,
    },
    /// An output folder with files in it.
    #[error("the folder {} is not empty: name a new one, or empty it", path.display())]
    FolderNotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// An output that another run has begun.
    #[error("another run is writing {}", path.display())]
    OutputInUse {
        /// The output.
        path: PathBuf,
    },
    /// An output whose name something else got while it was written.
    #[error(
        "{} was written by another program meanwhile: it stays as it is, and the result of this run is \
         discarded", path.display()
    )]
    OutputReplaced {
        /// The output.
        path: PathBuf,
    },
    /// A row that does not fit the table's columns.
    #[error("a table row of {found} cells does not fit the columns {expected}")]
    WrongCells {
        /// The columns.
        expected: List,
        /// How many cells came.
        found: usize,
    },
}

/// What to do about an input that cannot be opened, where that is known.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "; check the path",
        io::ErrorKind::PermissionDenied => "; make it readable, or run as a user who may read it",
        _ => "",
    }
}

impl CorpusError {
    pub(crate) fn open(path: &Path, source: io::Error) -> CorpusError {
        CorpusError::Open { path: path.to_owned(), source }
    }

    /// A failed read: an early end and broken bytes have their own words.
    pub(crate) fn read(path: &Path, source: io::Error) -> CorpusError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                let is_array = source.get_ref().is_some_and(|error| error.is::<OpenArray>());
                let detail = if is_array {
                    "its JSON array is not closed"
                } else {
                    "its compressed data ends in the middle"
                };
                CorpusError::Truncated { path, detail: detail.to_owned() }
            }
            // The decompressors report broken data as one of these; the system never does.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                CorpusError::Damaged { path, expected: "what its extension says", detail: source.to_string() }
            }
            io::ErrorKind::Other if source.raw_os_error().is_none() => {
                CorpusError::Damaged { path, expected: "what its extension says", detail: source.to_string() }
            }
            _ => CorpusError::Read { path, source },
        }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> CorpusError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => CorpusError::NoSpace { path },
            _ => CorpusError::Write { path, source },
        }
    }
}
