//! Probabilistic matching against a collection on disk: a folder of sorted chunks, and a search
//! that goes on after a kill.
//!
//! ```text
//! chunk-000000.u64, ..   ascending fingerprints, 8 bytes each, little-endian
//! STATE/matches          (query, chunk, place, fingerprint), appended after each chunk
//! STATE/progress.json    which batch; chunks it began with, chunks done, queries answered, valid
//!                        bytes of `matches`
//! ```
//!
//! A chunk appears whole or not at all. Matches are written before progress; a resumed search
//! truncates `matches` to its valid bytes. An added batch is a chunk itself. Adding it again is
//! detected by the number of chunks that it began with, and never matches it with itself.
//!
//! *Memory*: the batch, one chunk, and the matches of one chunk.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twindex_core::search::psm::batch::{Batch, ChunkMatch, Chunks, Progress as Done};

use super::spill::Records;
use crate::error::{BatchError, Result};
use crate::progress::{Progress, Unit};
use crate::work::Spillable;

/// A folder of sorted chunks. One process writes to it at a time.
#[derive(Debug)]
pub struct ChunkFolder {
    folder: PathBuf,
    chunks: usize,
}

/// What `progress.json` holds.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    /// [`Batch::digest`], as text: a number of 64 bits is not safe in every reader of JSON.
    batch: String,
    /// Number of chunks when the search began.
    chunks: usize,
    chunks_done: usize,
    answered: Vec<u32>,
    /// Valid bytes of `matches`.
    bytes: u64,
}

/// The files of a batch's own folder.
const MATCHES: &str = "matches";
const PROGRESS: &str = "progress.json";

/// Bytes of a chunk that are read at once.
const READ_BYTES: usize = 1 << 16;

impl ChunkFolder {
    /// Opens the folder, or creates it.
    pub fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(BatchError::work(folder))?;
        let chunks = (0..).take_while(|&chunk| path_of(folder, chunk).exists()).count();
        Ok(ChunkFolder { folder: folder.to_owned(), chunks })
    }

    /// Searches the chunks for a batch, then adds it as a chunk of its own. Matches and progress
    /// are in `state`, a folder for this batch, which the caller removes after reading the
    /// [`matches`](ChunkFolder::matches).
    ///
    /// Called again after a kill, with the same batch, it goes on after the last finished chunk.
    /// Called again after its end it changes nothing.
    pub fn add(&mut self, batch: &Batch, state: &Path, progress: &dyn Progress) -> Result<()> {
        fs::create_dir_all(state).map_err(BatchError::work(state))?;
        let saved = self.begin(batch, state)?;
        let before = saved.chunks;
        self.search(batch, saved, state, progress)?;
        if self.chunks == before {
            batch.append(self)?;
        }
        Ok(())
    }

    /// The matches of a batch that was added, chunk after chunk.
    pub fn matches(state: &Path) -> Result<impl Iterator<Item = Result<ChunkMatch>> + use<>> {
        Records::open(&state.join(MATCHES))
    }

    /// The progress of a search, or its first checkpoint: which batch it is, and how many chunks it
    /// searches.
    fn begin(&self, batch: &Batch, state: &Path) -> Result<Saved> {
        let digest = format!("{:016x}", batch.digest());
        let path = state.join(PROGRESS);
        if !path.exists() {
            let saved =
                Saved { batch: digest, chunks: self.chunks, chunks_done: 0, answered: vec![], bytes: 0 };
            save(state, &saved)?;
            return Ok(saved);
        }
        let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
        let saved: Saved =
            serde_json::from_slice(&bytes).map_err(|error| BatchError::damaged(&path, error.to_string()))?;
        if saved.batch != digest {
            let what = format!("expected the progress of batch {digest}, found that of {}", saved.batch);
            return Err(BatchError::damaged(&path, what));
        }
        if saved.chunks > self.chunks || saved.chunks_done > saved.chunks {
            let what = format!(
                "{} of {} chunks are done, and there are {}",
                saved.chunks_done, saved.chunks, self.chunks
            );
            return Err(BatchError::damaged(&path, what));
        }
        Ok(saved)
    }

    fn search(
        &mut self,
        batch: &Batch,
        mut saved: Saved,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<()> {
        let path = state.join(MATCHES);
        let mut matches = open_at(&path, saved.bytes).map_err(BatchError::work(&path))?;
        progress.begin("chunks", saved.chunks as u64, Unit::Things);
        let mut seen = Seen { folder: self, chunks: saved.chunks };
        let mut done = Done { chunks_done: saved.chunks_done, answered: std::mem::take(&mut saved.answered) };
        // Filled by the search, emptied by each checkpoint.
        let waiting = std::cell::RefCell::new(vec![]);
        let mut bytes = [0; ChunkMatch::BYTES];
        let mut keep = |found: ChunkMatch| {
            found.encode(&mut bytes);
            waiting.borrow_mut().extend_from_slice(&bytes);
        };
        batch.search(&mut seen, &mut done, &mut keep, &mut |done| {
            let mut waiting = waiting.borrow_mut();
            let written = matches.write_all(&waiting).and_then(|()| matches.sync_data());
            written.map_err(BatchError::work(&path))?;
            saved.bytes += waiting.len() as u64;
            waiting.clear();
            saved.chunks_done = done.chunks_done;
            saved.answered.clone_from(&done.answered);
            save(state, &saved)?;
            progress.position(done.chunks_done as u64);
            Ok(())
        })?;
        progress.end();
        Ok(())
    }
}

impl Chunks for ChunkFolder {
    type Error = BatchError;

    fn len(&self) -> usize {
        self.chunks
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<()> {
        let path = path_of(&self.folder, chunk);
        read_words(&path, values).map_err(BatchError::work(&path))?;
        if !values.is_sorted() {
            return Err(BatchError::damaged(&path, "expected ascending fingerprints"));
        }
        Ok(())
    }

    fn append(&mut self, values: &[u64]) -> Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        write_whole(&path_of(&self.folder, self.chunks), &bytes)?;
        self.chunks += 1;
        Ok(())
    }
}

/// The chunks that a batch searches: those that existed when it began.
struct Seen<'f> {
    folder: &'f mut ChunkFolder,
    chunks: usize,
}

impl Chunks for Seen<'_> {
    type Error = BatchError;

    fn len(&self) -> usize {
        self.chunks
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<()> {
        self.folder.read(chunk, values)
    }

    fn append(&mut self, values: &[u64]) -> Result<()> {
        self.folder.append(values)
    }
}

/// Appends the numbers of a file. A file that ends within a number is an error.
fn read_words(path: &Path, values: &mut Vec<u64>) -> std::io::Result<()> {
    let file = File::open(path)?;
    let words = file.metadata()?.len().div_ceil(size_of::<u64>() as u64);
    let mut file = BufReader::with_capacity(READ_BYTES, file);
    values.reserve(words as usize);
    for _ in 0..words {
        let mut word = [0; size_of::<u64>()];
        file.read_exact(&mut word)?;
        values.push(u64::from_le_bytes(word));
    }
    Ok(())
}

/// Truncates a file to `bytes` bytes and opens it for appending.
fn open_at(path: &Path, bytes: u64) -> std::io::Result<File> {
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.set_len(bytes)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

fn path_of(folder: &Path, chunk: usize) -> PathBuf {
    folder.join(format!("chunk-{chunk:06}.u64"))
}

fn save(state: &Path, saved: &Saved) -> Result<()> {
    let path = state.join(PROGRESS);
    let json = serde_json::to_vec(saved).map_err(|error| BatchError::damaged(&path, error.to_string()))?;
    write_whole(&path, &json)
}

/// Writes a file that appears whole.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let partial = path.with_extension("partial");
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&partial, path)
    };
    write().map_err(BatchError::work(path))
}

impl Spillable for ChunkMatch {
    const BYTES: usize = 20;

    fn encode(&self, bytes: &mut [u8]) {
        for (field, number) in bytes.chunks_exact_mut(4).zip([self.query, self.chunk, self.place]) {
            field.copy_from_slice(&number.to_le_bytes());
        }
        bytes[12..].copy_from_slice(&self.stored.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        let number = |at: usize, width: usize| {
            bytes[at..at + width].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let [query, chunk, place] = [0, 4, 8].map(|at| number(at, 4) as u32);
        ChunkMatch { query, stored: number(12, 8), chunk, place }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use twindex_core::fingerprint::Margins;
    use twindex_core::hash::mix;
    use twindex_core::search::Want;
    use twindex_core::search::psm::{FlipOrder, Settings, Volatility};

    use super::*;
    use crate::progress::Silent;

    /// Panics when the chunk with this number is reported.
    struct DiesAt(AtomicU64);

    impl Progress for DiesAt {
        fn begin(&self, _: &'static str, _: u64, _: Unit) {}
        fn position(&self, position: u64) {
            assert_ne!(position, self.0.load(Ordering::Relaxed), "as planned");
        }
        fn end(&self) {}
    }

    fn batch(want: Want, first: u64) -> Batch {
        let margins =
            |seed: u64| Margins(std::array::from_fn(|bit| mix(seed * 64 + bit as u64) as i32 % 1000));
        let queries: Vec<Margins> = (first..first + 50).map(margins).collect();
        let settings = Settings {
            header_bits: 6,
            volatility: Volatility::sample([]),
            order: FlipOrder::Heap,
            flips: 15,
        };
        Batch::new(&queries, &settings, 3, want)
    }

    /// Six chunks: the queries themselves, flipped in one bit.
    fn chunks(folder: &Path) -> ChunkFolder {
        let mut chunks = ChunkFolder::open(folder).unwrap();
        let mut own = vec![];
        batch(Want::All, 0).append(&mut own).unwrap();
        for flip in 0..6 {
            let mut chunk: Vec<u64> =
                own[0].iter().map(|fingerprint| fingerprint ^ 1 << (10 * flip)).collect();
            chunk.sort_unstable();
            chunks.append(&chunk).unwrap();
        }
        chunks
    }

    fn matches(state: &Path) -> Vec<ChunkMatch> {
        ChunkFolder::matches(state).unwrap().map(|found| found.unwrap()).collect()
    }

    #[test]
    fn a_search_that_dies_goes_on_and_finds_the_same_as_one_in_memory() {
        for want in [Want::All, Want::First] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("chunks");
            let mut in_memory: Vec<Vec<u64>> = vec![];
            let mut on_disk = chunks(&path);
            for chunk in 0..on_disk.len() {
                in_memory.push(vec![]);
                on_disk.read(chunk, &mut in_memory[chunk]).unwrap();
            }
            let mut expected = vec![];
            let found = batch(want, 0).search(
                &mut in_memory,
                &mut Done::default(),
                &mut |found| expected.push(found),
                &mut |_| Ok(()),
            );
            found.unwrap();
            assert!(expected.len() >= 50);

            let state = folder.path().join("state");
            let mut deaths = 0;
            for position in 1..=6 {
                let dies = DiesAt(AtomicU64::new(position));
                let life = std::panic::AssertUnwindSafe(|| on_disk.add(&batch(want, 0), &state, &dies));
                deaths += u32::from(std::panic::catch_unwind(life).is_err());
                // What was written after the last checkpoint does not count.
                let mut file = OpenOptions::new().append(true).open(state.join(MATCHES)).unwrap();
                file.write_all(b"half a match").unwrap();
                on_disk = ChunkFolder::open(&path).unwrap();
            }
            assert!(deaths >= if want == Want::All { 6 } else { 1 }, "{want:?}: only {deaths} deaths");
            // Once to finish, and once more after the end: the batch is added once.
            for _ in 0..2 {
                on_disk.add(&batch(want, 0), &state, &Silent).unwrap();
                assert_eq!(matches(&state), expected, "{want:?}");
                assert_eq!(ChunkFolder::open(&path).unwrap().len(), 7);
            }
            let error = on_disk.add(&batch(want, 1), &state, &Silent).unwrap_err();
            assert!(error.to_string().contains("expected the progress of batch"), "{error}");
        }
    }

    #[test]
    fn the_next_batch_matches_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut chunks = ChunkFolder::open(&folder.path().join("chunks")).unwrap();
        chunks.add(&batch(Want::All, 0), &folder.path().join("first"), &Silent).unwrap();
        assert_eq!(matches(&folder.path().join("first")), []);
        // Half of the queries are those of the batch before.
        chunks.add(&batch(Want::All, 25), &folder.path().join("second"), &Silent).unwrap();
        assert_eq!(matches(&folder.path().join("second")).len(), 25);
    }

    #[test]
    fn a_damaged_chunk_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut chunks = ChunkFolder::open(folder.path()).unwrap();
        chunks.append(&[3, 9]).unwrap();
        let path = path_of(folder.path(), 0);
        fs::write(&path, [9u64.to_le_bytes(), 3u64.to_le_bytes()].concat()).unwrap();
        assert!(matches!(chunks.read(0, &mut vec![]), Err(BatchError::Damaged { .. })));
        fs::write(&path, [0; 9]).unwrap();
        assert!(matches!(chunks.read(0, &mut vec![]), Err(BatchError::Work { .. })));
    }
}
