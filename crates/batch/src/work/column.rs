//! A file of records with appending writes and random reads.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use twindex_core::kernel::memory;

use crate::error::{BatchError, Result};

const NUMBER_BYTES: usize = size_of::<u64>();

/// Bytes read or written at once.
const BUFFER_BYTES: usize = 1 << 18;

/// Appends to a column.
#[derive(Debug)]
pub(crate) struct ColumnWriter {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
}

impl ColumnWriter {
    /// Opens the column at `path` and truncates it to `bytes` bytes.
    pub(crate) fn open(path: &Path, bytes: u64) -> Result<Self> {
        let open = || {
            let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            let length = file.metadata()?.len();
            // Only if needed: ext4 syncs a file that was truncated to nothing when it is closed.
            if length > bytes {
                file.set_len(bytes)?;
            }
            file.seek(SeekFrom::End(0))?;
            Ok((file, length))
        };
        let (file, length) = open().map_err(BatchError::work(path))?;
        if length < bytes {
            return Err(BatchError::damaged(path, "it is shorter than its checkpoint says"));
        }
        Ok(ColumnWriter { path: path.to_owned(), file: BufWriter::with_capacity(BUFFER_BYTES, file), bytes })
    }

    /// Appends.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(BatchError::work(&self.path))
    }

    /// How many bytes were appended in all.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Flushes; returns how many bytes were appended in all.
    pub(crate) fn flush(&mut self) -> Result<u64> {
        self.file.flush().map_err(BatchError::work(&self.path))?;
        Ok(self.bytes)
    }
}

/// Reads a column, from any thread.
#[derive(Debug)]
pub(crate) struct Column {
    path: PathBuf,
    file: File,
    bytes: u64,
    /// The whole column, if it is held in memory.
    held: Option<Vec<u8>>,
}

impl Column {
    /// Opens a finished column.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let open = || {
            let file = File::open(path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(BatchError::work(path))?;
        Ok(Column { path: path.to_owned(), file, bytes, held: None })
    }

    /// Loads the whole column into memory.
    pub(crate) fn hold(&mut self) -> Result<()> {
        // On huge pages: page faults took 4 % of the time of 125,000 posts.
        let mut held = memory::with_capacity(self.bytes as usize);
        let read = File::open(&self.path).and_then(|mut file| file.read_to_end(&mut held));
        read.map_err(BatchError::work(&self.path))?;
        self.held = Some(held);
        Ok(())
    }

    /// The whole column, if it is held in memory.
    pub(crate) fn held(&self) -> Option<&[u8]> {
        self.held.as_deref()
    }

    /// Its size.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills `buffer` from the byte `offset` on.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        if let Some(held) = &self.held {
            let start = offset as usize;
            let part = held.get(start..start + buffer.len());
            let part =
                part.ok_or_else(|| BatchError::damaged(&self.path, "it is shorter than it should be"))?;
            buffer.copy_from_slice(part);
            return Ok(());
        }
        self.file.read_exact_at(buffer, offset).map_err(BatchError::work(&self.path))
    }

    /// Number `number` of a column of 64-bit numbers.
    pub(crate) fn number_at(&self, number: u64) -> Result<u64> {
        let offset = number * NUMBER_BYTES as u64;
        let held = self.held.as_ref().and_then(|held| held.get(offset as usize..)?.first_chunk());
        if let Some(&bytes) = held {
            return Ok(u64::from_le_bytes(bytes));
        }
        let mut bytes = [0; NUMBER_BYTES];
        self.read_at(offset, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// The `length` bytes from the byte `offset` on, in `buffer` unless the column is held.
    pub(crate) fn part<'s>(
        &'s self,
        offset: u64,
        length: usize,
        buffer: &'s mut Vec<u8>,
    ) -> Result<&'s [u8]> {
        let start = offset as usize;
        if let Some(part) = self.held.as_ref().and_then(|held| held.get(start..start + length)) {
            return Ok(part);
        }
        buffer.resize(length, 0);
        self.read_at(offset, buffer)?;
        Ok(buffer)
    }

    /// Calls `each` with every record of `width` bytes, in order.
    pub(crate) fn for_each(&self, width: usize, mut each: impl FnMut(&[u8])) -> Result<()> {
        if let Some(held) = &self.held {
            held.chunks_exact(width).for_each(each);
            return Ok(());
        }
        let mut records = self.sequence()?;
        for _ in 0..self.bytes / width as u64 {
            each(records.next(width)?);
        }
        Ok(())
    }

    /// Reads the file from front to back.
    pub(crate) fn sequence(&self) -> Result<Sequence<'_>> {
        let file = File::open(&self.path).map_err(BatchError::work(&self.path))?;
        Ok(Sequence { path: &self.path, file: BufReader::with_capacity(BUFFER_BYTES, file), last: vec![] })
    }

    /// The path, for errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A column that is read from front to back.
pub(crate) struct Sequence<'a> {
    path: &'a Path,
    file: BufReader<File>,
    /// What was read last.
    last: Vec<u8>,
}

impl Sequence<'_> {
    /// The next `length` bytes.
    pub(crate) fn next(&mut self, length: usize) -> Result<&[u8]> {
        self.last.resize(length, 0);
        self.file.read_exact(&mut self.last).map_err(BatchError::work(self.path))?;
        Ok(&self.last)
    }
}
