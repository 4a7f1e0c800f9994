//! Files of fingerprints: rows with an id and 64 bits, or the bits alone.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_core::fingerprint::Margins;
use twindex_corpus::{
    Batch, CorpusError, FieldPath, FieldValue, Format, ReadOptions, Reader, Row, STANDARD_STREAM, TextCells,
    unpack,
};

use super::notation::Notation;
use crate::error::{BatchError, Result};
use crate::job::{BATCH_BYTES, OnError};
use crate::parallel;
use crate::progress::{Progress, Unit};
use crate::sources::{self, Role};
use crate::work::WorkFolder;

/// The extension of raw files.
pub const RAW_EXTENSION: &str = "u64";

/// Which files, and how they are read.
#[derive(Debug, Clone)]
pub struct FingerprintInput {
    /// Files, folders, patterns, and `-` for standard input.
    pub names: Vec<String>,
    /// The format of every file; `None` (default) = by extension. `.u64` is [raw](RowFormat::Raw).
    pub format: Option<RowFormat>,
    /// The field with the fingerprint; default `fingerprint`.
    pub fingerprint_field: FieldPath,
    /// The field with the id; default: `id` where a row has one, else file and line.
    pub id_field: Option<FieldPath>,
    /// How texts are written; default [`Notation::Auto`].
    pub notation: Notation,
    /// What happens with a bad row; default: it is an error.
    pub on_error: OnError,
}

/// The format of a file of fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFormat {
    /// Eight bytes each, the lowest first, and nothing else. The id is file and number, from 1.
    Raw,
    /// Rows of a collection.
    Rows(Format),
}

impl FingerprintInput {
    /// Files with the fields `id` and `fingerprint`, as `twindex fingerprint` writes them.
    pub fn new(names: Vec<String>) -> Self {
        FingerprintInput {
            names,
            format: None,
            fingerprint_field: field("fingerprint"),
            id_field: None,
            notation: Notation::Auto,
            on_error: OnError::Fail,
        }
    }
}

fn field(name: &str) -> FieldPath {
    name.parse().expect("a plain name is a path")
}

/// Where ids come from.
#[derive(Debug)]
pub(crate) enum Names {
    /// They are file and number; the first number.
    Numbered(Arc<str>, u64),
    /// One after another, and where each ends.
    Given(String, Vec<u32>),
}

impl Names {
    /// The bytes of stored ids and their ends.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Names::Numbered(..) => 0,
            Names::Given(ids, ends) => (ids.len() + ends.len() * size_of::<u64>()) as u64,
        }
    }
}

/// Consecutive rows.
#[derive(Debug)]
pub(crate) struct Rows<V> {
    pub(crate) values: Vec<V>,
    pub(crate) names: Names,
    /// One per value, if wanted.
    pub(crate) margins: Vec<Margins>,
    /// Rows whose fingerprint is empty: they are not among the values.
    pub(crate) without: u64,
    /// Bad rows that were left out, in words.
    pub(crate) skipped: Vec<String>,
}

/// What a row holds: a simhash or a sketch.
pub(crate) trait Value: Sized + Send {
    /// Reads the text of a row.
    fn parse(text: &str, notation: Notation) -> Option<Self>;
    /// What is expected, in words.
    fn expected(notation: Notation) -> &'static str;
    /// Whether these are its margins.
    fn has_margins(&self, margins: &Margins) -> bool;
    /// Reads raw 64-bit numbers; `None` if there is no raw form.
    fn of_raw(bits: u64) -> Option<Self>;
}

impl Value for u64 {
    fn parse(text: &str, notation: Notation) -> Option<Self> {
        notation.parse(text)
    }

    fn expected(notation: Notation) -> &'static str {
        notation.expected()
    }

    fn has_margins(&self, margins: &Margins) -> bool {
        margins.simhash().0 == *self
    }

    fn of_raw(bits: u64) -> Option<Self> {
        Some(bits)
    }
}

/// What reading counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) rows: u64,
    pub(crate) without: u64,
    pub(crate) skipped: Vec<String>,
}

/// How [`read`] reads.
pub(crate) struct Reading<'a> {
    pub(crate) input: &'a FingerprintInput,
    /// Whether every row must have margins.
    pub(crate) margins: bool,
    pub(crate) threads: usize,
    pub(crate) work: &'a WorkFolder,
    pub(crate) stage: &'static str,
    /// Must not be an input.
    pub(crate) output: &'a Path,
}

/// The field of margins.
const MARGINS: &str = "margins";

/// Numbers of a raw file that travel together.
const RAW_ROWS: usize = 1 << 16;

/// Calls `sink` with all rows, in order.
pub(crate) fn read<V: Value>(
    reading: &Reading<'_>,
    progress: &dyn Progress,
    sink: &mut dyn FnMut(Rows<V>) -> Result<()>,
) -> Result<Counted> {
    let mut source = Source::open(reading)?;
    progress.begin(reading.stage, source.bytes, Unit::Bytes);
    let mut counted = Counted::default();
    parallel::ordered(
        reading.threads,
        || source.next(),
        |(part, position)| Ok((reading.parse(part)?, position)),
        |(mut rows, position): (Rows<V>, u64)| {
            counted.rows += rows.values.len() as u64;
            counted.without += rows.without;
            counted.skipped.append(&mut rows.skipped);
            if counted.rows > u64::from(u32::MAX - 1) {
                return Err(BatchError::TooMany);
            }
            progress.position(position);
            sink(rows)
        },
    )?;
    progress.end();
    Ok(counted)
}

impl Reading<'_> {
    fn options(&self, format: Option<Format>) -> Result<ReadOptions> {
        Ok(ReadOptions {
            format,
            text_field: self.input.fingerprint_field.clone(),
            text_cells: TextCells::Fingerprints,
            id_field: self.input.id_field.clone(),
            extra: if self.margins { vec![field(MARGINS)] } else { vec![] },
            whole_rows: false,
            ..ReadOptions::default()
        })
    }

    fn must_not_overwrite(&self, input: &Path) -> Result<()> {
        let identity = |path: &Path| path.canonicalize().ok();
        match identity(input).filter(|input| identity(self.output).as_ref() == Some(input)) {
            Some(_) => Err(BatchError::Overwrites { path: self.output.to_owned() }),
            None => Ok(()),
        }
    }

    fn parse<V: Value>(&self, part: Part) -> Result<Rows<V>> {
        match part {
            Part::Raw { name, first, values } => {
                if self.margins {
                    return Err(BatchError::NoMargins { place: name.to_string() });
                }
                let values: Option<Vec<V>> = values.into_iter().map(V::of_raw).collect();
                let values = values.ok_or_else(|| BatchError::NotRaw { name: name.to_string() })?;
                let names = Names::Numbered(name, first);
                Ok(Rows { values, names, margins: vec![], without: 0, skipped: vec![] })
            }
            Part::Rows(batch, options) => self.parse_rows(&batch, &options),
        }
    }

    fn parse_rows<V: Value>(&self, batch: &Batch, options: &ReadOptions) -> Result<Rows<V>> {
        let (mut ids, mut ends) = (String::new(), vec![]);
        let (mut values, mut margins) = (vec![], vec![]);
        let (mut without, mut skipped) = (0, vec![]);
        for row in batch.parse(options) {
            match row.map_err(BatchError::from).and_then(|row| self.parse_row::<V>(row)) {
                Ok(None) => without += 1,
                Ok(Some((id, value, of_value))) => {
                    ids.push_str(&id);
                    ends.push(ids.len() as u32);
                    values.push(value);
                    margins.extend(of_value);
                }
                Err(error) if self.input.on_error == OnError::Skip => skipped.push(error.to_string()),
                Err(error) => return Err(error),
            }
        }
        Ok(Rows { values, names: Names::Given(ids, ends), margins, without, skipped })
    }

    /// The id, the value and the margins of a row; `None` if its fingerprint is empty.
    fn parse_row<V: Value>(&self, row: Row<'_>) -> Result<Option<(String, V, Option<Margins>)>> {
        if row.is_null || row.text.is_empty() {
            return Ok(None);
        }
        let Some(value) = V::parse(&row.text, self.input.notation) else {
            return Err(BatchError::BadFingerprint {
                place: row.position.to_string(),
                found: shortened(&row.text),
                expected: V::expected(self.input.notation),
            });
        };
        let id = row.id_or_position().into_owned();
        if !self.margins {
            return Ok(Some((id, value, None)));
        }
        let place = || row.position.to_string();
        let text = match row.extra.first() {
            Some(Some(FieldValue::Text(text) | FieldValue::List(text))) => text,
            _ => return Err(BatchError::NoMargins { place: place() }),
        };
        let margins: Option<Vec<i32>> = serde_json::from_str(text).ok();
        let margins = margins.and_then(|margins| Some(Margins(margins.try_into().ok()?)));
        match margins.filter(|margins| value.has_margins(margins)) {
            Some(margins) => Ok(Some((id, value, Some(margins)))),
            None => Err(BatchError::BadMargins { place: place() }),
        }
    }
}

/// A cell as a message shows it.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Rows that are not parsed yet.
enum Part {
    Raw { name: Arc<str>, first: u64, values: Vec<u64> },
    Rows(Batch, Arc<ReadOptions>),
}

/// The files that are still to be read.
struct Source {
    files: VecDeque<Opened>,
    bytes: u64,
    bytes_before: u64,
}

enum Opened {
    Raw { name: Arc<str>, path: PathBuf, file: Option<Box<dyn Read + Send>>, rows: u64 },
    Rows(Box<Reader>, Arc<ReadOptions>),
}

impl Source {
    fn open(reading: &Reading<'_>) -> Result<Self> {
        let mut files = VecDeque::new();
        let mut bytes = 0;
        let is_raw = |name: &str| match reading.input.format {
            Some(format) => format == RowFormat::Raw,
            None => Path::new(name.trim_end_matches(".gz").trim_end_matches(".zst"))
                .extension()
                .is_some_and(|extension| extension == RAW_EXTENSION),
        };
        let format = match reading.input.format {
            Some(RowFormat::Rows(format)) => Some(format),
            _ => None,
        };
        let options = Arc::new(reading.options(format)?);
        for run in reading.input.names.chunk_by(|a, b| !is_raw(a) && !is_raw(b)) {
            if is_raw(&run[0]) {
                let name = run[0].as_str();
                reading.must_not_overwrite(Path::new(name))?;
                bytes += std::fs::metadata(name).map_or(0, |metadata| metadata.len());
                let (name, path) = (Arc::from(name), PathBuf::from(name));
                files.push_back(Opened::Raw { name, path, file: None, rows: 0 });
            } else {
                let found = sources::all(Role::Input, run, &options, reading.work)?;
                found.iter().try_for_each(|source| reading.must_not_overwrite(&source.path))?;
                bytes += found.iter().map(|source| source.bytes).sum::<u64>();
                let reader = Reader::open(&found, &options)?;
                files.push_back(Opened::Rows(Box::new(reader), Arc::clone(&options)));
            }
        }
        Ok(Source { files, bytes, bytes_before: 0 })
    }

    fn next(&mut self) -> Result<Option<(Part, u64)>> {
        while let Some(opened) = self.files.front_mut() {
            match opened {
                Opened::Raw { name, path, file, rows } => {
                    let file = match file {
                        Some(file) => file,
                        None => file.insert(open_raw(path)?),
                    };
                    let values = read_raw(file, path)?;
                    if !values.is_empty() {
                        let first = *rows + 1;
                        *rows += values.len() as u64;
                        let position = self.bytes_before + *rows * size_of::<u64>() as u64;
                        return Ok(Some((Part::Raw { name: Arc::clone(name), first, values }, position)));
                    }
                    self.bytes_before += *rows * size_of::<u64>() as u64;
                }
                Opened::Rows(reader, options) => {
                    if let Some(batch) = reader.next_batch(BATCH_BYTES)? {
                        let position = self.bytes_before + reader.compressed_bytes_read();
                        return Ok(Some((Part::Rows(batch, Arc::clone(options)), position)));
                    }
                    self.bytes_before += reader.compressed_bytes_read();
                }
            }
            self.files.pop_front();
        }
        Ok(None)
    }
}

fn open_raw(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path.as_os_str() == STANDARD_STREAM {
        return Ok(unpack(io::stdin()).map_err(|source| CorpusError::Open { path: path.to_owned(), source })?);
    }
    let open = || unpack(BufReader::with_capacity(RAW_ROWS, File::open(path)?));
    Ok(open().map_err(|source| CorpusError::Open { path: path.to_owned(), source })?)
}

/// The next numbers of a raw file; none at its end.
fn read_raw(file: &mut dyn Read, path: &Path) -> Result<Vec<u64>> {
    let mut bytes = vec![];
    let most = (RAW_ROWS * size_of::<u64>()) as u64;
    let read = file.take(most).read_to_end(&mut bytes);
    read.map_err(|source| CorpusError::Read { path: path.to_owned(), source })?;
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        let detail = format!("it ends after {} of the 8 bytes of a fingerprint", rest.len());
        return Err(CorpusError::Truncated { path: path.to_owned(), detail }.into());
    }
    Ok(words.iter().map(|&word| u64::from_le_bytes(word)).collect())
}
