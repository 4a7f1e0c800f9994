//! Decides a block of candidates on all threads, with the result of deciding them one by one.
//!
//! Under the witness rule a document is compared with kept documents only, in keep order, until it
//! may go for one of them. Whether an earlier document of its own block is kept may not be known
//! yet. A document waits for such a one, and goes on when that one is decided:
//!
//! ```text
//! screen every document's candidates by their fingerprints
//! step(x):  for each plausible y of x, in keep order, from where x stopped:
//!               y is not decided:  x waits for y; return
//!               y is kept:         compare; if x may go for y, x is removed: leave the loop
//!           x is decided: step(z) for each z that waits for x
//! ```
//!
//! A document only waits for earlier ones, so the earliest of those that are not decided never
//! waits. Exactly the comparisons of the sequential rule are made: nothing is compared on
//! speculation.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::ScopeFifo;
use rayon::prelude::*;
use twindex_core::search::{BesideScratch, Edge};
use twindex_core::verify::Side;

use super::Verification;
use crate::error::{BatchError, Result};
use crate::work::{EvidenceScratch, EvidenceStore, ScoredPair};

/// The decision on one candidate.
#[derive(Clone, Copy)]
pub(super) struct Decision {
    pub(super) pair: ScoredPair,
    pub(super) accepted: bool,
}

/// The decisions about one later document.
#[derive(Default)]
pub(super) struct Decisions {
    pub(super) compared: u64,
    pub(super) recorded: Vec<Decision>,
    witness: Option<u32>,
}

/// The candidates of some consecutive later documents.
pub(super) struct Block<'a> {
    verification: &'a Verification<'a>,
    store: &'a EvidenceStore<'a>,
    /// Which ranks before the block are removed.
    removed: &'a [bool],
    /// The later documents, ascending. What follows is parallel to it.
    laters: Vec<u32>,
    work: Vec<Mutex<Work>>,
    status: Vec<Mutex<Status>>,
    scratch: Mutex<Vec<VerifyScratch>>,
    /// The first error that a thread met: the others then stop.
    failed: Mutex<Option<BatchError>>,
}

/// How far the comparisons of a document have come. Belongs to the thread that decides it.
#[derive(Default)]
struct Work {
    /// Earlier documents that the fingerprints do not rule out, in keep order.
    plausible: Vec<u32>,
    /// How many of them are done with.
    done: usize,
    decisions: Decisions,
}

/// What others need to know of a document.
#[derive(Default)]
struct Status {
    /// Whether the document is removed, once it is decided.
    is_removed: Option<bool>,
    /// The documents that wait for it.
    waiting: Vec<usize>,
}

/// What is known of an earlier document.
enum Earlier {
    Kept,
    Removed,
    /// It is not decided, and will resume the document that asked.
    Waits,
}

/// Buffers that a thread reuses.
#[derive(Default)]
struct VerifyScratch {
    evidence: EvidenceScratch,
    beside: BesideScratch,
    /// Of the later and of the earlier document.
    fingerprints: [Vec<u8>; 2],
}

impl<'a> Block<'a> {
    /// Decides all candidates of a block; `removed` is complete up to the block, and then extended
    /// by it.
    pub(super) fn decide(
        verification: &'a Verification<'a>,
        store: &'a EvidenceStore<'a>,
        edges: &[Edge],
        removed: &mut [bool],
    ) -> Result<Vec<Decisions>> {
        let mut end = 0;
        let ranges = edges.chunk_by(|a, b| a.later == b.later).map(|group| {
            end += group.len();
            end - group.len()..end
        });
        let groups: Vec<Range<usize>> = ranges.collect();
        let block = Block {
            verification,
            store,
            removed,
            laters: groups.iter().map(|group| edges[group.start].later).collect(),
            work: groups.iter().map(|_| Mutex::default()).collect(),
            status: groups.iter().map(|_| Mutex::default()).collect(),
            scratch: Mutex::default(),
            failed: Mutex::default(),
        };
        groups
            .par_iter()
            .enumerate()
            .try_for_each_init(VerifyScratch::default, |scratch, (number, group)| {
                block.screen(number, &edges[group.clone()], scratch)
            })?;
        // First come, first served: the documents that others wait for are decided early.
        rayon::scope_fifo(|scope| {
            for number in 0..block.laters.len() {
                if lock(&block.status[number]).is_removed.is_none() {
                    let block = &block;
                    scope.spawn_fifo(move |scope| block.step(number, scope));
                }
            }
        });
        let Block { laters, work, failed, .. } = block;
        if let Some(error) = into_inner(failed) {
            return Err(error);
        }
        let decided: Vec<Decisions> = work.into_iter().map(|work| into_inner(work).decisions).collect();
        for (&later, decisions) in laters.iter().zip(&decided) {
            removed[later as usize] = decisions.witness.is_some();
        }
        Ok(decided)
    }

    /// Finds the plausible candidates of a document. Without any it is kept.
    fn screen(&self, number: usize, candidates: &[Edge], scratch: &mut VerifyScratch) -> Result<()> {
        let Verification { documents, ranks, engine, witness_rule, .. } = self.verification;
        let VerifyScratch { beside, fingerprints: [left_buffer, right_buffer], .. } = scratch;
        let first = self.laters[0];
        let is_removed = |earlier: u32| *witness_rule && earlier < first && self.removed[earlier as usize];
        let mut earliers =
            candidates.iter().map(|edge| edge.earlier).filter(|&earlier| !is_removed(earlier)).peekable();
        let mut plausible = vec![];
        if earliers.peek().is_some() {
            let left = ranks.document[self.laters[number] as usize];
            let left = engine.read(documents.fingerprint(left, left_buffer)?);
            let beside = engine.beside(&left, beside);
            for earlier in earliers {
                let right = ranks.document[earlier as usize];
                let right = engine.read(documents.fingerprint(right, right_buffer)?);
                if beside.is_plausible(&right) {
                    plausible.push(earlier);
                }
            }
        }
        if plausible.is_empty() {
            lock(&self.status[number]).is_removed = Some(false);
        } else {
            lock(&self.work[number]).plausible = plausible;
        }
        Ok(())
    }

    /// Compares a document with what is known of its candidates, and decides it unless it has to
    /// wait.
    fn step<'s>(&'s self, number: usize, scope: &ScopeFifo<'s>) {
        if lock(&self.failed).is_some() {
            return;
        }
        let mut scratch = lock(&self.scratch).pop().unwrap_or_default();
        let is_decided = self.compare(number, &mut scratch);
        lock(&self.scratch).push(scratch);
        match is_decided {
            Ok(None) => {}
            Ok(Some(is_removed)) => {
                let waiting = {
                    let mut status = lock(&self.status[number]);
                    status.is_removed = Some(is_removed);
                    std::mem::take(&mut status.waiting)
                };
                for waits in waiting {
                    scope.spawn_fifo(move |scope| self.step(waits, scope));
                }
            }
            Err(error) => {
                lock(&self.failed).get_or_insert(error);
            }
        }
    }

    /// Compares a document with its candidates in order; under the witness rule, until there is a
    /// witness. Returns whether the document is removed; `None` if it waits for another.
    fn compare(&self, number: usize, scratch: &mut VerifyScratch) -> Result<Option<bool>> {
        let Verification { documents, ranks, engine, witness_rule, keep_rejected, .. } = self.verification;
        let VerifyScratch { evidence, fingerprints: [left_buffer, right_buffer], .. } = scratch;
        let verifier = engine.verifier();
        let left = ranks.document[self.laters[number] as usize];
        let mut left_evidence = None;
        let mut work = lock(&self.work[number]);
        let Work { plausible, done, decisions } = &mut *work;
        while let Some(&earlier) = plausible.get(*done) {
            match self.look_at(earlier, number) {
                Earlier::Waits => return Ok(None),
                Earlier::Removed => {
                    *done += 1;
                    continue;
                }
                Earlier::Kept => *done += 1,
            }
            decisions.compared += 1;
            let right = ranks.document[earlier as usize];
            let a = match &left_evidence {
                Some(evidence) => evidence,
                None => left_evidence.insert(self.store.of(left, evidence)?),
            };
            let b = self.store.of(right, evidence)?;
            // The measures of a rejected pair are only worth computing for a report.
            let verdict = if *keep_rejected { Some(verifier.verdict(a, &b)) } else { verifier.accept(a, &b) };
            let Some(verdict) = verdict else { continue };
            let distance = engine
                .read(documents.fingerprint(left, left_buffer)?)
                .distance(&engine.read(documents.fingerprint(right, right_buffer)?));
            let pair = ScoredPair::new(left, right, verdict.measured, distance);
            decisions.recorded.push(Decision { pair, accepted: verdict.is_accepted() });
            if *witness_rule && verdict.may_go(Side::Left) {
                decisions.witness = Some(right);
                break;
            }
        }
        Ok(Some(decisions.witness.is_some()))
    }

    /// Whether an earlier document is kept, for the document `asks`. Without the witness rule every
    /// one is.
    fn look_at(&self, earlier: u32, asks: usize) -> Earlier {
        if !self.verification.witness_rule {
            return Earlier::Kept;
        }
        let is_removed = match self.laters.binary_search(&earlier) {
            Ok(number) => {
                let mut status = lock(&self.status[number]);
                match status.is_removed {
                    Some(is_removed) => is_removed,
                    None => {
                        status.waiting.push(asks);
                        return Earlier::Waits;
                    }
                }
            }
            // Before the block, or without candidates.
            Err(_) => self.removed[earlier as usize],
        };
        if is_removed { Earlier::Removed } else { Earlier::Kept }
    }
}

/// A panicking thread ends the job: nothing that it left is used.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
