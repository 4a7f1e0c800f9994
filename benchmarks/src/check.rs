//! Did twindex find what was planted, and nothing else?
//!
//! `dedup` found a planted pair if either member was removed, whatever the witness: with three
//! copies of one original the witness may be another copy. `pairs` found it if the two are listed.
//! A reported pair outside every planted family is unplanted: the generator keeps such documents
//! far apart, so that each one is a wrong verdict.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::BufRead;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::edit::Strength;
use crate::truth::Planted;

/// The requirements.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Planted pairs at or above this Jaccard must be found ...
    pub jaccard: f64,
    /// ... in at least this share.
    pub recall: f64,
    /// The most reported pairs outside every planted family.
    pub unplanted: u64,
}

impl Default for Demand {
    /// 0.6 leaves a margin above the default rule's 0.5; the search is calibrated for a recall of
    /// 0.99.
    fn default() -> Self {
        Self { jaccard: 0.6, recall: 0.99, unplanted: 0 }
    }
}

/// The output of twindex: the reported pairs and the removed documents.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    pairs: Vec<(String, String)>,
    removed: HashSet<String>,
}

#[derive(Deserialize)]
struct Removed {
    id: String,
    witness: String,
}

impl Verdicts {
    /// Reads `removed.jsonl`, written by `twindex dedup --removed`.
    pub fn read_removed(input: impl BufRead) -> anyhow::Result<Self> {
        let mut verdicts = Self::default();
        for (number, line) in input.lines().enumerate() {
            let row: Removed = serde_json::from_str(&line?)
                .with_context(|| format!("line {}: expected an object with id and witness", number + 1))?;
            verdicts.removed.insert(row.id.clone());
            verdicts.pairs.push((row.id, row.witness));
        }
        Ok(verdicts)
    }

    /// Reads `pairs.tsv`, written by `twindex pairs --output`.
    pub fn read_pairs(input: impl BufRead) -> anyhow::Result<Self> {
        let mut verdicts = Self::default();
        for (number, line) in input.lines().enumerate() {
            let line = line?;
            let mut columns = line.split('\t');
            let (left, right) = columns
                .next()
                .zip(columns.next())
                .with_context(|| format!("line {}: expected two columns, found {line:?}", number + 1))?;
            if number == 0 {
                ensure!(
                    left == "left" && right == "right",
                    "expected a header `left right ...`, found {line:?}"
                );
            } else {
                verdicts.pairs.push((left.to_owned(), right.to_owned()));
            }
        }
        Ok(verdicts)
    }
}

/// Planted pairs of one kind: all of them, and those that must be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Planted.
    pub planted: u64,
    /// Planted and found.
    pub found: u64,
    /// Planted at or above the demanded Jaccard.
    pub due: u64,
    /// Of those, found.
    pub due_found: u64,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Report {
    demand: Demand,
    by_strength: Vec<(Strength, Count)>,
    missed: Vec<Planted>,
    unplanted: Vec<(String, String)>,
}

/// Compares the planted pairs with the output of twindex.
pub fn check(planted: &[Planted], verdicts: &Verdicts, demand: Demand) -> Report {
    let listed: HashSet<(&str, &str)> =
        verdicts.pairs.iter().flat_map(|(left, right)| [(&**left, &**right), (&**right, &**left)]).collect();
    let is_found = |pair: &Planted| {
        verdicts.removed.contains(&pair.left)
            || verdicts.removed.contains(&pair.right)
            || listed.contains(&(&*pair.left, &*pair.right))
    };
    let mut counts = Strength::ALL.map(|strength| (strength, Count::default()));
    let mut missed = Vec::new();
    for pair in planted {
        let (found, due) = (is_found(pair), pair.jaccard >= demand.jaccard);
        if let Some((_, count)) = counts.iter_mut().find(|(strength, _)| *strength == pair.strength) {
            count.planted += 1;
            count.found += u64::from(found);
            count.due += u64::from(due);
            count.due_found += u64::from(due && found);
        }
        if due && !found {
            missed.push(pair.clone());
        }
    }
    // Every copy has one original, so a family is named by its original.
    let family: HashMap<&str, &str> = planted.iter().map(|pair| (&*pair.right, &*pair.left)).collect();
    let same_family = |left: &str, right: &str| {
        family.get(left).copied().unwrap_or(left) == family.get(right).copied().unwrap_or(right)
    };
    let unplanted =
        verdicts.pairs.iter().filter(|(left, right)| !same_family(left, right)).cloned().collect();
    let by_strength = counts.into_iter().filter(|(_, count)| count.planted > 0).collect();
    Report { demand, by_strength, missed, unplanted }
}

impl Report {
    /// The share of the pairs due that were found; 1 when none was due.
    pub fn recall(&self) -> f64 {
        let (due, found) = self
            .by_strength
            .iter()
            .fold((0, 0), |(due, found), (_, count)| (due + count.due, found + count.due_found));
        share(found, due)
    }

    /// Whether the demand is met.
    pub fn passed(&self) -> bool {
        self.recall() >= self.demand.recall && self.unplanted.len() as u64 <= self.demand.unplanted
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// How many missed or unplanted pairs a report names.
const NAMED: usize = 5;

impl fmt::Display for Report {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Demand { jaccard, recall, unplanted } = self.demand;
        writeln!(
            output,
            "| strength | planted | found | recall | planted, J >= {jaccard} | found | recall |"
        )?;
        writeln!(output, "|---|---|---|---|---|---|---|")?;
        for (strength, count) in &self.by_strength {
            let Count { planted, found, due, due_found } = *count;
            let (all, least) = (share(found, planted), share(due_found, due));
            let name = strength.name();
            writeln!(
                output,
                "| {name} | {planted} | {found} | {all:.4} | {due} | {due_found} | {least:.4} |"
            )?;
        }
        for pair in self.missed.iter().take(NAMED) {
            writeln!(
                output,
                "missed: {} {} jaccard {:.3} {}",
                pair.left,
                pair.right,
                pair.jaccard,
                pair.strength.name()
            )?;
        }
        for (left, right) in self.unplanted.iter().take(NAMED) {
            writeln!(output, "reported but not planted: {left} {right}")?;
        }
        writeln!(
            output,
            "{}: recall {:.4} of the planted pairs with Jaccard >= {jaccard} (at least {recall} demanded), {} reported \
             but not planted (at most {unplanted} allowed)",
            if self.passed() { "passed" } else { "FAILED" },
            self.recall(),
            self.unplanted.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted(left: &str, right: &str, jaccard: f64) -> Planted {
        Planted { left: left.to_owned(), right: right.to_owned(), jaccard, strength: Strength::Light }
    }

    fn removed(rows: &[(&str, &str)]) -> Verdicts {
        let lines: String = rows
            .iter()
            .map(|(id, witness)| format!("{{\"id\":\"{id}\",\"witness\":\"{witness}\",\"jaccard\":0.9}}\n"))
            .collect();
        Verdicts::read_removed(lines.as_bytes()).unwrap()
    }

    #[test]
    fn a_copy_may_fall_to_another_copy_and_an_original_to_its_copy() {
        let truth = [planted("a", "b", 0.9), planted("a", "c", 0.9), planted("d", "e", 0.9)];
        let report = check(&truth, &removed(&[("c", "b"), ("b", "a"), ("d", "e")]), Demand::default());
        assert_eq!(report.recall(), 1.0);
        assert!(report.passed(), "{report}");
    }

    #[test]
    fn a_missed_pair_counts_only_above_the_demanded_jaccard() {
        let below = check(&[planted("a", "b", 0.59)], &removed(&[]), Demand::default());
        assert!(below.passed());
        let above = check(&[planted("a", "b", 0.6)], &removed(&[]), Demand::default());
        assert!(!above.passed());
        assert!(above.to_string().contains("missed: a b jaccard 0.600 light"), "{above}");
    }

    #[test]
    fn the_tolerance_is_a_share() {
        let truth: Vec<Planted> = (0..100).map(|n| planted("a", &format!("c{n}"), 0.8)).collect();
        let rows: Vec<(String, &str)> = (0..99).map(|n| (format!("c{n}"), "a")).collect();
        let rows: Vec<(&str, &str)> = rows.iter().map(|(id, witness)| (&**id, *witness)).collect();
        assert!(check(&truth, &removed(&rows), Demand::default()).passed());
        assert!(!check(&truth, &removed(&rows[..98]), Demand::default()).passed());
    }

    #[test]
    fn removing_an_unrelated_document_fails() {
        let report = check(&[planted("a", "b", 0.9)], &removed(&[("b", "a"), ("x", "a")]), Demand::default());
        assert!(!report.passed());
        assert!(report.to_string().contains("reported but not planted: x a"), "{report}");
    }

    #[test]
    fn pairs_are_found_in_either_order() {
        let file = "left\tright\tjaccard\nb\ta\t0.9\n";
        let verdicts = Verdicts::read_pairs(file.as_bytes()).unwrap();
        let report = check(&[planted("a", "b", 0.9), planted("a", "c", 0.9)], &verdicts, Demand::default());
        assert_eq!(report.recall(), 0.5);
        assert!(Verdicts::read_pairs(&b"a\tb\n"[..]).is_err());
    }
}
