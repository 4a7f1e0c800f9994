//! Unpacked copies of compressed sources, for brief jobs.
//!
//! A compressed source cannot be entered in the middle, and unpacking it takes longer than what is done with most of its rows when they
//! are read again: all of them to be written, some of them to be compared. So a brief job writes down what it unpacks, `unpacked-N` in the
//! work folder for the source of number N, and reads that again.

use std::fs::File;
use std::io::Write;

use twindex_corpus::{Batch, Compression, Source};

use crate::error::{BatchError, Result};
use crate::work::WorkFolder;

fn name(number: u32) -> String {
    format!("unpacked-{number}")
}

/// The copy of a source, if there is one. It may lack the end.
pub(crate) fn copy_of(work: &WorkFolder, number: u32, source: &Source) -> Option<Source> {
    let path = work.file(&name(number));
    let is_there = source.compression != Compression::None && path.exists();
    is_there.then(|| Source { path, compression: Compression::None, ..source.clone() })
}

/// Makes the copies of so many sources last as long as the work folder promises.
pub(crate) fn settle(work: &WorkFolder, sources: u32) -> Result<()> {
    for path in (0..sources).map(|number| work.file(&name(number))).filter(|path| path.exists()) {
        File::open(&path).and_then(|copy| work.settle(&copy)).map_err(BatchError::work(&path))?;
    }
    Ok(())
}

/// The sources for another pass over all rows: copies of those whose numbers are `whole`, which ascend.
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
    /// So many bytes may still be written.
    room: u64,
    /// The number of the source that is being copied, and its copy.
    copy: Option<(u32, File)>,
    /// Sources of which everything so far was written.
    whole: Vec<u32>,
}

impl<'a> Unpacking<'a> {
    /// Copies of `room` bytes at the most.
    pub(crate) fn new(work: &'a WorkFolder, room: u64) -> Self {
        Unpacking { work, room, copy: None, whole: vec![] }
    }

    /// Writes the next batch of the source `number`; whether its rows can be read again from the copy.
    pub(crate) fn append(&mut self, number: u32, batch: &Batch) -> Result<bool> {
        let Some(bytes) = batch.unpacked().filter(|_| batch.source().compression != Compression::None) else {
            return Ok(false);
        };
        if self.room < bytes.len() as u64 {
            // What is behind is of no use without it.
            self.whole.retain(|&whole| whole != number);
            self.room = 0;
            return Ok(false);
        }
        self.room -= bytes.len() as u64;
        let path = self.work.file(&name(number));
        if self.copy.as_ref().is_none_or(|(open, _)| *open != number) {
            self.close()?;
            self.whole.push(number);
        }
        let copy = match &mut self.copy {
            Some((_, copy)) => copy,
            none => &mut none.insert((number, File::create(&path).map_err(BatchError::work(&path))?)).1,
        };
        copy.write_all(bytes).map_err(BatchError::work(&path))?;
        Ok(true)
    }

    fn close(&mut self) -> Result<()> {
        let Some((number, copy)) = self.copy.take() else { return Ok(()) };
        self.work.settle(&copy).map_err(BatchError::work(&self.work.file(&name(number))))
    }

    /// Everything was read: the numbers of the sources that were written as a whole.
    pub(crate) fn finish(mut self) -> Result<Vec<u32>> {
        self.close()?;
        Ok(self.whole)
    }
}
