//! What other tools reach: the table "F1 / ARI" of BASELINE.md.
//!
//! A cell of a tool is `F1 / ARI` or `-`; a cell of the exact oracle is `FEATURE F1@THRESHOLD,
//! ...`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::Context;

/// The figures of all packs.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    packs: HashMap<String, Peers>,
}

/// What others reach on one pack.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Peers {
    /// Every tool, with its setting, and its F1 where it was measured.
    pub(crate) all: Vec<(String, Option<f64>)>,
    /// The best of them.
    pub(crate) best: Option<(String, f64)>,
    /// What perfect search with the best single threshold reaches.
    pub(crate) oracle: Option<f64>,
}

const TABLE: &str = "## F1 / ARI";
const ORACLE: &str = "exact J oracle";
const CEILING: &str = "best exact";

impl Baseline {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("no table \"{TABLE}\" in {}", path.display()))
    }

    fn parse(text: &str) -> Option<Self> {
        let table = text.split_once(TABLE)?.1;
        let mut rows = table
            .lines()
            .skip_while(|line| !line.starts_with('|'))
            .take_while(|line| line.starts_with('|'))
            .map(cells);
        let header = rows.next()?;
        let packs = rows.skip(1).filter_map(|row| Some(((*row.first()?).to_owned(), peers(&header, &row))));
        Some(Self { packs: packs.collect() })
    }

    /// The figures of a pack; empty when the table lacks it.
    pub(crate) fn peers(&self, pack: &str) -> Peers {
        self.packs.get(pack).cloned().unwrap_or_default()
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

fn peers(header: &[&str], row: &[&str]) -> Peers {
    let mut peers = Peers::default();
    for (&column, &cell) in header.iter().zip(row).skip(1) {
        if column.starts_with(ORACLE) {
            peers.oracle = cell.split('@').next().and_then(|part| part.split(' ').next_back()?.parse().ok());
        } else if !column.starts_with(CEILING) {
            let reached: Option<f64> = cell.split('/').next().and_then(|part| part.trim().parse().ok());
            peers.all.push((column.to_owned(), reached));
            // Of equal tools the leftmost is named.
            if let Some(reached) =
                reached.filter(|&reached| peers.best.as_ref().is_none_or(|(_, best)| reached > *best))
            {
                peers.best = Some((column.to_owned(), reached));
            }
        }
    }
    peers
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# Peers

## F1 / ARI

| pack | one default | one best | two | exact J oracle: F1@t, ARI@t | best exact of all features: F1, ARI |
|---|---|---|---|---|---|
| answers | 0.146 / 0.045 | 0.273 / 0.084 | 0.273 / 0.1 | w3 0.853@0.075, 0.698@0.200 | 0.923 (c8 C 0.325), 0.750 |
| articles | - | - | - | c5 1.000@0.975, 1.000@0.975 | 1.000 (w5) |

## Precision / recall

| pack | one default |
|---|---|
| answers | 1.000 / 0.079 |
";

    #[test]
    fn the_best_tool_and_the_oracle_are_found() {
        let baseline = Baseline::parse(TEXT).unwrap();
        let answers = baseline.peers("answers");
        assert_eq!((answers.best, answers.oracle), (Some(("one best".to_owned(), 0.273)), Some(0.853)));
        let figures: Vec<Option<f64>> = answers.all.iter().map(|(_, reached)| *reached).collect();
        assert_eq!(figures, [Some(0.146), Some(0.273), Some(0.273)]);
        let articles = baseline.peers("articles");
        assert_eq!((articles.best, articles.oracle), (None, Some(1.0)));
        assert!(articles.all.iter().all(|(_, reached)| reached.is_none()));
        assert_eq!(baseline.peers("unknown"), Peers::default());
    }

    #[test]
    fn a_text_without_the_table_has_no_baseline() {
        assert!(Baseline::parse("# Peers\n").is_none());
    }
}
