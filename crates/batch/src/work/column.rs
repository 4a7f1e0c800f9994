//! A file of records that is appended to, and read back at any place.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use twindex_core::kernel::memory::{prefetch, reserve_present};

use crate::error::{BatchError, Result};
use crate::work::WorkFolder;

/// What is read from front to back is asked for so far ahead: some documents, whose fingerprints are not read as a whole.
const AHEAD_BYTES: usize = 1 << 10;

const NUMBER_BYTES: usize = size_of::<u64>();

/// Appends to a column.
#[derive(Debug)]
pub(crate) struct ColumnWriter {
    path: PathBuf,
    store: Store,
    bytes: u64,
}

/// Where a column grows.
#[derive(Debug)]
enum Store {
    /// In memory, until it is settled.
    Memory(Vec<u8>),
    File(BufWriter<File>),
}

impl ColumnWriter {
    /// Opens the column at `path` and forgets everything behind its first `bytes` bytes.
    pub(crate) fn open(path: &Path, bytes: u64) -> Result<Self> {
        let open = || {
            let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            let length = file.metadata()?.len();
            if length < bytes {
                return Err(std::io::Error::other(
                    "it is shorter than its checkpoint says; start over with --fresh",
                ));
            }
            // Not without need: ext4 writes a file that was cut to nothing to the disk when it is closed.
            if length > bytes {
                file.set_len(bytes)?;
            }
            file.seek(SeekFrom::End(0))?;
            Ok(Store::File(BufWriter::with_capacity(1 << 18, file)))
        };
        Ok(ColumnWriter { path: path.to_owned(), store: open().map_err(BatchError::work(path))?, bytes })
    }

    /// A new column that stays in memory until it is settled at `path`. About `expected` bytes come.
    pub(crate) fn in_memory(path: &Path, expected: usize) -> Self {
        let mut held = vec![];
        // Growing would touch twice as much memory; what is not used of it is never touched. Without it, the column grows.
        let _ = held.try_reserve_exact(expected);
        ColumnWriter { path: path.to_owned(), store: Store::Memory(held), bytes: 0 }
    }

    /// Appends.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.store {
            Store::Memory(held) => {
                reserve_present(held, bytes.len());
                held.extend_from_slice(bytes);
            }
            Store::File(file) => file.write_all(bytes).map_err(BatchError::work(&self.path))?,
        }
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Appends records of one length.
    pub(crate) fn append_all<const BYTES: usize>(
        &mut self,
        mut records: impl Iterator<Item = [u8; BYTES]>,
    ) -> Result<()> {
        match &mut self.store {
            Store::Memory(held) => {
                reserve_present(held, records.size_hint().0 * BYTES);
                records.for_each(|record| held.extend_from_slice(&record));
                self.bytes = held.len() as u64;
                Ok(())
            }
            Store::File(_) => records.try_for_each(|record| self.append(&record)),
        }
    }

    /// How many bytes were appended in all.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes everything appended so far last as long as the work folder promises; returns how many bytes that is.
    pub(crate) fn settle(&mut self, work: &WorkFolder) -> Result<u64> {
        if let Store::Memory(held) = &mut self.store {
            let held = std::mem::take(held);
            let mut file = ColumnWriter::open(&self.path, 0)?;
            file.append(&held)?;
            *self = file;
        }
        if let Store::File(file) = &mut self.store {
            file.flush().and_then(|()| work.settle(file.get_ref())).map_err(BatchError::work(&self.path))?;
        }
        Ok(self.bytes)
    }

    /// The column as it is, to be read.
    pub(crate) fn finish(self) -> Result<Column> {
        match self.store {
            Store::Memory(held) => {
                Ok(Column { bytes: self.bytes, path: self.path, file: None, held: Some(held) })
            }
            Store::File(mut file) => {
                file.flush().map_err(BatchError::work(&self.path))?;
                Column::open(&self.path)
            }
        }
    }
}

/// Reads a column, from any thread.
#[derive(Debug)]
pub(crate) struct Column {
    path: PathBuf,
    /// There is none while the column is in memory only.
    file: Option<File>,
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
        Ok(Column { path: path.to_owned(), file: Some(file), bytes, held: None })
    }

    /// Holds all of it in memory, so that nothing asks the system again.
    pub(crate) fn hold(&mut self) -> Result<()> {
        if self.held.is_none() {
            let mut held = vec![0; self.bytes as usize];
            self.read_at(0, &mut held)?;
            self.held = Some(held);
        }
        Ok(())
    }

    /// Makes it last as long as the work folder promises: if it is in memory only, it is written there, too.
    pub(crate) fn settle(&self, work: &WorkFolder) -> Result<()> {
        match (&self.file, &self.held) {
            (Some(file), _) => work.settle(file).map_err(BatchError::work(&self.path)),
            (None, Some(held)) => {
                let mut file = ColumnWriter::open(&self.path, 0)?;
                file.append(held)?;
                file.settle(work).map(drop)
            }
            (None, None) => Ok(()),
        }
    }

    /// Moves it into the work folder, if it is in memory only.
    pub(crate) fn release(&mut self, work: &WorkFolder) -> Result<()> {
        if self.file.is_none() {
            self.settle(work)?;
            *self = Column::open(&self.path)?;
        }
        Ok(())
    }

    /// All of it, if it is in memory.
    pub(crate) fn held(&self) -> Option<&[u8]> {
        self.held.as_deref()
    }

    /// Whether it is in memory.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
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
        let missing = || BatchError::damaged(&self.path, "it is neither in memory nor on the disk");
        let file = self.file.as_ref().ok_or_else(missing)?;
        file.read_exact_at(buffer, offset).map_err(BatchError::work(&self.path))
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

    /// Says that the byte `offset` will be asked for soon.
    pub(crate) fn announce(&self, offset: u64) {
        if let Some(held) = &self.held {
            prefetch(held, offset as usize);
        }
    }

    /// Calls `each` with every record of `width` bytes, in order.
    pub(crate) fn for_each(&self, width: usize, mut each: impl FnMut(&[u8])) -> Result<()> {
        let mut records = self.sequence()?;
        for _ in 0..self.bytes / width as u64 {
            each(records.next(width)?);
        }
        Ok(())
    }

    /// Reads it from front to back.
    pub(crate) fn sequence(&self) -> Result<Sequence<'_>> {
        let source = match &self.held {
            Some(held) => Source::Held(held),
            None => {
                let file = File::open(&self.path).map_err(BatchError::work(&self.path))?;
                Source::File(BufReader::with_capacity(1 << 18, file), vec![])
            }
        };
        Ok(Sequence { column: self, source })
    }

    /// The path, for errors.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A column that is read from front to back.
pub(crate) struct Sequence<'a> {
    column: &'a Column,
    source: Source<'a>,
}

enum Source<'a> {
    /// What is left of a column in memory.
    Held(&'a [u8]),
    /// A file, and what was read last.
    File(BufReader<File>, Vec<u8>),
}

impl Sequence<'_> {
    /// The next `length` bytes.
    pub(crate) fn next(&mut self, length: usize) -> Result<&[u8]> {
        match &mut self.source {
            Source::Held(left) => match left.split_at_checked(length) {
                Some((next, rest)) => {
                    prefetch(rest, AHEAD_BYTES);
                    *left = rest;
                    Ok(next)
                }
                None => Err(BatchError::damaged(&self.column.path, "it is shorter than it should be")),
            },
            Source::File(file, buffer) => {
                buffer.resize(length, 0);
                file.read_exact(buffer).map_err(BatchError::work(&self.column.path))?;
                Ok(buffer)
            }
        }
    }
}
