//! What readers see: every fingerprint at one moment.

use std::ops::Range;

use crate::error::{IndexError, Result};
use crate::shelf::{Files, Layout, Name, Sealed, Shelf, sealed};
use crate::store::Reader;
use twindex_core::fingerprint::Simhash;

/// The shelves, and the numbers that come next.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) documents: Shelf,
    pub(crate) paragraphs: Shelf,
    pub(crate) next: Next,
}

/// The next numbers to give: a document or paragraph with a smaller one is in the view or was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Next {
    pub(crate) document: u64,
    pub(crate) paragraph: u64,
}

impl View {
    /// The view of what is stored: segments from their files, everything else from the store.
    pub(crate) fn load(reader: &Reader<'_>, files: &Files, layout: Layout) -> Result<View> {
        let next = reader.next()?;
        let load = |name, end| Loader { reader, files, layout, name }.shelf(end);
        let documents = load(Name::Documents, next.document)?;
        let paragraphs = load(Name::Paragraphs, next.paragraph)?;
        Ok(View { documents, paragraphs, next })
    }

    /// One of the shelves.
    pub(crate) fn shelf(&self, name: Name) -> &Shelf {
        match name {
            Name::Documents => &self.documents,
            Name::Paragraphs => &self.paragraphs,
        }
    }

    /// This view with another shelf.
    pub(crate) fn with(&self, name: Name, shelf: Shelf) -> View {
        let mut view = self.clone();
        match name {
            Name::Documents => view.documents = shelf,
            Name::Paragraphs => view.paragraphs = shelf,
        }
        view
    }
}

impl Next {
    /// The number that comes next on a shelf.
    pub(crate) fn on(self, name: Name) -> u64 {
        match name {
            Name::Documents => self.document,
            Name::Paragraphs => self.paragraph,
        }
    }
}

struct Loader<'a> {
    reader: &'a Reader<'a>,
    files: &'a Files,
    layout: Layout,
    name: Name,
}

impl Loader<'_> {
    /// The shelf of all numbers below `end`.
    fn shelf(&self, end: u64) -> Result<Shelf> {
        let mut segments: Vec<Sealed> = vec![];
        let mut covered = 0;
        for saved in self.files.list(self.name)? {
            let covers = saved.covers();
            // A crash with relaxed durability may leave a segment of documents that were never made durable.
            if covers.end > end {
                self.files.remove(self.name, &saved)?;
                continue;
            }
            self.fill(covered..covers.start, &mut segments)?;
            match self.files.read(self.name, &saved, self.layout) {
                Ok(segment) => segments.push(segment),
                // The store has it all: the segment is made again, and later written again.
                Err(IndexError::Damaged { .. }) => {
                    self.files.remove(self.name, &saved)?;
                    self.fill(covers.clone(), &mut segments)?;
                }
                Err(error) => return Err(error),
            }
            covered = covers.end;
        }
        let (fingerprints, numbers) = self.stored(covered..end)?;
        if numbers.len() > self.layout.buffer {
            segments.push(sealed(fingerprints, numbers, covered..end, self.layout));
            return Ok(Shelf::new(segments, self.layout));
        }
        let mut shelf = Shelf::new(segments, self.layout);
        for (fingerprint, number) in fingerprints.into_iter().zip(numbers) {
            shelf.push(Simhash(fingerprint), number);
        }
        Ok(shelf)
    }

    /// Makes the segment of a range that no file covers.
    fn fill(&self, covers: Range<u64>, segments: &mut Vec<Sealed>) -> Result<()> {
        let (fingerprints, numbers) = self.stored(covers.clone())?;
        if !numbers.is_empty() {
            segments.push(sealed(fingerprints, numbers, covers, self.layout));
        }
        Ok(())
    }

    /// What the store has of a range.
    fn stored(&self, covers: Range<u64>) -> Result<(Vec<u64>, Vec<u32>)> {
        let (mut fingerprints, mut numbers) = (vec![], vec![]);
        match self.name {
            Name::Documents => self.reader.for_each_record(covers, |number, record| {
                fingerprints.push(record?.fingerprint.0);
                numbers.push(number);
                Ok(())
            })?,
            Name::Paragraphs => self.reader.for_each_row(covers, |first, row| {
                for (number, (_, fingerprint)) in (first..).zip(row.places) {
                    fingerprints.push(fingerprint.0);
                    numbers.push(number);
                }
                Ok(())
            })?,
        }
        Ok((fingerprints, numbers))
    }
}
