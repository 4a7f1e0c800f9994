//! The files of sealed segments: `documents-FIRST-END-COUNT.segment`, `paragraphs-FIRST-END-COUNT.segment`.
//!
//! The name says which numbers a file covers and how many of them it holds: all that were not removed when the segment was
//! made, so two segments of one range and count are the same. When segments are merged the new file appears under its name
//! before the old ones are removed. A file that lies within another one, or has the range of another that holds fewer, is a
//! leftover.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::snapshot::{self, Columns};
use super::{Layout, Sealed, sealed};
use crate::error::{IndexError, Result};

const EXTENSION: &str = ".segment";
const PARTIAL: &str = "partial";

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

/// A file, as its name says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Saved {
    start: u64,
    end: u64,
    count: u64,
}

impl Saved {
    /// The file of a segment.
    pub(crate) fn of(sealed: &Sealed) -> Saved {
        let Range { start, end } = sealed.covers;
        Saved { start, end, count: sealed.segment.len() as u64 }
    }

    /// The numbers that it covers.
    pub(crate) fn covers(&self) -> Range<u64> {
        self.start..self.end
    }

    /// `0000000000-0000016384-0000016384`
    fn parse(text: &str) -> Option<Saved> {
        let mut numbers = text.split('-').map(|number| number.parse().ok());
        let (start, end, count) = (numbers.next()??, numbers.next()??, numbers.next()??);
        (numbers.next().is_none() && start < end).then_some(Saved { start, end, count })
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

    /// The files of a shelf in the order of what they cover, without leftovers, which are removed.
    pub(crate) fn list(&self, name: Name) -> Result<Vec<Saved>> {
        let mut all = vec![];
        for entry in fs::read_dir(&self.folder).map_err(IndexError::io(&self.folder))? {
            let entry = entry.map_err(IndexError::io(&self.folder))?;
            let file = entry.file_name().to_string_lossy().into_owned();
            let Some(rest) = file.strip_prefix(name.prefix()) else { continue };
            match rest.strip_suffix(EXTENSION).and_then(Saved::parse) {
                Some(saved) => all.push(saved),
                None => remove(&entry.path())?,
            }
        }
        all.sort_by_key(|saved| (saved.start, u64::MAX - saved.end, saved.count));
        let mut kept: Vec<Saved> = vec![];
        for saved in all {
            // Files that overlap without one holding the other are never written; the first is as good as any.
            if saved.start < kept.last().map_or(0, |last| last.end) {
                remove(&self.path(name, &saved))?;
            } else {
                kept.push(saved);
            }
        }
        Ok(kept)
    }

    /// Where a file is.
    pub(crate) fn path(&self, name: Name, saved: &Saved) -> PathBuf {
        let Saved { start, end, count } = saved;
        self.folder.join(format!("{}{start:010}-{end:010}-{count:010}{EXTENSION}", name.prefix()))
    }

    /// Reads a segment; damage is an error that names the file.
    pub(crate) fn read(&self, name: Name, saved: &Saved, layout: Layout) -> Result<Sealed> {
        let Columns { fingerprints, numbers } = self.columns(name, saved)?;
        Ok(sealed(fingerprints, numbers, saved.covers(), layout))
    }

    /// What is in the file of a segment.
    pub(crate) fn columns(&self, name: Name, saved: &Saved) -> Result<Columns> {
        let path = self.path(name, saved);
        let file = File::open(&path).map_err(IndexError::io(&path))?;
        let length = file.metadata().map_err(IndexError::io(&path))?.len();
        let columns = snapshot::parse(&mut BufReader::new(file), length, name.kind(), &saved.covers());
        let fits = |columns: Columns| match columns.numbers.len() as u64 == saved.count {
            true => Ok(columns),
            false => Err("it is the segment of another count".to_owned()),
        };
        columns.and_then(fits).map_err(|what| IndexError::Damaged { path, what })
    }

    /// Writes a segment: the file appears whole.
    pub(crate) fn write(&self, name: Name, sealed: &Sealed) -> Result<()> {
        let path = self.path(name, &Saved::of(sealed));
        let partial = path.with_extension(PARTIAL);
        let write = || {
            let mut out = BufWriter::new(File::create(&partial)?);
            let (fingerprints, numbers) = (sealed.segment.fingerprints(), sealed.segment.numbers());
            snapshot::write(&mut out, name.kind(), &sealed.covers, &fingerprints, numbers)?;
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

    /// Removes a file, if it is there.
    pub(crate) fn remove(&self, name: Name, saved: &Saved) -> Result<()> {
        remove(&self.path(name, saved))
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
