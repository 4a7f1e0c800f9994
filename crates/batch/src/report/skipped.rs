//! The list of all rows that a job left out.
//!
//! The summary lists the first thousand. If there are more, all of them are in a file beside the
//! outputs, which appears together with them. The user has not chosen its name, so it never
//! replaces a file that is no such list: the next free name is used instead.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use twindex_corpus::{Pending, create_compressed};

use crate::error::{BatchError, Result};
use crate::work::{SKIPPED, WorkFolder};

/// How many skipped rows the summary lists.
pub(crate) const LISTED: usize = 1_000;

/// The first line of a list, by which a list of an earlier job is recognized.
const HEADER: &[u8] = b"# Rows that twindex left out, one a line.\n";

/// How many bytes are copied at once.
const COPY_BYTES: usize = 1 << 16;

/// The first messages.
pub(crate) fn first(work: &WorkFolder) -> Result<Vec<String>> {
    let path = work.file(SKIPPED);
    let file = File::open(&path).map_err(BatchError::work(&path))?;
    let lines = BufReader::new(file).lines().take(LISTED);
    lines.collect::<io::Result<_>>().map_err(BatchError::work(&path))
}

/// Writes all messages to `path`, or to the next free name; returns that name.
pub(crate) fn write(work: &WorkFolder, path: &Path) -> Result<(Pending, PathBuf)> {
    let name = free_name(path);
    let mut list = create_compressed(&name)?;
    list.put(HEADER)?;
    let from = work.file(SKIPPED);
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
    // A pipe is no list, and opening it may block for ever.
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
        std::fs::write(&list, "other notes").unwrap();
        assert_eq!(free_name(&list), path("kept.jsonl.skipped-2.txt"));
        std::fs::create_dir(path("kept.jsonl.skipped-2.txt")).unwrap();
        assert_eq!(free_name(&list), path("kept.jsonl.skipped-3.txt"));
    }
}
