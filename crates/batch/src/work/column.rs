//! A file of records that is appended to, and read back at any place.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::{BatchError, Result};
use crate::work::WorkFolder;

/// Appends to a column.
#[derive(Debug)]
pub(crate) struct ColumnWriter {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
}

impl ColumnWriter {
    /// Opens the column at `path` and forgets everything behind its first `bytes` bytes.
    pub(crate) fn open(path: &Path, bytes: u64) -> Result<Self> {
        let open = || {
            let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            if file.metadata()?.len() < bytes {
                return Err(std::io::Error::other(
                    "it is shorter than its checkpoint says; start over with --fresh",
                ));
            }
            file.set_len(bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(BufWriter::with_capacity(1 << 18, file))
        };
        Ok(ColumnWriter { path: path.to_owned(), file: open().map_err(BatchError::work(path))?, bytes })
    }

    /// Appends.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(BatchError::work(&self.path))?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// How many bytes were appended in all.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes everything appended so far last as long as the work folder promises; returns how many bytes that is.
    pub(crate) fn settle(&mut self, work: &WorkFolder) -> Result<u64> {
        self.file
            .flush()
            .and_then(|()| work.settle(self.file.get_ref()))
            .map_err(BatchError::work(&self.path))?;
        Ok(self.bytes)
    }
}

/// Reads a column, from any thread.
#[derive(Debug)]
pub(crate) struct Column {
    path: PathBuf,
    file: File,
    bytes: u64,
    /// All of it, if it is held in memory.
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

    /// Reads all of it into memory, so that nothing asks the system again.
    pub(crate) fn hold(&mut self) -> Result<()> {
        let mut held = vec![0; self.bytes as usize];
        self.read_at(0, &mut held)?;
        self.held = Some(held);
        Ok(())
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

    /// Record number `number` of `width` bytes, in `buffer` unless the column is held.
    pub(crate) fn record<'s>(
        &'s self,
        number: u32,
        width: usize,
        buffer: &'s mut Vec<u8>,
    ) -> Result<&'s [u8]> {
        let start = number as usize * width;
        if let Some(record) = self.held.as_ref().and_then(|held| held.get(start..start + width)) {
            return Ok(record);
        }
        buffer.resize(width, 0);
        self.read_at(start as u64, buffer)?;
        Ok(buffer)
    }

    /// Calls `each` with every record of `width` bytes, in order.
    pub(crate) fn for_each(&self, width: usize, mut each: impl FnMut(&[u8])) -> Result<()> {
        if let Some(held) = &self.held {
            held.chunks_exact(width).for_each(each);
            return Ok(());
        }
        let file = File::open(&self.path).map_err(BatchError::work(&self.path))?;
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut record = vec![0; width];
        for _ in 0..self.bytes / width as u64 {
            file.read_exact(&mut record).map_err(BatchError::work(&self.path))?;
            each(&record);
        }
        Ok(())
    }

    /// The path, for errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
