//! The files of sealed segments: `documents-FIRST-END.segment`, `paragraphs-FIRST-END.segment`.
//!
//! The name says which numbers a file covers. When segments are merged the new file appears under its name before the old
//! ones are removed, and a file that lies within another one is a leftover.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::snapshot::{self, Columns};
use super::{Layout, Sealed, sealed};
use crate::error::{IndexError, Result};

const EXTENSION: &str = ".segment";
const PARTIAL: &str = ".partial";

/// Which shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Documents,
    Paragraphs,
}

impl Name {
    fn prefix(self) -> &'static str {
        match self {
            Name::Documents => "documents-",
            Name::Paragraphs => "paragraphs-",
        }
    }

    fn kind(self) -> u32 {
        match self {
            Name::Documents => 0,
            Name::Paragraphs => 1,
        }
    }
}

/// The folder of the segment files.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    pub(crate) fn new(folder: &Path) -> Files {
        Files { folder: folder.to_owned() }
    }

    /// What the files of a shelf cover, without leftovers, which are removed.
    pub(crate) fn list(&self, name: Name) -> Result<Vec<Range<u64>>> {
        let mut all = vec![];
        for entry in fs::read_dir(&self.folder).map_err(IndexError::io(&self.folder))? {
            let entry = entry.map_err(IndexError::io(&self.folder))?;
            let file = entry.file_name().to_string_lossy().into_owned();
            let Some(rest) = file.strip_prefix(name.prefix()) else { continue };
            match rest.strip_suffix(EXTENSION).and_then(range) {
                Some(covers) => all.push(covers),
                None => remove(&entry.path())?,
            }
        }
        all.sort_by_key(|covers| (covers.start, u64::MAX - covers.end));
        let mut kept: Vec<Range<u64>> = vec![];
        for covers in all {
            // Files that overlap without one holding the other are never written; the first is as good as any.
            if covers.start < kept.last().map_or(0, |last| last.end) {
                remove(&self.path(name, &covers))?;
            } else {
                kept.push(covers);
            }
        }
        Ok(kept)
    }

    /// Where the segment of a range is.
    pub(crate) fn path(&self, name: Name, covers: &Range<u64>) -> PathBuf {
        self.folder.join(format!("{}{:010}-{:010}{EXTENSION}", name.prefix(), covers.start, covers.end))
    }

    /// Reads a segment; damage is an error that names the file.
    pub(crate) fn read(&self, name: Name, covers: &Range<u64>, layout: Layout) -> Result<Sealed> {
        let Columns { fingerprints, numbers } = self.columns(name, covers)?;
        Ok(sealed(fingerprints, numbers, covers.clone(), layout))
    }

    /// What is in the file of a segment.
    pub(crate) fn columns(&self, name: Name, covers: &Range<u64>) -> Result<Columns> {
        let path = self.path(name, covers);
        let file = File::open(&path).map_err(IndexError::io(&path))?;
        let length = file.metadata().map_err(IndexError::io(&path))?.len();
        let columns = snapshot::parse(&mut BufReader::new(file), length, name.kind(), covers);
        columns.map_err(|what| IndexError::Damaged { path, what })
    }

    /// Writes a segment: the file appears whole.
    pub(crate) fn write(&self, name: Name, sealed: &Sealed) -> Result<()> {
        let path = self.path(name, &sealed.covers);
        let partial = path.with_extension(PARTIAL.trim_start_matches('.'));
        let write = || {
            let mut out = BufWriter::new(File::create(&partial)?);
            let fingerprints = sealed.segment.index().fingerprints();
            snapshot::write(&mut out, name.kind(), &sealed.covers, &fingerprints, sealed.segment.ids())?;
            out.flush()?;
            out.get_ref().sync_all()?;
            fs::rename(&partial, &path)?;
            File::open(&self.folder)?.sync_all()
        };
        write().map_err(|error| {
            // What is left of it is removed when the index is opened.
            let _ = fs::remove_file(&partial);
            IndexError::io(&path)(error)
        })
    }

    /// Removes the file of a segment, if there is one.
    pub(crate) fn remove(&self, name: Name, covers: &Range<u64>) -> Result<()> {
        remove(&self.path(name, covers))
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(IndexError::io(path)(error)),
        _ => Ok(()),
    }
}

/// `0000000000-0000016384`
fn range(text: &str) -> Option<Range<u64>> {
    let (start, end) = text.split_once('-')?;
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (start < end).then_some(start..end)
}
