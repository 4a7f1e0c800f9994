//! The fingerprints of a job, readable at random.
//!
//! ```text
//! fingerprints      one after another
//! fingerprint-ends  where each ends (u64), unless all have one length
//! ```

use twindex_core::Digests;
use twindex_core::search::Width;

use super::{Column, ColumnWriter, WorkFolder};
use crate::error::{BatchError, Result};

const BYTES: &str = "fingerprints";
const ENDS: &str = "fingerprint-ends";
const END_BYTES: usize = size_of::<u64>();

/// Appends fingerprints.
#[derive(Debug)]
pub(crate) struct FingerprintStore {
    bytes: ColumnWriter,
    ends: Option<ColumnWriter>,
}

impl FingerprintStore {
    /// Opens the store and truncates it to `documents` documents with `bytes` bytes.
    pub(crate) fn open(work: &WorkFolder, width: Width, documents: u64, bytes: u64) -> Result<Self> {
        let ends = || ColumnWriter::open(&work.file(ENDS), documents * END_BYTES as u64);
        Ok(FingerprintStore {
            bytes: ColumnWriter::open(&work.file(BYTES), bytes)?,
            ends: width.fixed.is_none().then(ends).transpose()?,
        })
    }

    /// Appends the documents of a batch.
    pub(crate) fn append(&mut self, digests: &Digests) -> Result<()> {
        let base = self.bytes.bytes();
        if let Some(ends) = &mut self.ends {
            for &end in &digests.ends {
                ends.append(&(base + end as u64).to_le_bytes())?;
            }
        }
        self.bytes.append(&digests.fingerprints)
    }

    /// Flushes; returns the number of bytes for a checkpoint.
    pub(crate) fn flush(&mut self) -> Result<u64> {
        self.ends.as_mut().map(ColumnWriter::flush).transpose()?;
        self.bytes.flush()
    }
}

/// Reads fingerprints, from any thread.
#[derive(Debug)]
pub(crate) struct FingerprintReader {
    bytes: Column,
    /// `None` if all fingerprints have the fixed width.
    ends: Option<Column>,
    width: Width,
}

impl FingerprintReader {
    /// Opens a finished store.
    pub(crate) fn open(work: &WorkFolder, width: Width) -> Result<Self> {
        let ends = width.fixed.is_none().then(|| Column::open(&work.file(ENDS))).transpose()?;
        Ok(FingerprintReader { bytes: Column::open(&work.file(BYTES))?, ends, width })
    }

    /// The columns of the store.
    pub(crate) fn columns(&mut self) -> impl Iterator<Item = &mut Column> {
        std::iter::once(&mut self.bytes).chain(&mut self.ends)
    }

    /// The fingerprint of one document, in `buffer` unless it is held in memory.
    pub(crate) fn of<'s>(&'s self, document: u32, buffer: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        let document = u64::from(document);
        let (start, end) = match (&self.ends, self.width.fixed) {
            (Some(ends), _) => {
                let before = document.checked_sub(1).map(|before| ends.number_at(before)).transpose()?;
                (before.unwrap_or(0), ends.number_at(document)?)
            }
            (None, fixed) => {
                let width = fixed.unwrap_or(0) as u64;
                (document * width, (document + 1) * width)
            }
        };
        self.bytes.part(start, self.length(start, end)?, buffer)
    }

    /// Calls `each` with the fingerprint of every document, in order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u32, &[u8])) -> Result<()> {
        let mut document = 0;
        let mut each = |fingerprint: &[u8]| {
            each(document, fingerprint);
            document += 1;
        };
        let Some(ends) = &self.ends else {
            return self.bytes.for_each(self.width.fixed.unwrap_or(1), each);
        };
        let mut start = 0;
        if let (Some(bytes), Some(ends)) = (self.bytes.held(), ends.held()) {
            for &end in ends.as_chunks().0 {
                let end = u64::from_le_bytes(end);
                self.length(start, end)?;
                each(bytes.get(start as usize..end as usize).ok_or_else(|| self.damaged())?);
                start = end;
            }
            return Ok(());
        }
        let (mut bytes, mut left) = (self.bytes.sequence()?, ends.sequence()?);
        for _ in 0..ends.bytes() / END_BYTES as u64 {
            let end = left.next(END_BYTES)?.first_chunk().map_or(start, |&end| u64::from_le_bytes(end));
            each(bytes.next(self.length(start, end)?)?);
            start = end;
        }
        Ok(())
    }

    fn length(&self, start: u64, end: u64) -> Result<usize> {
        let is_there = end <= self.bytes.bytes();
        let length = end.checked_sub(start).filter(|&length| is_there && length <= self.width.most as u64);
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
    use twindex_core::{Engine, EngineScratch, Markup};

    use super::*;

    #[test]
    fn fingerprints_come_back_in_any_order_held_or_not() {
        for name in [MethodName::Simhash, MethodName::BottomK, MethodName::MinhashLsh] {
            let engine = Engine::new(&Recipe { method: name, ..Recipe::default() }, Kernel::best()).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let work = super::super::for_test(folder.path());
            let mut store = FingerprintStore::open(&work, engine.width(), 0, 0).unwrap();
            let mut expected = vec![];
            for batch in 0..3u64 {
                let mut digests = Digests::default();
                for length in [0, 3, 500, 20, 70] {
                    let text: String = (batch..batch + length).map(|word| format!("w{word} ")).collect();
                    engine.digests(
                        [(text.as_str(), Markup::None)],
                        &mut EngineScratch::default(),
                        &mut digests,
                    );
                }
                expected.extend((0..digests.len()).map(|number| digests.fingerprint(number).to_vec()));
                store.append(&digests).unwrap();
            }
            let bytes = store.flush().unwrap();
            assert_eq!(bytes as usize, expected.iter().map(Vec::len).sum::<usize>());

            let mut reader = FingerprintReader::open(&work, engine.width()).unwrap();
            for is_held in [false, true] {
                if is_held {
                    reader.columns().try_for_each(Column::hold).unwrap();
                }
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
