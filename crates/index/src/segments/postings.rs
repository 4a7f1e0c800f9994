//! The files of posting segments: loading, sealing and merging them.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use twindex_core::Engine;

use super::files::{FileName, POSTINGS, SegmentFiles};
use crate::error::{IndexError, Result};
use crate::postings::{DocumentKeys, Entry, Merged, PostingSet, Run, Segment, SegmentWriter};
use crate::store::{Documents, Reader, Record};

/// The most documents of a segment that is rebuilt from the store, whose entries are sorted in
/// memory: 45 MB for 42 keys a document. Larger ones are merged from these.
const REBUILT: usize = 1 << 16;

/// Loads segments from their files, and everything that no file covers from the store.
pub(super) fn load(
    reader: &Reader<'_>,
    files: &SegmentFiles,
    buffer: usize,
    engine: &Engine,
    end: u64,
) -> Result<PostingSet> {
    let mut segments = vec![];
    let mut covered = 0;
    for saved in files.list(POSTINGS)? {
        let covers = saved.covers();
        // With relaxed durability, a crash may leave the segment of documents that were lost.
        if covers.end > end {
            files.remove(POSTINGS, &saved)?;
            continue;
        }
        rebuild(reader, files, engine, covered..covers.start, &mut segments)?;
        let path = files.path(POSTINGS, &saved);
        let opened = Segment::open(&path, &covers, saved.count()).map_err(IndexError::io(&path))?;
        match opened {
            Ok(segment) => segments.push(Arc::new(segment)),
            Err(_) => {
                files.remove(POSTINGS, &saved)?;
                rebuild(reader, files, engine, covers.clone(), &mut segments)?;
            }
        }
        covered = covers.end;
    }
    let (fresh, at) = read(reader, files, engine, covered..end, &mut segments)?;
    if fresh.documents > buffer {
        segments.extend(fresh.seal(files, at..end)?);
        return Ok(PostingSet::new(segments, buffer));
    }
    let mut set = PostingSet::new(segments, buffer);
    set.push_run(Run::of(fresh.entries, fresh.documents, end));
    Ok(set)
}

/// Builds segments of a range that no file covers.
fn rebuild(
    reader: &Reader<'_>,
    files: &SegmentFiles,
    engine: &Engine,
    covers: Range<u64>,
    segments: &mut Vec<Arc<Segment>>,
) -> Result<()> {
    let (fresh, at) = read(reader, files, engine, covers.clone(), segments)?;
    segments.extend(fresh.seal(files, at..covers.end)?);
    Ok(())
}

/// Reads the documents of a range; as often as there are enough of them, they become a segment.
/// Returns the rest and where it begins.
fn read(
    reader: &Reader<'_>,
    files: &SegmentFiles,
    engine: &Engine,
    covers: Range<u64>,
    segments: &mut Vec<Arc<Segment>>,
) -> Result<(Fresh, u64)> {
    let mut fresh = Fresh::default();
    let mut at = covers.start;
    reader.for_each_record(covers, |number, record| {
        fresh.add(reader, engine, number, &record?)?;
        if fresh.documents == REBUILT {
            let part = at..u64::from(number) + 1;
            at = part.end;
            segments.extend(std::mem::take(&mut fresh).seal(files, part)?);
        }
        Ok(())
    })?;
    Ok((fresh, at))
}

/// Documents that are read from the store.
#[derive(Default)]
struct Fresh {
    entries: Vec<Entry>,
    documents: usize,
}

impl Fresh {
    fn add(&mut self, reader: &Reader<'_>, engine: &Engine, number: u32, record: &Record) -> Result<()> {
        let Some(content) = record.content.filter(|_| record.has_words) else { return Ok(()) };
        let fingerprint = reader.fingerprint(number)?;
        let fingerprint = fingerprint.ok_or_else(|| reader.damaged(number, "fingerprint"))?;
        let keys = DocumentKeys::new(engine, fingerprint, content);
        self.entries.extend(keys.stored.iter().map(|&key| (key, number)));
        self.documents += 1;
        Ok(())
    }

    fn seal(self, files: &SegmentFiles, covers: Range<u64>) -> Result<Option<Arc<Segment>>> {
        let run = Run::of(self.entries, self.documents, covers.end);
        seal(files, &[Arc::new(run)], covers)
    }
}

/// Writes the segment of some runs.
pub(crate) fn seal(
    files: &SegmentFiles,
    runs: &[Arc<Run>],
    covers: Range<u64>,
) -> Result<Option<Arc<Segment>>> {
    let entries = runs.iter().map(|run| run.entries().len()).sum();
    let streams = runs.iter().map(|run| run.entries().iter().copied().map(Ok)).collect();
    write(files, covers, entries, streams, |_| true)
}

/// Writes one segment made of several, without the removed numbers.
pub(crate) fn merge(
    files: &SegmentFiles,
    segments: &[Arc<Segment>],
    is_removed: impl Fn(u32) -> bool,
) -> Result<Option<Arc<Segment>>> {
    let covers = match segments {
        [] => return Ok(None),
        [first, ..] => first.covers().start..segments.last().map_or(0, |last| last.covers().end),
    };
    let entries = segments.iter().map(|segment| segment.entries()).sum();
    let streams = segments.iter().map(|segment| segment.stream()).collect();
    write(files, covers, entries, streams, |number| !is_removed(number))
}

fn write<I: Iterator<Item = io::Result<Entry>>>(
    files: &SegmentFiles,
    covers: Range<u64>,
    entries: usize,
    streams: Vec<I>,
    keep: impl Fn(u32) -> bool,
) -> Result<Option<Arc<Segment>>> {
    let name = |count: u64| -> PathBuf { files.path(POSTINGS, &FileName::new(covers.clone(), count)) };
    let provisional = name(0);
    let failed = IndexError::io(&provisional);
    let mut writer = SegmentWriter::begin(&provisional, covers.clone(), entries).map_err(&failed)?;
    let fill = || -> io::Result<()> {
        for entry in Merged::new(streams)? {
            let entry = entry?;
            if keep(entry.1) {
                writer.push(entry)?;
            }
        }
        Ok(())
    };
    if let Err(error) = fill() {
        writer.abandon();
        return Err(failed(error));
    }
    let written = writer.finish(files.disk(), name).map_err(failed)?;
    Ok(written.map(Arc::new))
}
