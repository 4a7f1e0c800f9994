//! The stored fingerprints within a radius of each query.
//!
//! Stored fingerprints are in memory, in an index; queries pass it in batches, on all threads, and
//! their matches are written in the order of the queries: by distance, then in stored order.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;
use serde::Serialize;
use twindex_core::search::psm::Settings;
use twindex_core::search::{HammingSearch, Query, Scan, Want};
use twindex_corpus::{Cell, Column, ColumnKind, TableWriter};

use super::chunked::Chunked;
use super::collection::Collection;
use super::ids::Ids;
use super::input::{Counted, FingerprintInput};
use super::method::{FEWER_HEADER_BITS, SearchMethod, Searcher, bytes_each};
use super::recall::{self, Recall, Sampled};
use super::resources::{Resources, check_output};
use super::store::FingerprintStore;
use crate::error::Result;
use crate::join::{Records, SpillSort};
use crate::parallel;
use crate::progress::{Progress, Unit};
use crate::work::Spillable;

/// A search for the matches of queries.
#[derive(Debug, Clone)]
pub struct MatchJob {
    /// The queries.
    pub queries: FingerprintInput,
    /// What is searched.
    pub stored: Stored,
    /// The most bits in which a match differs.
    pub radius: u32,
    /// How it is searched.
    pub method: SearchMethod,
    /// One match of each query, or every one.
    pub want: Want,
    /// Where the matches go; `-` is standard output.
    pub output: PathBuf,
    /// What it may spend.
    pub resources: Resources,
}

/// What is searched.
#[derive(Debug, Clone)]
pub enum Stored {
    /// Files that are read into memory.
    Files(FingerprintInput),
    /// A [`FingerprintStore`], whose chunks are read one after another.
    Folder(PathBuf),
}

/// What a search did.
#[derive(Debug, Clone, Serialize)]
pub struct MatchSummary {
    /// Queries.
    pub queries: u64,
    /// Stored fingerprints.
    pub stored: u64,
    /// Rows of both whose fingerprint is empty.
    pub without: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// Why, in words.
    pub skipped: Vec<String>,
    /// The radius.
    pub radius: u32,
    /// The search: `exact`, `bphs` or `psm`.
    pub search: &'static str,
    /// Sorted copies of the fingerprints; 0 for a scan.
    pub tables: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Queries with a match.
    pub matched: u64,
    /// Matches.
    pub matches: u64,
    /// What a sample showed about probabilistic matching; null if the search is exact.
    pub recall: Option<Recall>,
    /// Time to build the index, calibration included.
    pub build_seconds: f64,
    /// Time to search and write.
    pub search_seconds: f64,
    /// Time of everything, reading included.
    pub seconds: f64,
}

/// A match in a store, sorted as it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spilled {
    pub(super) query: u32,
    pub(super) distance: u32,
    pub(super) chunk: u32,
    pub(super) row: u32,
}

impl Spillable for Spilled {
    const BYTES: usize = 16;

    fn encode(&self, bytes: &mut [u8]) {
        let numbers = [self.query, self.distance, self.chunk, self.row];
        for (field, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            field.copy_from_slice(&number.to_le_bytes());
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        let (numbers, _) = bytes.as_chunks();
        let number = |place: usize| numbers.get(place).map_or(0, |&number| u32::from_le_bytes(number));
        Spilled { query: number(0), distance: number(1), chunk: number(2), row: number(3) }
    }
}

/// A match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    query: u32,
    distance: u32,
    position: u32,
}

/// Bytes of a query whose margins are in memory, with its flips.
const MARGIN_BYTES: u64 = 320;

/// Queries that are searched together. The division depends on the collections alone, because the
/// first match that a search finds may depend on it.
const TOGETHER: usize = 1 << 16;

/// Within a large radius a query has many matches, which wait in memory.
const TOGETHER_FAR: usize = 1 << 10;
const FAR: u32 = 7;

impl MatchJob {
    /// Searches, and writes the matches.
    pub fn run(&self, progress: &dyn Progress) -> Result<MatchSummary> {
        check_output(&self.output)?;
        match &self.stored {
            Stored::Files(stored) => self.in_memory(stored, progress),
            Stored::Folder(folder) => self.in_chunks(&FingerprintStore::open(folder)?, progress),
        }
    }

    fn needs_margins(&self) -> bool {
        matches!(self.method, SearchMethod::Psm(_))
    }

    fn in_chunks(&self, store: &FingerprintStore, progress: &dyn Progress) -> Result<MatchSummary> {
        let started = Instant::now();
        let work = self.resources.work_folder()?;
        let queries = &self.queries;
        let queries = Collection::read(
            queries,
            self.needs_margins(),
            "queries",
            &self.output,
            &self.resources,
            &work,
            progress,
        )?;
        let length = queries.values.len();
        // The queries in an index or with their flips, and a chunk with its rows: one for each
        // thread in the worst case.
        let chunk = store.largest_chunk() as u64 * 16;
        let chunks = if self.needs_margins() { chunk * self.resources.threads as u64 } else { chunk };
        let each = bytes_each(self.method, length, self.radius).max(MARGIN_BYTES);
        let what = format!("{length} queries and a chunk of the store");
        let memory = self.resources.working_memory(each * length as u64 + chunks, &what)?;
        let searched = Instant::now();
        let path = work.file("matches");
        let (found, count) = self.resources.install(|| {
            let mut found = SpillSort::new(&work, "matches", (memory / 4) as usize);
            let chunked = Chunked { job: self, store, queries: &queries, memory };
            let searched = chunked.search(&mut found, progress)?;
            Ok((searched, found.finish(&path)?))
        })?;
        let mut table = TableWriter::create(&self.output, &columns())?;
        progress.begin("write", count, Unit::Things);
        let (mut matched, mut matches) = (0, 0);
        let mut ids: Vec<Option<Ids>> = (0..store.chunks()).map(|_| None).collect();
        let mut current: Option<(u32, String)> = None;
        for spilled in Records::<Spilled>::open(&path)? {
            let Spilled { query, distance, chunk, row } = spilled?;
            if current.as_ref().is_none_or(|(number, _)| *number != query) {
                current = Some((query, queries.ids.get(query.into())?));
                matched += 1;
            } else if self.want == Want::First {
                continue;
            }
            let Some((_, id)) = &current else { continue };
            let of_chunk = &mut ids[chunk as usize];
            let stored = match of_chunk {
                Some(ids) => ids.get(row.into())?,
                None => of_chunk.insert(store.ids(chunk as usize)?).get(row.into())?,
            };
            table.row(&[Cell::Text(id), Cell::Text(&stored), Cell::Integer(Some(distance.into()))])?;
            matches += 1;
            progress.position(matches);
        }
        progress.end();
        table.finish()?.commit()?;
        let Counted { rows, without, skipped } = queries.counted;
        Ok(MatchSummary {
            queries: rows,
            stored: store.len(),
            without,
            skipped_rows: skipped.len() as u64,
            skipped,
            radius: self.radius,
            search: self.method.name(),
            tables: found.tables,
            index_bytes: found.index_bytes,
            matched,
            matches,
            recall: found.recall,
            build_seconds: 0.0,
            search_seconds: searched.elapsed().as_secs_f64(),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn in_memory(&self, stored: &FingerprintInput, progress: &dyn Progress) -> Result<MatchSummary> {
        let started = Instant::now();
        let work = self.resources.work_folder()?;
        let needs_margins = self.needs_margins();
        let mut stored =
            Collection::read(stored, false, "stored", &self.output, &self.resources, &work, progress)?;
        let each = bytes_each(self.method, stored.values.len(), self.radius);
        let what = format!("an index of {} fingerprints", stored.values.len());
        let memory = self.resources.working_memory(each * stored.values.len() as u64, &what)?;
        let queries = &self.queries;
        let queries = Collection::read(
            queries,
            needs_margins,
            "queries",
            &self.output,
            &self.resources,
            &work,
            progress,
        )?;

        let built = Instant::now();
        let values = std::mem::take(&mut stored.values);
        let length = values.len() as u64;
        let (searcher, recall) = self.resources.install(|| self.build(values, &queries, memory))?;
        let build_seconds = built.elapsed().as_secs_f64();
        let searched = Instant::now();
        let mut table = TableWriter::create(&self.output, &columns())?;
        let (matched, matches) = self.search(&searcher, &queries, &stored, &mut table, progress)?;
        table.finish()?.commit()?;
        let Counted { without, mut skipped, .. } = stored.counted;
        skipped.extend(queries.counted.skipped);
        Ok(MatchSummary {
            queries: queries.counted.rows,
            stored: length,
            without: without + queries.counted.without,
            skipped_rows: skipped.len() as u64,
            skipped,
            radius: self.radius,
            search: self.method.name(),
            tables: searcher.tables(),
            index_bytes: searcher.bytes(),
            matched,
            matches,
            recall,
            build_seconds,
            search_seconds: searched.elapsed().as_secs_f64(),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn build(
        &self,
        values: Vec<u64>,
        queries: &Collection,
        memory: u64,
    ) -> Result<(Searcher, Option<Recall>)> {
        let kernel = self.resources.kernel;
        match self.method {
            SearchMethod::Exact => Ok((Searcher::exact(values, self.radius, kernel), None)),
            SearchMethod::Blocks(tables) => {
                Ok((Searcher::blocks(&values, self.radius, tables, memory, kernel)?, None))
            }
            SearchMethod::Psm(wanted) => {
                let bits = Settings::header_bits(values.len(), FEWER_HEADER_BITS);
                let scan = Scan::new(values, kernel);
                let sample = self.sample(&scan, queries)?;
                let mut settings = recall::calibrate(&sample, bits, self.radius, wanted);
                let mut searcher = Searcher::psm(scan.fingerprints(), settings.clone(), kernel);
                drop(scan);
                let Searcher::Psm(index) = &mut searcher else { unreachable!("it was just built") };
                let (radius, want) = (self.radius, self.want);
                let recall = recall::measure(&sample, &mut settings, wanted, want, &mut |settings, half| {
                    recall::found_by(index, settings.flips, half, radius, want)
                });
                index.set_flips(recall.flips);
                Ok((searcher, Some(recall)))
            }
        }
    }

    /// Queries with their true matches: more until these are enough.
    fn sample(&self, scan: &Scan, queries: &Collection) -> Result<Vec<Sampled>> {
        let mut size = recall::FIRST_SAMPLE;
        loop {
            let rows = recall::sample_rows(queries.values.len(), size);
            let margins = queries.margins(rows.clone())?.unwrap_or_default();
            let batch = queries.queries(rows, Some(&margins));
            let mut sample: Vec<Sampled> =
                margins.iter().map(|margins| Sampled { margins: margins.clone(), matches: vec![] }).collect();
            let part = sample.len().div_ceil(rayon::current_num_threads()).max(1);
            let found: Vec<Vec<(usize, u32)>> = batch
                .par_chunks(part)
                .map(|part| {
                    let mut found = vec![];
                    scan.search_batch(part, self.radius, Want::All, &mut |query, hit| {
                        found.push((query, hit.position));
                        true
                    });
                    found
                })
                .collect();
            for (number, found) in found.into_iter().enumerate() {
                for (query, position) in found {
                    let stored = scan.fingerprints()[position as usize];
                    sample[number * part + query].matches.push(stored);
                }
            }
            let matches: usize = sample.iter().map(|query| query.matches.len()).sum();
            let is_all = size >= queries.values.len().min(recall::LARGEST_SAMPLE);
            if matches >= recall::ENOUGH_MATCHES || is_all {
                return Ok(sample);
            }
            size *= 2;
        }
    }

    /// Searches all queries; how many have a match, and how many matches there are.
    fn search(
        &self,
        searcher: &Searcher,
        queries: &Collection,
        stored: &Collection,
        table: &mut TableWriter,
        progress: &dyn Progress,
    ) -> Result<(u64, u64)> {
        let total = queries.values.len();
        let together = if self.radius >= FAR { TOGETHER_FAR } else { TOGETHER };
        progress.begin("match", total as u64, Unit::Things);
        let next = AtomicUsize::new(0);
        let (mut matched, mut matches) = (0, 0);
        parallel::ordered(
            self.resources.threads,
            || {
                let start = next.fetch_add(together, Ordering::Relaxed);
                Ok((start < total).then(|| start..(start + together).min(total)))
            },
            |rows| {
                let margins = queries.margins(rows.clone())?;
                let batch = queries.queries(rows.clone(), margins.as_deref());
                Ok((rows.start, rows.end, self.search_batch(searcher.search(), &batch)))
            },
            |(start, end, found)| {
                for of_query in found.chunk_by(|a, b| a.query == b.query) {
                    matched += 1;
                    matches += of_query.len() as u64;
                    let id = queries.ids.get(start as u64 + u64::from(of_query[0].query))?;
                    for found in of_query {
                        let stored = stored.ids.get(found.position.into())?;
                        let distance = Cell::Integer(Some(found.distance.into()));
                        table.row(&[Cell::Text(&id), Cell::Text(&stored), distance])?;
                    }
                }
                progress.position(end as u64);
                Ok(())
            },
        )?;
        progress.end();
        Ok((matched, matches))
    }

    /// The matches of a batch, sorted.
    fn search_batch(&self, search: &dyn HammingSearch, batch: &[Query<'_>]) -> Vec<Found> {
        let mut found = vec![];
        search.search_batch(batch, self.radius, self.want, &mut |query, hit| {
            found.push(Found { query: query as u32, distance: hit.distance, position: hit.position });
            true
        });
        found.sort_unstable();
        found
    }
}

pub(super) fn columns() -> [Column; 3] {
    [
        Column::new("id", ColumnKind::Text),
        Column::new("match", ColumnKind::Text),
        Column::new("distance", ColumnKind::Integer),
    ]
}
