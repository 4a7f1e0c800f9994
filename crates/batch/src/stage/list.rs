//! Stage six: from decided candidates to what is listed.
//!
//! Verification compared representatives; this stage adds their copies. `removed` lists every
//! removed document with its witness (left: the removed one), `pairs` every listed pair with the
//! left document before the right one in input order.

use serde::{Deserialize, Serialize};
use twindex_core::Engine;

use crate::error::Result;
use crate::join::{Records, SpillSort};
use crate::summary::Coverage;
use crate::work::{Column, NONE, ScoredPair, Spillable, WorkFolder};

/// How much is listed.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// Removed documents.
    pub(crate) removed: u64,
    /// Pairs.
    pub(crate) pairs: u64,
    /// Copies of an earlier text, byte for byte.
    pub(crate) exact: u64,
    /// Near-duplicates of a kept document that stay, because it covers too little of them.
    pub(crate) kept_by_coverage: u64,
    /// Removed documents whose text is not equal to their witness's.
    near: u64,
    /// The least coverage of these, and the sum of all.
    least_coverage: f64,
    coverage_sum: f64,
}

impl Listed {
    /// Records the coverage of a removed document.
    fn covered(&mut self, removal: &ScoredPair) {
        let measured = removal.measured();
        if !measured.equal {
            let share = measured.overlap.containment_left();
            self.least_coverage = if self.near == 0 { share } else { self.least_coverage.min(share) };
            self.near += 1;
            self.coverage_sum += share;
        }
    }

    /// The least and the mean coverage of removed documents whose text is not equal to their
    /// witness's.
    pub(crate) fn coverage(&self) -> Option<Coverage> {
        (self.near > 0)
            .then(|| Coverage { least: self.least_coverage, mean: self.coverage_sum / self.near as f64 })
    }
}

/// The parameters of the stage.
pub(crate) struct Listing<'a> {
    pub(crate) engine: &'a Engine,
    /// For every document the first one of equal text.
    pub(crate) representative: &'a [u32],
    /// Documents below this can only be witnesses.
    pub(crate) against: u32,
    pub(crate) memory: usize,
}

impl Listing<'_> {
    /// `dedup`: every removed document with its witness.
    pub(crate) fn removals(&self, work: &WorkFolder) -> Result<Listed> {
        if work.is_finished("list") {
            return Ok(work.recorded("list")?.unwrap_or_default());
        }
        let mut removed = SpillSort::new(work, "removed", self.memory / 2);
        let mut pairs = SpillSort::new(work, "pairs", self.memory / 2);
        // Which record of `removals` removes a document.
        let mut removal = vec![NONE; self.representative.len()];
        let mut listed = Listed::default();
        for (number, pair) in Records::<ScoredPair>::open(&work.file("removals"))?.enumerate() {
            let pair = pair?;
            removal[pair.left as usize] = number as u32;
            listed.covered(&pair);
            removed.push(pair)?;
        }
        let mut last_kept = NONE;
        for pair in Records::<ScoredPair>::open(&work.file("accepted"))? {
            let pair = pair?;
            pairs.push(pair.between(pair.left, pair.right))?;
            let both_stay =
                [pair.left, pair.right].iter().all(|&document| removal[document as usize] == NONE);
            let stays = both_stay && !pair.measured().only_symbols_differ;
            // The pairs of a document stand together.
            if stays && pair.left != last_kept {
                last_kept = pair.left;
                listed.kept_by_coverage += 1;
            }
        }
        for pair in Records::<ScoredPair>::open(&work.file("moved"))? {
            let pair = pair?;
            pairs.push(pair.between(pair.left, pair.right))?;
        }
        let removals = Column::open(&work.file("removals"))?;
        for (document, &first) in (0..).zip(self.representative) {
            if first == document || document < self.against {
                continue;
            }
            listed.exact += 1;
            let pair = match removal[first as usize] {
                NONE => ScoredPair::equal(document, first, self.own_distance()),
                number => {
                    let mut record = [0; ScoredPair::BYTES];
                    removals.read_at(u64::from(number) * ScoredPair::BYTES as u64, &mut record)?;
                    ScoredPair::decode(&record).about(document)
                }
            };
            listed.covered(&pair);
            removed.push(pair)?;
            pairs.push(pair.between(pair.left, pair.right))?;
        }
        listed.removed = removed.finish(&work.file("removed"))?;
        listed.pairs = pairs.finish(&work.file("pairs"))?;
        work.finish("list", &listed)?;
        Ok(listed)
    }

    /// `pairs`: every pair, the copies of both texts included.
    pub(crate) fn all_pairs(&self, work: &WorkFolder) -> Result<Listed> {
        if work.is_finished("list") {
            return Ok(work.recorded("list")?.unwrap_or_default());
        }
        // (first document of the text, copy), so that the copies of a text are a range.
        let mut copies: Vec<(u32, u32)> = (0..)
            .zip(self.representative)
            .filter(|&(document, &first)| document != first)
            .map(|(document, &first)| (first, document))
            .collect();
        copies.sort_unstable();
        let members = |first: u32| {
            let start = copies.partition_point(|copy| copy.0 < first);
            let rest = copies[start..].iter().take_while(move |copy| copy.0 == first);
            std::iter::once(first).chain(rest.map(|copy| copy.1))
        };
        // Pairs of two documents that can only be witnesses are not listed.
        let counts = |a: u32, b: u32| a.max(b) >= self.against;

        let mut pairs = SpillSort::new(work, "pairs", self.memory);
        for pair in Records::<ScoredPair>::open(&work.file("accepted"))? {
            let pair = pair?;
            for left in members(pair.left) {
                for right in members(pair.right).filter(|&right| counts(left, right)) {
                    pairs.push(pair.between(left, right))?;
                }
            }
        }
        let mut listed = Listed::default();
        for group in copies.chunk_by(|a, b| a.0 == b.0) {
            let texts: Vec<u32> = members(group[0].0).collect();
            for (position, &right) in texts.iter().enumerate() {
                listed.exact += u64::from(position > 0 && right >= self.against);
                for &left in texts[..position].iter().filter(|&&left| counts(left, right)) {
                    pairs.push(ScoredPair::equal(left, right, self.own_distance()).between(left, right))?;
                }
            }
        }
        listed.pairs = pairs.finish(&work.file("pairs"))?;
        work.finish("list", &listed)?;
        Ok(listed)
    }

    /// The Hamming distance of equal texts, where the method has distances.
    fn own_distance(&self) -> Option<u32> {
        self.engine.radius().map(|_| 0)
    }
}
