//! The rows of a job's sources, read again by their places.
//!
//! Sources have numbers: those of `against` first, then the inputs. A plain file is read where it
//! is; a compressed one may have an [unpacked copy](super::unpacked).

use std::borrow::Cow;
use std::fs;
use std::sync::OnceLock;

use twindex_corpus::{Compression, ReadOptions, RowBuffer, RowFile, RowPlace, Source};

use super::{WorkFolder, unpacked};
use crate::error::{BatchError, Result};

/// With more sources, a file is opened for each row: the limit of a process is often 1,024 open
/// files, and it needs some for other things.
const MOST_OPEN: usize = 512;

/// Whether the rows of a source can be read again where they are.
pub(crate) fn stay_in_place(source: &Source) -> bool {
    let is_plain = source.compression == Compression::None && source.format.rows_stand_alone();
    is_plain && fs::metadata(&source.path).is_ok_and(|metadata| metadata.is_file())
}

/// The sources of a job.
#[derive(Debug)]
pub(crate) struct RowSources {
    /// `None` where rows cannot be read again.
    sources: Vec<Option<RowSource>>,
    options: ReadOptions,
}

#[derive(Debug)]
struct RowSource {
    source: Source,
    is_copy: bool,
    file: OnceLock<RowFile>,
}

impl RowSources {
    /// The sources in their order.
    pub(crate) fn new<'a>(
        sources: impl Iterator<Item = &'a Source>,
        options: &ReadOptions,
        work: &WorkFolder,
    ) -> Self {
        let of = |(number, source): (u32, &Source)| {
            source.format.rows_stand_alone().then(|| {
                let copy = unpacked::copy_of(work, number, source);
                let is_copy = copy.is_some();
                RowSource { source: copy.unwrap_or_else(|| source.clone()), is_copy, file: OnceLock::new() }
            })
        };
        RowSources { sources: (0..).zip(sources).map(of).collect(), options: options.clone() }
    }

    /// No sources, where all texts are copied.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        RowSources { sources: vec![], options: ReadOptions::default() }
    }

    /// The text of a row; `None` if it is no longer there.
    pub(crate) fn text<'b>(
        &self,
        source: u32,
        place: RowPlace,
        buffer: &'b mut RowBuffer,
    ) -> Result<Option<Cow<'b, str>>> {
        let Some(RowSource { source, file, .. }) = self.source(source) else { return Ok(None) };
        let row = if self.sources.len() > MOST_OPEN {
            RowFile::open(source)?.row(place, &self.options, buffer)
        } else {
            let file = match file.get() {
                Some(file) => file,
                None => {
                    let opened = RowFile::open(source)?;
                    file.get_or_init(|| opened)
                }
            };
            file.row(place, &self.options, buffer)
        };
        Ok(row?.map(|row| row.text))
    }

    /// The error for a row that is not as it was read; `None` if there is no such source.
    pub(crate) fn changed(&self, source: u32) -> Option<BatchError> {
        let RowSource { source, is_copy, .. } = self.source(source)?;
        Some(if *is_copy {
            BatchError::damaged(&source.path, "a row is not where it should be, or not as it was unpacked")
        } else {
            BatchError::InputChanged { name: source.name.clone() }
        })
    }

    fn source(&self, number: u32) -> Option<&RowSource> {
        self.sources.get(number as usize).and_then(Option::as_ref)
    }
}
