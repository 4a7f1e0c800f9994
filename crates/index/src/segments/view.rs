//! What readers see: every fingerprint of one moment.

use std::ops::Range;

use twindex_core::fingerprint::Simhash;

use super::{Kind, Layout, SealedSegment, SegmentFiles, SegmentSet, postings, sealed};
use crate::engines::Engines;
use crate::error::{IndexError, Result};
use crate::postings::PostingSet;
use crate::store::{NextNumbers, Reader};

/// The segment sets, and the next numbers to give. Every smaller number is in them or was removed.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Empty in an index by keys.
    pub(crate) documents: SegmentSet,
    /// In an index by keys.
    pub(crate) postings: Option<PostingSet>,
    pub(crate) paragraphs: SegmentSet,
    pub(crate) next: NextNumbers,
}

impl View {
    /// Loads segments from their files, and everything that no file covers from the store.
    pub(crate) fn load(
        reader: &Reader<'_>,
        files: &SegmentFiles,
        layout: Layout,
        engines: &Engines,
    ) -> Result<View> {
        let next = reader.next()?;
        let load = |kind, end| Loader { reader, files, layout, kind }.load(end);
        let (documents, postings) = if engines.is_keyed {
            let postings = postings::load(reader, files, layout.buffer, &engines.document, next.document)?;
            (SegmentSet::new(vec![], layout), Some(postings))
        } else {
            (load(Kind::Documents, next.document)?, None)
        };
        let paragraphs = load(Kind::Paragraphs, next.paragraph)?;
        Ok(View { documents, postings, paragraphs, next })
    }

    /// One of the sets.
    pub(crate) fn set(&self, kind: Kind) -> &SegmentSet {
        match kind {
            Kind::Documents => &self.documents,
            Kind::Paragraphs => &self.paragraphs,
        }
    }

    /// This view with another set.
    pub(crate) fn with(&self, kind: Kind, set: SegmentSet) -> View {
        let mut view = self.clone();
        match kind {
            Kind::Documents => view.documents = set,
            Kind::Paragraphs => view.paragraphs = set,
        }
        view
    }

    /// The next number of a set.
    pub(crate) fn next_of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Documents => self.next.document,
            Kind::Paragraphs => self.next.paragraph,
        }
    }
}

struct Loader<'a> {
    reader: &'a Reader<'a>,
    files: &'a SegmentFiles,
    layout: Layout,
    kind: Kind,
}

impl Loader<'_> {
    /// The set of all numbers below `end`.
    fn load(&self, end: u64) -> Result<SegmentSet> {
        let mut segments: Vec<SealedSegment> = vec![];
        let mut covered = 0;
        for saved in self.files.list(self.kind)? {
            let covers = saved.covers();
            // With relaxed durability, a crash may leave the segment of documents that were lost.
            if covers.end > end {
                self.files.remove(self.kind, &saved)?;
                continue;
            }
            self.fill(covered..covers.start, &mut segments)?;
            match self.files.read(self.kind, &saved, self.layout) {
                Ok(segment) => segments.push(segment),
                // The segment is rebuilt from the store, and its file is written again later.
                Err(IndexError::Damaged { .. }) => {
                    self.files.remove(self.kind, &saved)?;
                    self.fill(covers.clone(), &mut segments)?;
                }
                Err(error) => return Err(error),
            }
            covered = covers.end;
        }
        let (fingerprints, numbers) = self.stored(covered..end)?;
        if numbers.len() > self.layout.buffer {
            segments.push(sealed(fingerprints, numbers, covered..end, self.layout));
            return Ok(SegmentSet::new(segments, self.layout));
        }
        let mut set = SegmentSet::new(segments, self.layout);
        for (fingerprint, number) in fingerprints.into_iter().zip(numbers) {
            set.push(Simhash(fingerprint), number);
        }
        Ok(set)
    }

    /// Builds the segment of a range that no file covers.
    fn fill(&self, covers: Range<u64>, segments: &mut Vec<SealedSegment>) -> Result<()> {
        let (fingerprints, numbers) = self.stored(covers.clone())?;
        if !numbers.is_empty() {
            segments.push(sealed(fingerprints, numbers, covers, self.layout));
        }
        Ok(())
    }

    /// The stored fingerprints and numbers of a range.
    fn stored(&self, covers: Range<u64>) -> Result<(Vec<u64>, Vec<u32>)> {
        let (mut fingerprints, mut numbers) = (vec![], vec![]);
        match self.kind {
            Kind::Documents => self.reader.for_each_record(covers, |number, record| {
                fingerprints.push(record?.fingerprint.0);
                numbers.push(number);
                Ok(())
            })?,
            Kind::Paragraphs => self.reader.for_each_row(covers, |first, row| {
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
