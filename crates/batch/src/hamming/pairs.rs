//! All pairs of fingerprints within a radius, in bounded memory.
//!
//! ```text
//! rows     -> fingerprints by number, ids by number, (fingerprint, number) sorted
//! join     -> (number, number), sorted: see `join/near.rs`
//! output   -> left, right, distance; the row that came first on the left, in input order
//! ```

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use twindex_corpus::{Cell, Column as TableColumn, ColumnKind, TableWriter};

use super::forecast::{EvenSample, Forecast};
use super::ids::{IdWriter, Ids};
use super::input::{Counted, FingerprintInput, Reading, Rows, read};
use super::resources::{Resources, check_output};
use crate::error::Result;
use crate::join::{NearPairs, Records, SpillSort};
use crate::progress::{Progress, Unit};
use crate::work::{Column, ColumnWriter, WorkFolder};

/// A listing of pairs.
#[derive(Debug, Clone)]
pub struct PairsJob {
    /// The fingerprints.
    pub input: FingerprintInput,
    /// The most bits in which a pair differs: up to
    /// [`LARGEST_JOIN_RADIUS`](twindex_core::search::join::LARGEST_JOIN_RADIUS).
    pub radius: u32,
    /// Where the pairs go; `-` is standard output.
    pub output: PathBuf,
    /// What it may spend.
    pub resources: Resources,
}

/// What a listing of pairs did.
#[derive(Debug, Clone, Serialize)]
pub struct PairsSummary {
    /// Fingerprints that were compared.
    pub fingerprints: u64,
    /// Rows whose fingerprint is empty.
    pub without: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// Why, in words.
    pub skipped: Vec<String>,
    /// The radius.
    pub radius: u32,
    /// Listed pairs.
    pub pairs: u64,
    /// Time of everything.
    pub seconds: f64,
}

impl PairsJob {
    /// Lists the pairs. `approve` gets the forecast after the fingerprints were read, and says
    /// whether to go on; `None` if not.
    pub fn run(
        &self,
        progress: &dyn Progress,
        approve: &mut (dyn FnMut(&Forecast) -> bool + Send),
    ) -> Result<Option<PairsSummary>> {
        let started = Instant::now();
        let memory = self.resources.working_memory(0, "sorting fingerprints")? as usize;
        let work = self.resources.work_folder()?;
        check_output(&self.output)?;
        let stored = self.read(&work, progress)?;
        let forecast = Forecast::new(
            &stored.sample,
            stored.id_bytes,
            self.radius,
            self.resources.threads,
            self.resources.memory,
        );
        if !approve(&forecast) {
            return Ok(None);
        }
        let edges = work.file("pairs");
        self.resources.install(|| self.join(&stored, &work, memory, progress)?.finish(&edges))?;
        let mut table = TableWriter::create(&self.output, &columns())?;
        let pairs = self.write(stored.values, stored.ids, &work, memory, &mut table, progress)?;
        table.finish()?.commit()?;
        Ok(Some(PairsSummary {
            fingerprints: stored.counted.rows,
            without: stored.counted.without,
            skipped_rows: stored.counted.skipped.len() as u64,
            skipped: stored.counted.skipped,
            radius: self.radius,
            pairs,
            seconds: started.elapsed().as_secs_f64(),
        }))
    }

    fn read(&self, work: &WorkFolder, progress: &dyn Progress) -> Result<Stored> {
        let path = work.file("values");
        let mut values = ColumnWriter::open(&path, 0)?;
        let mut ids = IdWriter::create(path.parent().unwrap_or(&path), "rows")?;
        let mut sample = EvenSample::new();
        let mut id_bytes = 0;
        let threads = self.resources.threads;
        let reading = Reading {
            input: &self.input,
            margins: false,
            threads,
            work,
            stage: "read",
            output: &self.output,
        };
        let counted = read(&reading, progress, &mut |rows: Rows<u64>| {
            for &value in &rows.values {
                sample.add(value);
                values.append(&value.to_le_bytes())?;
            }
            id_bytes += rows.names.bytes();
            ids.append(&rows.names, rows.values.len())
        })?;
        values.flush()?;
        Ok(Stored { values: Column::open(&path)?, ids: ids.finish()?, id_bytes, sample, counted })
    }

    /// The pairs of numbers, being sorted: the smaller above the larger one.
    fn join<'w>(
        &self,
        stored: &Stored,
        work: &'w WorkFolder,
        memory: usize,
        progress: &dyn Progress,
    ) -> Result<SpillSort<'w, u64>> {
        let mut edges = SpillSort::new(work, "pairs", memory / 4);
        let near = NearPairs {
            owned: &|each| {
                let (mut number, mut outcome) = (0, Ok(()));
                stored.values.for_each(size_of::<u64>(), |bytes| {
                    if outcome.is_ok() {
                        outcome = each((number_of(bytes), number));
                    }
                    number += 1;
                })?;
                outcome
            },
            kernel: self.resources.kernel,
            radius: self.radius,
            memory: memory - memory / 4,
            work,
            most: u64::MAX,
            progress,
        };
        near.edges(&mut |edge| edges.push(u64::from(edge.earlier) << 32 | u64::from(edge.later)))?;
        progress.end();
        Ok(edges)
    }

    fn write(
        &self,
        mut values: Column,
        mut ids: Ids,
        work: &WorkFolder,
        memory: usize,
        table: &mut TableWriter,
        progress: &dyn Progress,
    ) -> Result<u64> {
        if values.bytes() <= memory as u64 / 4 {
            values.hold()?;
        }
        ids.hold(memory as u64 / 2)?;
        let path = work.file("pairs");
        let total = std::fs::metadata(&path).map_or(0, |metadata| metadata.len() / 8);
        progress.begin("write", total, Unit::Things);
        let mut left: Option<(u64, String, u64)> = None;
        let mut pairs = 0;
        for edge in Records::<u64>::open(&path)? {
            let edge = edge?;
            let (a, b) = (edge >> 32, edge & u64::from(u32::MAX));
            if left.as_ref().is_none_or(|(number, ..)| *number != a) {
                left = Some((a, ids.get(a)?, values.number_at(a)?));
            }
            let Some((_, id, value)) = &left else { continue };
            let distance = (value ^ values.number_at(b)?).count_ones();
            let cells = [Cell::Text(id), Cell::Text(&ids.get(b)?), Cell::Integer(Some(distance.into()))];
            table.row(&cells)?;
            pairs += 1;
            progress.position(pairs);
        }
        progress.end();
        Ok(pairs)
    }
}

/// What was read, in the work folder.
struct Stored {
    values: Column,
    ids: Ids,
    id_bytes: u64,
    sample: EvenSample,
    counted: Counted,
}

fn number_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn columns() -> [TableColumn; 3] {
    [
        TableColumn::new("left", ColumnKind::Text),
        TableColumn::new("right", ColumnKind::Text),
        TableColumn::new("distance", ColumnKind::Integer),
    ]
}
