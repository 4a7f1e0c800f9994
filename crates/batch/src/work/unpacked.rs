//! Unpacked copies of compressed sources, for small jobs.
//!
//! A compressed source has no random access, and unpacking it again for verification and for the
//! kept rows takes longer than the rest of that work. So a small job writes what it unpacks to
//! `unpacked-N` in the work folder, for source number N, and reads that again.

use std::fs::File;
use std::io::Write;

use twindex_corpus::{Batch, Compression, Source};

use super::WorkFolder;
use crate::error::{BatchError, Result};

fn name(number: u32) -> String {
    format!("unpacked-{number}")
}

/// The copy of a source, if there is one. It may be incomplete.
pub(crate) fn copy_of(work: &WorkFolder, number: u32, source: &Source) -> Option<Source> {
    let path = work.file(&name(number));
    let is_there = source.compression != Compression::None && path.exists();
    is_there.then(|| Source { path, compression: Compression::None, ..source.clone() })
}

/// The sources for another pass over all rows: copies of those whose numbers are in `whole`, which
/// is sorted.
pub(crate) fn for_another_pass(
    work: &WorkFolder,
    first: u32,
    sources: &[Source],
    whole: &[u32],
) -> Result<Vec<Source>> {
    let another = |(number, source): (u32, &Source)| {
        let Some(copy) = copy_of(work, number, source).filter(|_| whole.binary_search(&number).is_ok())
        else {
            return Ok(source.clone());
        };
        let length = std::fs::metadata(&copy.path).map_err(BatchError::work(&copy.path))?.len();
        Ok(Source { bytes: length, ..copy })
    };
    (first..).zip(sources).map(another).collect()
}

/// Writes copies.
#[derive(Debug)]
pub(crate) struct Unpacking<'a> {
    work: &'a WorkFolder,
    /// Bytes that may still be written.
    room: u64,
    /// The number of the source that is being copied, and its copy.
    copy: Option<(u32, File)>,
    /// Sources whose copy is complete so far.
    whole: Vec<u32>,
}

impl<'a> Unpacking<'a> {
    /// Copies of at most `room` bytes in all.
    pub(crate) fn new(work: &'a WorkFolder, room: u64) -> Self {
        Unpacking { work, room, copy: None, whole: vec![] }
    }

    /// Writes the next batch of the source `number`. True if its rows can be read again from the
    /// copy.
    pub(crate) fn append(&mut self, number: u32, batch: &Batch) -> Result<bool> {
        let Some(bytes) = batch.unpacked().filter(|_| batch.source().compression != Compression::None) else {
            return Ok(false);
        };
        if self.room < bytes.len() as u64 {
            // A copy with a gap is of no use.
            self.whole.retain(|&whole| whole != number);
            self.room = 0;
            return Ok(false);
        }
        self.room -= bytes.len() as u64;
        let path = self.work.file(&name(number));
        if self.copy.as_ref().is_none_or(|(open, _)| *open != number) {
            self.copy = None;
            self.whole.push(number);
        }
        let copy = match &mut self.copy {
            Some((_, copy)) => copy,
            none => &mut none.insert((number, File::create(&path).map_err(BatchError::work(&path))?)).1,
        };
        copy.write_all(bytes).map_err(BatchError::work(&path))?;
        Ok(true)
    }

    /// At the end: the numbers of the sources with a complete copy.
    pub(crate) fn finish(self) -> Vec<u32> {
        self.whole
    }
}
