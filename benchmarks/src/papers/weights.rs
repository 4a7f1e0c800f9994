//! The service paper's weights on Chinese: does a bonus for long words and nouns help?

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::prelude::*;
use serde::Deserialize;
use twindex_core::kernel::Kernel;
use twindex_core::{Engine, EngineScratch, Markup, Recipe};

use super::definition::{Definition, Size};
use super::experiment::Setting;
use super::page::number;
use super::plot::{Axis, Plot, Series};
use super::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    pack: String,
    weights: Vec<Weighing>,
    radius: usize,
    /// The largest distance of the curves.
    most: usize,
}

#[derive(Deserialize)]
struct Weighing {
    name: String,
    weight: String,
    lambda: f64,
}

/// A labelled collection: texts, right pairs, and pairs that count neither way.
struct Labelled {
    texts: Vec<String>,
    truth: HashSet<(usize, usize)>,
    ignored: HashSet<(usize, usize)>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    text: String,
}

pub(super) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { pack, weights, radius, most } = definition.parameters(setting.size)?;
    let folder = if setting.size == Size::Tiny { None } else { setting.packs.pack(&pack) };
    let labelled = match folder {
        Some(folder) => Labelled::pack(&folder)?,
        None => Labelled::example()?,
    };
    let mut outcome = Outcome::default();
    let mut table = Table::new(
        format!(
            "{} documents, {} right pairs; words cut by a dictionary",
            labelled.texts.len(),
            labelled.truth.len()
        ),
        &["weight", "precision", "recall", "F1", "best F1", "at h"],
    );
    let mut curves = vec![];
    for Weighing { name, weight, lambda } in &weights {
        let fingerprints = fingerprints(&labelled.texts, weight, *lambda)?;
        let scores = labelled.scores(&fingerprints, most);
        let usual = scores[radius];
        let best = (0..=most).rev().max_by(|&a, &b| scores[a].f1.total_cmp(&scores[b].f1)).unwrap_or(0);
        outcome.figure(format!("{name}: precision"), usual.precision);
        outcome.figure(format!("{name}: recall"), usual.recall);
        outcome.figure(format!("{name}: F1"), usual.f1);
        outcome.figure(format!("{name}: best F1"), scores[best].f1);
        let mut row = vec![name.clone()];
        row.extend([usual.precision, usual.recall, usual.f1, scores[best].f1].map(number));
        row.push(best.to_string());
        table.row(row);
        let points = scores.iter().enumerate().map(|(h, score)| (h as f64, score.f1)).collect();
        curves.push(Series::ours(name.clone(), points));
    }
    let figure = |name: &str| outcome.figures.get(name).copied().unwrap_or(0.0);
    let gains = [
        ("gain in precision", figure("lambda 1: precision") - figure("term frequency: precision")),
        ("gain in recall", figure("lambda 1: recall") - figure("term frequency: recall")),
        ("gain in best F1", figure("lambda 1: best F1") - figure("term frequency: best F1")),
    ];
    gains.into_iter().for_each(|(name, gain)| outcome.figure(name, gain));
    outcome.plots.push(Plot {
        file: "f1".to_owned(),
        title: "F1 of pairs within h bits".to_owned(),
        x: Axis::linear("Hamming distance h"),
        y: Axis::linear("F1"),
        series: curves,
    });
    outcome.tables.push(table);
    Ok(outcome)
}

fn fingerprints(texts: &[String], weight: &str, lambda: f64) -> anyhow::Result<Vec<u64>> {
    let recipe = format!(
        "method = \"simhash\"\n[text]\nhan = \"word\"\n[simhash]\nweight = \"{weight}\"\nlambda = {lambda:.2}\n"
    );
    let recipe: Recipe = toml::from_str(&recipe)?;
    let engine = Engine::new(&recipe, Kernel::best())?;
    let one = |scratch: &mut EngineScratch, text: &String| {
        engine.margins(text, Markup::None, scratch).map_or(0, |margins| margins.simhash().0)
    };
    Ok(texts.par_iter().map_init(EngineScratch::default, one).collect())
}

#[derive(Clone, Copy)]
struct Score {
    precision: f64,
    recall: f64,
    f1: f64,
}

impl Labelled {
    fn pack(folder: &Path) -> anyhow::Result<Self> {
        let documents = unpacked(&folder.join("docs.jsonl.zst"))?;
        let truth = fs::read_to_string(folder.join("truth.tsv")).context("the pack has no truth.tsv")?;
        let ignored = folder.join("ignore.tsv.zst");
        let ignored = if ignored.exists() { unpacked(&ignored)? } else { String::new() };
        Labelled::new(&documents, &truth, &ignored)
    }

    /// The collection that the project ships: small, in two languages.
    fn example() -> anyhow::Result<Self> {
        let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "examples"].iter().collect();
        let read = |name: &str| fs::read_to_string(folder.join(name)).with_context(|| name.to_owned());
        Labelled::new(&read("news.jsonl")?, &read("news.truth.tsv")?, "")
    }

    fn new(documents: &str, truth: &str, ignored: &str) -> anyhow::Result<Self> {
        let rows: Vec<Row> = documents.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let numbers: HashMap<&str, usize> = rows.iter().map(|row| row.id.as_str()).zip(0..).collect();
        let pairs = |text: &str| -> HashSet<(usize, usize)> {
            let pair = |line: &str| {
                let mut ids = line.split('\t');
                let (a, b) = (numbers.get(ids.next()?)?, numbers.get(ids.next()?)?);
                Some((*a.max(b), *a.min(b)))
            };
            // A header names no document.
            text.lines().filter_map(pair).collect()
        };
        let (truth, ignored) = (pairs(truth), pairs(ignored));
        Ok(Labelled { texts: rows.into_iter().map(|row| row.text).collect(), truth, ignored })
    }

    /// Precision, recall and F1 of the pairs within 0, 1, ... bits.
    fn scores(&self, fingerprints: &[u64], most: usize) -> Vec<Score> {
        let row = |a: usize| {
            let mut counts = vec![[0u64; 2]; most + 1];
            for b in 0..a {
                let distance = (fingerprints[a] ^ fingerprints[b]).count_ones() as usize;
                if distance <= most {
                    let right = self.truth.contains(&(a, b));
                    if right || !self.ignored.contains(&(a, b)) {
                        counts[distance][usize::from(right)] += 1;
                    }
                }
            }
            counts
        };
        let add = |mut sum: Vec<[u64; 2]>, other: Vec<[u64; 2]>| {
            sum.iter_mut().zip(other).for_each(|(sum, other)| *sum = [sum[0] + other[0], sum[1] + other[1]]);
            sum
        };
        let counts = (0..fingerprints.len()).into_par_iter().map(row).reduce(|| vec![[0; 2]; most + 1], add);
        let (mut wrong, mut right) = (0, 0);
        let score = |[wrong_here, right_here]: [u64; 2]| {
            wrong += wrong_here;
            right += right_here;
            let part = |of: u64| if of == 0 { 1.0 } else { right as f64 / of as f64 };
            let all = self.truth.len() as u64;
            let f1 = 2.0 * right as f64 / (right + wrong + all).max(1) as f64;
            Score { precision: part(right + wrong), recall: part(all), f1 }
        };
        counts.into_iter().map(score).collect()
    }
}

fn unpacked(path: &Path) -> anyhow::Result<String> {
    let file = fs::File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut text = String::new();
    zstd::Decoder::new(file)?.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_count_right_wrong_and_ignored_pairs() {
        let documents =
            "{\"id\":\"a\",\"text\":\"\"}\n{\"id\":\"b\",\"text\":\"\"}\n{\"id\":\"c\",\"text\":\"\"}\n";
        let labelled = Labelled::new(documents, "left\tright\na\tb\n", "").unwrap();
        let scores = labelled.scores(&[0, 1, 3], 2);
        let seen: Vec<[f64; 3]> = scores.iter().map(|it| [it.precision, it.recall, it.f1]).collect();
        assert_eq!(seen, [[1.0, 0.0, 0.0], [0.5, 1.0, 2.0 / 3.0], [1.0 / 3.0, 1.0, 0.5]]);
        let lenient = Labelled::new(documents, "a\tb\n", "c\tb\nc\ta\n").unwrap();
        assert_eq!(lenient.scores(&[0, 1, 3], 2)[2].precision, 1.0);
    }
}
