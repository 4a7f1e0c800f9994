//! The fingerprints of a job, readable at random.
//!
//! Short documents have short fingerprints, of which a method tells what is needed. Where all have one length, nothing else is
//! stored:
//!
//! ```text
//! fingerprints      one after another
//! fingerprint-ends  where each ends (u64), unless all have one length
//! ```

use twindex_core::kernel::memory::prefetch;
use twindex_core::search::Method;

use crate::error::{BatchError, Result};
use crate::work::{Column, ColumnWriter, WorkFolder};

/// What is read from front to back is asked for so far ahead: some documents.
const AHEAD_BYTES: usize = 1 << 10;

/// What the memory gives at once.
const LINE_BYTES: usize = 64;

/// What is asked for of a fingerprint: the list of a long post, which rules most candidates out. More would be in the way of others.
const ANNOUNCED_BYTES: u64 = 6 * LINE_BYTES as u64;

const END_BYTES: usize = size_of::<u64>();

/// Fingerprints of a batch of documents.
#[derive(Debug, Default)]
pub(crate) struct PackedFingerprints {
    bytes: Vec<u8>,
    /// Where each ends in `bytes`, unless all have one length.
    ends: Vec<usize>,
}

impl PackedFingerprints {
    /// Packs the fingerprints of so many documents, which follow each other.
    pub(crate) fn new(method: &Method, bytes: Vec<u8>, documents: usize) -> Self {
        let mut ends = vec![];
        if !method.has_one_length() {
            ends.reserve(documents);
            let mut end = 0;
            ends.extend(method.split(&bytes).map(|fingerprint| {
                end += fingerprint.len();
                end
            }));
        }
        PackedFingerprints { bytes, ends }
    }
}

/// Appends fingerprints.
#[derive(Debug)]
pub(crate) struct FingerprintStore {
    bytes: ColumnWriter,
    ends: Option<ColumnWriter>,
}

impl FingerprintStore {
    /// Opens the store and forgets everything behind `bytes` bytes of `documents` documents.
    pub(crate) fn open(work: &WorkFolder, method: &Method, documents: u64, bytes: u64) -> Result<Self> {
        let ends = (!method.has_one_length())
            .then(|| ColumnWriter::open(&work.file("fingerprint-ends"), documents * END_BYTES as u64));
        Ok(FingerprintStore {
            bytes: ColumnWriter::open(&work.file("fingerprints"), bytes)?,
            ends: ends.transpose()?,
        })
    }

    /// A new store in memory, of about so many bytes and documents.
    pub(crate) fn in_memory(work: &WorkFolder, method: &Method, expected: usize, documents: usize) -> Self {
        let ends = (!method.has_one_length())
            .then(|| ColumnWriter::in_memory(&work.file("fingerprint-ends"), documents * END_BYTES));
        FingerprintStore { bytes: ColumnWriter::in_memory(&work.file("fingerprints"), expected), ends }
    }

    /// Appends the documents of a batch.
    pub(crate) fn append(&mut self, packed: &PackedFingerprints) -> Result<()> {
        let base = self.bytes.bytes();
        self.bytes.append(&packed.bytes)?;
        if let Some(ends) = &mut self.ends {
            ends.append_all(packed.ends.iter().map(|&end| (base + end as u64).to_le_bytes()))?;
        }
        Ok(())
    }

    /// Makes everything last; returns the number of bytes for a checkpoint.
    pub(crate) fn settle(&mut self, work: &WorkFolder) -> Result<u64> {
        if let Some(ends) = &mut self.ends {
            ends.settle(work)?;
        }
        self.bytes.settle(work)
    }

    /// How many bytes there are of fingerprints, and of their ends.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        (self.bytes.bytes(), self.ends.as_ref().map_or(0, ColumnWriter::bytes))
    }

    /// The store as it is, to be read.
    pub(crate) fn finish(self, method: &Method) -> Result<FingerprintReader> {
        let ends = self.ends.map(ColumnWriter::finish).transpose()?;
        let (width, most_bytes) = (method.width(), method.most_bytes());
        Ok(FingerprintReader { bytes: self.bytes.finish()?, ends, width, most_bytes })
    }
}

/// Reads fingerprints, from any thread.
#[derive(Debug)]
pub(crate) struct FingerprintReader {
    bytes: Column,
    ends: Option<Column>,
    /// The length, where all have one.
    width: usize,
    most_bytes: usize,
}

impl FingerprintReader {
    /// Opens a finished store.
    pub(crate) fn open(work: &WorkFolder, method: &Method) -> Result<Self> {
        let ends = (!method.has_one_length()).then(|| Column::open(&work.file("fingerprint-ends")));
        Ok(FingerprintReader {
            bytes: Column::open(&work.file("fingerprints"))?,
            ends: ends.transpose()?,
            width: method.width(),
            most_bytes: method.most_bytes(),
        })
    }

    /// What the store is made of.
    pub(crate) fn columns(&mut self) -> impl Iterator<Item = &mut Column> {
        std::iter::once(&mut self.bytes).chain(&mut self.ends)
    }

    /// Writes what is in memory only into the work folder, too.
    pub(crate) fn settle(&self, work: &WorkFolder) -> Result<()> {
        std::iter::once(&self.bytes).chain(&self.ends).try_for_each(|column| column.settle(work))
    }

    /// Whether it is in memory.
    pub(crate) fn is_held(&self) -> bool {
        self.bytes.is_held()
    }

    /// The fingerprint of one document, in `buffer` unless it is held in memory.
    pub(crate) fn of<'s>(&'s self, document: u32, buffer: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        let (start, end) = self.place(document)?;
        self.bytes.part(start, self.length(start, end)?, buffer)
    }

    /// Says that the fingerprint of a document will be asked for soon: those of candidates lie anywhere, and the memory is slow.
    pub(crate) fn announce(&self, document: u32) -> Result<()> {
        if self.is_held() {
            let (start, end) = self.place(document)?;
            let end = end.min(start + ANNOUNCED_BYTES);
            (start..end).step_by(LINE_BYTES).for_each(|offset| self.bytes.announce(offset));
        }
        Ok(())
    }

    /// Says that it will be asked soon where the fingerprint of a document is.
    pub(crate) fn announce_place(&self, document: u32) {
        if let Some(ends) = self.ends.as_ref().filter(|ends| ends.is_held()) {
            ends.announce(u64::from(document) * END_BYTES as u64);
        }
    }

    /// Where the fingerprint of a document starts and ends.
    fn place(&self, document: u32) -> Result<(u64, u64)> {
        let document = u64::from(document);
        let Some(ends) = &self.ends else {
            let start = document * self.width as u64;
            return Ok((start, start + self.width as u64));
        };
        // A fingerprint begins where the one before it ends.
        let before = document.checked_sub(1);
        let start = before.map_or(Ok(0), |before| ends.number_at(before))?;
        Ok((start, ends.number_at(document)?))
    }

    /// Calls `each` with the fingerprint of every document, in order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u32, &[u8])) -> Result<()> {
        let mut document = 0;
        let mut each = |fingerprint: &[u8]| {
            each(document, fingerprint);
            document += 1;
        };
        let Some(ends) = &self.ends else { return self.bytes.for_each(self.width, each) };
        if let (Some(bytes), Some(ends)) = (self.bytes.held(), ends.held()) {
            let mut start = 0;
            for &end in ends.as_chunks().0 {
                let end = u64::from_le_bytes(end);
                self.length(start, end)?;
                let fingerprint = bytes.get(start as usize..end as usize).ok_or_else(|| self.damaged())?;
                // Only a part of each is read, so that the processor does not notice which comes next.
                prefetch(bytes, end as usize + AHEAD_BYTES);
                each(fingerprint);
                start = end;
            }
            return Ok(());
        }
        let (mut bytes, mut ends_left, mut start) = (self.bytes.sequence()?, ends.sequence()?, 0);
        for _ in 0..ends.bytes() / END_BYTES as u64 {
            let end = ends_left.next(END_BYTES)?.first_chunk().map_or(start, |&end| u64::from_le_bytes(end));
            each(bytes.next(self.length(start, end)?)?);
            start = end;
        }
        Ok(())
    }

    fn length(&self, start: u64, end: u64) -> Result<usize> {
        let is_there = end <= self.bytes.bytes();
        let length = end.checked_sub(start).filter(|&length| is_there && length <= self.most_bytes as u64);
        length.map(|length| length as usize).ok_or_else(|| self.damaged())
    }

    fn damaged(&self) -> BatchError {
        BatchError::damaged(self.bytes.path(), "a fingerprint is not where it should be")
    }
}

#[cfg(test)]
mod tests {
    use twindex_core::kernel::Kernel;
    use twindex_core::recipe::{MethodName, Recipe};
    use twindex_core::search::MethodScratch;

    use super::*;
    use crate::work::Existing;

    #[test]
    fn fingerprints_come_back_in_any_order_held_or_not() {
        for name in [MethodName::Simhash, MethodName::BottomK, MethodName::MinhashLsh] {
            let method = Method::new(&Recipe { method: name, ..Recipe::default() }, Kernel::best());
            let folder = tempfile::tempdir().unwrap();
            let work = WorkFolder::open(folder.path(), Existing::Refuse).unwrap();
            let mut store = FingerprintStore::open(&work, &method, 0, 0).unwrap();
            let mut expected = vec![];
            for batch in 0..3u64 {
                let mut whole = vec![];
                for length in [0, 3, 500, 20, 70] {
                    let units: Vec<u64> = (batch..batch + length).collect();
                    method.fingerprints(&units, &[units.len()], &mut MethodScratch::default(), &mut whole);
                }
                expected.extend(method.split(&whole).map(<[u8]>::to_vec));
                store.append(&PackedFingerprints::new(&method, whole, 5)).unwrap();
            }
            let bytes = store.settle(&work).unwrap();
            assert_eq!(bytes as usize, expected.iter().map(Vec::len).sum::<usize>());

            let mut reader = FingerprintReader::open(&work, &method).unwrap();
            for is_held in [false, true] {
                if is_held {
                    reader.columns().try_for_each(Column::hold).unwrap();
                }
                assert_eq!(reader.is_held(), is_held);
                let mut buffer = vec![];
                for document in [14, 0, 7, 7, 1, 12] {
                    assert_eq!(reader.of(document, &mut buffer).unwrap(), expected[document as usize]);
                }
                let mut found = vec![];
                reader
                    .for_each(|document, fingerprint| found.push((document, fingerprint.to_vec())))
                    .unwrap();
                assert!(found.into_iter().eq((0..).zip(expected.iter().cloned())), "{name:?}");
            }
        }
    }
}
