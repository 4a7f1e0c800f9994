//! `--threshold` means what it says: a higher one lists a subset, and nothing below it.

use std::collections::BTreeMap;

use crate::folder::Folder;
use crate::{packs, planted, table};

#[test]
fn of_planted_documents_a_higher_threshold_lists_a_subset() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(212, 150)));
    check(&folder);
}

#[test]
fn of_labelled_packs_a_higher_threshold_lists_a_subset() {
    packs::each(|name, texts| {
        let folder = Folder::new();
        let row =
            |(id, text): (&String, &String)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
        folder.write("in.jsonl", texts.iter().map(row).collect::<String>());
        eprintln!("{name}");
        check(&folder);
    });
}

/// In steps of a tenth.
fn check(folder: &Folder) {
    let mut before: Option<BTreeMap<(String, String), f64>> = None;
    for step in 1..=10 {
        let threshold = f64::from(step) / 10.0;
        let listed = table::pairs(&folder.done(&format!("pairs in.jsonl --threshold {threshold}")).stdout);
        let pairs: BTreeMap<(String, String), f64> =
            listed.into_iter().map(|pair| ((pair.left, pair.right), pair.jaccard)).collect();
        assert!(pairs.values().all(|&jaccard| jaccard >= threshold), "{threshold}");
        assert!(!pairs.is_empty() || threshold > 0.5, "at {threshold} there is nothing to lose");
        if let Some(before) = before {
            let expected = before.iter().filter(|(_, jaccard)| **jaccard >= threshold);
            let is_listed = |pair: &(String, String)| pairs.contains_key(pair);
            let lost: Vec<_> = expected.filter(|(pair, _)| !is_listed(pair)).take(3).collect();
            assert!(lost.is_empty(), "at {threshold} these are lost: {lost:?}");
            let new: Vec<_> = pairs.iter().filter(|(pair, _)| !before.contains_key(*pair)).take(3).collect();
            assert!(new.is_empty(), "at {threshold} these are new: {new:?}");
        }
        before = Some(pairs);
    }
}
