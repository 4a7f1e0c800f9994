//! Stage four: candidates are read and decided.
//!
//! Candidates are sorted by their later document and decided in blocks of some thousand later
//! documents:
//!
//! * `pairs` decides all of them;
//! * `dedup` follows the first pass of the witness rule: a document is compared with kept documents
//!   only, in keep order, until it may go for one of them. Whether a document before the block is
//!   kept is known, so those comparisons run in parallel; the few inside the block follow one after
//!   another. The result is that of [`twindex_core::group::witness`]. The second pass is a stage of
//!   its own: [`containers`](super::containers).
//!
//! `accepted` and, for the report, `rejected` hold the scored pairs; a checkpoint follows each
//! group of blocks.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use twindex_core::Engine;
use twindex_core::search::{BesideScratch, Edge};
use twindex_core::verify::Side;

use crate::error::{BatchError, Result};
use crate::job::Pace;
use crate::join::Records;
use crate::progress::{Progress, Unit};
use crate::stage::candidates;
use crate::work::{
    Column, ColumnWriter, Documents, EvidenceScratch, EvidenceStore, Ranks, ScoredPair, Spillable, WorkFolder,
};

/// A block ends early when it has this many candidates: its edges are held in memory.
const BLOCK_EDGES: usize = 1 << 20;

/// How far the stage has come; at its end, what it found.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct VerifyState {
    /// Candidates looked at.
    edges: u64,
    /// Candidates whose texts were compared.
    pub(crate) compared: u64,
    /// Candidates that passed.
    pub(crate) accepted: u64,
    rejected: u64,
}

/// The parameters of the stage.
pub(crate) struct Verification<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) ranks: &'a Ranks,
    pub(crate) engine: &'a Engine,
    /// `dedup`: a removed document is no witness, and one witness is enough.
    pub(crate) witness_rule: bool,
    /// Whether pairs that fail are recorded.
    pub(crate) keep_rejected: bool,
    pub(crate) memory: usize,
    pub(crate) pace: Pace,
}

/// The decision on one candidate.
#[derive(Clone, Copy)]
struct Decision {
    pair: ScoredPair,
    accepted: bool,
}

/// The decisions about one later document.
#[derive(Default)]
struct Decisions {
    compared: u64,
    recorded: Vec<Decision>,
    witness: Option<u32>,
}

impl Verification<'_> {
    /// Decides `total` candidates, from where an earlier run stopped.
    pub(crate) fn run(&self, total: u64, work: &WorkFolder, progress: &dyn Progress) -> Result<VerifyState> {
        let mut state: VerifyState = work.recorded("verify")?.unwrap_or_default();
        if work.is_finished("verify") {
            return Ok(state);
        }
        progress.begin("verify", total, Unit::Things);
        let bytes = ScoredPair::BYTES as u64;
        let mut accepted = ColumnWriter::open(&work.file("accepted"), state.accepted * bytes)?;
        let mut rejected = ColumnWriter::open(&work.file("rejected"), state.rejected * bytes)?;
        let mut removed = self.removed_so_far(&state, work)?;
        let store = EvidenceStore::new(self.documents, self.engine, self.memory);
        let candidates = work.file("candidates");
        if Column::open(&candidates)?.bytes() != total * u64::BYTES as u64 {
            return Err(BatchError::damaged(&candidates, "it has not as many candidates as were found"));
        }
        let mut edges = Records::<u64>::open_from(&candidates, state.edges)?.peekable();
        let mut since_checkpoint = 0;
        let mut block = vec![];
        loop {
            next_block(&mut edges, self.pace.block_documents, &mut block)?;
            if block.is_empty() {
                break;
            }
            for decisions in self.decide_block(&store, &block, &mut removed)? {
                state.compared += decisions.compared;
                for Decision { pair, accepted: is_accepted } in decisions.recorded {
                    let mut record = [0; ScoredPair::BYTES];
                    pair.encode(&mut record);
                    if is_accepted {
                        accepted.append(&record)?;
                        state.accepted += 1;
                    } else {
                        rejected.append(&record)?;
                        state.rejected += 1;
                    }
                }
            }
            state.edges += block.len() as u64;
            since_checkpoint += block.len() as u64;
            progress.position(state.edges);
            if since_checkpoint >= self.pace.checkpoint_candidates {
                since_checkpoint = 0;
                accepted.flush()?;
                rejected.flush()?;
                work.record("verify", &state)?;
                work.checkpoint()?;
            }
        }
        accepted.flush()?;
        rejected.flush()?;
        work.finish("verify", &state)?;
        progress.end();
        Ok(state)
    }

    /// Which ranks an earlier run removed, from the pairs that it accepted.
    fn removed_so_far(&self, state: &VerifyState, work: &WorkFolder) -> Result<Vec<bool>> {
        let mut removed = vec![false; self.ranks.len() as usize];
        if self.witness_rule {
            let rule = self.engine.verifier().rule();
            for pair in Records::<ScoredPair>::open(&work.file("accepted"))?.take(state.accepted as usize) {
                let pair = pair?;
                removed[self.ranks.rank[pair.left as usize] as usize] |=
                    pair.verdict(rule).may_go(Side::Left);
            }
        }
        Ok(removed)
    }

    /// Decides the candidates of a block. `removed` is complete up to the block, and then extended
    /// by it.
    fn decide_block(
        &self,
        store: &EvidenceStore<'_>,
        block: &[Edge],
        removed: &mut [bool],
    ) -> Result<Vec<Decisions>> {
        let first = block[0].later;
        let mut end = 0;
        let ranges = block.chunk_by(|a, b| a.later == b.later).map(|group| {
            end += group.len();
            end - group.len()..end
        });
        let groups: Vec<Range<usize>> = ranges.collect();
        let removed_before = &*removed;
        let mut decided: Vec<Decisions> = groups
            .par_iter()
            .map_init(VerifyScratch::default, |scratch, range| {
                let group = &block[range.clone()];
                // Without the witness rule nothing depends on the rest of the block.
                let before = if self.witness_rule {
                    group.partition_point(|edge| edge.earlier < first)
                } else {
                    group.len()
                };
                let mut decisions = Decisions::default();
                self.decide(store, &group[..before], removed_before, &mut decisions, scratch)?;
                Ok(decisions)
            })
            .collect::<Result<_>>()?;
        if !self.witness_rule {
            return Ok(decided);
        }
        let mut scratch = VerifyScratch::default();
        for (range, decisions) in groups.into_iter().zip(&mut decided) {
            let group = &block[range];
            if decisions.witness.is_none() {
                let inside = group.partition_point(|edge| edge.earlier < first);
                self.decide(store, &group[inside..], removed, decisions, &mut scratch)?;
            }
            removed[group[0].later as usize] = decisions.witness.is_some();
        }
        Ok(decided)
    }

    /// Decides candidates of one later document in order; under the witness rule, until there is a
    /// witness.
    fn decide(
        &self,
        store: &EvidenceStore<'_>,
        candidates: &[Edge],
        removed: &[bool],
        decisions: &mut Decisions,
        scratch: &mut VerifyScratch,
    ) -> Result<()> {
        let verifier = self.engine.verifier();
        let Some(&Edge { later, .. }) = candidates.first() else { return Ok(()) };
        let left = self.ranks.document[later as usize];
        let VerifyScratch { evidence, kept, beside, fingerprints: [left_buffer, right_buffer] } = scratch;
        let left_fingerprint = self.engine.read(self.documents.fingerprint(left, left_buffer)?);
        let mut later_evidence = None;
        kept.clear();
        let earlier = candidates.iter().map(|edge| edge.earlier);
        kept.extend(earlier.filter(|&earlier| !(self.witness_rule && removed[earlier as usize])));
        let beside = self.engine.beside(&left_fingerprint, beside);
        for &earlier in kept.iter() {
            let right = self.ranks.document[earlier as usize];
            let right_fingerprint = self.engine.read(self.documents.fingerprint(right, right_buffer)?);
            if !beside.is_plausible(&right_fingerprint) {
                continue;
            }
            decisions.compared += 1;
            if later_evidence.is_none() {
                later_evidence = Some(store.of(left, evidence)?);
            }
            let Some(a) = &later_evidence else { continue };
            let b = store.of(right, evidence)?;
            // The measures of a rejected pair are only worth computing for a report.
            let verdict =
                if self.keep_rejected { Some(verifier.verdict(a, &b)) } else { verifier.accept(a, &b) };
            let Some(verdict) = verdict else { continue };
            let distance = left_fingerprint.distance(&right_fingerprint);
            let pair = ScoredPair::new(left, right, verdict.measured, distance);
            decisions.recorded.push(Decision { pair, accepted: verdict.is_accepted() });
            if self.witness_rule && verdict.may_go(Side::Left) {
                decisions.witness = Some(right);
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Buffers that a thread reuses.
#[derive(Default)]
struct VerifyScratch {
    evidence: EvidenceScratch,
    /// Earlier documents that are not removed.
    kept: Vec<u32>,
    beside: BesideScratch,
    /// Of the later and of the earlier document.
    fingerprints: [Vec<u8>; 2],
}

/// Fills `block` with the candidates of the next later documents.
fn next_block(
    edges: &mut std::iter::Peekable<Records<u64>>,
    block_documents: usize,
    block: &mut Vec<Edge>,
) -> Result<()> {
    block.clear();
    let mut documents = 0;
    let mut last = None;
    while let Some(next) = edges.next_if(|next| {
        let same = next.as_ref().is_ok_and(|&number| Some(candidates::decode(number).later) == last);
        same || documents < block_documents && block.len() < BLOCK_EDGES
    }) {
        let edge = candidates::decode(next?);
        if last != Some(edge.later) {
            last = Some(edge.later);
            documents += 1;
        }
        block.push(edge);
    }
    Ok(())
}
