//! Stage four: candidates are read and decided.
//!
//! Candidates are sorted by their later document and decided in blocks of some thousand later
//! documents:
//!
//! * `pairs` decides all of them;
//! * `dedup` follows the first pass of the witness rule: a document is compared with kept documents
//!   only, in keep order, until it may go for one of them. [`block`] does that on all threads, with
//!   the result of [`twindex_core::group::witness`]. The second pass is a stage of its own:
//!   [`containers`](super::containers).
//!
//! `accepted` and, for the report, `rejected` hold the scored pairs; a checkpoint follows each
//! group of blocks.

mod block;

use std::path::Path;

use block::{Block, Decision};
use serde::{Deserialize, Serialize};
use twindex_core::Engine;
use twindex_core::search::Edge;
use twindex_core::verify::Side;

use crate::error::{BatchError, Result};
use crate::job::Pace;
use crate::join::Records;
use crate::progress::{Progress, Unit};
use crate::stage::candidates;
use crate::work::{Column, ColumnWriter, Documents, EvidenceStore, Ranks, ScoredPair, Spillable, WorkFolder};

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
        let store = EvidenceStore::new(self.documents, self.engine, self.memory, work);
        let candidates = work.file("candidates");
        if Column::open(&candidates)?.bytes() != total * u64::BYTES as u64 {
            return Err(BatchError::damaged(&candidates, "it has not as many candidates as were found"));
        }
        let mut edges = Records::<u64>::open_from(&candidates, state.edges)?.peekable();
        let last_uses = self.last_uses(&candidates, &state)?;
        let mut since_checkpoint = 0;
        let mut block = vec![];
        loop {
            next_block(&mut edges, self.pace.block_documents, &mut block)?;
            let Some(&Edge { later: last, .. }) = block.last() else { break };
            for decisions in Block::decide(self, &store, &block, &mut removed)? {
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
            store.forget(|document| last_uses[self.ranks.rank[document as usize] as usize] <= last);
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

    /// For each rank, the last later document that it is a candidate of, itself included: its
    /// evidence is not needed any more after that.
    fn last_uses(&self, candidates: &Path, state: &VerifyState) -> Result<Vec<u32>> {
        let mut last_uses: Vec<u32> = (0..self.ranks.len()).collect();
        for number in Records::<u64>::open_from(candidates, state.edges)? {
            let Edge { later, earlier } = candidates::decode(number?);
            last_uses[earlier as usize] = later;
        }
        Ok(last_uses)
    }
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
