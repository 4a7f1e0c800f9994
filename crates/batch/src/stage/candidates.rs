//! Stage three: candidate pairs.
//!
//! [`Engine::candidates`] joins the fingerprints; the pairs are sorted on disk: `candidates` holds
//! them as 64-bit numbers, the rank of the later document above that of the earlier one.
//!
//! For the method simhash, [`NearPairs`] finds exactly the pairs within the radius instead. If
//! `dedup` would get too many of them, each document is paired with the first documents of its
//! buckets, as with any method.

use serde::{Deserialize, Serialize};
use twindex_core::Engine;
use twindex_core::kernel::Kernel;
use twindex_core::search::Edge;
use twindex_core::search::candidates::{Collection, JoinOptions, MOST_NEIGHBOURS};
use twindex_core::search::hamming::LARGEST_RADIUS;

use crate::error::{BatchError, Result};
use crate::join::{NearPairs, Owned, Pool, SpillSort};
use crate::progress::{Progress, Unit};
use crate::work::{Documents, NONE, Ranks, WorkFolder};

/// What the stage found.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Candidates {
    /// Distinct pairs.
    pub(crate) pairs: u64,
    /// Pairs of hot buckets that the bucket limit left out.
    pub(crate) left_out: u64,
}

/// The parameters of the stage.
pub(crate) struct Search<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) ranks: &'a Ranks,
    pub(crate) engine: &'a Engine,
    pub(crate) kernel: Kernel,
    /// With a limit, each document is paired with at most this many of each of its buckets.
    pub(crate) bucket_limit: Option<usize>,
    pub(crate) memory: usize,
    pub(crate) work: &'a WorkFolder,
}

impl Collection for Search<'_> {
    type Error = BatchError;

    fn len(&self) -> usize {
        self.ranks.len() as usize
    }

    fn for_each(&self, each: &mut dyn FnMut(u32, &[u8])) -> Result<()> {
        self.documents.for_each_fingerprint(|document, fingerprint| {
            let rank = self.ranks.rank[document as usize];
            if rank != NONE {
                each(rank, fingerprint);
            }
        })
    }

    fn sample(&self, count: usize, each: &mut dyn FnMut(&[u8])) -> Result<()> {
        let (all, mut buffer) = (self.len(), vec![]);
        for number in 0..all.min(count) {
            let document = self.ranks.document[number * all / all.min(count)];
            each(self.documents.fingerprint(document, &mut buffer)?);
        }
        Ok(())
    }
}

impl Search<'_> {
    /// Finds the candidates.
    pub(crate) fn run(&self, progress: &dyn Progress) -> Result<Candidates> {
        if self.work.is_finished("candidates") {
            return Ok(self.work.recorded("candidates")?.unwrap_or_default());
        }
        let radius = self.engine.radius().filter(|&radius| radius <= LARGEST_RADIUS);
        let within_radius = radius.map(|radius| self.within_radius(radius, progress)).transpose()?;
        let found = match within_radius.flatten() {
            Some(found) => found,
            None => self.in_buckets(progress)?,
        };
        self.work.finish("candidates", &found)?;
        progress.end();
        Ok(found)
    }

    fn lists_every_pair(&self) -> bool {
        self.bucket_limit.is_none()
    }

    /// Every pair within the radius of simhash; `None` if `dedup` would get too many.
    fn within_radius(&self, radius: u32, progress: &dyn Progress) -> Result<Option<Candidates>> {
        let mut edges = SpillSort::new(self.work, "candidates", self.memory / 4);
        let most = u64::from(self.ranks.len()) * MOST_NEIGHBOURS;
        let near = NearPairs {
            owned: &|each| self.simhashes(each),
            kernel: self.kernel,
            radius,
            memory: self.memory - self.memory / 4,
            work: self.work,
            most: if self.lists_every_pair() { u64::MAX } else { most },
            progress,
        };
        if !near.edges(&mut |edge| self.push(edge, &mut edges))? {
            return Ok(None);
        }
        Ok(Some(Candidates { pairs: edges.finish(&self.work.file("candidates"))?, left_out: 0 }))
    }

    /// The simhash and the rank of each document that takes part.
    fn simhashes(&self, each: &mut dyn FnMut(Owned) -> Result<()>) -> Result<()> {
        let mut outcome = Ok(());
        self.documents.for_each_fingerprint(|document, stored| {
            let rank = self.ranks.rank[document as usize];
            if let Some(fingerprint) = self.engine.read(stored).simhash().filter(|_| rank != NONE)
                && outcome.is_ok()
            {
                outcome = each((fingerprint.0, rank));
            }
        })?;
        outcome
    }

    /// The pairs that share a bucket.
    fn in_buckets(&self, progress: &dyn Progress) -> Result<Candidates> {
        // Half of the memory for entries, half for the pairs that they make.
        let memory = self.memory / 2;
        let options = JoinOptions { limit: self.bucket_limit, memory, workers: &Pool };
        let mut edges = SpillSort::new(self.work, "candidates", memory);
        let left_out = self.engine.candidates(
            self,
            &options,
            &mut |edge| self.push(edge, &mut edges),
            &mut |done, passes| match done {
                0 => progress.begin("candidates", passes, Unit::Things),
                done => progress.position(done),
            },
        )?;
        Ok(Candidates { pairs: edges.finish(&self.work.file("candidates"))?, left_out })
    }

    /// Skips pairs of two `--against` documents, unless all pairs are listed and one of them
    /// represents an identical input document.
    fn push(&self, edge: Edge, edges: &mut SpillSort<'_, u64>) -> Result<()> {
        let matters = edge.later >= self.ranks.against
            || self.lists_every_pair()
                && [edge.later, edge.earlier].into_iter().any(|rank| self.ranks.speaks_for_input(rank));
        if matters { edges.push(encode(edge)) } else { Ok(()) }
    }
}

fn encode(edge: Edge) -> u64 {
    u64::from(edge.later) << 32 | u64::from(edge.earlier)
}

/// The edge that a stored number stands for.
pub(crate) fn decode(number: u64) -> Edge {
    Edge { later: (number >> 32) as u32, earlier: number as u32 }
}
