//! Texts in memory give what a job over files gives, pair for pair.

#![cfg(feature = "files")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use twindex::{Dedup, DedupFiles, Keep, Pairs, PairsFiles, Recipe};
use twindex_core::hash::mix;
use twindex_testing::{Need, skip};

const RECIPES: [&str; 6] = ["default", "simhash", "article", "reuse", "posts", "web"];

/// Left, right and the scores as they are printed.
type Row = (usize, usize, Vec<f64>);

fn rows(path: &Path) -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let scores = cells[2..6].iter().map(|score| score.parse().unwrap()).collect();
        (cells[0].parse().unwrap(), cells[1].parse().unwrap(), scores)
    };
    fs::read_to_string(path).unwrap().lines().skip(1).map(row).collect()
}

fn scores(scores: twindex::Scores) -> Vec<f64> {
    vec![scores.jaccard, scores.containment_left, scores.containment_right, scores.cosine]
}

/// Compares both ways for one recipe; returns how many pairs and removals there are.
fn must_be_equal(texts: &[String], recipe: &Recipe, keep: &Keep) -> [usize; 2] {
    let folder = tempfile::tempdir().unwrap();
    let [input, pairs, removed] =
        ["docs.jsonl", "pairs.tsv", "removed.tsv"].map(|name| folder.path().join(name));
    let lines = texts
        .iter()
        .enumerate()
        .map(|(id, text)| format!("{}\n", serde_json::json!({ "id": id.to_string(), "text": text })));
    fs::write(&input, lines.collect::<String>()).unwrap();

    PairsFiles::new([&input]).recipe(recipe.clone()).pairs(&pairs).run().unwrap();
    let in_memory = Pairs::new(texts).recipe(recipe.clone()).run().unwrap();
    let in_memory: Vec<Row> =
        in_memory.iter().map(|pair| (pair.left, pair.right, scores(pair.scores))).collect();
    assert_eq!(in_memory, rows(&pairs), "pairs of {}", recipe.name);

    DedupFiles::new([&input]).recipe(recipe.clone()).keep(keep.clone()).removed(&removed).run().unwrap();
    let kept = Dedup::new(texts).recipe(recipe.clone()).keep(keep.clone()).run().unwrap();
    assert_eq!(kept.kept.len() + kept.removed.len(), texts.len());
    let mut in_files = rows(&removed);
    in_files.sort_by_key(|row| row.0);
    let in_memory_removed: Vec<Row> = kept
        .removed
        .iter()
        .map(|removal| (removal.document, removal.witness, scores(removal.scores)))
        .collect();
    assert_eq!(in_memory_removed, in_files, "removals of {}, {keep}", recipe.name);
    [in_memory.len(), in_files.len()]
}

/// Texts of up to 300 words, many of them edited copies or parts of others; some equal, some
/// without words.
fn collection(seed: u64, count: u64) -> Vec<String> {
    let mut texts: Vec<String> = vec![];
    for number in 0..count {
        let draw = |salt: u64| mix(mix(seed) ^ (number * 10_000 + salt));
        let fresh = |salt: u64| format!("w{}", draw(salt) % 3_000);
        let earlier = |salt: u64| texts.get(draw(salt) as usize % texts.len().max(1)).cloned();
        let length = [5, 30, 120, 300][draw(1) as usize % 4];
        let text = match (draw(0) % 8, earlier(2)) {
            (0 | 1, Some(text)) => text,
            (2..=4, Some(text)) => {
                let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                for edit in 0..draw(3) % 6 {
                    let at = draw(edit + 4) as usize % words.len();
                    words[at] = fresh(edit + 20);
                }
                words.truncate(words.len() - (draw(5) as usize % 3) * words.len() / 8);
                words.join(" ")
            }
            (5, _) => ["", "?!", "one"][draw(6) as usize % 3].to_owned(),
            _ => (0..length).map(|place| fresh(place + 100)).collect::<Vec<_>>().join(" "),
        };
        texts.push(text);
    }
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn generated_collections_give_the_same(seed in any::<u64>(), longest in any::<bool>()) {
        let texts = collection(seed, 120);
        let keep = if longest { Keep::Longest } else { Keep::First };
        for name in RECIPES {
            must_be_equal(&texts, &Recipe::preset(name).unwrap(), &keep);
        }
    }
}

/// Two thousand texts under one frame: hot keys are bounded in the same way.
#[test]
fn a_template_gives_the_same() {
    let frame: String = (0..60).map(|place| format!("frame{place} ")).collect();
    let text = |number: u64| {
        let own: String = (0..8).map(|place| format!(" w{}", mix(number / 2 * 8 + place) % 10_000)).collect();
        format!("{frame}{own} {}", number % 2)
    };
    let texts: Vec<String> = (0..2_000).map(text).collect();
    for name in ["default", "simhash"] {
        let mut recipe = Recipe::preset(name).unwrap();
        recipe.rule.threshold = 0.9;
        let [pairs, removed] = must_be_equal(&texts, &recipe, &Keep::First);
        // Beyond the largest radius of the join, buckets are bounded from the start.
        if name == "simhash" {
            (recipe.simhash.radius, recipe.simhash.blocks) = (13, 14);
            must_be_equal(&texts[..300], &recipe, &Keep::First);
        }
        assert!(pairs >= 500 && removed >= 500, "{pairs} {removed}");
    }
}

#[test]
fn labelled_packs_give_the_same() {
    let usual = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/packs");
    let folder = std::env::var_os("TWINDEX_PACKS").map_or_else(usual, PathBuf::from).join("dev");
    let mut found = 0;
    for name in ["bills_human_val", "clough_stevenson", "ocr_overproof", "zh_canon_small_dev"] {
        let Ok(file) = fs::File::open(folder.join(name).join("docs.jsonl.zst")) else { continue };
        let rows = String::from_utf8(zstd::decode_all(file).unwrap()).unwrap();
        let text = |line: &str| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["text"].as_str().unwrap().to_owned()
        };
        let texts: Vec<String> = rows.lines().map(text).collect();
        for recipe in ["default", "simhash", "reuse"] {
            let [pairs, _] = must_be_equal(&texts, &Recipe::preset(recipe).unwrap(), &Keep::First);
            found += pairs;
        }
    }
    if found == 0 {
        skip(Need::Packs, &format!("no packs in {}", folder.display()));
    }
}

#[test]
fn a_policy_that_reads_a_field_is_an_error() {
    let keep: Keep = "newest:date".parse().unwrap();
    let error = Dedup::new(&["a b c"]).keep(keep).run().unwrap_err();
    assert!(error.to_string().contains("date"), "{error}");
    assert!(Pairs::new(&["a b c"]).threshold(2.0).run().is_err());
}
