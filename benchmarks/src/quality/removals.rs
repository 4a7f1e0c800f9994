//! What `dedup` removes if no candidate is missed: the witness rule as defined, over every pair
//! that the rule accepts.
//!
//! Pairs come from an exact prefix join: two documents with Jaccard >= t share one of the
//! `n - t n + 1` rarest shingles of each. Frequencies are exact, so that the order is the same for
//! all. Works for collections of some gigabytes.

use std::collections::HashMap;
use std::io::{self, Write};

use anyhow::ensure;
use rayon::prelude::*;
use serde::Serialize;
use twindex_core::Recipe;
use twindex_core::group::witness::{Ranked, witnesses};
use twindex_core::recipe::Measure;
use twindex_core::search::Edge;
use twindex_core::verify::{Measured, Share, Side, Verdict};

use super::pack::Pack;

/// A removed document, as `dedup` writes it.
#[derive(Debug, Serialize)]
struct Removal<'a> {
    id: &'a str,
    witness: &'a str,
    containment_left: f64,
    rule: String,
}

/// Writes a row for each removed document. Equal texts come with their first one.
pub fn write(pack: &Pack, recipe: &Recipe, out: &mut impl Write) -> anyhow::Result<()> {
    ensure!(recipe.rule.measure == Measure::Jaccard, "only a rule on the Jaccard has an exact join");
    let verdicts = accepted(pack, recipe.rule.threshold);
    let removed = removed(pack, recipe, &verdicts);
    for (document, witness) in (0..).zip(removed) {
        let Some(witness) = witness else { continue };
        let first = pack.first_of_text[document as usize];
        let (verdict, side) = match first == witness {
            true => (Verdict::new(recipe.rule, Measured::EQUAL), Side::Left),
            false => {
                let (edge, side) = between(first, witness);
                (verdicts[&edge], side)
            }
        };
        let scores = verdict.measured.scores();
        let row = Removal {
            id: &pack.ids[document as usize],
            witness: &pack.ids[witness as usize],
            containment_left: match side {
                Side::Left => scores.containment_left,
                Side::Right => scores.containment_right,
            },
            rule: verdict.removal_reason(side),
        };
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
    }
    Ok(io::Write::flush(out)?)
}

/// The edge of two documents, and the side of `x`: left is the later one.
fn between(x: u32, y: u32) -> (Edge, Side) {
    (Edge { later: x.max(y), earlier: x.min(y) }, if x > y { Side::Left } else { Side::Right })
}

/// The witness of every removed document.
fn removed(pack: &Pack, recipe: &Recipe, verdicts: &HashMap<Edge, Verdict>) -> Vec<Option<u32>> {
    let mut edges: Vec<Edge> = verdicts.keys().copied().collect();
    edges.sort_unstable();
    let features: Vec<u32> = pack.evidence.iter().map(|evidence| evidence.features.len() as u32).collect();
    let ranked = Ranked { features: &features, protected: 0, container_wins: recipe.rule.container_wins };
    let mut removed = witnesses(ranked, &edges, |x, y| {
        let (edge, side) = between(x, y);
        verdicts.get(&edge).is_some_and(|verdict| verdict.may_go(side))
    });
    for (document, &first) in (0..).zip(&pack.first_of_text) {
        let has_words = !pack.evidence[document as usize].features.is_empty();
        if first != document && has_words {
            removed[document as usize] = removed[first as usize].or(Some(first));
        }
    }
    removed
}

/// Hash bits that index the directory of all hashes.
const DIRECTORY_BITS: u32 = 22;

/// The verdict on every accepted pair of different texts; left is the later document.
fn accepted(pack: &Pack, threshold: f64) -> HashMap<Edge, Verdict> {
    let takes_part: Vec<u32> = (0..)
        .zip(&pack.first_of_text)
        .filter(|(document, first)| document == *first)
        .map(|(document, _)| document)
        .collect();
    let features = |document: u32| pack.evidence[document as usize].features.as_slice();
    let mut all: Vec<u64> = takes_part.iter().flat_map(|&document| features(document)).copied().collect();
    all.par_sort_unstable();
    // The start of the hashes with each value of their first bits: a look-up then stays within a
    // few cache lines.
    let slot = |shingle: u64| (shingle >> (u64::BITS - DIRECTORY_BITS)) as usize;
    let mut starts = vec![0; (1 << DIRECTORY_BITS) + 1];
    all.iter().for_each(|&shingle| starts[slot(shingle) + 1] += 1);
    for next in 1..starts.len() {
        starts[next] += starts[next - 1];
    }
    let frequency = |shingle: u64| {
        let run = &all[starts[slot(shingle)]..starts[slot(shingle) + 1]];
        let first = run.partition_point(|&other| other < shingle);
        run[first..].partition_point(|&other| other == shingle)
    };
    let mut prefixes: Vec<(u64, u32)> = takes_part
        .par_iter()
        .flat_map_iter(|&document| {
            let mut order: Vec<(usize, u64)> =
                features(document).iter().map(|&shingle| (frequency(shingle), shingle)).collect();
            order.sort_unstable();
            let least = Share::new(threshold).least_part(order.len()).max(1);
            order.truncate((order.len() + 1).saturating_sub(least));
            order
                .into_iter()
                .filter(|(frequency, _)| *frequency > 1)
                .map(move |(_, shingle)| (shingle, document))
        })
        .collect();
    drop(all);
    prefixes.par_sort_unstable();
    let buckets: Vec<&[(u64, u32)]> =
        prefixes.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1).collect();
    let mut edges: Vec<Edge> = buckets
        .par_iter()
        .flat_map_iter(|bucket| {
            (1..bucket.len()).flat_map(move |later| {
                bucket[..later].iter().map(move |earlier| Edge { later: bucket[later].1, earlier: earlier.1 })
            })
        })
        .collect();
    edges.par_sort_unstable();
    edges.dedup();
    edges
        .into_par_iter()
        .filter_map(|edge| {
            let [later, earlier] =
                [edge.later, edge.earlier].map(|document| &pack.evidence[document as usize]);
            Some((edge, pack.engine.verifier().accept(later, earlier)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::pack::example;

    #[test]
    fn copies_go_and_near_ones_stay_or_go_by_coverage() {
        let removed = |coverage: f64| {
            let mut recipe = Recipe::default();
            recipe.rule.coverage = coverage;
            let mut out = vec![];
            write(&example(&recipe), &recipe, &mut out).unwrap();
            let rows = String::from_utf8(out).unwrap();
            let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
            let field = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap().to_owned();
            let rows = rows.lines().map(row);
            rows.map(|row| format!("{} {}", field(&row, "id"), field(&row, "witness"))).collect::<Vec<_>>()
        };
        // Of 14 shingles 13 are shared, of 15 fourteen.
        assert_eq!(removed(0.9), ["b a", "copy a", "y x"]);
        assert_eq!(removed(0.93), ["copy a", "y x"]);
        assert_eq!(removed(0.95), ["copy a"]);
    }
}
