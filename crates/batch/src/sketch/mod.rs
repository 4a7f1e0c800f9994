//! Bottom-k sketches of any origin: which are alike, which are like a query?
//!
//! The join and the index of [`twindex_core::search::sketch_join`] over files of sketches: rows
//! with an id and a list of hashes, as `twindex fingerprint --method bottom-k` writes them. Two
//! estimators of the Jaccard similarity are listed, and either of them may decide:
//!
//! * `sketch`: of the hashes of both sketches, the share in both. What the join is exact for.
//! * `union`: of the k smallest hashes of both together, the share in both; unbiased. With
//!   sketches of at most k hashes `sketch >= union / (2 - union)`, so that a join at that threshold
//!   proposes every pair.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde::Serialize;
use twindex_core::fingerprint::{BottomK, JaccardThreshold, MOST_HASHES, Margins, Sketches};
use twindex_core::search::{SketchIndex, SketchJoin, SketchMatch};
use twindex_corpus::{Cell, Column, ColumnKind, TableWriter};

use crate::error::Result;
use crate::hamming::{
    Counted, FingerprintInput, IdWriter, Ids, Notation, Reading, Resources, Rows, Value, check_output, read,
};
use crate::parallel;
use crate::progress::{Progress, Unit};
use crate::work::WorkFolder;

/// Which estimate of the Jaccard similarity decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Estimator {
    /// [`BottomK::sketch_jaccard`].
    Sketch,
    /// [`BottomK::union_estimate`].
    Union,
}

/// A listing of pairs, or of the matches of queries.
#[derive(Debug, Clone)]
pub struct SketchJob {
    /// The sketches.
    pub input: FingerprintInput,
    /// Queries; `None` lists the pairs of the input.
    pub queries: Option<FingerprintInput>,
    /// The least similarity: above 0, up to 1.
    pub threshold: f64,
    /// Which estimate decides.
    pub estimator: Estimator,
    /// The hashes k of a full sketch; `None` = those of the largest one.
    pub size: Option<usize>,
    /// Where results go; `-` is standard output.
    pub output: PathBuf,
    /// What it may spend.
    pub resources: Resources,
}

/// What was done.
#[derive(Debug, Clone, Serialize)]
pub struct SketchSummary {
    /// Sketches.
    pub sketches: u64,
    /// Queries; null for pairs.
    pub queries: Option<u64>,
    /// Rows without a sketch.
    pub without: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// Why, in words.
    pub skipped: Vec<String>,
    /// The hashes k of a full sketch.
    pub size: usize,
    /// The least similarity.
    pub threshold: f64,
    /// The estimate that decided.
    pub estimator: Estimator,
    /// Listed pairs or matches.
    pub pairs: u64,
    /// Bytes of the sketches and the index.
    pub bytes: u64,
    /// Time of everything.
    pub seconds: f64,
}

/// The hashes of a row.
struct Hashes(Vec<u64>);

impl Value for Hashes {
    fn parse(text: &str, _: Notation) -> Option<Self> {
        let text = text.trim();
        let mut hashes: Vec<u64> = if text.starts_with('[') {
            serde_json::from_str(text).ok()?
        } else {
            text.split(',').map(|hash| Notation::Hex.parse(hash)).collect::<Option<_>>()?
        };
        hashes.sort_unstable();
        hashes.dedup();
        (hashes.len() <= MOST_HASHES).then_some(Hashes(hashes))
    }

    fn expected(_: Notation) -> &'static str {
        "hexadecimal hashes with commas between them, or a list of numbers"
    }

    fn has_margins(&self, _: &Margins) -> bool {
        false
    }

    fn of_raw(_: u64) -> Option<Self> {
        None
    }
}

/// Sketches in memory, with their ids on disk.
struct Read {
    sketches: Sketches,
    ids: Ids,
    counted: Counted,
}

/// Documents whose pairs are found together.
const TOGETHER: u32 = 1 << 10;

/// What the index takes for each sketch and each hash, at most.
const SKETCH_BYTES: u64 = 64 + 8 + 4;
const HASH_BYTES: u64 = 8 + 20 + 2;

/// A pair: numbers of two sketches, and both estimates.
type Found = (u32, u32, [f64; 2]);

impl SketchJob {
    /// Lists the pairs or the matches.
    pub fn run(&self, progress: &dyn Progress) -> Result<SketchSummary> {
        let started = Instant::now();
        let work = self.resources.work_folder()?;
        check_output(&self.output)?;
        let stored = self.read(&self.input, "sketches", &work, progress)?;
        let queries = match &self.queries {
            Some(input) => Some(self.read(input, "queries", &work, progress)?),
            None => None,
        };
        let all = || std::iter::once(&stored).chain(&queries);
        let largest = all().flat_map(|read| read.sketches.iter()).map(<[u64]>::len).max().unwrap_or(0);
        let size = self.size.unwrap_or(largest).max(largest);
        let hashes: usize = all().map(|read| read.sketches.hashes()).sum();
        let count: usize = all().map(|read| read.sketches.len()).sum();
        let needed = count as u64 * SKETCH_BYTES + hashes as u64 * HASH_BYTES;
        self.resources.working_memory(needed, &format!("an index of {count} sketches"))?;

        // The union estimate is decided after the join, which proposes by the other.
        let proposed = match self.estimator {
            Estimator::Sketch => self.threshold,
            Estimator::Union => self.threshold / (2.0 - self.threshold) - ROUNDING,
        };
        let names = if queries.is_some() { ["id", "match"] } else { ["left", "right"] };
        let mut table = TableWriter::create(&self.output, &columns(names))?;
        let (pairs, index_bytes) = match &queries {
            None => {
                let join = SketchJoin::new(&stored.sketches, proposed);
                let total = stored.sketches.len() as u32;
                let find = |range: std::ops::Range<u32>| {
                    let (mut found, mut scratch) = (vec![], join.scratch());
                    join.pairs(range, &mut scratch, |edge, _| {
                        let [a, b] = [edge.earlier, edge.later];
                        let sketches = [a, b].map(|number| stored.sketches.get(number as usize));
                        found.extend(self.decided(size, sketches).map(|scores| (a, b, scores)));
                    });
                    found
                };
                let write = [&stored, &stored];
                (self.list(total, &find, write, &mut table, progress)?, join.bytes())
            }
            Some(queries) => {
                let index = SketchIndex::new(&stored.sketches, proposed);
                let total = queries.sketches.len() as u32;
                let find = |range: std::ops::Range<u32>| {
                    let (mut found, mut scratch, mut hits) = (vec![], index.scratch(), vec![]);
                    for query in range {
                        hits.clear();
                        let hashes = queries.sketches.get(query as usize);
                        index.search(hashes, &mut scratch, &mut hits);
                        for &SketchMatch { document, .. } in &hits {
                            let sketches = [hashes, index.sketches().get(document as usize)];
                            found
                                .extend(self.decided(size, sketches).map(|scores| (query, document, scores)));
                        }
                    }
                    found
                };
                (self.list(total, &find, [queries, &stored], &mut table, progress)?, index.bytes())
            }
        };
        table.finish()?.commit()?;
        let mut skipped = stored.counted.skipped;
        let asked = queries.as_ref().map(|queries| queries.counted.rows);
        let without = stored.counted.without + queries.as_ref().map_or(0, |queries| queries.counted.without);
        skipped.extend(queries.into_iter().flat_map(|queries| queries.counted.skipped));
        Ok(SketchSummary {
            sketches: stored.counted.rows,
            queries: asked,
            without,
            skipped_rows: skipped.len() as u64,
            skipped,
            size,
            threshold: self.threshold,
            estimator: self.estimator,
            pairs,
            bytes: (hashes * size_of::<u64>() + index_bytes) as u64,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn read(
        &self,
        input: &FingerprintInput,
        name: &'static str,
        work: &WorkFolder,
        progress: &dyn Progress,
    ) -> Result<Read> {
        let folder = work.file("");
        let mut ids = IdWriter::create(&folder, name)?;
        let mut sketches = Sketches::default();
        let threads = self.resources.threads;
        let reading = Reading { input, margins: false, threads, work, stage: name, output: &self.output };
        let counted = read(&reading, progress, &mut |rows: Rows<Hashes>| {
            rows.values.iter().for_each(|Hashes(hashes)| sketches.push(hashes));
            ids.append(&rows.names, rows.values.len())
        })?;
        Ok(Read { sketches, ids: ids.finish()?, counted })
    }

    /// Both estimates, if the deciding one is high enough.
    fn decided(&self, size: usize, [a, b]: [&[u64]; 2]) -> Option<[f64; 2]> {
        let [a, b] = [a, b].map(|hashes| BottomK::from_sorted(size, hashes.to_vec()));
        let scores = [a.sketch_jaccard(&b), a.union_estimate(&b)];
        let decides = match self.estimator {
            Estimator::Sketch => scores[0],
            Estimator::Union => scores[1],
        };
        (decides >= JaccardThreshold::new(self.threshold).value()).then_some(scores)
    }

    /// Finds on all threads, and lists in order. Pairs of the join come by their later sketch, and
    /// are sorted by the earlier one at the end.
    fn list(
        &self,
        total: u32,
        find: &(dyn Fn(std::ops::Range<u32>) -> Vec<Found> + Sync),
        [left, right]: [&Read; 2],
        table: &mut TableWriter,
        progress: &dyn Progress,
    ) -> Result<u64> {
        progress.begin("match", total.into(), Unit::Things);
        let next = AtomicUsize::new(0);
        let mut all: Vec<Found> = vec![];
        parallel::ordered(
            self.resources.threads,
            || {
                let start = next.fetch_add(TOGETHER as usize, Ordering::Relaxed) as u32;
                Ok((start < total).then(|| start..(start + TOGETHER).min(total)))
            },
            |range| Ok((range.end, find(range))),
            |(end, mut found)| {
                progress.position(end.into());
                all.append(&mut found);
                Ok(())
            },
        )?;
        progress.end();
        all.sort_unstable_by_key(|&(a, b, _)| (a, b));
        for &(a, b, scores) in &all {
            let ids = [left.ids.get(a.into())?, right.ids.get(b.into())?];
            let [sketch, union] = scores.map(|score| Cell::Number(Some(score)));
            table.row(&[Cell::Text(&ids[0]), Cell::Text(&ids[1]), sketch, union])?;
        }
        Ok(all.len() as u64)
    }
}

/// The bound of the other estimate leaves room for rounding.
const ROUNDING: f64 = 1e-9;

fn columns([left, right]: [&str; 2]) -> [Column; 4] {
    [
        Column::new(left, ColumnKind::Text),
        Column::new(right, ColumnKind::Text),
        Column::new("sketch_jaccard", ColumnKind::Number),
        Column::new("union_estimate", ColumnKind::Number),
    ]
}
