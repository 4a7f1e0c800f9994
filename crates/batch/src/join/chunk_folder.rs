//! Sorted chunks of fingerprints in a folder, for probabilistic matching in batches.
//!
//! ```text
//! chunk-000000.u64, ..   ascending fingerprints, 8 bytes each, the lowest first
//! ```
//!
//! How many chunks count, and what makes them durable, is the caller's: see `hamming/store.rs`.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use twindex_core::search::psm::batch::Chunks;

use crate::error::{BatchError, Result};

/// A folder of sorted chunks.
#[derive(Debug)]
pub(crate) struct ChunkFolder {
    folder: PathBuf,
    chunks: usize,
}

/// Bytes of a chunk that are read at once.
const READ_BYTES: usize = 1 << 16;

impl ChunkFolder {
    /// A folder of which the first `chunks` chunks count.
    pub(crate) fn open(folder: &Path, chunks: usize) -> Self {
        ChunkFolder { folder: folder.to_owned(), chunks }
    }

    /// The file name of a chunk.
    pub(crate) fn name(chunk: usize) -> String {
        format!("chunk-{chunk:06}.u64")
    }

    fn path(&self, chunk: usize) -> PathBuf {
        self.folder.join(ChunkFolder::name(chunk))
    }
}

impl Chunks for ChunkFolder {
    type Error = BatchError;

    fn len(&self) -> usize {
        self.chunks
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<()> {
        let path = self.path(chunk);
        read_words(&path, values).map_err(BatchError::work(&path))?;
        if !values.is_sorted() {
            return Err(BatchError::damaged(&path, "expected ascending fingerprints"));
        }
        Ok(())
    }
}

impl ChunkFolder {
    /// Adds a chunk of ascending fingerprints at the end.
    pub(crate) fn append(&mut self, values: &[u64]) -> Result<()> {
        let path = self.path(self.chunks);
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        fs::write(&path, bytes).map_err(BatchError::work(&path))?;
        self.chunks += 1;
        Ok(())
    }
}

/// Appends the numbers of a file. A file that ends within a number is an error.
fn read_words(path: &Path, values: &mut Vec<u64>) -> std::io::Result<()> {
    let file = File::open(path)?;
    let words = file.metadata()?.len().div_ceil(size_of::<u64>() as u64);
    let mut file = BufReader::with_capacity(READ_BYTES, file);
    values.reserve(words as usize);
    for _ in 0..words {
        let mut word = [0; size_of::<u64>()];
        file.read_exact(&mut word)?;
        values.push(u64::from_le_bytes(word));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_back_and_a_damaged_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut chunks = ChunkFolder::open(folder.path(), 0);
        chunks.append(&[3, 9]).unwrap();
        let mut values = vec![];
        chunks.read(0, &mut values).unwrap();
        assert_eq!((values, chunks.len()), (vec![3, 9], 1));
        let path = chunks.path(0);
        fs::write(&path, [9u64.to_le_bytes(), 3u64.to_le_bytes()].concat()).unwrap();
        assert!(matches!(chunks.read(0, &mut vec![]), Err(BatchError::Damaged { .. })));
        fs::write(&path, [0; 9]).unwrap();
        assert!(matches!(chunks.read(0, &mut vec![]), Err(BatchError::Work { .. })));
    }
}
