//! A file of records that is appended to, and read back at any place.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::{BatchError, Result};

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

    /// Makes everything appended so far last; returns how many bytes that is.
    pub(crate) fn sync(&mut self) -> Result<u64> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_data())
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
        Ok(Column { path: path.to_owned(), file, bytes })
    }

    /// Its size.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills `buffer` from the byte `offset` on.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(buffer, offset).map_err(BatchError::work(&self.path))
    }

    /// Calls `each` with every record of `width` bytes, in order.
    pub(crate) fn for_each(&self, width: usize, mut each: impl FnMut(&[u8])) -> Result<()> {
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
