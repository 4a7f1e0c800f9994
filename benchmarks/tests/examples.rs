//! Holds the shipped example to what its README promises.

use std::collections::HashMap;
use std::fs;

use serde::Deserialize;
use twindex_benchmarks::jaccard;

#[derive(Deserialize)]
struct Item {
    id: String,
    text: String,
}

const INTENDED: f64 = 0.55;
const UNINTENDED: f64 = 0.4;

fn read(name: &str) -> String {
    let path = format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn items() -> Vec<Item> {
    read("news.jsonl").lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Intended pairs and the kind of their change.
fn truth() -> HashMap<(String, String), String> {
    let text = read("news.truth.tsv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("left\tright\tkind"));
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [left, right, kind] = columns[..] else { panic!("three columns in {line:?}") };
            ((left.to_owned(), right.to_owned()), kind.to_owned())
        })
        .collect()
}

#[test]
fn intended_pairs_are_alike_and_all_others_are_not() {
    let (items, mut truth) = (items(), truth());
    let texts = items.iter().filter(|item| !item.text.is_empty());
    let texts: Vec<&Item> = texts.collect();
    for (position, left) in texts.iter().enumerate() {
        for right in &texts[position + 1..] {
            let alike = jaccard::of(&left.text, &right.text);
            match truth.remove(&(left.id.clone(), right.id.clone())).as_deref() {
                Some("exact") => assert_eq!(left.text, right.text, "{} {}", left.id, right.id),
                Some(kind) => {
                    assert!((INTENDED..0.97).contains(&alike), "{} {} {kind}: {alike}", left.id, right.id);
                }
                None => assert!(alike < UNINTENDED, "{} {}: {alike}", left.id, right.id),
            }
        }
    }
    assert!(truth.is_empty(), "these pairs are not in the collection, or in the other order: {truth:?}");
}

#[test]
fn the_readme_counts_what_is_there() {
    let (items, readme) = (items(), read("README.md"));
    let language = |prefix: &str| items.iter().filter(|item| item.id.starts_with(prefix)).count();
    let count =
        format!("{} short news items, {} in English and {}", items.len(), language("en-"), language("zh-"));
    assert!(readme.contains(&count), "the README should say: {count}");
    let pairs = format!("the {} pairs", truth().len());
    assert!(readme.contains(&pairs), "the README should say: {pairs}");
    for kind in truth().values() {
        assert!(readme.contains(&format!("| {kind} |")), "the README does not explain {kind:?}");
    }
}
