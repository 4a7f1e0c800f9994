//! The files of sealed segments: `documents-FIRST-END-COUNT.segment`, `paragraphs-` and `postings-`
//! likewise.
//!
//! The name gives the range of numbers that a file covers and how many of them it holds: all that
//! were not removed when the segment was made, so two segments of one range and count are equal.
//! The file of a merged segment is complete before the files that it replaces are removed. A file
//! whose range lies within that of another, or equals that of one with a smaller count, is a
//! leftover.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_disk::Disk;

use super::snapshot::{self, Columns};
use super::{Layout, SealedSegment, sealed};
use crate::error::{IndexError, Result};

const EXTENSION: &str = ".segment";
const PARTIAL: &str = "partial";

/// Which of the two segment sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Documents,
    Paragraphs,
}

/// With what the names of files begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix(&'static str);

/// The files of posting segments.
pub(crate) const POSTINGS: Prefix = Prefix("postings-");

impl From<Kind> for Prefix {
    fn from(kind: Kind) -> Prefix {
        match kind {
            Kind::Documents => Prefix("documents-"),
            Kind::Paragraphs => Prefix("paragraphs-"),
        }
    }
}

impl Kind {
    /// The number in the header of a file.
    fn code(self) -> u32 {
        match self {
            Kind::Documents => 0,
            Kind::Paragraphs => 1,
        }
    }
}

/// The name of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileName {
    start: u64,
    end: u64,
    count: u64,
}

impl FileName {
    /// The file of a segment.
    pub(crate) fn of(sealed: &SealedSegment) -> FileName {
        let Range { start, end } = sealed.covers;
        FileName { start, end, count: sealed.segment.len() as u64 }
    }

    /// The file of a segment of `count` documents.
    pub(crate) fn new(Range { start, end }: Range<u64>, count: u64) -> FileName {
        FileName { start, end, count }
    }

    /// How many documents or paragraphs it holds.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The numbers that it covers.
    pub(crate) fn covers(&self) -> Range<u64> {
        self.start..self.end
    }

    /// `0000000000-0000016384-0000016384`
    fn parse(text: &str) -> Option<FileName> {
        let mut numbers = text.split('-').map(|number| number.parse().ok());
        let (start, end, count) = (numbers.next()??, numbers.next()??, numbers.next()??);
        (numbers.next().is_none() && start < end).then_some(FileName { start, end, count })
    }
}

/// The folder of the segment files.
#[derive(Debug, Clone)]
pub(crate) struct SegmentFiles {
    folder: PathBuf,
    disk: Arc<dyn Disk>,
}

impl SegmentFiles {
    pub(crate) fn new(folder: &Path, disk: Arc<dyn Disk>) -> SegmentFiles {
        SegmentFiles { folder: folder.to_owned(), disk }
    }

    /// The files of a set in the order of their ranges. Leftovers are removed.
    pub(crate) fn list(&self, prefix: impl Into<Prefix>) -> Result<Vec<FileName>> {
        let prefix = prefix.into();
        let mut all = vec![];
        for entry in fs::read_dir(&self.folder).map_err(IndexError::io(&self.folder))? {
            let entry = entry.map_err(IndexError::io(&self.folder))?;
            let file = entry.file_name().to_string_lossy().into_owned();
            let Some(rest) = file.strip_prefix(prefix.0) else { continue };
            match rest.strip_suffix(EXTENSION).and_then(FileName::parse) {
                Some(saved) => all.push(saved),
                None => remove(&entry.path())?,
            }
        }
        all.sort_by_key(|saved| (saved.start, u64::MAX - saved.end, saved.count));
        let mut kept: Vec<FileName> = vec![];
        for saved in all {
            // Overlapping files of which neither contains the other are never written.
            if saved.start < kept.last().map_or(0, |last| last.end) {
                remove(&self.path(prefix, &saved))?;
            } else {
                kept.push(saved);
            }
        }
        Ok(kept)
    }

    /// Where a file is.
    pub(crate) fn path(&self, prefix: impl Into<Prefix>, saved: &FileName) -> PathBuf {
        let FileName { start, end, count } = saved;
        self.folder.join(format!("{}{start:010}-{end:010}-{count:010}{EXTENSION}", prefix.into().0))
    }

    /// Reads a segment; damage is an error that names the file.
    pub(crate) fn read(&self, kind: Kind, saved: &FileName, layout: Layout) -> Result<SealedSegment> {
        let Columns { fingerprints, numbers } = self.columns(kind, saved)?;
        Ok(sealed(fingerprints, numbers, saved.covers(), layout))
    }

    /// The contents of a file.
    pub(crate) fn columns(&self, kind: Kind, saved: &FileName) -> Result<Columns> {
        let path = self.path(kind, saved);
        let file = File::open(&path).map_err(IndexError::io(&path))?;
        let length = file.metadata().map_err(IndexError::io(&path))?.len();
        let columns = snapshot::parse(&mut BufReader::new(file), length, kind.code(), &saved.covers());
        let fits = |columns: Columns| match columns.numbers.len() as u64 == saved.count {
            true => Ok(columns),
            false => Err("it is the segment of another count".to_owned()),
        };
        columns.and_then(fits).map_err(|what| IndexError::Damaged { path, what })
    }

    /// Writes a segment; the file appears under its name when it is complete.
    pub(crate) fn write(&self, kind: Kind, sealed: &SealedSegment) -> Result<()> {
        let path = self.path(kind, &FileName::of(sealed));
        let partial = path.with_extension(PARTIAL);
        let write = || {
            let mut out = BufWriter::new(File::create(&partial)?);
            let (fingerprints, numbers) = (sealed.segment.fingerprints(), sealed.segment.numbers());
            snapshot::write(&mut out, kind.code(), &sealed.covers, &fingerprints, numbers)?;
            out.flush()?;
            self.disk.sync(out.get_ref(), &partial)?;
            fs::rename(&partial, &path)?;
            self.disk.sync_folder(&self.folder)
        };
        write().map_err(|error| {
            // If this fails too, the file is removed when the index is opened.
            let _ = fs::remove_file(&partial);
            IndexError::io(&path)(error)
        })
    }

    /// Removes a file, if it is there.
    pub(crate) fn remove(&self, prefix: impl Into<Prefix>, saved: &FileName) -> Result<()> {
        remove(&self.path(prefix, saved))
    }

    /// The folder of the files.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// How the files reach the disk.
    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// Makes removals durable.
    pub(crate) fn sync(&self) -> Result<()> {
        self.disk.sync_folder(&self.folder).map_err(IndexError::io(&self.folder))
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for entry in fs::read_dir(&self.folder).map_err(IndexError::io(&self.folder))? {
            let entry = entry.map_err(IndexError::io(&self.folder))?;
            match entry.metadata() {
                Ok(metadata) => bytes += metadata.len(),
                // Removed by maintenance since the folder was read.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(IndexError::io(&entry.path())(error)),
            }
        }
        Ok(bytes)
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(IndexError::io(path)(error)),
        _ => Ok(()),
    }
}
