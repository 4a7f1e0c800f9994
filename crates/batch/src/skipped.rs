//! The rows that a job left out, by name: every one of them.
//!
//! The summary lists the first thousand. If there are more, all of them are in a file beside the outputs, which appears together with them.
//! Nobody has named that file, so it never takes the place of one that is not ours: the next free name is used instead.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use twindex_corpus::{Pending, create_compressed};

use crate::error::{BatchError, Result};
use crate::work::WorkFolder;

/// How many skipped rows the summary lists.
pub(crate) const LISTED: usize = 1_000;

/// The messages in the work folder, one a line.
pub(crate) const NAME: &str = "skipped";

/// What the list begins with; by it a list of an earlier job is known.
const HEADER: &[u8] = b"# Rows that twindex left out, one a line.\n";

/// How many bytes are copied at once.
const COPY_BYTES: usize = 1 << 16;

/// A message as one line.
pub(crate) fn line(message: String) -> String {
    if message.contains(['\n', '\r']) { message.replace(['\n', '\r'], " ") } else { message }
}

/// The first messages.
pub(crate) fn first(work: &WorkFolder) -> Result<Vec<String>> {
    let path = work.file(NAME);
    let file = File::open(&path).map_err(BatchError::work(&path))?;
    let lines = BufReader::new(file).lines().take(LISTED);
    lines.collect::<io::Result<_>>().map_err(BatchError::work(&path))
}

/// Writes all messages to `path`, or beside it; returns the name that it got.
pub(crate) fn write(work: &WorkFolder, path: &Path) -> Result<(Pending, PathBuf)> {
    let name = free_name(path);
    let mut list = create_compressed(&name)?;
    list.put(HEADER)?;
    let from = work.file(NAME);
    let mut messages = File::open(&from).map_err(BatchError::work(&from))?;
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        let length = messages.read(&mut buffer).map_err(BatchError::work(&from))?;
        if length == 0 {
            return Ok((list.finish()?, name));
        }
        list.put(&buffer[..length])?;
    }
}

/// The first of `NAME.txt`, `NAME-2.txt`, ... that is not there, or is a list of an earlier job.
fn free_name(path: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!("{stem}-{number}.{extension}"))
    };
    let mut names = std::iter::once(path.to_owned()).chain((2..).map(numbered));
    names.find(|name| is_free(name)).unwrap_or_else(|| path.to_owned())
}

fn is_free(path: &Path) -> bool {
    let mut start = vec![];
    // What is no file (a pipe, say) is somebody else's, and may wait for ever when it is opened.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return false;
    }
    match File::open(path) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(file) => file.take(HEADER.len() as u64).read_to_end(&mut start).is_ok() && start == HEADER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_file_is_left_alone_and_an_earlier_list_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let list = path("kept.jsonl.skipped.txt");
        assert_eq!(free_name(&list), list);
        std::fs::write(&list, HEADER).unwrap();
        assert_eq!(free_name(&list), list);
        std::fs::write(&list, "notes of somebody").unwrap();
        assert_eq!(free_name(&list), path("kept.jsonl.skipped-2.txt"));
        std::fs::create_dir(path("kept.jsonl.skipped-2.txt")).unwrap();
        assert_eq!(free_name(&list), path("kept.jsonl.skipped-3.txt"));
    }

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(line("a\r\nb".to_owned()), "a  b");
    }
}
