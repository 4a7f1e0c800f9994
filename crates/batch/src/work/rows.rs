//! The rows of a job's sources, read again by their places.
//!
//! Sources have numbers: those of `against` first, then the inputs. A plain file is read where it is; of a compressed one there
//! may be an [unpacked copy](super::unpacked).

use std::fs;
use std::sync::OnceLock;

use twindex_corpus::{Compression, ReadOptions, RowFile, RowPlace, Source};

use crate::error::{BatchError, Result};
use crate::work::{WorkFolder, unpacked};

/// With more sources than these, a file is opened for each row: a process may only have so many open.
const MOST_OPEN: usize = 64;

/// Whether the rows of a source can be read again where they are.
pub(crate) fn stay_in_place(source: &Source) -> bool {
    let is_plain = source.compression == Compression::None && source.format.rows_stand_alone();
    is_plain && fs::metadata(&source.path).is_ok_and(|metadata| metadata.is_file())
}

/// The sources of a job.
#[derive(Debug)]
pub(crate) struct RowSources {
    sources: Vec<(Source, OnceLock<RowFile>)>,
    options: ReadOptions,
}

impl RowSources {
    /// Of the sources in their order.
    pub(crate) fn new<'a>(
        sources: impl Iterator<Item = &'a Source>,
        options: &ReadOptions,
        work: &WorkFolder,
    ) -> Self {
        let numbered = (0u32..).zip(sources);
        let sources =
            numbered.map(|(number, source)| (unpacked::or_itself(work, number, source), OnceLock::new()));
        RowSources { sources: sources.collect(), options: options.clone() }
    }

    /// No sources, where all texts are copied.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        RowSources { sources: vec![], options: ReadOptions::default() }
    }

    /// The text of a row; `None` if it is not there any more.
    pub(crate) fn text(&self, source: u32, place: RowPlace) -> Result<Option<String>> {
        let Some((source, file)) = self.sources.get(source as usize) else { return Ok(None) };
        let row = if self.sources.len() > MOST_OPEN {
            RowFile::open(source)?.row(place, &self.options)
        } else {
            let file = match file.get() {
                Some(file) => file,
                None => {
                    let opened = RowFile::open(source)?;
                    file.get_or_init(|| opened)
                }
            };
            file.row(place, &self.options)
        };
        Ok(row?.map(|row| row.text.into_owned()))
    }

    /// What is wrong if a row is not as it was read.
    pub(crate) fn changed(&self, source: u32) -> BatchError {
        let name =
            self.sources.get(source as usize).map_or_else(String::new, |(source, _)| source.name.clone());
        BatchError::InputChanged { name }
    }
}
