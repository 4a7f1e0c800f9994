//! How is a collection cut into batches? The cheap step, done by one thread.

mod csv;
mod encryption;
mod files;
mod lines;
mod parquet;
mod warc;
mod window;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use crate::batch::{Batch, Content};
use crate::compression::{self, Compression};
use crate::error::CorpusError;
use crate::format::Format;
use crate::json_array;
use crate::options::ReadOptions;
use crate::parse::delimited::Header;
use crate::parse::json_line::MOST_FIELDS;
use crate::row::Wanted;
use crate::source::Source;
use crate::span::SpanBatch;
use csv::CsvSplitter;
use lines::LineSplitter;
use parquet::ParquetSplitter;
use warc::WarcSplitter;
use window::Input;

pub(crate) use parquet::open as open_parquet;

/// Reads sources one after another, in bounded memory.
pub struct Reader {
    sources: VecDeque<Arc<Source>>,
    options: ReadOptions,
    current: Option<Splitter>,
    bytes_read: Arc<AtomicU64>,
}

/// What cuts the source that is being read.
enum Splitter {
    Lines(LineSplitter),
    Csv(Box<CsvSplitter>),
    Warc(WarcSplitter),
    Parquet(Box<ParquetSplitter>),
}

impl Splitter {
    fn next(&mut self, target: usize) -> Result<Option<Content>, CorpusError> {
        Ok(match self {
            Splitter::Lines(lines) => lines.next(target)?.map(Content::Spans),
            Splitter::Csv(csv) => csv.next(target)?.map(Content::Spans),
            Splitter::Warc(warc) => warc.next(target)?.map(Content::Spans),
            Splitter::Parquet(parquet) => parquet.next(target)?.map(Content::Table),
        })
    }
}

impl Reader {
    /// A reader of `sources`. They are opened when their turn comes.
    pub fn open(sources: &[Source], options: &ReadOptions) -> Result<Reader, CorpusError> {
        let found = Wanted::new(options).paths().len();
        if found > MOST_FIELDS {
            return Err(CorpusError::TooManyFields { found, limit: MOST_FIELDS });
        }
        Ok(Reader {
            sources: sources.iter().cloned().map(Arc::new).collect(),
            options: options.clone(),
            current: None,
            bytes_read: Arc::default(),
        })
    }

    /// A reader of the rows that begin at or after `offset`, numbered from there: for a sample from
    /// the middle of a file. `None` unless rows can be found without reading what is before them,
    /// which is so in plain files whose rows stand alone.
    pub fn from_offset(
        source: &Source,
        offset: u64,
        options: &ReadOptions,
    ) -> Result<Option<Reader>, CorpusError> {
        if source.compression != Compression::None || !source.format.rows_stand_alone() {
            return Ok(None);
        }
        let mut reader = Reader::open(&[], options)?;
        let read = |error| CorpusError::read(&source.path, error);
        let mut file = File::open(&source.path).map_err(|error| CorpusError::open(&source.path, error))?;
        // A row begins behind the end of a line, which may be the byte before the offset.
        if let Some(before) = offset.checked_sub(1) {
            file.seek(SeekFrom::Start(before)).map_err(read)?;
            let skipped = BufReader::new(&file).skip_until(b'\n').map_err(read)?;
            file.seek(SeekFrom::Start(before + skipped as u64)).map_err(read)?;
        }
        let input = Input::File(file, Arc::clone(&reader.bytes_read));
        let mut lines = LineSplitter::new(&Arc::new(source.clone()), input, false, false);
        lines.window.longest = options.longest_row;
        reader.current = Some(Splitter::Lines(lines));
        Ok(Some(reader))
    }

    /// How many rows end in `length` bytes from `offset`; `None` where [`Reader::from_offset`] is.
    pub fn rows_within(source: &Source, offset: u64, length: u64) -> Result<Option<u64>, CorpusError> {
        if source.compression != Compression::None || !source.format.rows_stand_alone() {
            return Ok(None);
        }
        let mut file = File::open(&source.path).map_err(|error| CorpusError::open(&source.path, error))?;
        let mut bytes = vec![];
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(length).read_to_end(&mut bytes));
        read.map_err(|error| CorpusError::read(&source.path, error))?;
        Ok(Some(memchr::memchr_iter(b'\n', &bytes).count() as u64))
    }

    /// A reader of a stream that is called `name` and may never end: rows are given as soon as they
    /// arrive. Only line formats can be read so.
    pub fn live(
        input: impl Read + Send + 'static,
        name: &str,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Reader, CorpusError> {
        if !matches!(format, Format::Jsonl | Format::Tsv | Format::Lines) {
            return Err(CorpusError::NotLive { format });
        }
        let mut reader = Reader::open(&[], options)?;
        let source = Arc::new(Source {
            path: PathBuf::from(name),
            name: name.to_owned(),
            relative: PathBuf::from(name),
            format,
            compression: Compression::None,
            bytes: 0,
            modified: UNIX_EPOCH,
        });
        let input = compression::decode(input, Compression::None, &reader.bytes_read)
            .map_err(|error| CorpusError::read(&source.path, error))?;
        let lines = LineSplitter::new(&source, Input::Stream(input), format == Format::Tsv, true);
        reader.current = Some(Splitter::Lines(lines));
        Ok(reader)
    }

    /// The next rows, about `target_bytes` of them but at least one row; `None` at the end. Only
    /// finds where rows end: cheap and sequential.
    pub fn next_batch(&mut self, target_bytes: usize) -> Result<Option<Batch>, CorpusError> {
        loop {
            let Some(current) = &mut self.current else {
                if let Some(files) =
                    files::next(&mut self.sources, target_bytes, self.options.longest_row, &self.bytes_read)?
                {
                    return Ok(Some(Batch { content: Content::Files(files) }));
                }
                let Some(source) = self.sources.pop_front() else {
                    return Ok(None);
                };
                self.current = Some(self.split(&source)?);
                continue;
            };
            let Some(content) = current.next(target_bytes)? else {
                self.current = None;
                continue;
            };
            if let Content::Spans(SpanBatch { header: Some(header), source, .. }) = &content {
                header.check(source, &self.options)?;
            }
            return Ok(Some(Batch { content }));
        }
    }

    /// How many bytes of the files were read, packed as they are: to be compared with the sum of
    /// [`Source::bytes`].
    pub fn compressed_bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    fn split(&self, source: &Arc<Source>) -> Result<Splitter, CorpusError> {
        let open = || match source.compression {
            Compression::None => {
                let file =
                    File::open(&source.path).map_err(|error| CorpusError::open(&source.path, error))?;
                Ok(Input::File(file, Arc::clone(&self.bytes_read)))
            }
            packed => {
                let unpacked = compression::open(&source.path, packed, &self.bytes_read)?;
                let may_be_array = source.format == Format::Jsonl && packed != Compression::JsonArray;
                let unpacked = if may_be_array { json_array::lines(unpacked) } else { Ok(unpacked) };
                unpacked.map(Input::Stream).map_err(|error| CorpusError::read(&source.path, error))
            }
        };
        let mut splitter = match source.format {
            Format::Parquet => {
                Splitter::Parquet(Box::new(ParquetSplitter::new(source, &self.options, &self.bytes_read)?))
            }
            Format::Csv => Splitter::Csv(Box::new(CsvSplitter::new(source, open()?, self.options.delimiter))),
            Format::Warc => Splitter::Warc(WarcSplitter::new(source, open()?)),
            Format::Tsv => Splitter::Lines(LineSplitter::new(source, open()?, true, false)),
            _ => Splitter::Lines(LineSplitter::new(source, open()?, false, false)),
        };
        match &mut splitter {
            Splitter::Lines(lines) => lines.window.longest = self.options.longest_row,
            Splitter::Csv(csv) => csv.window.longest = self.options.longest_row,
            Splitter::Warc(warc) => warc.window.longest = self.options.longest_row,
            Splitter::Parquet(_) => {}
        }
        Ok(splitter)
    }
}

/// More than a header has.
const HEADER_BYTES: usize = 1 << 16;

/// The row that names the columns of a source; `None` if there is none.
pub(crate) fn header_of(source: &Arc<Source>) -> Result<Option<Arc<Header>>, CorpusError> {
    let reader = Reader::open(&[], &ReadOptions::default())?;
    Ok(match reader.split(source)?.next(HEADER_BYTES)? {
        Some(Content::Spans(batch)) => batch.header,
        _ => None,
    })
}
