//! Every pair of a pack that a rule on shingles accepts, with no search that could miss one.
//!
//! ```text
//! postings[shingle] = the documents that have it
//! for each document: common[other] += 1 for every earlier other in the postings of its shingles
//!                    the verifier decides those with enough in common for any term
//! ```
//!
//! A pair without a common shingle passes no such rule, so nothing is missed. Equal texts are left out but for the first:
//! they are found by their bytes.

use std::io::{self, Write};

use anyhow::bail;
use rayon::prelude::*;
use twindex_core::Recipe;
use twindex_core::recipe::Measure;
use twindex_core::recipe::judgement::NOISE_LEAST_JACCARD;
use twindex_core::verify::Overlap;

use super::pack::Pack;

/// Writes the ids of every accepted pair.
pub fn write(pack: &Pack, recipe: &Recipe, out: &mut impl Write) -> anyhow::Result<()> {
    let least = match recipe.rule.measure {
        Measure::Jaccard => recipe.rule.threshold,
        Measure::Judgement => recipe.rule.threshold.min(NOISE_LEAST_JACCARD),
        Measure::Containment | Measure::Cosine => {
            bail!("the rule of {} may accept pairs that share no shingle", recipe.name)
        }
    };
    for (a, b) in accepted(pack, least) {
        writeln!(out, "{}\t{}", pack.ids[a as usize], pack.ids[b as usize])?;
    }
    Ok(io::Write::flush(out)?)
}

/// The accepted pairs, ascending by the later document. None of them has a Jaccard below `least`.
fn accepted(pack: &Pack, least: f64) -> Vec<(u32, u32)> {
    let postings = Postings::new(pack);
    let documents = pack.evidence.len() as u32;
    let counters = || vec![0u32; documents as usize];
    (0..documents)
        .into_par_iter()
        .filter(|&document| !pack.is_copy[document as usize])
        .map_init(counters, |common, document| postings.partners(pack, document, least, common))
        .flatten_iter()
        .collect()
}

/// Scores are rounded before the rule sees them.
const ROUNDING: f64 = 1e-6;

/// Which documents have a shingle, as one sorted list.
struct Postings {
    shingles: Vec<u64>,
    documents: Vec<u32>,
}

impl Postings {
    fn new(pack: &Pack) -> Self {
        let mut entries: Vec<(u64, u32)> = vec![];
        for ((evidence, is_copy), document) in pack.evidence.iter().zip(&pack.is_copy).zip(0..) {
            if !is_copy {
                entries.extend(evidence.features.as_slice().iter().map(|&shingle| (shingle, document)));
            }
        }
        entries.par_sort_unstable();
        let (shingles, documents) = entries.into_iter().unzip();
        Postings { shingles, documents }
    }

    /// The earlier documents that the verifier accepts with this one. `common` is all zeroes, before and after.
    fn partners(&self, pack: &Pack, document: u32, least: f64, common: &mut [u32]) -> Vec<(u32, u32)> {
        let evidence = &pack.evidence[document as usize];
        let mut others = vec![];
        for &shingle in evidence.features.as_slice() {
            for &other in self.of(shingle).iter().take_while(|&&other| other < document) {
                if common[other as usize] == 0 {
                    others.push(other);
                }
                common[other as usize] += 1;
            }
        }
        others.sort_unstable();
        others.retain(|&other| {
            let other_evidence = &pack.evidence[other as usize];
            let (left, right) = (other_evidence.features.len(), evidence.features.len());
            let common = std::mem::take(&mut common[other as usize]) as usize;
            Overlap { left, right, common }.jaccard() >= least - ROUNDING
                && pack.pipeline.verifier().verify(other_evidence, evidence).is_some()
        });
        others.into_iter().map(|other| (other, document)).collect()
    }

    /// Ascending.
    fn of(&self, shingle: u64) -> &[u32] {
        let first = self.shingles.partition_point(|&other| other < shingle);
        let count = self.shingles[first..].iter().take_while(|&&other| other == shingle).count();
        &self.documents[first..first + count]
    }
}
