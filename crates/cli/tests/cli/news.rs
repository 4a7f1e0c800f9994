//! The shipped example: every removal is proved, and nothing else changes.

use std::collections::{BTreeMap, BTreeSet};

use twindex_core::kernel::Kernel;
use twindex_core::{Engine, EngineScratch, Markup, Recipe};

use crate::folder::Folder;
use crate::{jaccard, table};

/// The folder of a test with the example in it.
fn news() -> Folder {
    let folder = Folder::new();
    folder.write("news.jsonl", example("news.jsonl"));
    folder
}

fn example(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Id and text of every item.
fn texts() -> BTreeMap<String, String> {
    let jsonl = example("news.jsonl");
    table::field(&jsonl, "id").into_iter().zip(table::field(&jsonl, "text")).collect()
}

/// The Jaccard of two texts in any language, straight from the core.
fn core_jaccard(left: &str, right: &str) -> f64 {
    let engine = Engine::new(&Recipe::default(), Kernel::best()).unwrap();
    let mut scratch = EngineScratch::default();
    let [left, right] = [left, right].map(|text| engine.evidence(text, Markup::None, &mut scratch));
    engine.verifier().verdict(&left, &right).measured.scores().jaccard
}

/// Whether the score is that of the texts, and the rule begins with the reason for it.
fn check_score(pair: &table::Scored, texts: &BTreeMap<String, String>) {
    let (left, right) = (&texts[&pair.left], &texts[&pair.right]);
    assert_eq!(pair.jaccard, core_jaccard(left, right), "{pair:?}");
    if left.is_ascii() && right.is_ascii() {
        assert_eq!(pair.jaccard, jaccard::printed(left, right), "{pair:?}");
    }
    let rule = if left == right { "equal text".to_owned() } else { table::reason(pair.jaccard) };
    assert!(pair.rule.starts_with(&rule), "{pair:?}");
}

#[test]
fn pairs_are_exactly_the_truth() {
    let (folder, texts) = (news(), texts());
    let listed = table::pairs(&folder.done("pairs news.jsonl").stdout);
    let found: BTreeSet<(&str, &str)> = listed.iter().map(|pair| (&*pair.left, &*pair.right)).collect();
    let truth = example("news.truth.tsv");
    let expected: BTreeSet<(&str, &str)> = truth
        .lines()
        .skip(1)
        .map(|line| line.split_once('\t').unwrap())
        .map(|(left, rest)| (left, rest.split_once('\t').unwrap().0))
        .collect();
    assert_eq!(expected.len(), 21);
    assert_eq!(found, expected);
    assert_eq!(listed.len(), found.len(), "every pair once");
    listed.iter().for_each(|pair| check_score(pair, &texts));
}

#[test]
fn every_removal_names_a_kept_witness_and_the_kept_rows_are_untouched() {
    let (folder, texts) = (news(), texts());
    folder.done("dedup news.jsonl --output kept.jsonl --removed removed.jsonl");
    let (kept, removed) = (folder.text("kept.jsonl"), table::removed(&folder.text("removed.jsonl")));

    // What is not removed is there, byte for byte, in order.
    let gone: BTreeSet<&str> = removed.iter().map(|removal| &*removal.left).collect();
    let input = example("news.jsonl");
    let stays = |line: &&str| !gone.contains(&*table::field(line, "id")[0]);
    let expected: String = input.split_inclusive('\n').filter(stays).collect();
    assert_eq!(kept, expected);
    assert_eq!(kept.lines().count() + removed.len(), texts.len());
    assert_eq!(gone.len(), removed.len(), "every removed document once");
    assert!(removed.len() >= 12, "{}", removed.len());

    let kept: BTreeSet<String> = table::field(&kept, "id").into_iter().collect();
    for removal in &removed {
        assert!(kept.contains(&removal.right), "the witness of {removal:?} is not kept");
        check_score(removal, &texts);
        assert!(
            removal.rule == "equal text" || removal.rule.ends_with(" of it is in the witness"),
            "{removal:?}"
        );
    }
    assert!(removed.iter().any(|removal| removal.rule == "equal text"));
    assert_eq!(folder.text("news.jsonl"), input, "the input was changed");
    assert_eq!(folder.names(), ["kept.jsonl", "news.jsonl", "removed.jsonl"]);
}

#[test]
fn removed_rows_carry_the_original_row() {
    let folder = news();
    folder.done("dedup news.jsonl --removed removed.jsonl --removed-rows");
    let originals = table::rows(&example("news.jsonl"));
    for removal in table::rows(&folder.text("removed.jsonl")) {
        let original = originals.iter().find(|row| row["id"] == removal["id"]).unwrap();
        assert_eq!(&removal["row"], original);
    }
}

#[test]
fn without_outputs_nothing_is_written_and_the_result_is_told() {
    let folder = news();
    let ended = folder.done("dedup news.jsonl");
    assert_eq!(ended.stdout, "");
    assert_eq!(ended.figure("would keep"), Some((51, "of 65 rows".to_owned())), "{}", ended.stderr);
    assert_eq!(ended.figure("would remove").map(|figure| figure.0), Some(14), "{}", ended.stderr);
    assert_eq!(folder.names(), ["news.jsonl"]);
    assert_eq!(folder.temporary_names(), [""; 0]);
}
