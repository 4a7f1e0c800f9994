//! A collection of fingerprints on disk: sorted chunks, which a search reads one after another.
//!
//! ```text
//! store.json             what is stored: the chunks, with number and digest; replaced as a whole
//! store.lock             held by the process that adds
//! chunk-000000.u64       ascending fingerprints, 8 bytes each, the lowest first
//! chunk-000000.rows      4 bytes each: which row of the chunk's input a fingerprint came from
//! chunk-000000.ids       the ids of the rows, one after another
//! chunk-000000.ends      8 bytes each: where an id ends
//! ```
//!
//! A chunk counts when `store.json` names it. That file is written last, after all others were
//! synced, so that an addition is there whole or not at all; what a killed one left is removed by
//! the next. Adding the same rows again changes nothing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use twindex_core::hash::mix;
use twindex_core::search::psm::batch::Chunks;
use twindex_disk::Disk;

use super::ids::{IdPart, IdWriter, Ids};
use super::input::{FingerprintInput, Names, Reading, Rows, read};
use super::resources::Resources;
use crate::error::{BatchError, Result};
use crate::join::ChunkFolder;
use crate::progress::Progress;

/// The version of what is in the folder.
const FORMAT: u32 = 1;

const STORE: &str = "store.json";
const LOCK: &str = "store.lock";

/// Fingerprints of a chunk at most: 134 MB, which a search holds in memory.
const CHUNK: usize = 1 << 24;

/// What `store.json` holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Contents {
    format: u32,
    chunks: Vec<Chunk>,
    /// The digests of what was added.
    additions: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Chunk {
    fingerprints: u64,
    /// Of the sorted fingerprints.
    digest: String,
    ids: Vec<IdPart>,
}

/// A folder of sorted chunks.
#[derive(Debug)]
pub struct FingerprintStore {
    folder: PathBuf,
    contents: Contents,
}

/// What an addition did.
#[derive(Debug, Clone, Serialize)]
pub struct StoreSummary {
    /// Fingerprints that were added.
    pub added: u64,
    /// Whether the same rows had been added before, so that nothing was.
    pub already_stored: bool,
    /// Rows whose fingerprint is empty.
    pub without: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// Why, in words.
    pub skipped: Vec<String>,
    /// Fingerprints in the store now.
    pub fingerprints: u64,
    /// Chunks now.
    pub chunks: u64,
}

impl FingerprintStore {
    /// Whether a folder is a store.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(STORE).is_file()
    }

    /// Opens a store for searching.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(STORE);
        if !path.exists() {
            return Err(BatchError::NoStore { path: folder.to_owned() });
        }
        let json = fs::read(&path).map_err(BatchError::work(&path))?;
        let contents: Contents =
            serde_json::from_slice(&json).map_err(|error| BatchError::damaged(&path, error.to_string()))?;
        if contents.format != FORMAT {
            let what = format!("expected format {FORMAT}, found {}", contents.format);
            return Err(BatchError::damaged(&path, what));
        }
        Ok(FingerprintStore { folder: folder.to_owned(), contents })
    }

    /// How many fingerprints are stored.
    pub fn len(&self) -> u64 {
        self.contents.chunks.iter().map(|chunk| chunk.fingerprints).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.contents.chunks.len()
    }

    /// The size of the largest chunk.
    pub(super) fn largest_chunk(&self) -> usize {
        self.contents.chunks.iter().map(|chunk| chunk.fingerprints as usize).max().unwrap_or(0)
    }

    /// Reads the fingerprints of a chunk, ascending, and verifies them.
    pub(super) fn read(&self, chunk: usize, values: &mut Vec<u64>) -> Result<()> {
        let known = &self.contents.chunks[chunk];
        ChunkFolder::open(&self.folder, self.chunks()).read(chunk, values)?;
        if digest(0, values) != known.digest || values.len() as u64 != known.fingerprints {
            let path = self.folder.join(ChunkFolder::name(chunk));
            return Err(BatchError::damaged(&path, "its digest is not the one in store.json"));
        }
        Ok(())
    }

    /// The rows that the fingerprints of a chunk came from.
    pub(super) fn rows(&self, chunk: usize) -> Result<Vec<u32>> {
        let path = self.folder.join(format!("{}.rows", stem(chunk)));
        let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
        let (rows, _) = bytes.as_chunks();
        let rows: Vec<u32> = rows.iter().map(|&row| u32::from_le_bytes(row)).collect();
        let expected = self.contents.chunks[chunk].fingerprints;
        if rows.len() as u64 != expected || rows.iter().any(|&row| u64::from(row) >= expected) {
            return Err(BatchError::damaged(&path, format!("expected {expected} rows")));
        }
        Ok(rows)
    }

    /// The ids of a chunk, by row.
    pub(super) fn ids(&self, chunk: usize) -> Result<Ids> {
        Ids::open(&self.folder, &stem(chunk), self.contents.chunks[chunk].ids.clone())
    }

    /// Adds the rows of an input to the store in `folder`, which is made if it does not exist.
    pub fn add(
        folder: &Path,
        input: &FingerprintInput,
        resources: &Resources,
        progress: &dyn Progress,
    ) -> Result<StoreSummary> {
        if folder.exists() && !folder.is_dir() {
            return Err(BatchError::NoStore { path: folder.to_owned() });
        }
        fs::create_dir_all(folder).map_err(BatchError::work(folder))?;
        let lock_path = folder.join(LOCK);
        let has_other = || {
            let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
            let is_ours = |name: &str| name.starts_with("chunk-") || name.starts_with("store.");
            names.into_iter().any(|name| !is_ours(&name.to_string_lossy()))
        };
        if !FingerprintStore::is_at(folder) && has_other() {
            return Err(BatchError::NoStore { path: folder.to_owned() });
        }
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(BatchError::work(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BatchError::InUse { path: folder.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(BatchError::work(&lock_path)(error)),
        }
        let contents = match FingerprintStore::open(folder) {
            Ok(store) => store.contents,
            Err(BatchError::NoStore { .. }) => Contents { format: FORMAT, ..Contents::default() },
            Err(error) => return Err(error),
        };
        let before = contents.chunks.len();
        remove_chunks_from(folder, before)?;
        let work = resources.work_folder()?;
        let mut adding = Adding {
            folder,
            disk: Arc::clone(&resources.disk),
            chunks: ChunkFolder::open(folder, contents.chunks.len()),
            ids: None,
            values: vec![],
            contents,
            digest: 0,
        };
        let output = Path::new("");
        let reading = Reading {
            input,
            margins: false,
            threads: resources.threads,
            work: &work,
            stage: "store",
            output,
        };
        let counted = read(&reading, progress, &mut |rows: Rows<u64>| adding.append(&rows));
        if counted.is_err() {
            remove_chunks_from(folder, before)?;
        }
        let (counted, already_stored) = (counted?, !adding.finish()?);
        if already_stored {
            remove_chunks_from(folder, before)?;
        }
        let store = FingerprintStore::open(folder)?;
        Ok(StoreSummary {
            added: if already_stored { 0 } else { counted.rows },
            already_stored,
            without: counted.without,
            skipped_rows: counted.skipped.len() as u64,
            skipped: counted.skipped,
            fingerprints: store.len(),
            chunks: store.chunks() as u64,
        })
    }
}

/// The names of a chunk's files, without extension.
fn stem(chunk: usize) -> String {
    format!("chunk-{chunk:06}")
}

/// Removes the files of chunks that do not count, from number `first` on.
fn remove_chunks_from(folder: &Path, first: usize) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(BatchError::work(folder))? {
        let path = entry.map_err(BatchError::work(folder))?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()?.strip_prefix("chunk-")?.parse().ok());
        if number.is_some_and(|number: usize| number >= first) {
            fs::remove_file(&path).map_err(BatchError::work(&path))?;
        }
    }
    Ok(())
}

/// Continues a digest.
fn digest(start: u64, values: &[u64]) -> String {
    format!("{:016x}", fold(start, values))
}

fn fold(start: u64, values: &[u64]) -> u64 {
    values.iter().fold(start, |digest, &value| mix(digest ^ value))
}

/// An addition in progress.
struct Adding<'a> {
    folder: &'a Path,
    disk: Arc<dyn Disk>,
    chunks: ChunkFolder,
    ids: Option<IdWriter>,
    /// Those of the next chunk, in input order.
    values: Vec<u64>,
    contents: Contents,
    digest: u64,
}

impl Adding<'_> {
    /// Appends rows; a full chunk is written. Batches of rows are not divided.
    fn append(&mut self, rows: &Rows<u64>) -> Result<()> {
        self.digest = fold(self.digest, &rows.values);
        if let Names::Given(ids, _) = &rows.names {
            self.digest = mix(self.digest ^ twindex_core::hash::content(ids.as_bytes()) as u64);
        }
        let ids = match &mut self.ids {
            Some(ids) => ids,
            None => self.ids.insert(IdWriter::create(self.folder, &stem(self.chunks.len()))?),
        };
        ids.append(&rows.names, rows.values.len())?;
        self.values.extend_from_slice(&rows.values);
        if self.values.len() >= CHUNK { self.write_chunk() } else { Ok(()) }
    }

    fn write_chunk(&mut self) -> Result<()> {
        let Some(ids) = self.ids.take().filter(|_| !self.values.is_empty()) else { return Ok(()) };
        let (paths, parts) = ids.close()?;
        let mut sorted: Vec<(u64, u32)> = self.values.drain(..).zip(0..).collect();
        sorted.sort_unstable();
        let rows = self.folder.join(format!("{}.rows", stem(self.chunks.len())));
        let bytes: Vec<u8> = sorted.iter().flat_map(|(_, row)| row.to_le_bytes()).collect();
        fs::write(&rows, bytes).map_err(BatchError::work(&rows))?;
        for path in paths.iter().chain([&rows]) {
            self.sync(path)?;
        }
        let values: Vec<u64> = sorted.iter().map(|&(value, _)| value).collect();
        self.contents.chunks.push(Chunk {
            fingerprints: values.len() as u64,
            digest: digest(0, &values),
            ids: parts,
        });
        let path = self.folder.join(ChunkFolder::name(self.chunks.len()));
        self.chunks.append(&values)?;
        self.sync(&path)
    }

    /// Makes the addition count; false if it had been added before.
    fn finish(mut self) -> Result<bool> {
        self.write_chunk()?;
        let addition = format!("{:016x}", self.digest);
        if self.contents.additions.contains(&addition) {
            return Ok(false);
        }
        self.contents.additions.push(addition);
        // The names of the chunks, before the file that says that they are there.
        self.sync_folder()?;
        let (path, partial) = (self.folder.join(STORE), self.folder.join("store.partial"));
        let json = serde_json::to_vec(&self.contents)
            .map_err(|error| BatchError::damaged(&path, error.to_string()))?;
        let write = || File::create(&partial)?.write_all(&json);
        write().map_err(BatchError::work(&partial))?;
        self.sync(&partial)?;
        fs::rename(&partial, &path).map_err(BatchError::work(&path))?;
        self.sync_folder()?;
        Ok(true)
    }

    fn sync(&self, path: &Path) -> Result<()> {
        let synced = File::open(path).and_then(|file| self.disk.sync(&file, path));
        synced.map_err(BatchError::work(path))
    }

    fn sync_folder(&self) -> Result<()> {
        self.disk.sync_folder(self.folder).map_err(BatchError::work(self.folder))
    }
}
