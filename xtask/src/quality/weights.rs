//! `cargo xtask quality --weights`: what do weights do to simhash on Chinese?
//!
//! One run of `twindex pairs` for each weight lists every pair within the largest radius, whatever
//! it shares; all smaller radii follow from its column `distance`. A labelled pack is judged by its
//! own scorer. A pack without labels is judged by the pairs that the default search verifies at a
//! Jaccard of 0.5: how well do fingerprints alone predict what comparing texts finds?

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

use super::measure::{self, Score};
use super::pack::Pack;
use crate::machine::Machine;
use crate::measured;
use crate::table::Table;

/// Beyond this, most pairs are chance.
const LARGEST_RADIUS: u32 = 12;

/// The radius of the papers.
const USUAL_RADIUS: u32 = 3;

/// The packs whose names begin so are Chinese; those with this name are without labels.
const CHINESE: [&str; 2] = ["zh_", "bulk_zh_"];

/// A weight, and how Chinese is cut.
struct Case {
    name: &'static str,
    han: &'static str,
    weight: &'static str,
    lambda: f64,
}

const CASES: [Case; 8] = [
    Case { name: "characters, count", han: "character", weight: "count", lambda: 0.0 },
    Case { name: "characters, tf-idf", han: "character", weight: "tf-idf", lambda: 0.0 },
    Case { name: "words, count", han: "word", weight: "count", lambda: 0.0 },
    Case { name: "words, one", han: "word", weight: "one", lambda: 0.0 },
    Case { name: "words, tf-idf", han: "word", weight: "tf-idf", lambda: 0.0 },
    Case { name: "words, length and noun, lambda 0.5", han: "word", weight: "length-noun", lambda: 0.5 },
    Case { name: "words, length and noun, lambda 1", han: "word", weight: "length-noun", lambda: 1.0 },
    Case { name: "words, length and noun, lambda 4", han: "word", weight: "length-noun", lambda: 4.0 },
];

/// A listed pair.
#[derive(Clone)]
struct Listed {
    left: String,
    right: String,
    jaccard: f64,
    distance: u32,
}

/// The comparison on all Chinese packs, as Markdown.
pub(crate) fn run(program: &Path, packs: &[Pack], scorer: &Path) -> anyhow::Result<String> {
    let mut text = format!(
        "# Weights of simhash on Chinese\n\n`cargo xtask quality --weights` on {}. Fingerprints alone, no text is compared: a pair \
         counts when at most h of 64 bits differ.\nThe last columns say what is left when texts are compared, too (a Jaccard of at \
         least 0.5). Words are those of jieba.\n",
        Machine::this()
    );
    for pack in packs.iter().filter(|pack| CHINESE.iter().any(|start| pack.name.starts_with(start))) {
        text.push_str(&format!("\n## {}\n\n", pack.name));
        text.push_str(&one_pack(program, pack, scorer).with_context(|| format!("the pack {}", pack.name))?);
    }
    Ok(text)
}

fn one_pack(program: &Path, pack: &Pack, scorer: &Path) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let judge = if pack.is_labelled {
        Judge::Labels { scorer, pack }
    } else {
        let pairs = listed(program, pack, folder.path(), "[rule]\nmeasure = \"jaccard\"\nthreshold = 0.5\n")?;
        Judge::Pairs(pairs.into_iter().map(|pair| (pair.left, pair.right)).collect())
    };
    let mut table = Table::new(&[
        "weight",
        "F1, h = 3",
        "precision",
        "recall",
        "best F1",
        "at h",
        "verified: F1, h = 3",
        "best F1",
        "at h",
    ]);
    for case in &CASES {
        eprintln!("{}: {}", pack.name, case.name);
        let pairs = listed(program, pack, folder.path(), &recipe(case))?;
        let curve = |least_jaccard: f64| -> anyhow::Result<Vec<Score>> {
            (0..=LARGEST_RADIUS)
                .map(|radius| {
                    let within = |pair: &&Listed| pair.distance <= radius && pair.jaccard >= least_jaccard;
                    judge.score(&pairs.iter().filter(within).cloned().collect::<Vec<_>>(), folder.path())
                })
                .collect()
        };
        let (alone, verified) = (curve(0.0)?, curve(0.5)?);
        let usual = alone[USUAL_RADIUS as usize];
        let best = |curve: &[Score]| {
            // Of equal radii the smallest.
            let place =
                (0..curve.len()).rev().max_by(|&a, &b| curve[a].f1.total_cmp(&curve[b].f1)).unwrap_or(0);
            [format!("{:.3}", curve[place].f1), place.to_string()]
        };
        let ([alone_f1, alone_h], [verified_f1, verified_h]) = (best(&alone), best(&verified));
        table.row([
            case.name.to_owned(),
            format!("{:.3}", usual.f1),
            format!("{:.3}", usual.precision),
            format!("{:.3}", usual.recall),
            alone_f1,
            alone_h,
            format!("{:.3}", verified[USUAL_RADIUS as usize].f1),
            verified_f1,
            verified_h,
        ]);
    }
    Ok(table.to_string())
}

/// Who says which pairs are right.
enum Judge<'a> {
    Labels { scorer: &'a Path, pack: &'a Pack },
    Pairs(HashSet<(String, String)>),
}

impl Judge<'_> {
    fn score(&self, pairs: &[Listed], folder: &Path) -> anyhow::Result<Score> {
        match self {
            Judge::Labels { scorer, pack } => {
                let path = folder.join("scored.tsv");
                let rows: String =
                    pairs.iter().map(|pair| format!("{}\t{}\n", pair.left, pair.right)).collect();
                fs::write(&path, format!("left\tright\n{rows}"))?;
                measure::score(scorer, pack, &path)
            }
            Judge::Pairs(right) => {
                let hits = pairs
                    .iter()
                    .filter(|pair| right.contains(&(pair.left.clone(), pair.right.clone())))
                    .count();
                Ok(score_of(hits, pairs.len(), right.len()))
            }
        }
    }
}

/// The score of `hits` true pairs among `listed` pairs, of `right` that exist.
fn score_of(hits: usize, listed: usize, right: usize) -> Score {
    let part = |of: usize| if of == 0 { 1.0 } else { hits as f64 / of as f64 };
    let f1 = if listed + right == 0 { 1.0 } else { 2.0 * hits as f64 / (listed + right) as f64 };
    Score { f1, precision: part(listed), recall: part(right), ari: f64::NAN }
}

/// A recipe that accepts whatever lies within the largest radius.
fn recipe(case: &Case) -> String {
    format!(
        "method = \"simhash\"\n[text]\nhan = \"{}\"\n[simhash]\nweight = \"{}\"\nlambda = {:.1}\nradius = {LARGEST_RADIUS}\n\
         blocks = {}\n[rule]\nmeasure = \"cosine\"\nthreshold = 0.0\n",
        case.han,
        case.weight,
        case.lambda,
        LARGEST_RADIUS + 2
    )
}

/// The pairs that a recipe lists.
fn listed(program: &Path, pack: &Pack, folder: &Path, recipe: &str) -> anyhow::Result<Vec<Listed>> {
    let (recipe_file, pairs) = (folder.join("recipe.toml"), folder.join("pairs.tsv"));
    fs::write(&recipe_file, recipe)?;
    let mut command = Command::new(program);
    command.arg("pairs").arg(pack.documents_file()).arg("--recipe").arg(&recipe_file);
    command.arg("--output").arg(&pairs).arg("--quiet").stdout(Stdio::null());
    measured::run(&mut command)?;
    let text = fs::read_to_string(&pairs)?;
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().context("no header in the table of pairs")?;
    let column = |name: &str| {
        header
            .iter()
            .position(|cell| *cell == name)
            .with_context(|| format!("no column {name} in the table of pairs"))
    };
    let [left, right, jaccard, distance] =
        [column("left")?, column("right")?, column("jaccard")?, column("distance")?];
    lines
        .map(|cells| {
            Ok(Listed {
                left: cells[left].to_owned(),
                right: cells[right].to_owned(),
                jaccard: cells[jaccard].parse()?,
                // Empty where another method found the pair.
                distance: cells[distance].parse().unwrap_or(0),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_lists() {
        let score = score_of(3, 4, 6);
        assert_eq!((score.precision, score.recall, score.f1), (0.75, 0.5, 0.6));
        assert_eq!((score_of(0, 0, 0).f1, score_of(0, 3, 0).f1, score_of(0, 0, 3).f1), (1.0, 0.0, 0.0));
    }

    #[test]
    fn every_case_is_a_recipe_of_its_own() {
        let recipes: HashSet<String> = CASES.iter().map(recipe).collect();
        assert_eq!(recipes.len(), CASES.len());
    }
}
