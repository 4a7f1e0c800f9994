//! The inputs in the order they were named, standard input among them.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;
use twindex_corpus::{
    Batch, CorpusError, Format, ReadOptions, Reader, STANDARD_STREAM, Source, resolve, spool_stdin,
};

use crate::command::outputs;
use crate::exit::UsageError;

/// The readers of the inputs, one after another.
pub(crate) struct Input {
    readers: VecDeque<Reader>,
    bytes: u64,
    bytes_before: u64,
    /// Holds a copy of standard input where its format cannot be read as it arrives; removed at the
    /// end.
    _copy: Option<TempDir>,
}

impl Input {
    /// Resolves every file, and opens each when it is read. None of `outputs`, each with its
    /// option, may be an input.
    pub(crate) fn open(inputs: &[String], outputs: &[(&str, &Path)], options: &ReadOptions) -> Result<Input> {
        let mut parts = inputs.split(|input| input == STANDARD_STREAM);
        let before = parts.next().unwrap_or_default();
        let after = parts.next();
        if parts.next().is_some() {
            return Err(UsageError("- (standard input) is named twice".to_owned()).into());
        }
        // All files at once, because a file that is named twice may be on both sides of standard
        // input.
        let files: Vec<String> = inputs.iter().filter(|input| *input != STANDARD_STREAM).cloned().collect();
        let mut sources = if files.is_empty() { vec![] } else { resolve(&files, options)? };
        for (option, output) in outputs {
            outputs::check_input_is_safe(option, output, &sources)?;
        }
        let files_before = if before.is_empty() { 0 } else { resolve(before, options)?.len() };
        let sources_after = sources.split_off(files_before);

        let mut input = Input { readers: VecDeque::new(), bytes: 0, bytes_before: 0, _copy: None };
        input.add_files(&sources, options)?;
        if after.is_some() {
            input.add_standard_input(options)?;
        }
        input.add_files(&sources_after, options)?;
        Ok(input)
    }

    fn add_files(&mut self, sources: &[Source], options: &ReadOptions) -> Result<()> {
        if !sources.is_empty() {
            self.bytes += sources.iter().map(|source| source.bytes).sum::<u64>();
            self.readers.push_back(Reader::open(sources, options)?);
        }
        Ok(())
    }

    /// Reads standard input as it arrives if it can be; otherwise copies it to a temporary file
    /// first.
    fn add_standard_input(&mut self, options: &ReadOptions) -> Result<()> {
        let mut start = Vec::new();
        let mut stream = io::stdin();
        stream.by_ref().take(MAGIC_BYTES).read_to_end(&mut start).context("cannot read standard input")?;
        let live = live_format(&start, options.format);
        let stream = io::Cursor::new(start).chain(stream);
        if let Some(format) = live {
            self.readers.push_back(Reader::live(stream, "stdin", format, options)?);
            return Ok(());
        }
        let folder = tempfile::tempdir().context("cannot make a temporary folder for standard input")?;
        let source = spool_stdin(&folder.path().join("stdin"), stream, options.format)?;
        self._copy = Some(folder);
        self.add_files(&[source], options)
    }

    /// The size of the inputs; what arrives on standard input is not known beforehand.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next rows, and how many bytes of the inputs were read by then.
    pub(crate) fn next_batch(&mut self, target_bytes: usize) -> Result<Option<(Batch, u64)>, CorpusError> {
        while let Some(reader) = self.readers.front_mut() {
            if let Some(batch) = reader.next_batch(target_bytes)? {
                return Ok(Some((batch, self.bytes_before + reader.compressed_bytes_read())));
            }
            self.bytes_before += reader.compressed_bytes_read();
            self.readers.pop_front();
        }
        Ok(None)
    }
}

/// As many bytes as the longest magic number of a format or compression has.
const MAGIC_BYTES: u64 = 5;

/// How a compressed stream, a Parquet file and a WARC file begin.
const NOT_LIVE: [&[u8]; 4] = [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd], b"PAR1", b"WARC/"];

/// The format in which a stream that begins so can be read as it arrives; `None` if it has to be
/// copied.
fn live_format(start: &[u8], format: Option<Format>) -> Option<Format> {
    if NOT_LIVE.iter().any(|magic| start.starts_with(magic)) {
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
        assert_eq!(live_format(b"PAR1\x15", None), None);
        assert_eq!(live_format(b"<html", Some(Format::Html)), None);
        assert_eq!(live_format(b"id,te", Some(Format::Csv)), None);
    }
}
