//! Which of several duplicates stays.

use std::collections::{BTreeMap, BTreeSet};

use crate::folder::Folder;
use crate::planted::{self, Document};
use crate::table;

const COLLECTION: usize = 150;

/// Checks that every family keeps the one document that comes first by `order`.
fn keeps(policy: &str, order: impl Fn(&Document) -> (i64, usize)) {
    let documents = planted::collection(51, COLLECTION);
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&documents));
    folder.done(&format!(
        "dedup in.jsonl --keep {policy} --coverage 0.5 --output kept.jsonl --removed removed.jsonl"
    ));
    let mut best: BTreeMap<usize, &Document> = BTreeMap::new();
    for document in &documents {
        let first = best.entry(document.family).or_insert(document);
        if order(document) < order(first) {
            *first = document;
        }
    }
    let expected: BTreeSet<String> = best.values().map(|document| document.id.clone()).collect();
    let kept: BTreeSet<String> = table::field(&folder.text("kept.jsonl"), "id").into_iter().collect();
    assert_eq!(kept, expected, "{policy}");
    let removed = table::removed(&folder.text("removed.jsonl"));
    assert_eq!(removed.len() + kept.len(), documents.len());
    let family = |id: &str| documents.iter().find(|document| document.id == id).unwrap().family;
    for removal in removed {
        assert_eq!(removal.right, best[&family(&removal.left)].id, "{policy}: {removal:?}");
    }
}

fn number(document: &Document) -> usize {
    document.id[1..].parse().unwrap()
}

fn day(document: &Document) -> i64 {
    document.date.replace('-', "").parse().unwrap()
}

#[test]
fn first() {
    keeps("first", |document| (0, number(document)));
}

#[test]
fn longest() {
    keeps("longest", |document| (-(document.text.len() as i64), number(document)));
}

#[test]
fn shortest() {
    keeps("shortest", |document| (document.text.len() as i64, number(document)));
}

#[test]
fn newest() {
    keeps("newest:date", |document| (-day(document), number(document)));
}

#[test]
fn largest() {
    keeps("max:score", |document| (-document.score, number(document)));
}

#[test]
fn smallest() {
    keeps("min:score", |document| (document.score, number(document)));
}

/// A row without the field comes after all that have it, and dates may have zones.
#[test]
fn newest_reads_zones_and_missing_dates() {
    let folder = Folder::new();
    let row = |id: &str, date: &str| format!("{{\"id\":\"{id}\",\"text\":\"the same few words\"{date}}}\n");
    folder.write(
        "in.jsonl",
        [
            row("none", ""),
            row("noon in Berlin", ",\"date\":\"2024-05-31T12:00:00+02:00\""),
            row("noon in London", ",\"date\":\"2024-05-31T12:00:00+01:00\""),
            row("midnight", ",\"date\":\"2024-05-31\""),
        ]
        .concat(),
    );
    folder.done("dedup in.jsonl --keep newest:date --output kept.jsonl");
    assert_eq!(table::field(&folder.text("kept.jsonl"), "id"), ["noon in London"]);
}

/// A bad date can be skipped like any bad row, and one in a protected collection matters to nobody.
#[test]
fn bad_dates_are_skipped_on_request() {
    let folder = Folder::new();
    let row = |id: &str, date: &str| {
        format!("{{\"id\":\"{id}\",\"text\":\"few words of {id}\",\"date\":\"{date}\"}}\n")
    };
    folder.write("in.jsonl", row("a", "2024-05-31") + &row("b", "last week") + &row("c", "2024-06-01"));
    folder.write("old.jsonl", row("d", "long ago"));
    let skip = "--on-error skip --keep newest:date --output kept.jsonl --json";
    let summary = folder.done(&format!("dedup in.jsonl --against old.jsonl {skip}")).stdout;
    assert_eq!(table::field(&folder.text("kept.jsonl"), "id"), ["a", "c"]);
    assert!(summary.contains("\"skipped_rows\":1"), "{summary}");
    assert!(summary.contains("in.jsonl:2: \\\"last week\\\" is no date"), "{summary}");
    assert!(!summary.contains("hint"), "{summary}");
}
