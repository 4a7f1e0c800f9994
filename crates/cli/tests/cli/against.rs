//! `--against`: documents that can only be witnesses.

use std::collections::BTreeSet;

use crate::folder::Folder;
use crate::{planted, table};

fn set(ids: Vec<String>) -> BTreeSet<String> {
    ids.into_iter().collect()
}

#[test]
fn a_protected_collection_is_a_witness_and_nothing_else() {
    let documents = planted::collection(61, 200);
    let (old, new) = documents.split_at(documents.len() / 2);
    let folder = Folder::new();
    folder.write("old.jsonl", planted::jsonl(old));
    folder.write("new.jsonl", planted::jsonl(new));
    // Whatever the policy prefers, old documents win.
    for policy in ["first", "longest", "min:score"] {
        let line = format!(
            "dedup new.jsonl --against old.jsonl --keep {policy} --coverage 0.5 --output kept.jsonl --removed removed.jsonl"
        );
        let ended = folder.done(&line);
        assert_eq!(
            ended.figure("against").map(|figure| figure.0),
            Some(old.len() as u64),
            "{}",
            ended.stderr
        );
        let kept = set(table::field(&folder.text("kept.jsonl"), "id"));
        let removed = table::removed(&folder.text("removed.jsonl"));
        let old_ids: BTreeSet<String> = old.iter().map(|document| document.id.clone()).collect();
        assert!(kept.is_disjoint(&old_ids));
        assert_eq!(kept.len() + removed.len(), new.len());
        let old_families: BTreeSet<usize> = old.iter().map(|document| document.family).collect();
        for removal in &removed {
            assert!(!old_ids.contains(&removal.left), "{removal:?}");
            let family = documents.iter().find(|document| document.id == removal.left).unwrap().family;
            assert_eq!(old_ids.contains(&removal.right), old_families.contains(&family), "{removal:?}");
        }
        assert!(removed.iter().any(|removal| old_ids.contains(&removal.right)));
        let survivors = new.iter().filter(|document| kept.contains(&document.id));
        assert!(survivors.clone().all(|document| !old_families.contains(&document.family)));
        assert_eq!(survivors.map(|document| document.family).collect::<BTreeSet<_>>().len(), kept.len());
    }
    assert_eq!(folder.text("old.jsonl"), planted::jsonl(old));
}

/// Month by month, each against what was kept before: the same documents stay as in one run over
/// everything.
#[test]
fn incremental_runs_keep_what_one_run_keeps() {
    let documents = planted::collection(62, 200);
    let folder = Folder::new();
    folder.write("all.jsonl", planted::jsonl(&documents));
    folder.done("dedup all.jsonl --output whole.jsonl");
    let months: Vec<_> = documents.chunks(documents.len().div_ceil(3)).collect();
    let mut against = String::new();
    let mut kept = String::new();
    for (number, month) in months.iter().enumerate() {
        folder.write(&format!("month{number}.jsonl"), planted::jsonl(month));
        folder.done(&format!("dedup month{number}.jsonl {against} --output kept{number}.jsonl"));
        kept.push_str(&folder.text(&format!("kept{number}.jsonl")));
        against.push_str(&format!(" --against kept{number}.jsonl"));
    }
    assert_eq!(kept, folder.text("whole.jsonl"));
}

/// Rows that are left out of the protected collection must not shift those of the input.
#[test]
fn bad_rows_on_either_side_shift_nothing() {
    let folder = Folder::new();
    let good = |id: &str, text: &str| planted::rows(&[(id, text)]);
    let bad = "no row at all\n";
    folder.write("old.jsonl", [bad, &good("old", "a text that is known already"), bad, bad].concat());
    let (fresh, last) =
        (good("fresh", "something quite different is said here"), good("last", "and one more that is new"));
    let known = good("known", "a text that is known already");
    folder.write("new.jsonl", [&fresh, bad, &known, &last, bad].concat());
    folder.done(
        "dedup new.jsonl --against old.jsonl --on-error skip --output kept.jsonl --removed removed.jsonl --removed-rows",
    );
    assert_eq!(folder.text("kept.jsonl"), [fresh, last].concat());
    let removed = table::rows(&folder.text("removed.jsonl"));
    assert_eq!(removed.len(), 1);
    assert_eq!((&removed[0]["id"], &removed[0]["row"]["id"]), (&"known".into(), &"known".into()));
    assert_eq!(removed[0]["witness"], "old");
}

/// Pairs inside the protected collection are nobody's business.
#[test]
fn pairs_cross_over_or_lie_in_the_input() {
    let documents = planted::collection(63, 150);
    let (old, new) = documents.split_at(documents.len() / 2);
    let folder = Folder::new();
    folder.write("old.jsonl", planted::jsonl(old));
    folder.write("new.jsonl", planted::jsonl(new));
    let listed = table::pairs(&folder.done("pairs new.jsonl --against old.jsonl").stdout);
    let found: Vec<(String, String)> = listed.into_iter().map(|pair| (pair.left, pair.right)).collect();
    let expected: Vec<(String, String)> = planted::pairs(&documents)
        .into_iter()
        .filter(|&(_, right)| right >= old.len())
        .map(|(left, right)| (documents[left].id.clone(), documents[right].id.clone()))
        .collect();
    assert!(expected.len() > 20);
    assert_eq!(found, expected);
}
