//! Probabilistic matching against a collection on disk: a folder of sorted chunks, and a search that goes on after a kill.
//!
//! ```text
//! chunk-000000.u64, chunk-000001.u64, ..    ascending fingerprints, 8 bytes each, little-endian
//! matches                                   (query, chunk, place, fingerprint), appended after each chunk
//! progress.json                             chunks done, queries answered, how many bytes of `matches` count
//! ```
//!
//! A chunk appears whole or not at all. The order of writing is matches, then progress: whatever `matches` has beyond the
//! bytes that count is cut when the search goes on.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twindex_core::search::psm::batch::{Batch, ChunkMatch, Chunks, Progress as Done};

use crate::error::{BatchError, Result};
use crate::progress::{Progress, Unit};

/// A folder of sorted chunks.
#[derive(Debug)]
pub struct ChunkFolder {
    folder: PathBuf,
    chunks: usize,
}

/// What `progress.json` holds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Saved {
    chunks_done: usize,
    answered: Vec<u32>,
    bytes: u64,
}

/// Bytes of a stored match.
const MATCH_BYTES: usize = 20;

impl ChunkFolder {
    /// Opens the folder, or makes it.
    pub fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(BatchError::work(folder))?;
        let chunks = (0..).take_while(|&chunk| path_of(folder, chunk).exists()).count();
        Ok(ChunkFolder { folder: folder.to_owned(), chunks })
    }

    /// Searches the chunks for a batch, and keeps matches and progress in `state`, a folder of the batch's own. A search
    /// that was stopped goes on from the last chunk that it finished; one that is finished gives its matches again.
    pub fn search(
        &mut self,
        batch: &Batch,
        state: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<ChunkMatch>> {
        fs::create_dir_all(state).map_err(BatchError::work(state))?;
        let saved = load(state)?;
        let path = state.join("matches");
        let mut matches = open_at(&path, saved.bytes).map_err(BatchError::work(&path))?;
        let mut bytes = saved.bytes;
        let mut done = Done { chunks_done: saved.chunks_done, answered: saved.answered };
        progress.begin("chunks", self.chunks as u64, Unit::Things);
        let waiting = std::cell::RefCell::new(vec![]);
        batch.search(
            self,
            &mut done,
            &mut |found| waiting.borrow_mut().extend_from_slice(&encode(found)),
            &mut |done| {
                let mut waiting = waiting.borrow_mut();
                matches
                    .write_all(&waiting)
                    .and_then(|()| matches.sync_data())
                    .map_err(BatchError::work(&path))?;
                bytes += waiting.len() as u64;
                waiting.clear();
                save(
                    state,
                    &Saved { chunks_done: done.chunks_done, answered: done.answered.clone(), bytes },
                )?;
                progress.position(done.chunks_done as u64);
                Ok(())
            },
        )?;
        progress.end();
        let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
        Ok(bytes.chunks_exact(MATCH_BYTES).map(decode).collect())
    }
}

impl Chunks for ChunkFolder {
    type Error = BatchError;

    fn len(&self) -> usize {
        self.chunks
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<()> {
        let path = path_of(&self.folder, chunk);
        let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
        let (words, rest) = bytes.as_chunks::<8>();
        values.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        if !rest.is_empty() || !values.is_sorted() {
            return Err(BatchError::damaged(&path, "expected ascending fingerprints of 8 bytes each"));
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

/// Opens a file for writing behind its first `bytes` bytes, and forgets what is there.
fn open_at(path: &Path, bytes: u64) -> std::io::Result<File> {
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.set_len(bytes)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

fn path_of(folder: &Path, chunk: usize) -> PathBuf {
    folder.join(format!("chunk-{chunk:06}.u64"))
}

fn load(state: &Path) -> Result<Saved> {
    let path = state.join("progress.json");
    if !path.exists() {
        return Ok(Saved::default());
    }
    let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
    serde_json::from_slice(&bytes).map_err(|error| BatchError::damaged(&path, error.to_string()))
}

fn save(state: &Path, saved: &Saved) -> Result<()> {
    let path = state.join("progress.json");
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

fn encode(found: ChunkMatch) -> [u8; MATCH_BYTES] {
    let mut bytes = [0; MATCH_BYTES];
    for (field, number) in bytes.chunks_exact_mut(4).zip([found.query, found.chunk, found.place]) {
        field.copy_from_slice(&number.to_le_bytes());
    }
    bytes[12..].copy_from_slice(&found.stored.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> ChunkMatch {
    let number = |at: usize, width: usize| {
        bytes[at..at + width].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    let [query, chunk, place] = [0, 4, 8].map(|at| number(at, 4) as u32);
    ChunkMatch { query, stored: number(12, 8), chunk, place }
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

    /// Dies when it is told of the chunk with this number.
    struct DiesAt(AtomicU64);

    impl Progress for DiesAt {
        fn begin(&self, _: &'static str, _: u64, _: Unit) {}
        fn position(&self, position: u64) {
            assert_ne!(position, self.0.load(Ordering::Relaxed), "as planned");
        }
        fn end(&self) {}
    }

    fn batch(want: Want) -> Batch {
        let margins =
            |seed: u64| Margins(std::array::from_fn(|bit| mix(seed * 64 + bit as u64) as i32 % 1000));
        let queries: Vec<Margins> = (0..50).map(margins).collect();
        let settings = Settings {
            header_bits: 6,
            volatility: Volatility::sample([]),
            order: FlipOrder::Heap,
            flips: 15,
        };
        Batch::new(&queries, &settings, 3, want)
    }

    #[test]
    fn a_search_that_dies_goes_on_and_finds_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut chunks = ChunkFolder::open(&folder.path().join("chunks")).unwrap();
        // The queries themselves, flipped in one bit, are the chunks.
        for flip in 0..6 {
            let mut own = vec![vec![]];
            batch(Want::All).append(&mut own).unwrap();
            let mut chunk: Vec<u64> =
                own[1].iter().map(|fingerprint| fingerprint ^ 1 << (10 * flip)).collect();
            chunk.sort_unstable();
            chunks.append(&chunk).unwrap();
        }
        assert_eq!(ChunkFolder::open(&folder.path().join("chunks")).unwrap().len(), 6);
        for (want, name) in [(Want::All, "all"), (Want::First, "first")] {
            let whole =
                chunks.search(&batch(want), &folder.path().join(format!("{name}-whole")), &Silent).unwrap();
            assert!(whole.len() >= 50);
            let state = folder.path().join(name);
            for position in 1..=6 {
                let dies = DiesAt(AtomicU64::new(position));
                let life = std::panic::AssertUnwindSafe(|| chunks.search(&batch(want), &state, &dies));
                let _ = std::panic::catch_unwind(life);
                chunks = ChunkFolder::open(&folder.path().join("chunks")).unwrap();
            }
            assert_eq!(chunks.search(&batch(want), &state, &Silent).unwrap(), whole, "{name}");
        }
    }

    #[test]
    fn a_damaged_chunk_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut chunks = ChunkFolder::open(folder.path()).unwrap();
        chunks.append(&[3, 9]).unwrap();
        let path = path_of(folder.path(), 0);
        for bytes in [vec![0; 9], [9u64.to_le_bytes(), 3u64.to_le_bytes()].concat()] {
            fs::write(&path, bytes).unwrap();
            assert!(matches!(chunks.read(0, &mut vec![]), Err(BatchError::Damaged { .. })));
        }
    }
}
