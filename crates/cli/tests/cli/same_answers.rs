//! An index of everything answers what `pairs` lists, and `filter` passes what the first pass of
//! `dedup --keep first` keeps.

use std::collections::{BTreeMap, BTreeSet};

use twindex_core::kernel::Kernel;
use twindex_core::verify::{Measured, Side, Verdict};
use twindex_core::{Engine, EngineScratch, Markup, Recipe};

use crate::folder::{Ended, Folder};
use crate::{packs, planted, table};

/// Recipes of every method whose search loses nothing by chance, or the same as a job.
const RECIPES: [&str; 4] = ["default", "posts", "simhash", "article"];

#[test]
fn of_planted_documents() {
    let documents = planted::collection(307, 120);
    let texts: Vec<(String, String)> =
        documents.into_iter().map(|document| (document.id, document.text)).collect();
    for recipe in RECIPES {
        assert!(check(&texts, recipe, "text") > 20, "{recipe}");
    }
    assert!(check(&texts, "default", "features") > 20);
}

#[test]
fn of_labelled_packs() {
    packs::each(|name, texts| {
        let texts: Vec<(String, String)> =
            texts.iter().map(|(id, text)| (id.clone(), text.clone())).collect();
        let pairs = check(&texts, "default", "text");
        eprintln!("{name}: {pairs} pairs of {} documents", texts.len());
    });
}

/// The most documents of a collection that are queried: `cargo xtask quality --index` queries all.
const ASKED: usize = 1_000;

/// Checks a collection; returns how many pairs it has.
fn check(texts: &[(String, String)], recipe: &str, evidence: &str) -> usize {
    let folder = Folder::new();
    let row = |(id, text): &(String, String)| format!("{}\n", serde_json::json!({ "id": id, "text": text }));
    folder.write("in.jsonl", texts.iter().map(row).collect::<String>());
    let asked = texts.iter().step_by(texts.len().div_ceil(ASKED).max(1));
    folder.write("asked.jsonl", asked.clone().map(row).collect::<String>());
    let asked: BTreeSet<&str> = asked.map(|(id, _)| id.as_str()).collect();
    let pairs = table::pairs(&folder.done(&format!("pairs in.jsonl --recipe {recipe}")).stdout);
    let expected: BTreeSet<(String, String, String)> = pairs
        .iter()
        .flat_map(|pair| [(pair.left.clone(), pair.right.clone()), (pair.right.clone(), pair.left.clone())])
        .zip(pairs.iter().flat_map(|pair| [pair.jaccard, pair.jaccard]))
        .filter(|((left, _), _)| asked.contains(left.as_str()))
        .map(|((left, right), jaccard)| (left, right, format!("{jaccard:.6}")))
        .collect();

    folder.done(&format!("index create seen --recipe {recipe} --evidence {evidence}"));
    folder.done("index add seen in.jsonl");
    // Small pages where there are few matches, so that there are several of them.
    let limit = if texts.len() > ASKED { 200 } else { 3 };
    let answers = folder.done(&format!("index query seen asked.jsonl --limit {limit} --all --json")).stdout;
    let mut found = BTreeSet::new();
    for answer in table::rows(&answers) {
        let left = answer["id"].as_str().unwrap();
        for matched in answer["matches"].as_array().unwrap() {
            let right = matched["id"].as_str().unwrap();
            let jaccard = matched["jaccard"].as_f64().unwrap();
            if left != right {
                found.insert((left.to_owned(), right.to_owned(), format!("{jaccard:.6}")));
            }
        }
    }
    let missing: Vec<_> = expected.difference(&found).take(3).collect();
    let wrong: Vec<_> = found.difference(&expected).take(3).collect();
    assert!(missing.is_empty() && wrong.is_empty(), "{recipe}: missing {missing:?}, wrong {wrong:?}");

    let first_pass = first_pass(texts, &pairs, recipe);
    let input = std::fs::File::open(folder.path("in.jsonl")).unwrap();
    let filter = folder
        .command(&format!("filter --quiet --recipe {recipe} --evidence {evidence}"))
        .stdin(input)
        .spawn();
    let passed = Ended::of(filter.unwrap());
    assert_eq!(passed.code, Some(0), "{}", passed.stderr);
    let passed: BTreeSet<String> =
        table::rows(&passed.stdout).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    let differing: Vec<_> = passed.symmetric_difference(&first_pass).take(5).collect();
    assert!(differing.is_empty(), "{recipe}: {differing:?}");

    // Under a hot key a job compares with the first documents of all, an index with the first that
    // it holds, which are the kept ones: without that bound the job keeps some of what passed.
    let mut unbounded = Recipe::preset(recipe).unwrap();
    unbounded.candidates.bucket_limit = 1_000_000;
    folder.write("unbounded.toml", unbounded.to_toml());
    folder.done("dedup in.jsonl --keep first --recipe unbounded.toml --output kept.jsonl");
    let kept: BTreeSet<String> = table::rows(&folder.text("kept.jsonl"))
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(kept.is_subset(&passed), "{recipe}: {:?}", kept.difference(&passed).next());
    pairs.len()
}

/// The definition of the first pass: a document goes for a kept one before it, or is kept.
fn first_pass(texts: &[(String, String)], pairs: &[table::Scored], recipe: &str) -> BTreeSet<String> {
    let engine = Engine::new(&Recipe::preset(recipe).unwrap(), Kernel::best()).unwrap();
    let by_id: BTreeMap<&str, (usize, &str)> =
        texts.iter().enumerate().map(|(place, (id, text))| (id.as_str(), (place, text.as_str()))).collect();
    let mut earlier: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for pair in pairs {
        let (left, right) = (by_id[pair.left.as_str()].0, by_id[pair.right.as_str()].0);
        earlier.entry(left.max(right)).or_default().push(left.min(right));
    }
    let scratch = &mut EngineScratch::default();
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for (place, (_, text)) in texts.iter().enumerate() {
        let before = earlier.get(&place).map_or(&[][..], Vec::as_slice);
        let may_go = before.iter().filter(|other| kept.contains(other)).any(|&other| {
            let other = &texts[other].1;
            let verdict = if other == text {
                Verdict::new(engine.verifier().rule(), Measured::EQUAL)
            } else {
                let [left, right] = [text, other].map(|text| engine.evidence(text, Markup::None, scratch));
                engine.verifier().verdict(&left, &right)
            };
            verdict.may_go(Side::Left)
        });
        if !may_go {
            kept.insert(place);
        }
    }
    kept.into_iter().map(|place| texts[place].0.clone()).collect()
}
