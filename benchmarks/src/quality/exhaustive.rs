//! Every pair of a pack that a rule on shingles accepts, without a search that could miss one.
//!
//! Verifies every pair that shares a shingle and whose Jaccard may be enough. A pair without a
//! common shingle passes no such rule, so that nothing is missed. Of equal texts only the first is
//! included: exact duplicates are found by their bytes.

use std::collections::HashMap;
use std::io::{self, Write};

use anyhow::bail;
use rayon::prelude::*;
use twindex_core::Recipe;
use twindex_core::recipe::Measure;

use super::pack::{Pack, PairSet};
use super::postings::Postings;

/// Writes the ids of every accepted pair.
pub fn write(pack: &Pack, recipe: &Recipe, out: &mut impl Write) -> anyhow::Result<()> {
    for (a, b) in accepted(pack, least_jaccard(recipe)?) {
        writeln!(out, "{}\t{}", pack.ids[a as usize], pack.ids[b as usize])?;
    }
    Ok(io::Write::flush(out)?)
}

/// The share of the accepted pairs that `found` has, whose lines begin with two ids in any order;
/// `None` if none is accepted.
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

/// The least Jaccard of a pair that passes the rule.
fn least_jaccard(recipe: &Recipe) -> anyhow::Result<f64> {
    match recipe.rule.measure {
        Measure::Jaccard => Ok(recipe.rule.threshold),
        Measure::Containment | Measure::Cosine => {
            bail!("the rule of {} may accept pairs that share no shingle", recipe.name)
        }
    }
}

/// The accepted pairs, ascending by the later document. None of them has a Jaccard below `least`.
fn accepted(pack: &Pack, least: f64) -> Vec<(u32, u32)> {
    let takes_part = |document: u32| !pack.is_copy(document);
    let postings = Postings::new(pack, takes_part);
    (0..pack.evidence.len() as u32)
        .into_par_iter()
        .filter(|&document| takes_part(document))
        .map_init(
            || postings.counters(),
            |counters, document| {
                let mut partners = postings.partners(document, counters);
                partners.retain(|(other, overlap)| {
                    let [a, b] = [*other, document].map(|number| &pack.evidence[number as usize]);
                    overlap.jaccard() >= least - ROUNDING && pack.engine.verifier().accept(a, b).is_some()
                });
                partners.into_iter().map(move |(other, _)| (other, document))
            },
        )
        .flatten_iter()
        .collect()
}

/// Tolerance for the rounding of a quotient: the verifier decides.
const ROUNDING: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::pack::example;

    #[test]
    fn accepted_pairs_are_listed_once_and_copies_are_not() {
        let recipe = Recipe::default();
        let mut out = vec![];
        write(&example(&recipe), &recipe, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\tb\nx\ty\n");
    }

    #[test]
    fn pairs_are_found_in_either_order() {
        let recipe = Recipe::default();
        let pack = example(&recipe);
        let share = |found: &str| recall(&pack, &recipe, found).unwrap();
        assert_eq!(share("left\tright\tjaccard\nb\ta\t0.8\nx\tunrelated\t0.9\n"), Some(0.5));
        assert_eq!((share(""), share("a\tb\nx\ty\n")), (Some(0.0), Some(1.0)));
    }
}
