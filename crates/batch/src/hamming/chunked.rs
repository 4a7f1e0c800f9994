//! Queries against a store: the chunks are read one after another.
//!
//! The queries are in memory. Exact searches index them, and each stored fingerprint is looked up;
//! probabilistic matching computes the flips of every query once and looks them up in each chunk
//! (the batch mode of its paper). Matches are sorted on disk, and come out in the order of the
//! queries.

use std::sync::Mutex;

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSlice;
use twindex_core::fingerprint::{Margins, Simhash};
use twindex_core::search::psm::Settings;
use twindex_core::search::psm::batch::{Batch, ChunkMatch, Chunks, Progress as Done};
use twindex_core::search::{BlockBatch, Query, Want};

use super::collection::Collection;
use super::matches::{MatchJob, Spilled};
use super::method::{FEWER_HEADER_BITS, SearchMethod, Searcher};
use super::recall::{self, Recall, Sampled};
use super::store::FingerprintStore;
use crate::error::{BatchError, Result};
use crate::join::SpillSort;
use crate::progress::{Progress, Unit};

/// Stored fingerprints that a thread looks up at once.
const LOOKED_UP: usize = 1 << 14;

/// Finds the queries near some stored fingerprints: calls with the number of a query and the place
/// of the fingerprint among them.
type LookUp<'a> = dyn Fn(&[u64], &mut dyn FnMut(u32, usize)) + Sync + 'a;

/// What a search of a store found out about itself.
pub(super) struct Searched {
    pub(super) tables: u64,
    pub(super) index_bytes: u64,
    pub(super) recall: Option<Recall>,
}

/// A search of a store.
pub(super) struct Chunked<'a> {
    pub(super) job: &'a MatchJob,
    pub(super) store: &'a FingerprintStore,
    pub(super) queries: &'a Collection,
    pub(super) memory: u64,
}

impl Chunked<'_> {
    /// Passes every match on to be sorted.
    pub(super) fn search(
        &self,
        found: &mut SpillSort<'_, Spilled>,
        progress: &dyn Progress,
    ) -> Result<Searched> {
        let kernel = self.job.resources.kernel;
        let values = &self.queries.values;
        match self.job.method {
            SearchMethod::Exact => {
                let searcher = Searcher::exact(values.clone(), self.job.radius, kernel);
                let look_up = |part: &[u64], each: &mut dyn FnMut(u32, usize)| {
                    let stored: Vec<Query<'_>> = part.iter().map(|&value| Simhash(value).into()).collect();
                    searcher.search().search_batch(&stored, self.job.radius, Want::All, &mut |place, hit| {
                        each(hit.position, place);
                        true
                    });
                };
                self.stream(&look_up, self.store.chunks(), found, progress)?;
                Ok(Searched { tables: searcher.tables(), index_bytes: searcher.bytes(), recall: None })
            }
            SearchMethod::Blocks(tables) => {
                let searcher = Searcher::blocks(values, self.job.radius, tables, self.memory, kernel)?;
                let (count, index_bytes) = (searcher.tables(), searcher.bytes());
                let Searcher::Blocks(index) = searcher else { unreachable!("it was just built") };
                let batch = BlockBatch::new(index);
                let look_up = |part: &[u64], each: &mut dyn FnMut(u32, usize)| {
                    batch.stream(part, self.job.radius, each);
                };
                self.stream(&look_up, self.store.chunks(), found, progress)?;
                Ok(Searched { tables: count, index_bytes, recall: None })
            }
            SearchMethod::Psm(wanted) => self.psm(wanted, found, progress),
        }
    }

    /// Looks up every stored fingerprint, chunk after chunk.
    fn stream(
        &self,
        look_up: &LookUp<'_>,
        chunks: usize,
        found: &mut SpillSort<'_, Spilled>,
        progress: &dyn Progress,
    ) -> Result<()> {
        progress.begin("chunks", chunks as u64, Unit::Things);
        let mut values = vec![];
        for chunk in 0..chunks {
            values.clear();
            self.store.read(chunk, &mut values)?;
            let rows = self.store.rows(chunk)?;
            let of_parts: Vec<Vec<(u32, u32)>> = values
                .par_chunks(LOOKED_UP)
                .enumerate()
                .map(|(number, part)| {
                    let mut matches = vec![];
                    look_up(part, &mut |query, place| {
                        matches.push((query, (number * LOOKED_UP + place) as u32));
                    });
                    matches
                })
                .collect();
            for (query, place) in of_parts.into_iter().flatten() {
                let stored = values[place as usize];
                found.push(self.spilled(query, stored, chunk as u32, rows[place as usize]))?;
            }
            progress.position(chunk as u64 + 1);
        }
        progress.end();
        Ok(())
    }

    fn spilled(&self, query: u32, stored: u64, chunk: u32, row: u32) -> Spilled {
        let distance = (self.queries.values[query as usize] ^ stored).count_ones();
        Spilled { query, distance, chunk, row }
    }

    /// Probabilistic matching: the threads share the queries, and each reads the chunks.
    fn psm(
        &self,
        wanted: f64,
        found: &mut SpillSort<'_, Spilled>,
        progress: &dyn Progress,
    ) -> Result<Searched> {
        let (settings, recall) = self.calibrate(wanted)?;
        let total = self.queries.values.len();
        let part = total.div_ceil(rayon::current_num_threads()).max(1);
        progress.begin("chunks", (self.store.chunks() * total.div_ceil(part)) as u64, Unit::Things);
        let done = std::sync::atomic::AtomicU64::new(0);
        let sink = Mutex::new(found);
        let parts: Vec<usize> = (0..total).step_by(part).collect();
        let bytes = parts.into_par_iter().map(|start| {
            let rows = start..(start + part).min(total);
            let margins = self.queries.margins(rows)?.unwrap_or_default();
            let batch = Batch::new(&margins, &settings, self.job.radius, self.job.want);
            drop(margins);
            let mut matches: Vec<ChunkMatch> = vec![];
            let matches = std::cell::RefCell::new(&mut matches);
            let mut chunks = StoredChunks(self.store);
            batch.search(
                &mut chunks,
                &mut Done::default(),
                &mut |hit| matches.borrow_mut().push(hit),
                &mut |progressed| {
                    let chunk = progressed.chunks_done - 1;
                    let mut matches = matches.borrow_mut();
                    let rows = if matches.is_empty() { vec![] } else { self.store.rows(chunk)? };
                    let mut sink = sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    for hit in matches.drain(..) {
                        let query = start as u32 + hit.query;
                        sink.push(self.spilled(query, hit.stored, hit.chunk, rows[hit.place as usize]))?;
                    }
                    progress.position(1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
                    Ok(())
                },
            )?;
            Ok(batch.bytes() as u64)
        });
        let bytes: Vec<u64> = bytes.collect::<Result<_>>()?;
        progress.end();
        let index_bytes = bytes.iter().sum();
        Ok(Searched { tables: 1, index_bytes, recall: Some(recall) })
    }

    /// The flips that a sample of the queries needs.
    fn calibrate(&self, wanted: f64) -> Result<(Settings, Recall)> {
        let bits = Settings::header_bits(self.store.largest_chunk(), FEWER_HEADER_BITS);
        let (radius, want) = (self.job.radius, self.job.want);
        let (sample, chunks) = self.sample()?;
        let mut settings = recall::calibrate(&sample, bits, radius, wanted);
        let mut failure = Ok(());
        let recall = recall::measure(&sample, &mut settings, wanted, want, &mut |settings, half| {
            let margins: Vec<Margins> = half.iter().map(|query| query.margins.clone()).collect();
            let batch = Batch::new(&margins, settings, radius, want);
            let mut counts = vec![0; half.len()];
            let searched = batch.search(
                &mut FirstChunks(self.store, chunks),
                &mut Done::default(),
                &mut |hit| counts[hit.query as usize] += 1,
                &mut |_| Ok(()),
            );
            if failure.is_ok() {
                failure = searched;
            }
            counts
        });
        failure?;
        Ok((settings, recall))
    }

    /// Sampled queries with all their matches in the first chunks: as many chunks as it takes.
    fn sample(&self) -> Result<(Vec<Sampled>, usize)> {
        let rows = recall::sample_rows(self.queries.values.len(), recall::LARGEST_SAMPLE);
        let values: Vec<u64> = rows.clone().map(|row| self.queries.values[row]).collect();
        let margins = self.queries.margins(rows)?.unwrap_or_default();
        let mut sample: Vec<Sampled> =
            margins.into_iter().map(|margins| Sampled { margins, matches: vec![] }).collect();
        let searcher = Searcher::exact(values, self.job.radius, self.job.resources.kernel);
        let (mut stored, mut matches, mut chunks) = (vec![], 0, 0);
        while chunks < self.store.chunks() && matches < recall::ENOUGH_MATCHES {
            stored.clear();
            self.store.read(chunks, &mut stored)?;
            let found: Vec<Vec<(u32, u64)>> = stored
                .par_chunks(LOOKED_UP)
                .map(|part| {
                    let batch: Vec<Query<'_>> = part.iter().map(|&value| Simhash(value).into()).collect();
                    let mut found = vec![];
                    searcher.search().search_batch(&batch, self.job.radius, Want::All, &mut |place, hit| {
                        found.push((hit.position, part[place]));
                        true
                    });
                    found
                })
                .collect();
            for (query, value) in found.into_iter().flatten() {
                sample[query as usize].matches.push(value);
                matches += 1;
            }
            chunks += 1;
        }
        Ok((sample, chunks))
    }
}

/// The chunks of a store.
struct StoredChunks<'a>(&'a FingerprintStore);

impl Chunks for StoredChunks<'_> {
    type Error = BatchError;

    fn len(&self) -> usize {
        self.0.chunks()
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<()> {
        self.0.read(chunk, values)
    }
}

/// The first chunks of a store.
struct FirstChunks<'a>(&'a FingerprintStore, usize);

impl Chunks for FirstChunks<'_> {
    type Error = BatchError;

    fn len(&self) -> usize {
        self.1
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<()> {
        self.0.read(chunk, values)
    }
}
