//! How are collections read in which a file is a document?

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::compression;
use crate::error::CorpusError;
use crate::parse::file::{FileBatch, FileDocument};
use crate::position::Position;
use crate::source::Source;

/// Takes file documents from the front of `sources` until there are about `target` bytes; `None` if
/// the first source is no such file.
pub(crate) fn next(
    sources: &mut VecDeque<Arc<Source>>,
    target: usize,
    longest: usize,
    counter: &Arc<AtomicU64>,
) -> Result<Option<FileBatch>, CorpusError> {
    let mut files = Vec::new();
    let mut bytes = 0;
    while bytes < target.max(1) {
        let Some(source) = sources.pop_front_if(|source| source.format.is_file_per_document()) else {
            break;
        };
        let document = read(source, longest, counter)?;
        bytes += document.bytes.len().max(1);
        files.push(document);
    }
    Ok(if files.is_empty() { None } else { Some(FileBatch { files }) })
}

fn read(source: Arc<Source>, longest: usize, counter: &Arc<AtomicU64>) -> Result<FileDocument, CorpusError> {
    let input = compression::open(&source.path, source.compression, counter)?;
    let mut bytes = Vec::new();
    input
        .take(longest as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CorpusError::read(&source.path, error))?;
    if bytes.len() > longest {
        let position = Position::whole_file(&source);
        return Err(CorpusError::RowTooLong { position, limit: longest });
    }
    Ok(FileDocument { source, bytes })
}
