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

use std::collections::HashMap;
use std::io::{self, Write};

use anyhow::bail;
use rayon::prelude::*;
use twindex_core::Recipe;
use twindex_core::recipe::Measure;
use twindex_core::recipe::judgement::NOISE_LEAST_JACCARD;
use twindex_core::verify::Overlap;

use super::pack::{Pack, PairSet};

/// Writes the ids of every accepted pair.
pub fn write(pack: &Pack, recipe: &Recipe, out: &mut impl Write) -> anyhow::Result<()> {
    for (a, b) in accepted(pack, least_jaccard(recipe)?) {
        writeln!(out, "{}\t{}", pack.ids[a as usize], pack.ids[b as usize])?;
    }
    Ok(io::Write::flush(out)?)
}

/// The share of the accepted pairs that `found` has, whose lines begin with two ids in any order; `None` if none is accepted.
pub fn recall(pack: &Pack, recipe: &Recipe, found: &str) -> anyhow::Result<Option<f64>> {
    let numbers: HashMap<&str, u32> = pack.ids.iter().map(String::as_str).zip(0..).collect();
    let pair = |line: &str| {
        let mut ids = line.split('\t').map(|cell| numbers.get(cell).copied());
        let (a, b) = (ids.next()??, ids.next()??);
        Some((a.min(b), a.max(b)))
    };
    let found: PairSet = found.lines().filter_map(pair).collect();
    let accepted = accepted(pack, least_jaccard(recipe)?);
    let common = accepted.iter().filter(|pair| found.contains(pair)).count();
    Ok((!accepted.is_empty()).then(|| common as f64 / accepted.len() as f64))
}

/// No pair with a smaller Jaccard passes the rule.
fn least_jaccard(recipe: &Recipe) -> anyhow::Result<f64> {
    match recipe.rule.measure {
        Measure::Jaccard => Ok(recipe.rule.threshold),
        Measure::Judgement => Ok(recipe.rule.threshold.min(NOISE_LEAST_JACCARD)),
        Measure::Containment | Measure::Cosine => {
            bail!("the rule of {} may accept pairs that share no shingle", recipe.name)
        }
    }
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Two editions of a text and its copy, another two of another text, and a stranger.
    const DOCUMENTS: [(&str, &str); 6] = [
        ("a", "the ferry to the island leaves at nine and comes back in the evening every day"),
        ("b", "the ferry to the island leaves at nine and comes back in the evening every week"),
        ("copy", "the ferry to the island leaves at nine and comes back in the evening every day"),
        ("x", "the town hall has a new roof made of copper sheets and the old clock was cleaned"),
        ("y", "our town hall has a new roof made of copper sheets and the old clock was cleaned"),
        ("stranger", "nobody has seen this sentence anywhere else so far as far as anybody can tell"),
    ];

    fn pack(recipe: &Recipe) -> Pack {
        let folder = tempfile::tempdir().unwrap();
        let row = |(id, text): (&str, &str)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
        let rows: String = DOCUMENTS.into_iter().map(row).collect();
        let packed = zstd::encode_all(rows.as_bytes(), 1).unwrap();
        fs::write(folder.path().join("docs.jsonl.zst"), packed).unwrap();
        Pack::read(folder.path(), recipe).unwrap()
    }

    #[test]
    fn accepted_pairs_are_listed_once_and_copies_are_not() {
        let recipe = Recipe::default();
        let mut out = vec![];
        write(&pack(&recipe), &recipe, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\tb\nx\ty\n");
    }

    #[test]
    fn pairs_are_found_in_either_order() {
        let recipe = Recipe::default();
        let pack = pack(&recipe);
        let share = |found: &str| recall(&pack, &recipe, found).unwrap();
        assert_eq!(share("left\tright\tjaccard\nb\ta\t0.8\nx\tstranger\t0.9\n"), Some(0.5));
        assert_eq!((share(""), share("a\tb\nx\ty\n")), (Some(0.0), Some(1.0)));
    }
}
