//! Writing a segment: entries come in order, the file is complete at the end.
//!
//! The columns follow each other in the file, and how many entries there are is known at the end.
//! So the keys go into a file of their own first, which is appended.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use twindex_disk::Disk;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::segment::{
    Directory, FOLLOWED, FORMAT, GROUP, HEADER, Held, MAGIC, Segment, checksum, difference,
};
use super::{Entry, Key};

const PIECE: usize = 1 << 18;

/// A segment that is being written.
pub(crate) struct SegmentWriter {
    covers: Range<u64>,
    partial: PathBuf,
    partial_keys: PathBuf,
    numbers: Column,
    keys: Column,
    last: Key,
    directory: Directory,
    held: Held,
    /// Entries of one bucket and tag, which are stored in the order of their numbers.
    same: Vec<Entry>,
    entries: u64,
}

impl SegmentWriter {
    /// Begins a segment for about `entries` entries, in files beside `path` with these extensions.
    pub(crate) fn begin(path: &Path, covers: Range<u64>, entries: usize) -> io::Result<SegmentWriter> {
        let partial = path.with_extension("partial");
        let partial_keys = path.with_extension("keys.partial");
        let mut numbers = Column::create(&partial)?;
        // Its header is known at the end.
        numbers.out.write_all(&[0; HEADER])?;
        Ok(SegmentWriter {
            held: Held::new(&covers),
            covers,
            numbers,
            keys: Column::create(&partial_keys)?,
            partial,
            partial_keys,
            last: 0,
            directory: Directory::new(entries),
            same: vec![],
            entries: 0,
        })
    }

    /// Appends an entry; entries ascend.
    pub(crate) fn push(&mut self, entry: Entry) -> io::Result<()> {
        let prefix = |entry: &Entry| self.directory.prefix(entry.0);
        if self.same.last().is_some_and(|last| prefix(last) != prefix(&entry)) {
            self.write_same()?;
        }
        self.same.push(entry);
        Ok(())
    }

    fn write_same(&mut self) -> io::Result<()> {
        let SegmentWriter { same, numbers, keys, last, directory, held, entries, .. } = self;
        same.sort_unstable_by_key(|&(key, number)| (number, key));
        for (key, number) in same.drain(..) {
            numbers.write(&number.to_le_bytes())?;
            let mut rest = difference(*last, key);
            while rest >> GROUP > 0 {
                keys.write(&[rest as u8 | FOLLOWED])?;
                rest >>= GROUP;
            }
            keys.write(&[rest as u8])?;
            *last = key;
            directory.push(key);
            held.insert(number);
            *entries += 1;
        }
        Ok(())
    }

    /// Completes the file; `name` says where, given how many documents it holds. `None`, and no
    /// file, if there are none.
    pub(crate) fn finish(
        mut self,
        disk: &dyn Disk,
        name: impl FnOnce(u64) -> PathBuf,
    ) -> io::Result<Option<Segment>> {
        self.write_same()?;
        let SegmentWriter { covers, partial, partial_keys, numbers, keys, directory, held, entries, .. } =
            self;
        let documents = held.numbers();
        if documents.is_empty() {
            fs::remove_file(&partial_keys)?;
            fs::remove_file(&partial)?;
            return Ok(None);
        }
        let (mut out, numbers_sum, _) = numbers.finish()?;
        let (mut keys, keys_sum, key_bytes) = keys.finish()?;
        keys.seek(SeekFrom::Start(0))?;
        io::copy(&mut keys, &mut out)?;
        out.write_all(&checksum([numbers_sum, keys_sum]).to_le_bytes())?;
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(FORMAT.to_le_bytes());
        header.extend(directory.bits().to_le_bytes());
        for value in [covers.start, covers.end, documents.len() as u64, entries, key_bytes] {
            header.extend(value.to_le_bytes());
        }
        header.extend(xxh3_64(&header).to_le_bytes());
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header)?;
        disk.sync(&out, &partial)?;
        let path = name(documents.len() as u64);
        fs::rename(&partial, &path)?;
        fs::remove_file(&partial_keys)?;
        if let Some(folder) = path.parent() {
            disk.sync_folder(folder)?;
        }
        let directory = directory.finish();
        Ok(Some(Segment { directory, covers, documents, file: File::open(&path)?, key_bytes }))
    }

    /// Removes what was written so far.
    pub(crate) fn abandon(self) {
        // If this fails too, the files are removed when the index is opened.
        let _ = fs::remove_file(&self.partial_keys);
        let _ = fs::remove_file(&self.partial);
    }
}

/// A column that is being written.
struct Column {
    out: BufWriter<File>,
    sum: Xxh3,
    bytes: u64,
}

impl Column {
    fn create(path: &Path) -> io::Result<Column> {
        let file = File::options().create(true).truncate(true).read(true).write(true).open(path)?;
        Ok(Column { out: BufWriter::with_capacity(PIECE, file), sum: Xxh3::new(), bytes: 0 })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn finish(self) -> io::Result<(File, u64, u64)> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((file, self.sum.digest(), self.bytes))
    }
}
