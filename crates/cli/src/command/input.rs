//! The inputs in the order they were named, streams among them.

use std::collections::{HashSet, VecDeque};
use std::io::{self, Read};
use std::path::Path;

use anyhow::Result;
use tempfile::TempDir;
use twindex_corpus::{
    Batch, Compression, CorpusError, Format, ReadOptions, Reader, STANDARD_STREAM, Source, is_stream,
    open_stream, resolve, spool, stream_format,
};

use crate::command::outputs;
use crate::exit::UsageError;

/// The inputs, one after another.
pub(crate) struct Input {
    parts: VecDeque<Part>,
    options: ReadOptions,
    bytes: u64,
    bytes_before: u64,
    /// Hold copies of streams whose format cannot be read as they arrive; removed at the end.
    _copies: Vec<TempDir>,
}

/// Some of the inputs.
enum Part {
    Files(Box<Reader>),
    /// What can be read only once. It is opened when its turn comes: opening a named pipe waits for
    /// its writer, who may be busy with the one before it.
    Stream(String),
}

impl Input {
    /// Resolves every file, and opens each when it is read. None of `outputs`, each with its
    /// option, may be an input.
    pub(crate) fn open(inputs: &[String], outputs: &[(&str, &Path)], options: &ReadOptions) -> Result<Input> {
        let mut streams = HashSet::new();
        for stream in inputs.iter().filter(|input| is_stream(input)) {
            if !streams.insert(stream) {
                let name = if stream == STANDARD_STREAM { "- (standard input)" } else { stream };
                return Err(UsageError(format!("{name} is named twice")).into());
            }
        }
        // All files at once, because a file that is named twice may be on both sides of a stream.
        let files: Vec<String> = inputs.iter().filter(|input| !is_stream(input)).cloned().collect();
        let sources = if files.is_empty() { vec![] } else { resolve(&files, options)? };
        for (option, output) in outputs {
            outputs::check_input_is_safe(option, output, &sources)?;
        }
        let bytes = sources.iter().map(|source| source.bytes).sum();
        let mut input = Input {
            parts: VecDeque::new(),
            options: options.clone(),
            bytes,
            bytes_before: 0,
            _copies: vec![],
        };
        let mut sources = sources.into_iter();
        for group in inputs.chunk_by(|left, right| !is_stream(left) && !is_stream(right)) {
            input.parts.push_back(if is_stream(&group[0]) {
                Part::Stream(group[0].clone())
            } else {
                let files = if streams.is_empty() { usize::MAX } else { resolve(group, options)?.len() };
                let sources: Vec<Source> = sources.by_ref().take(files).collect();
                Part::Files(Box::new(Reader::open(&sources, options)?))
            });
        }
        Ok(input)
    }

    /// Reads a stream as it arrives if it can be; otherwise copies it to a temporary file first.
    fn open_stream(&mut self, name: &str) -> Result<Reader, CorpusError> {
        let called = if name == STANDARD_STREAM { "stdin" } else { name };
        let failed = |source| CorpusError::Read { path: called.into(), source };
        let mut start = Vec::new();
        let mut stream = open_stream(name)?;
        stream.by_ref().take(MAGIC_BYTES).read_to_end(&mut start).map_err(failed)?;
        let format = stream_format(name, self.options.format);
        let live = live_format(&start, format);
        let stream = io::Cursor::new(start).chain(stream);
        if let Some(format) = live {
            return Reader::live(stream, called, format, &self.options);
        }
        let folder = tempfile::tempdir();
        let folder = folder.map_err(|source| CorpusError::Write { path: std::env::temp_dir(), source })?;
        let source = spool(&folder.path().join("stream"), name, stream, format)?;
        self._copies.push(folder);
        Reader::open(&[source], &self.options)
    }

    /// The size of the inputs; what arrives on a stream is not known beforehand.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next rows, and how many bytes of the inputs were read by then.
    pub(crate) fn next_batch(&mut self, target_bytes: usize) -> Result<Option<(Batch, u64)>, CorpusError> {
        while let Some(part) = self.parts.front_mut() {
            let reader = match part {
                Part::Stream(name) => {
                    let name = std::mem::take(name);
                    let reader = self.open_stream(&name)?;
                    self.parts[0] = Part::Files(Box::new(reader));
                    continue;
                }
                Part::Files(reader) => reader,
            };
            if let Some(batch) = reader.next_batch(target_bytes)? {
                return Ok(Some((batch, self.bytes_before + reader.compressed_bytes_read())));
            }
            self.bytes_before += reader.compressed_bytes_read();
            self.parts.pop_front();
        }
        Ok(None)
    }
}

/// As many bytes as the longest magic number of a format or compression has.
const MAGIC_BYTES: u64 = 5;

/// How a Parquet file, a WARC file and a JSON array begin.
const NOT_LIVE: [&[u8]; 3] = [b"PAR1", b"WARC/", b"["];

/// The format in which a stream that begins so can be read as it arrives; `None` if it has to be
/// copied.
fn live_format(start: &[u8], format: Option<Format>) -> Option<Format> {
    let is_compressed = Compression::of_magic(start) != Compression::None;
    if is_compressed || NOT_LIVE.iter().any(|magic| start.starts_with(magic)) {
        return None;
    }
    let format = format.unwrap_or(Format::Jsonl);
    matches!(format, Format::Jsonl | Format::Tsv | Format::Lines).then_some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_formats_are_read_as_they_arrive_unless_compressed() {
        assert_eq!(live_format(b"{\"te", None), Some(Format::Jsonl));
        assert_eq!(live_format(b"", None), Some(Format::Jsonl));
        assert_eq!(live_format(b"text\t", Some(Format::Tsv)), Some(Format::Tsv));
        assert_eq!(live_format(b"\x1f\x8b\x08\x00", None), None);
        assert_eq!(live_format(b"\x28\xb5\x2f\xfd\x04", Some(Format::Jsonl)), None);
        assert_eq!(live_format(b"\x50\x2a\x4d\x18\x04", None), None);
        assert_eq!(live_format(b"[\n  {", None), None);
        assert_eq!(live_format(b"PAR1\x15", None), None);
        assert_eq!(live_format(b"<html", Some(Format::Html)), None);
        assert_eq!(live_format(b"id,te", Some(Format::Csv)), None);
    }
}
