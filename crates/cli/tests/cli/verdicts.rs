//! One verdict everywhere: `compare`, `pairs`, `dedup` and the index say the same about two
//! documents, in the same words.

use std::collections::{BTreeMap, BTreeSet};

use twindex_core::compare::{Comparison, compare};
use twindex_core::kernel::Kernel;
use twindex_core::{Document, Recipe};

use crate::folder::Folder;
use crate::{packs, planted, table};

/// How many accepted and how many rejected pairs of one collection are compared.
const PAIRS: usize = 220;

/// Low enough that the pairs below the default threshold are proposed and measured.
const LOW: &str = "0.2";

#[test]
fn of_planted_documents() {
    let documents = planted::collection(211, 150);
    let texts = documents.into_iter().map(|document| (document.id, document.text)).collect();
    let (accepted, _) = check(&texts);
    assert!(accepted > 50, "{accepted}");
}

#[test]
fn of_labelled_packs() {
    let counts = packs::each(|name, texts| {
        let counts = check(texts);
        eprintln!("{name}: {counts:?}");
        counts
    });
    let accepted: usize = counts.iter().map(|(accepted, _)| accepted).sum();
    let rejected: usize = counts.iter().map(|(_, rejected)| rejected).sum();
    assert!(counts.is_empty() || accepted >= 1_000 && rejected >= 1_000, "{accepted} and {rejected}");
}

/// Checks pairs of these documents; returns how many were accepted and rejected by verification.
fn check(texts: &BTreeMap<String, String>) -> (usize, usize) {
    let folder = Folder::new();
    folder.write("in.jsonl", jsonl(texts.iter()));
    let listed = |threshold: &str| table::pairs(&folder.done(&format!("pairs in.jsonl {threshold}")).stdout);
    let accepted = listed("");
    let is_accepted: BTreeSet<(&str, &str)> =
        accepted.iter().map(|pair| (&*pair.left, &*pair.right)).collect();
    let mut rejected = listed(&format!("--threshold {LOW}"));
    rejected.retain(|pair| !is_accepted.contains(&(&*pair.left, &*pair.right)));
    let [accepted, rejected] = [spread(&accepted), spread(&rejected)];
    let default = Recipe::default();
    for pair in &accepted {
        let found = comparison(&default, texts, &pair.left, &pair.right);
        assert!(found.duplicates && found.rule == pair.rule, "{pair:?} {}", found.verdict);
    }
    for pair in &rejected {
        let found = comparison(&default, texts, &pair.left, &pair.right);
        assert!(!found.duplicates && !found.left_may_go && !found.right_may_go, "{pair:?} {}", found.verdict);
        assert!(found.verdict.ends_with(" < 0.5"), "{}", found.verdict);
    }

    folder.done("dedup in.jsonl --removed removed.jsonl");
    for removal in spread(&table::removed(&folder.text("removed.jsonl"))) {
        let found = comparison(&default, texts, &removal.left, &removal.right);
        // The copy of a removed document has its witness, and scores.
        assert!(found.left_may_go && found.left_rule == removal.rule, "{removal:?} {}", found.left_rule);
    }
    let chosen: BTreeSet<&str> =
        accepted.iter().chain(&rejected).flat_map(|pair| [&*pair.left, &*pair.right]).collect();
    check_index(&folder, texts, &chosen);
    (accepted.len(), rejected.len())
}

/// The index has simhash recipes: with a wide one it gives the verdicts of `pairs` and `compare`.
fn check_index(folder: &Folder, texts: &BTreeMap<String, String>, chosen: &BTreeSet<&str>) {
    folder.write("some.jsonl", jsonl(texts.iter().filter(|(id, _)| chosen.contains(id.as_str()))));
    let toml = "name = \"wide\"\nmethod = \"simhash\"\n[simhash]\nradius = 8\nblocks = 10\n";
    folder.write("wide.toml", toml);
    let wide = Recipe::from_toml(toml).unwrap();
    let listed = table::pairs(&folder.done("pairs some.jsonl --recipe wide.toml").stdout);
    let expected: BTreeMap<(String, String), String> = listed
        .into_iter()
        .flat_map(|pair| [(pair.left.clone(), pair.right.clone()), (pair.right, pair.left)])
        .map(|(left, right)| {
            let rule = comparison(&wide, texts, &left, &right).left_rule;
            ((left, right), rule)
        })
        .collect();
    folder.done("index create seen --recipe wide.toml");
    folder.done("index add seen some.jsonl");
    let mut found = BTreeMap::new();
    for answer in table::rows(&folder.done("index query seen some.jsonl --limit 1000 --json").stdout) {
        let left = answer["id"].as_str().unwrap().to_owned();
        for matched in answer["matches"].as_array().unwrap() {
            let right = matched["id"].as_str().unwrap().to_owned();
            let rule = matched["rule"].as_str().unwrap().to_owned();
            assert_eq!(matched["may_go"].as_bool(), Some(!rule.contains("stay")), "{matched}");
            if left != right {
                found.insert((left.clone(), right), rule);
            }
        }
    }
    assert_eq!(found, expected);
}

fn comparison(recipe: &Recipe, texts: &BTreeMap<String, String>, left: &str, right: &str) -> Comparison {
    let document = |id: &str| Document { id: id.to_owned(), text: texts[id].clone(), ..Document::default() };
    compare(recipe, None, Kernel::best(), &document(left), &document(right)).unwrap()
}

/// Some of them, evenly spread.
fn spread(pairs: &[table::Scored]) -> Vec<table::Scored> {
    pairs.iter().step_by(pairs.len().div_ceil(PAIRS).max(1)).cloned().collect()
}

fn jsonl<'t>(texts: impl Iterator<Item = (&'t String, &'t String)>) -> String {
    texts.map(|(id, text)| format!("{}\n", serde_json::json!({ "id": id, "text": text }))).collect()
}
