//! The evidence of documents, made once.
//!
//! What verification compares is made from a document's text when it is first needed, and kept as
//! long as a later candidate needs it: in memory, and beyond the limit in a file of the work
//! folder. Reading it back takes a tenth of the time of making it again.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use twindex_core::verify::Evidence;
use twindex_core::{Engine, EngineScratch};

use super::{Documents, TextScratch, WorkFolder};
use crate::error::{BatchError, Result};

/// A larger part of the memory gains nothing measurable: what does not fit is read back from the
/// page cache.
pub(crate) const MOST_BYTES: usize = 512 << 20;

/// What the store itself needs for an entry.
const ENTRY_BYTES: usize = 64 + size_of::<Evidence>();

/// Evidence of a long text is made by one thread at a time, in buffers that do not stay: they take
/// several times its length (four rows of 9 MB that were alike, with little memory: 280 MB at the
/// peak instead of 361). A text is long if it has this many bytes, and this share of the memory.
const LONG_TEXT: usize = 4 << 20;
const LONG_SHARE: usize = 32;

/// The number of maps: few enough to walk, and threads rarely wait for the same one.
const SHARDS: usize = 64;

/// Makes and keeps evidence. Shared by all threads.
pub(crate) struct EvidenceStore<'a> {
    documents: &'a Documents,
    engine: &'a Engine,
    kept: Kept,
    /// From this length on a text is long.
    long_text: usize,
    /// The turn of a long text.
    long: Mutex<()>,
}

/// Buffers that a thread reuses.
#[derive(Default)]
pub(crate) struct EvidenceScratch {
    text: TextScratch,
    engine: EngineScratch,
    encoded: Vec<u8>,
}

impl<'a> EvidenceStore<'a> {
    /// A store that holds at most `memory` bytes of evidence, and never more than [`MOST_BYTES`].
    pub(crate) fn new(
        documents: &'a Documents,
        engine: &'a Engine,
        memory: usize,
        work: &WorkFolder,
    ) -> Self {
        let kept = Kept::new(memory.min(MOST_BYTES), work.file("evidence"));
        let long_text = LONG_TEXT.max(memory / LONG_SHARE);
        EvidenceStore { documents, engine, kept, long_text, long: Mutex::default() }
    }

    /// The evidence of a document.
    pub(crate) fn of(&self, document: u32, scratch: &mut EvidenceScratch) -> Result<Arc<Evidence>> {
        let EvidenceScratch { text, engine, encoded } = &mut *scratch;
        if let Some(evidence) = self.kept.get(document, encoded)? {
            return Ok(evidence);
        }
        let (text, markup) = self.documents.text(document, text)?;
        let is_long = text.len() >= self.long_text;
        let turn = is_long.then(|| self.long.lock().unwrap_or_else(PoisonError::into_inner));
        let evidence = Arc::new(self.engine.evidence(&text, markup, engine));
        self.kept.insert(document, &evidence, encoded)?;
        if is_long {
            *scratch = EvidenceScratch::default();
        }
        drop(turn);
        Ok(evidence)
    }

    /// Forgets the evidence of the documents for which `is_done` holds.
    pub(crate) fn forget(&self, is_done: impl Fn(u32) -> bool) {
        self.kept.forget(is_done);
    }
}

/// Evidence by document, in memory up to a limit and in a file beyond it.
struct Kept {
    shards: Vec<Mutex<HashMap<u32, Entry>>>,
    held_bytes: AtomicUsize,
    limit: usize,
    spill: SpillFile,
}

enum Entry {
    Held(Arc<Evidence>),
    /// At this offset of the spill file, and of this length.
    Spilled(u64, usize),
}

impl Kept {
    fn new(limit: usize, spill: PathBuf) -> Self {
        Kept {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            held_bytes: AtomicUsize::new(0),
            limit,
            spill: SpillFile::new(spill),
        }
    }

    fn get(&self, document: u32, encoded: &mut Vec<u8>) -> Result<Option<Arc<Evidence>>> {
        let (offset, length) = match self.shard(document).get(&document) {
            None => return Ok(None),
            Some(Entry::Held(evidence)) => return Ok(Some(Arc::clone(evidence))),
            Some(&Entry::Spilled(offset, length)) => (offset, length),
        };
        Ok(Some(Arc::new(self.spill.read(offset, length, encoded)?)))
    }

    fn insert(&self, document: u32, evidence: &Arc<Evidence>, encoded: &mut Vec<u8>) -> Result<()> {
        let bytes = evidence.bytes() + ENTRY_BYTES;
        let entry = if self.held_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.limit {
            Entry::Held(Arc::clone(evidence))
        } else {
            self.held_bytes.fetch_sub(bytes, Ordering::Relaxed);
            encoded.clear();
            evidence.encode(encoded);
            Entry::Spilled(self.spill.append(encoded)?, encoded.len())
        };
        // Two threads may have made it at once.
        let replaced = self.shard(document).insert(document, entry);
        self.release(replaced);
        Ok(())
    }

    fn forget(&self, is_done: impl Fn(u32) -> bool) {
        for shard in &self.shards {
            let mut entries = lock(shard);
            entries.extract_if(|&document, _| is_done(document)).for_each(|(_, entry)| {
                self.release(Some(entry));
            });
        }
    }

    fn release(&self, entry: Option<Entry>) {
        if let Some(Entry::Held(evidence)) = entry {
            self.held_bytes.fetch_sub(evidence.bytes() + ENTRY_BYTES, Ordering::Relaxed);
        }
    }

    fn shard(&self, document: u32) -> MutexGuard<'_, HashMap<u32, Entry>> {
        lock(&self.shards[document as usize % SHARDS])
    }
}

/// A panicking thread leaves only valid entries behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file without a name: no checkpoint syncs it, and it ends with the process.
struct SpillFile {
    path: PathBuf,
    file: OnceLock<File>,
    end: Mutex<u64>,
}

impl SpillFile {
    /// The file is made at `path` when it is first needed.
    fn new(path: PathBuf) -> Self {
        SpillFile { path, file: OnceLock::new(), end: Mutex::new(0) }
    }

    /// Appends, and returns the offset.
    fn append(&self, bytes: &[u8]) -> Result<u64> {
        let mut end = lock(&self.end);
        let offset = *end;
        *end += bytes.len() as u64;
        drop(end);
        self.file()?.write_all_at(bytes, offset).map_err(BatchError::work(&self.path))?;
        Ok(offset)
    }

    fn read(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<Evidence> {
        buffer.resize(length, 0);
        self.file()?.read_exact_at(buffer, offset).map_err(BatchError::work(&self.path))?;
        Evidence::decode(buffer)
            .ok_or_else(|| BatchError::damaged(&self.path, "evidence is not as it was written"))
    }

    fn file(&self) -> Result<&File> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        // One thread makes the file.
        let _making = lock(&self.end);
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let make = || {
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(true).open(&self.path)?;
            std::fs::remove_file(&self.path)?;
            Ok(file)
        };
        let file = make().map_err(BatchError::work(&self.path))?;
        Ok(self.file.get_or_init(|| file))
    }
}

#[cfg(test)]
mod tests {
    use twindex_core::feature::FeatureSet;

    use super::*;

    fn evidence(document: u32) -> Arc<Evidence> {
        let features = FeatureSet::new((0..100).map(|number| u64::from(document) + number).collect());
        Arc::new(Evidence { features, ..Evidence::default() })
    }

    #[test]
    fn evidence_is_held_to_the_limit_spilled_beyond_it_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("evidence");
        let limit = 20_000;
        let kept = Kept::new(limit, path.clone());
        let mut encoded = vec![];
        for document in 0..1_000 {
            kept.insert(document, &evidence(document), &mut encoded).unwrap();
        }
        let held = |kept: &Kept| kept.held_bytes.load(Ordering::Relaxed);
        assert!(held(&kept) > limit / 2 && held(&kept) <= limit, "{}", held(&kept));
        assert!(!path.exists(), "the file has no name, so that a killed run leaves nothing");
        let is_held = |document: u32| matches!(kept.shard(document).get(&document), Some(Entry::Held(_)));
        assert!(is_held(0) && !is_held(999));
        for document in 0..1_000 {
            let found = kept.get(document, &mut encoded).unwrap().unwrap();
            assert_eq!(found.features.as_slice(), evidence(document).features.as_slice());
        }
        kept.forget(|document| document != 999);
        assert_eq!(held(&kept), 0, "only 999 is left, and it is in the file");
        assert!(kept.get(0, &mut encoded).unwrap().is_none());
        assert!(kept.get(999, &mut encoded).unwrap().is_some());
        kept.insert(0, &evidence(0), &mut encoded).unwrap();
        kept.insert(0, &evidence(0), &mut encoded).unwrap();
        assert_eq!(held(&kept), evidence(0).bytes() + ENTRY_BYTES, "counted once");
    }
}
