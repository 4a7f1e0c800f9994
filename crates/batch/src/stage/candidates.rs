//! Stage three: documents that share a bucket.
//!
//! Keys are recomputed from the fingerprints in passes over key ranges, so that the entries of one pass fit into memory. Where
//! the fingerprints themselves are held in memory, some of the keys are taken at a time, too. The pairs are sorted on disk:
//! `candidates` holds them as 64-bit numbers, the rank of the later document above that of the earlier one.
//!
//! Documents with lists of shingles meet by the [rarest](Rarest) of them, besides.
//!
//! Where the method is simhash, [`NearPairs`] finds exactly the pairs within the radius instead, unless `dedup` would drown in
//! them: then each document meets the first ones of its buckets, like with any method.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use twindex_core::kernel::Kernel;
use twindex_core::search::hamming::LARGEST_RADIUS;
use twindex_core::search::{Edge, HashFrequencies, Method, bucket_edges};

use crate::buckets::{Buckets, Entry};
use crate::documents::Documents;
use crate::error::Result;
use crate::key_columns::KeyColumns;
use crate::progress::{Progress, Unit};
use crate::rarest::{Gathered, HandOver, Rarest};
use crate::spill::SpillSort;
use crate::stage::Ranks;
use crate::stage::exact::NONE;
use crate::stage::near::NearPairs;
use crate::work::WorkFolder;

/// What the stage found.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Candidates {
    /// Distinct pairs.
    pub(crate) pairs: u64,
    /// Candidate pairs of hot buckets that the bucket limit left out.
    pub(crate) left_out: u64,
}

/// What the stage is told.
pub(crate) struct Search<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) ranks: &'a Ranks,
    pub(crate) method: &'a Method,
    pub(crate) kernel: Kernel,
    /// With a limit, each document meets at most so many of each of its buckets.
    pub(crate) bucket_limit: Option<usize>,
    pub(crate) memory: usize,
    pub(crate) work: &'a WorkFolder,
}

/// How many others a document may have within the radius of simhash, on average, before `dedup` takes the first ones of buckets:
/// fewer than those are at their limit, 16 in each of the ten tables of the usual radius.
const MOST_MET: u64 = 64;

impl Search<'_> {
    /// Finds the candidates.
    pub(crate) fn run(&self, progress: &dyn Progress) -> Result<Candidates> {
        if self.work.is_done("candidates") {
            return Ok(self.work.checkpoint("candidates")?.unwrap_or_default());
        }
        let radius = self.method.radius().filter(|&radius| radius <= LARGEST_RADIUS);
        let joined = match radius {
            Some(radius) => self.by_join(radius, progress)?,
            None => None,
        };
        let found = match joined {
            Some(found) => found,
            None => self.by_buckets(progress)?,
        };
        self.work.save_checkpoint("candidates", &found)?;
        self.work.mark_done("candidates")?;
        progress.end();
        Ok(found)
    }

    fn lists_every_pair(&self) -> bool {
        self.bucket_limit.is_none()
    }

    /// Every pair within the radius of simhash; `None` if there are too many for somebody who does not list them all.
    fn by_join(&self, radius: u32, progress: &dyn Progress) -> Result<Option<Candidates>> {
        progress.begin("candidates", 1, Unit::Things);
        let mut edges = SpillSort::new(self.work, "candidates", self.memory / 4);
        let near = NearPairs {
            documents: self.documents,
            ranks: self.ranks,
            method: self.method,
            kernel: self.kernel,
            radius,
            memory: self.memory - self.memory / 4,
            work: self.work,
            most: if self.lists_every_pair() { u64::MAX } else { u64::from(self.ranks.len()) * MOST_MET },
        };
        if !near.edges(&mut |edge| if self.matters(edge) { edges.push(encode(edge)) } else { Ok(()) })? {
            return Ok(None);
        }
        progress.position(1);
        Ok(Some(Candidates { pairs: edges.finish(&self.work.file("candidates"))?, left_out: 0 }))
    }

    /// Two documents that can only be witnesses have nothing to say to each other, unless every pair is listed and one of
    /// them stands for its copy among the inputs.
    fn matters(&self, edge: Edge) -> bool {
        edge.later >= self.ranks.against
            || self.lists_every_pair()
                && [edge.later, edge.earlier].into_iter().any(|rank| self.ranks.speaks_for_input(rank))
    }

    /// The pairs that share a bucket.
    fn by_buckets(&self, progress: &dyn Progress) -> Result<Candidates> {
        let frequencies = self.count()?;
        // Half of the memory, as for the entries of other passes.
        let rarest = if self.method.has_lists() { Some(self.rarest(self.memory / 2)?) } else { None };
        let with_columns = self.with_columns()?;
        let (aligned, groups) = self.groups(&frequencies)?;
        // Half of the memory for the entries of a pass, half for the pairs that they make. (A single key that more documents
        // share than fit is not split.)
        let memory = (self.memory / 2).max(1);
        let passes_of =
            |group: &Group| with_slack(group.entries * size_of::<Entry>()).div_ceil(memory).max(1) as u64;
        let passes_of_keys = aligned.len() as u64 + groups.iter().map(passes_of).sum::<u64>();
        let passes = u64::from(rarest.is_some()) + passes_of_keys;
        progress.begin("candidates", passes, Unit::Things);

        let edges = SpillSort::new(self.work, "candidates", memory);
        let mut proposals = Proposals { search: self, edges };
        let (mut left_out, mut passes_done) = (0, 0);
        if let Some(rarest) = rarest {
            rarest.for_each_part(&self.ranks.rank, |entries| {
                left_out += self.empty(entries, &mut proposals)?;
                Ok(())
            })?;
            passes_done += 1;
            progress.position(passes_done);
        }
        let most_columns = aligned.iter().map(|aligned| aligned.columns).max().unwrap_or(0);
        let ranks = with_columns.iter().map(|&document| self.ranks.rank[document as usize]).collect();
        let mut key_columns = KeyColumns::new(most_columns, ranks);
        for &Aligned { part, columns } in &aligned {
            let mut number = 0;
            self.documents.for_each_fingerprint_of(&with_columns, |_, fingerprint| {
                let mut places = key_columns.places(number);
                self.method.for_each_aligned(part, fingerprint, |key| places.set_next(key));
                number += 1;
            })?;
            for entries in key_columns.shared(columns) {
                left_out += self.empty(&entries, &mut proposals)?;
            }
            passes_done += 1;
            progress.position(passes_done);
        }
        drop(key_columns);
        for group in &groups {
            let passes = passes_of(group);
            let mut buckets = Buckets::new(passes, group.entries.div_ceil(passes as usize));
            for pass in 0..passes {
                buckets.begin(pass);
                self.for_each_keys(group.parts.clone(), &frequencies, |rank, keys| {
                    keys.iter().for_each(|&key| buckets.push(key, rank));
                })?;
                for entries in buckets.close() {
                    left_out += self.empty(entries, &mut proposals)?;
                }
                passes_done += 1;
                progress.position(passes_done);
            }
        }
        Ok(Candidates { pairs: proposals.finish(&self.work.file("candidates"))?, left_out })
    }

    /// The documents that have keys in columns, which are joined if fingerprints are in memory.
    fn with_columns(&self) -> Result<Vec<u32>> {
        let mut with_columns = vec![];
        if self.documents.holds_fingerprints() {
            self.documents.for_each_fingerprint(|document, fingerprint| {
                let takes_part = self.ranks.rank[document as usize] != NONE;
                if takes_part && self.method.has_aligned_keys(fingerprint) {
                    with_columns.push(document);
                }
            })?;
        }
        Ok(with_columns)
    }

    /// Calls `each` with every rank and its keys of some parts.
    fn for_each_keys(
        &self,
        parts: Range<usize>,
        frequencies: &HashFrequencies,
        mut each: impl FnMut(u32, &[u64]),
    ) -> Result<()> {
        let mut keys = vec![];
        self.for_each_ranked(|rank, fingerprint| {
            keys.clear();
            for part in parts.clone() {
                self.method.keys_of_part(part, fingerprint, frequencies, &mut keys);
            }
            each(rank, &keys);
        })
    }

    /// Calls `each` with every rank and its fingerprint, in the order of documents.
    fn for_each_ranked(&self, mut each: impl FnMut(u32, &[u8])) -> Result<()> {
        self.documents.for_each_fingerprint(|document, fingerprint| {
            let rank = self.ranks.rank[document as usize];
            if rank != NONE {
                each(rank, fingerprint);
            }
        })
    }

    /// Proposes the pairs of the buckets of sorted entries; returns how many the limit left out.
    fn empty(&self, entries: &[Entry], proposals: &mut Proposals<'_>) -> Result<u64> {
        let mut proposed = Ok(());
        let left_out = bucket_edges(entries, self.bucket_limit, self.method.probes(), &mut |edge| {
            if proposed.is_ok() {
                proposed = proposals.add(edge);
            }
        });
        proposed.map(|()| left_out)
    }

    /// Counts what the keys of the method depend on, in a pass of its own. The copies of a text do not take part.
    fn count(&self) -> Result<HashFrequencies> {
        if !self.method.counts_frequencies() {
            return Ok(HashFrequencies::default());
        }
        let mut frequencies = self.method.frequencies(self.ranks.len() as usize);
        self.for_each_ranked(|_, fingerprint| self.method.count(fingerprint, &mut frequencies))?;
        Ok(frequencies)
    }

    /// The documents with lists, ready to meet by their rarest shingles. Those without a rank have none.
    fn rarest(&self, memory: usize) -> Result<Rarest<impl HandOver>> {
        let (mut asked, mut buffer) = (0, vec![]);
        for &document in self.asked() {
            let fingerprint = self.documents.fingerprint(document, &mut buffer)?;
            asked += self.method.listed(fingerprint).map_or(0, Iterator::count);
        }
        let lists = |gathered: &mut Gathered| {
            self.documents.for_each_fingerprint(|document, fingerprint| {
                let has_rank = self.ranks.rank[document as usize] != NONE;
                match self.method.listed(fingerprint).filter(|_| has_rank) {
                    Some(list) => gathered.push(list),
                    None => gathered.push(std::iter::empty()),
                }
            })
        };
        let total = with_slack(self.of_all(asked));
        let prefix = |shingles| self.method.list_prefix(shingles);
        Rarest::new(self.documents.len() as usize, total, memory, lists, prefix)
    }

    /// Some documents, evenly spread: their mean is within a few hundredths of that of all.
    fn asked(&self) -> impl Iterator<Item = &u32> {
        let count = self.ranks.len() as usize;
        let asked = count.min(ASKED);
        (0..asked).map(move |number| &self.ranks.document[number * count / asked])
    }

    /// What those that are asked have together, for all ranks.
    fn of_all(&self, asked: usize) -> usize {
        let count = self.ranks.len() as usize;
        (asked * count).div_ceil(count.clamp(1, ASKED))
    }

    /// The parts of the keys that are joined in [`KeyColumns`], and those that are joined together in [`Buckets`], with about
    /// how many keys all documents have in them: some methods give short documents fewer, so some are asked.
    fn groups(&self, frequencies: &HashFrequencies) -> Result<(Vec<Aligned>, Vec<Group>)> {
        let parts = self.method.key_parts();
        // A part alone takes a fraction of the memory, all of it cleared before it is first used. But each of them reads the
        // fingerprints once more, which is only cheap if they are at hand.
        let (mut aligned, mut groups) = (vec![], vec![]);
        if self.documents.holds_fingerprints() {
            for part in 0..parts {
                match self.method.aligned_keys(part) {
                    // Columns are about as large as the bands that they are made of: much less than a quarter of the memory.
                    Some(columns) => aligned.push(Aligned { part, columns }),
                    None => groups.push(Group { parts: part..part + 1, entries: 0 }),
                }
            }
        } else {
            groups.push(Group { parts: 0..parts, entries: 0 });
        }
        let (mut buffer, mut keys) = (vec![], vec![]);
        for &document in self.asked() {
            let fingerprint = self.documents.fingerprint(document, &mut buffer)?;
            for group in &mut groups {
                keys.clear();
                for part in group.parts.clone() {
                    self.method.keys_of_part(part, fingerprint, frequencies, &mut keys);
                }
                group.entries += keys.len();
            }
        }
        for group in &mut groups {
            group.entries = self.of_all(group.entries);
        }
        Ok((aligned, groups))
    }
}

/// Pairs on the way to the candidates.
struct Proposals<'a> {
    search: &'a Search<'a>,
    edges: SpillSort<'a, u64>,
}

impl Proposals<'_> {
    fn add(&mut self, edge: Edge) -> Result<()> {
        if self.search.matters(edge) { self.edges.push(encode(edge)) } else { Ok(()) }
    }

    /// Writes the candidates, sorted; returns how many there are.
    fn finish(self, path: &Path) -> Result<u64> {
        self.edges.finish(path)
    }
}

/// A part of the keys of which documents have as many, or none.
struct Aligned {
    part: usize,
    columns: usize,
}

/// Parts of the keys that are joined together.
struct Group {
    parts: Range<usize>,
    /// About how many keys all documents have in them.
    entries: usize,
}

/// So many documents are asked for what is expected of all.
const ASKED: usize = 1024;

/// Ranges of keys are never quite equal: a quarter more than the mean is set aside.
fn with_slack(mean: usize) -> usize {
    mean + mean / 4
}

fn encode(edge: Edge) -> u64 {
    u64::from(edge.later) << 32 | u64::from(edge.earlier)
}

/// The edge that a stored number stands for.
pub(crate) fn decode(number: u64) -> Edge {
    Edge { later: (number >> 32) as u32, earlier: number as u32 }
}
