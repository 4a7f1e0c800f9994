//! Stage five: kept documents give way to longer ones that contain them.
//!
//! The second pass of the witness rule ([`twindex_core::group::witness`]). It needs few
//! comparisons: verification has compared all candidate pairs of kept documents, and the later one
//! may not go for the earlier one. So only the *earlier* one may give way, and the later one has
//! more features: when the pass comes to a document, all documents that may contain it are decided.
//! Only documents whose witness gives way are compared again.
//!
//! ```text
//! removals   one scored pair for each removed document, left: the removed one, right: its witness
//! moved      pairs that were compared in this stage and accepted
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use twindex_core::Engine;
use twindex_core::group::witness::second_pass_order;
use twindex_core::verify::Side;

use crate::error::Result;
use crate::join::Records;
use crate::progress::{Progress, Unit};
use crate::work::{
    ColumnWriter, Documents, EvidenceScratch, EvidenceStore, Ranks, ScoredPair, Spillable, WorkFolder,
};

/// Progress is shown in about this many steps.
const STEPS: u64 = 100;

/// The parameters of the stage.
pub(crate) struct Containers<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) ranks: &'a Ranks,
    pub(crate) engine: &'a Engine,
    pub(crate) memory: usize,
}

/// The removals after the second pass.
#[derive(Default)]
struct SecondPass {
    /// The new removal of each document whose witness changed.
    removals: HashMap<u32, ScoredPair>,
    /// Pairs that were compared and accepted.
    moved: Vec<ScoredPair>,
}

impl Containers<'_> {
    /// Writes the removals.
    pub(crate) fn run(&self, work: &WorkFolder, progress: &dyn Progress) -> Result<()> {
        if work.is_finished("containers") {
            return Ok(());
        }
        let rule = self.engine.verifier().rule();
        let mut is_removed = vec![false; self.documents.len() as usize];
        let accepted = || Records::<ScoredPair>::open(&work.file("accepted"));
        for pair in accepted()? {
            let pair = pair?;
            is_removed[pair.left as usize] |= pair.verdict(rule).may_go(Side::Left);
        }
        let mut contained = vec![];
        if rule.container_wins {
            for pair in accepted()? {
                let pair = pair?;
                let is_protected = self.ranks.rank[pair.right as usize] < self.ranks.against;
                if !is_removed[pair.left as usize] && !is_protected && pair.verdict(rule).may_go(Side::Right)
                {
                    contained.push(pair.swapped());
                }
            }
        }
        let store = EvidenceStore::new(self.documents, self.engine, self.memory, work);
        let second = self.second_pass(contained, accepted()?, &store, progress)?;

        let mut removals = ColumnWriter::open(&work.file("removals"), 0)?;
        let mut moved = ColumnWriter::open(&work.file("moved"), 0)?;
        let mut record = [0; ScoredPair::BYTES];
        for pair in accepted()? {
            let pair = pair?;
            if pair.verdict(rule).may_go(Side::Left) && !second.removals.contains_key(&pair.left) {
                pair.encode(&mut record);
                removals.append(&record)?;
            }
        }
        let mut changed: Vec<&ScoredPair> = second.removals.values().collect();
        changed.sort_unstable();
        for pair in changed {
            pair.encode(&mut record);
            removals.append(&record)?;
        }
        for pair in &second.moved {
            pair.encode(&mut record);
            moved.append(&record)?;
        }
        removals.flush()?;
        moved.flush()?;
        work.finish("containers", &())
    }

    /// Decides which documents give way, among `contained`: pairs of kept documents whose left one
    /// may go for the right one.
    fn second_pass(
        &self,
        mut contained: Vec<ScoredPair>,
        accepted: Records<ScoredPair>,
        store: &EvidenceStore<'_>,
        progress: &dyn Progress,
    ) -> Result<SecondPass> {
        let mut second = SecondPass::default();
        let rule = self.engine.verifier().rule();
        let rank = |document: u32| self.ranks.rank[document as usize];
        contained.sort_by_key(|pair| {
            let [left, right] = pair.features();
            (second_pass_order(left, rank(pair.left)), second_pass_order(right, rank(pair.right)))
        });
        // The removals whose witness may give way.
        let mut dependents: HashMap<u32, Vec<ScoredPair>> =
            contained.iter().map(|pair| (pair.left, vec![])).collect();
        for pair in accepted {
            let pair = pair?;
            if let Some(dependents) = dependents.get_mut(&pair.right)
                && pair.verdict(rule).may_go(Side::Left)
            {
                dependents.push(pair);
            }
        }
        progress.begin("containers", contained.len() as u64, Unit::Things);
        let mut gone: HashSet<u32> = HashSet::new();
        let step = contained.len() as u64 / STEPS;
        let (mut done, mut shown) = (0, 0);
        for choices in contained.chunk_by(|a, b| a.left == b.left) {
            let mut dependents = dependents.remove(&choices[0].left).unwrap_or_default();
            for pair in choices.iter().filter(|pair| !gone.contains(&pair.right)).copied().collect::<Vec<_>>()
            {
                let Some(moved) = self.move_all(store, &mut dependents, pair.right)? else { continue };
                gone.insert(pair.left);
                second.removals.insert(pair.left, pair);
                second.removals.extend(moved.iter().map(|pair| (pair.left, *pair)));
                second.moved.extend(moved);
                break;
            }
            done += choices.len() as u64;
            // Progress is not reported for each: most take no time.
            if done >= shown + step {
                shown = done;
                progress.position(done);
            }
        }
        progress.end();
        Ok(second)
    }

    /// The removals of `dependents` on account of `witness`, if all of them may go for it. One that
    /// may not moves to the front: it is the most likely to fail with the next witness, too.
    fn move_all(
        &self,
        store: &EvidenceStore<'_>,
        dependents: &mut [ScoredPair],
        witness: u32,
    ) -> Result<Option<Vec<ScoredPair>>> {
        if let Some(first) = dependents.first()
            && self.removal(store, first.left, witness, &mut Buffers::default())?.is_none()
        {
            return Ok(None);
        }
        let blocking = AtomicUsize::new(0);
        let moved =
            dependents.par_iter().enumerate().map_init(Buffers::default, |buffers, (number, dependent)| {
                let removal = self.removal(store, dependent.left, witness, buffers)?;
                if removal.is_none() {
                    blocking.store(number, Ordering::Relaxed);
                }
                Ok(removal)
            });
        // Ends at the first that may not go.
        let moved = moved.map(Result::transpose).collect::<Option<Result<Vec<_>>>>().transpose()?;
        if moved.is_none() {
            dependents.swap(0, blocking.into_inner());
        }
        Ok(moved)
    }

    /// The removal of a document on account of `witness`, if it may go for it.
    fn removal(
        &self,
        store: &EvidenceStore<'_>,
        document: u32,
        witness: u32,
        buffers: &mut Buffers,
    ) -> Result<Option<ScoredPair>> {
        let Buffers { evidence, fingerprints: [left, right] } = buffers;
        let [a, b] = [store.of(document, evidence)?, store.of(witness, evidence)?];
        let verdict = self.engine.verifier().accept(&a, &b).filter(|verdict| verdict.may_go(Side::Left));
        let Some(verdict) = verdict else { return Ok(None) };
        let left = self.engine.read(self.documents.fingerprint(document, left)?);
        let right = self.engine.read(self.documents.fingerprint(witness, right)?);
        let distance = left.distance(&right);
        Ok(Some(ScoredPair::new(document, witness, verdict.measured, distance)))
    }
}

/// Buffers that a thread reuses.
#[derive(Default)]
struct Buffers {
    evidence: EvidenceScratch,
    fingerprints: [Vec<u8>; 2],
}
