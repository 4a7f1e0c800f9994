//! Every pair of a pack that a rule on shingles accepts, with no search that could miss one.
//!
//! ```text
//! postings[shingle] = the documents that have it
//! for each document: the verifier decides every earlier one in the postings of its shingles
//! ```
//!
//! A pair without a common shingle passes no such rule, so nothing is missed. Equal texts are left out but for the first:
//! they are found by their bytes.

use std::io::{self, Write};

use anyhow::ensure;
use rayon::prelude::*;
use twindex_core::Recipe;

use super::pack::Pack;

/// Writes the ids of every accepted pair.
pub fn write(pack: &Pack, recipe: &Recipe, out: &mut impl Write) -> anyhow::Result<()> {
    ensure!(
        recipe.rule.measure.is_of_shingles(),
        "the rule of {} is no rule on shingles: pairs that share none may pass it",
        recipe.name
    );
    for (a, b) in accepted(pack) {
        writeln!(out, "{}\t{}", pack.ids[a as usize], pack.ids[b as usize])?;
    }
    Ok(io::Write::flush(out)?)
}

/// The accepted pairs, ascending by the later document.
fn accepted(pack: &Pack) -> Vec<(u32, u32)> {
    let verifier = pack.pipeline.verifier();
    let postings = Postings::new(pack);
    let documents = pack.evidence.len() as u32;
    (0..documents)
        .into_par_iter()
        .map_init(
            || vec![false; documents as usize],
            |met, later| {
                let evidence = &pack.evidence[later as usize];
                let mut others = vec![];
                let shingles = if pack.is_copy[later as usize] { &[] } else { evidence.features.as_slice() };
                let earlier = |shingle| postings.of(shingle).iter().take_while(|&&other| other < later);
                for &other in shingles.iter().flat_map(|&shingle| earlier(shingle)) {
                    if !std::mem::replace(&mut met[other as usize], true) {
                        others.push(other);
                    }
                }
                others.iter().for_each(|&other| met[other as usize] = false);
                others.sort_unstable();
                others.retain(|&other| verifier.verify(&pack.evidence[other as usize], evidence).is_some());
                others.into_iter().map(|other| (other, later)).collect::<Vec<_>>()
            },
        )
        .flatten_iter()
        .collect()
}

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

    /// Ascending.
    fn of(&self, shingle: u64) -> &[u32] {
        let first = self.shingles.partition_point(|&other| other < shingle);
        let count = self.shingles[first..].iter().take_while(|&&other| other == shingle).count();
        &self.documents[first..first + count]
    }
}
