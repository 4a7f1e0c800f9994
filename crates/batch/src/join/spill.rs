//! External sorting, for more than fits into memory.
//!
//! When the buffer is full, its records are sorted, deduplicated and written as a *run*; at the end
//! the runs are merged. The order is that of the records alone, so neither memory
//! nor threads change the result.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut;

use crate::error::{BatchError, Result};
use crate::work::{Spillable, WorkFolder};

/// Sorts and deduplicates records with a bounded buffer.
pub(crate) struct SpillSort<'a, T> {
    work: &'a WorkFolder,
    name: &'static str,
    buffer: Vec<T>,
    capacity: usize,
    runs: Vec<PathBuf>,
    /// How many runs were written in all.
    written: usize,
}

/// The first capacity of the buffer, doubled up to its limit: the system clears large pages as a
/// whole, even for few records.
const FIRST_CAPACITY: usize = 1 << 12;

/// At least this many records in memory, however small the limit: a run should be worth a file.
const LEAST_CAPACITY: usize = 1 << 16;

/// At most this many: longer runs are not faster, and a limit far above the machine's memory must
/// not fail.
const MOST_CAPACITY: usize = 1 << 27;

/// Runs that are merged at once: each costs a file and a buffer.
const FAN_IN: usize = 64;

/// Bytes read or written at once.
const BUFFER_BYTES: usize = 1 << 17;

impl<'a, T: Spillable> SpillSort<'a, T> {
    /// A sorter that holds about `memory` bytes of records and writes its runs into the work
    /// folder.
    pub(crate) fn new(work: &'a WorkFolder, name: &'static str, memory: usize) -> Self {
        let capacity = (memory / size_of::<T>()).clamp(LEAST_CAPACITY, MOST_CAPACITY);
        SpillSort {
            work,
            name,
            buffer: Vec::with_capacity(FIRST_CAPACITY),
            capacity,
            runs: vec![],
            written: 0,
        }
    }

    /// Adds a record.
    pub(crate) fn push(&mut self, record: T) -> Result<()> {
        if self.buffer.len() == self.capacity {
            self.compact();
            // Mostly repetitions: fill up instead of writing a short run.
            if self.buffer.len() > self.capacity / 2 {
                self.spill()?;
            }
        } else if self.buffer.len() == self.buffer.capacity() {
            self.buffer.reserve_exact(self.buffer.len().min(self.capacity - self.buffer.len()));
        }
        self.buffer.push(record);
        Ok(())
    }

    fn compact(&mut self) {
        self.buffer.par_sort_unstable();
        self.buffer.dedup();
    }

    fn spill(&mut self) -> Result<()> {
        let path = self.next_run();
        write_all(&path, self.buffer.iter().copied())?;
        self.runs.push(path);
        self.written += 1;
        self.buffer.clear();
        if self.runs.len() == FAN_IN {
            let path = self.next_run();
            self.merge(&path)?;
            self.runs = vec![path];
            self.written += 1;
        }
        Ok(())
    }

    fn next_run(&self) -> PathBuf {
        self.work.file(&format!("{}.run-{:04}", self.name, self.written))
    }

    /// Merges all runs into the file at `path` and removes them; returns the number of records.
    fn merge(&self, path: &Path) -> Result<u64> {
        let merged = Merge::<T>::open(&self.runs)?;
        let mut failure = None;
        let records = merged.map_while(|record| record.map_err(|error| failure = Some(error)).ok());
        let count = write_all(path, records)?;
        if let Some(error) = failure {
            return Err(error);
        }
        for run in &self.runs {
            fs::remove_file(run).map_err(BatchError::work(run))?;
        }
        Ok(count)
    }

    /// Writes all records, ascending and distinct, to `path`; returns their number. Removes the
    /// runs.
    pub(crate) fn finish(mut self, path: &Path) -> Result<u64> {
        self.compact();
        if self.runs.is_empty() {
            return write_all(path, self.buffer.iter().copied());
        }
        self.spill()?;
        self.buffer = vec![];
        self.merge(path)
    }
}

/// Writes records to a new file that appears whole.
fn write_all<T: Spillable>(path: &Path, records: impl Iterator<Item = T>) -> Result<u64> {
    let partial = path.with_extension("partial");
    let mut file =
        BufWriter::with_capacity(BUFFER_BYTES, File::create(&partial).map_err(BatchError::work(&partial))?);
    let mut bytes = vec![0; T::BYTES];
    let mut count = 0;
    for record in records {
        record.encode(&mut bytes);
        file.write_all(&bytes).map_err(BatchError::work(&partial))?;
        count += 1;
    }
    file.flush().map_err(BatchError::work(&partial))?;
    fs::rename(&partial, path).map_err(BatchError::work(path))?;
    Ok(count)
}

/// Reads the records of a file in order.
pub(crate) struct Records<T> {
    path: PathBuf,
    file: BufReader<File>,
    bytes: Vec<u8>,
    kind: std::marker::PhantomData<T>,
}

impl<T: Spillable> Records<T> {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Records::open_from(path, 0)
    }

    /// Reads from record number `first` on.
    pub(crate) fn open_from(path: &Path, first: u64) -> Result<Self> {
        let open = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(first * T::BYTES as u64))?;
            Ok(BufReader::with_capacity(BUFFER_BYTES, file))
        };
        let file = open().map_err(BatchError::work(path))?;
        Ok(Records { path: path.to_owned(), file, bytes: vec![0; T::BYTES], kind: std::marker::PhantomData })
    }
}

impl<T: Spillable> Iterator for Records<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        // The buffer nearly always has the whole record.
        if let Some(record) = self.file.buffer().get(..T::BYTES).map(T::decode) {
            self.file.consume(T::BYTES);
            return Some(Ok(record));
        }
        let mut filled = 0;
        while filled < T::BYTES {
            match self.file.read(&mut self.bytes[filled..]) {
                Ok(0) if filled == 0 => return None,
                Ok(0) => return Some(Err(BatchError::damaged(&self.path, "it ends inside a record"))),
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Some(Err(BatchError::work(&self.path)(error))),
            }
        }
        Some(Ok(T::decode(&self.bytes)))
    }
}

/// Merges sorted runs, dropping repetitions.
struct Merge<T> {
    runs: Vec<Records<T>>,
    heads: BinaryHeap<Reverse<(T, usize)>>,
    last: Option<T>,
}

impl<T: Spillable> Merge<T> {
    fn open(paths: &[PathBuf]) -> Result<Self> {
        let mut runs = paths.iter().map(|path| Records::open(path)).collect::<Result<Vec<Records<T>>>>()?;
        let mut heads = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            if let Some(record) = run.next() {
                heads.push(Reverse((record?, number)));
            }
        }
        Ok(Merge { runs, heads, last: None })
    }
}

impl<T: Spillable> Iterator for Merge<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        loop {
            let Reverse((record, number)) = self.heads.pop()?;
            match self.runs[number].next() {
                Some(Ok(next)) => self.heads.push(Reverse((next, number))),
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
            if self.last != Some(record) {
                self.last = Some(record);
                return Some(Ok(record));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn spilled_runs_merge_to_the_sorted_set() {
        let folder = tempfile::tempdir().unwrap();
        // More than three runs, with repetitions inside and across runs.
        let records: Vec<u64> =
            (0..250_000u64).map(|i| twindex_core::hash::mix(i % 200_000) % 180_000).collect();
        let work = crate::work::for_test(&folder.path().join("work"));
        let mut sort = SpillSort::new(&work, "test", 0);
        for record in &records {
            sort.push(*record).unwrap();
        }
        assert!(sort.runs.len() > 1);
        let path = folder.path().join("sorted");
        let files = || fs::read_dir(folder.path().join("work")).unwrap().count();
        assert!(files() > 2);
        let count = sort.finish(&path).unwrap();
        let found: Vec<u64> = Records::open(&path).unwrap().map(|record| record.unwrap()).collect();
        let expected: Vec<u64> = records.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(found, expected);
        assert_eq!(count as usize, expected.len());
        assert_eq!(files(), 1, "runs are removed, the lock stays");
    }

    #[test]
    fn a_file_cut_inside_a_record_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut");
        fs::write(&path, [1; 12]).unwrap();
        let records: Vec<Result<u64>> = Records::open(&path).unwrap().collect();
        assert!(records[0].is_ok() && records[1].is_err());
    }
}
