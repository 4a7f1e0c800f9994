//! Pairs, clusters and the witness rule.

use std::collections::BTreeMap;

use crate::folder::Folder;
use crate::prose::{Prose, Script};
use crate::random::Random;
use crate::{jaccard, planted, table};

/// The connected components of pairs, each sorted, in order of their first members: the plain way.
fn components(pairs: &[table::Scored]) -> Vec<Vec<String>> {
    let mut cluster: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, pair) in pairs.iter().enumerate() {
        let (left, right) = (cluster.get(&*pair.left).copied(), cluster.get(&*pair.right).copied());
        let joined = left.or(right).unwrap_or(number);
        cluster.values_mut().filter(|member| Some(**member) == right).for_each(|member| *member = joined);
        cluster.insert(&pair.left, joined);
        cluster.insert(&pair.right, joined);
    }
    let mut members: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (id, number) in cluster {
        members.entry(number).or_default().push(id.to_owned());
    }
    let mut clusters: Vec<Vec<String>> = members.into_values().collect();
    clusters.sort();
    clusters
}

#[test]
fn pairs_are_those_of_brute_force_sorted_and_expanded() {
    let documents = planted::collection(71, 200);
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&documents));
    folder.done("pairs in.jsonl --output pairs.tsv --clusters clusters.jsonl");
    let listed = table::pairs(&folder.text("pairs.tsv"));
    let expected = planted::pairs(&documents);
    assert!(expected.len() > 100);
    assert_eq!(listed.len(), expected.len());
    for (pair, (left, right)) in listed.iter().zip(expected) {
        let (left, right) = (&documents[left], &documents[right]);
        assert_eq!((&pair.left, &pair.right), (&left.id, &right.id), "in input order, the earlier one left");
        assert_eq!(pair.jaccard, jaccard::printed(&left.text, &right.text), "{pair:?}");
        let is_equal = left.text == right.text;
        let rule = if is_equal { "equal text".to_owned() } else { table::reason(pair.jaccard) };
        assert_eq!(pair.rule, rule, "{pair:?}");
    }
    assert_eq!(table::clusters(&folder.text("clusters.jsonl")), components(&listed));
}

#[test]
fn clusters_of_dedup_are_the_components_of_its_pairs() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(72, 200)));
    let line = "dedup in.jsonl --pairs pairs.tsv --clusters clusters.jsonl --removed removed.jsonl";
    let summary = folder.done(&format!("{line} --json")).json();
    let listed = table::pairs(&folder.text("pairs.tsv"));
    let clusters = table::clusters(&folder.text("clusters.jsonl"));
    assert_eq!(clusters, components(&listed));
    assert_eq!(summary["clusters"], clusters.len());
    assert_eq!(summary["pairs"], listed.len());
    assert!(listed.is_sorted_by_key(|pair| (pair.left.clone(), pair.right.clone())));
    assert!(listed.iter().all(|pair| pair.left < pair.right), "the document that came first is on the left");
    // Every removal is one of the pairs.
    for removal in table::removed(&folder.text("removed.jsonl")) {
        let (left, right) = if removal.left < removal.right {
            (removal.left, removal.right)
        } else {
            (removal.right, removal.left)
        };
        assert!(listed.iter().any(|pair| pair.left == left && pair.right == right), "{left} {right}");
    }
}

/// A is like B and B is like C, but A is not like C: with B removed on account of A, nothing speaks
/// against C.
#[test]
fn duplicates_are_not_chained() {
    let words = Prose::new(Script::English, 140, &mut Random::new(73)).units;
    let text = |from: usize| words[from..from + 100].join(" ");
    let [a, b, c] = [0, 20, 40].map(text);
    assert!(jaccard::of(&a, &b) > 0.6 && jaccard::of(&b, &c) > 0.6 && jaccard::of(&a, &c) < 0.45);
    let folder = Folder::new();
    folder.write("in.jsonl", planted::rows(&[("a", &a), ("b", &b), ("c", &c)]));
    folder.done("dedup in.jsonl --coverage 0.7 --output kept.jsonl --removed removed.jsonl");
    assert_eq!(table::field(&folder.text("kept.jsonl"), "id"), ["a", "c"]);
    let removed = table::removed(&folder.text("removed.jsonl"));
    assert_eq!((removed.len(), &*removed[0].left, &*removed[0].right), (1, "b", "a"));
    // All three are one cluster all the same.
    folder.done("pairs in.jsonl --output pairs.tsv --clusters clusters.jsonl");
    let listed = table::pairs(&folder.text("pairs.tsv"));
    let listed: Vec<(&str, &str)> = listed.iter().map(|pair| (&*pair.left, &*pair.right)).collect();
    assert_eq!(listed, [("a", "b"), ("b", "c")]);
    assert_eq!(table::clusters(&folder.text("clusters.jsonl")), [["a", "b", "c"]]);
}

/// The threshold counts as reached when it is equalled, on either side of a hair.
#[test]
fn the_threshold_is_inclusive() {
    let folder = Folder::new();
    // Two of four shingles in common: 0.5.
    folder.write(
        "in.jsonl",
        planted::rows(&[("a", "one two three four five"), ("b", "one two three four six")]),
    );
    for (threshold, pairs) in [("0.5", 1), ("0.499999", 1), ("0.500001", 0)] {
        let listed = table::pairs(&folder.done(&format!("pairs in.jsonl --threshold {threshold}")).stdout);
        assert_eq!(listed.len(), pairs, "{threshold}");
    }
}
