//! The index from outside: the same answers as `pairs`, and every action of its life.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::folder::Folder;
use crate::planted;
use crate::table;

/// left, right and every score, as text so that they can be in a set.
type Pair = (String, String, String);

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The pairs that verdicts tell: each document with those before it. The left one is the earlier
/// one.
fn pairs_of_verdicts(jsonl: &str) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for verdict in table::rows(jsonl) {
        for found in verdict["matches"].as_array().unwrap() {
            assert_eq!((&found["verified"], &found["evidence"]), (&true.into(), &"text".into()));
            let scores = ["jaccard", "containment_right", "containment_left", "cosine", "distance"];
            let scores = scores.map(|name| found[name].as_f64().unwrap().to_string()).join(" ");
            pairs.insert((text(&found["id"]), text(&verdict["id"]), scores));
        }
    }
    pairs
}

fn pairs_of_table(tsv: &str) -> BTreeSet<Pair> {
    let pair = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let scores: Vec<String> =
            cells[2..7].iter().map(|cell| cell.parse::<f64>().unwrap().to_string()).collect();
        (cells[0].to_owned(), cells[1].to_owned(), scores.join(" "))
    };
    tsv.lines().skip(1).map(pair).collect()
}

/// A wide radius, so that search and rule both have something to refuse.
const RECIPE: &str = "method = \"simhash\"\n[simhash]\nradius = 8\nblocks = 10\n[rule]\nthreshold = 0.75\n";

#[test]
fn answers_equal_those_of_pairs() {
    let folder = Folder::new();
    let mut documents = planted::jsonl(&planted::collection(71, 400));
    // Without words: not even equal ones are pairs.
    documents.push_str(&planted::rows(&[("x1", "!"), ("x2", "?"), ("x3", "!"), ("x4", ""), ("x5", "")]));
    folder.write("in.jsonl", documents);
    folder.write("recipe.toml", RECIPE);
    folder.done("pairs in.jsonl --recipe recipe.toml --output pairs.tsv");
    folder.done("index create seen --recipe recipe.toml");
    folder.done("index add seen in.jsonl --output verdicts.jsonl --matches 100000");
    let expected = pairs_of_table(&folder.text("pairs.tsv"));
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(pairs_of_verdicts(&folder.text("verdicts.jsonl")), expected);

    // Asked later, every pair is seen from both sides, and every document with words finds itself.
    let answers = folder.done("index query seen in.jsonl --limit 100000").stdout;
    let found: BTreeSet<(String, String)> = (answers.lines().skip(1))
        .map(|line| line.split('\t').map(str::to_owned))
        .map(|mut cells| (cells.next().unwrap(), cells.next().unwrap()))
        .collect();
    let mut both: BTreeSet<(String, String)> =
        expected.iter().flat_map(|(a, b, _)| [(a.clone(), b.clone()), (b.clone(), a.clone())]).collect();
    let ids = table::field(&folder.text("in.jsonl"), "id").into_iter().filter(|id| !id.starts_with('x'));
    both.extend(ids.map(|id| (id.clone(), id)));
    assert_eq!(found, both);
}

const HARBOUR: &str = "The harbour was closed on Tuesday because the ice had reached the outer lights";

#[test]
fn the_life_of_an_index() {
    let folder = Folder::new();
    let other = "A committee of three will read every proposal before the spring and answer in writing";
    folder.write("in.jsonl", planted::rows(&[("a", HARBOUR), ("b", HARBOUR), ("c", other)]));
    folder.write("letter.txt", HARBOUR);
    folder.done("index create seen --ttl 30d");
    let summary = folder.done("index add seen in.jsonl --only-unseen --json").json();
    assert_eq!((&summary["added"], &summary["seen"]), (&2.into(), &1.into()));
    let summary = folder.done("index add seen in.jsonl --only-unseen --json").json();
    assert_eq!((&summary["unchanged"], &summary["seen"]), (&2.into(), &1.into()));

    let answer = folder.done("index query seen letter.txt --json").json();
    assert_eq!(answer["matches"][0]["id"], "a");
    assert!(answer["matches"][0]["expires"].as_u64().unwrap() > 1_700_000_000);
    assert_eq!(folder.done("index get seen c").json()["text"], other);

    folder.done("index renew seen c --forever");
    assert_eq!(folder.done("index get seen c").json()["expires"], Value::Null);
    folder.done("index backup seen copy");
    folder.done("index remove seen a");
    assert_eq!(folder.done("index query seen letter.txt --json").json()["matches"], Value::Array(vec![]));
    assert_eq!(folder.done("index stats seen --json").json()["documents"], 1);
    assert_eq!(folder.done("index expire seen --json").json()["removed"], 0);
    folder.done("index compact seen");
    assert_eq!(folder.done("index verify seen --json").json()["damaged"], 0);

    folder.done("index restore copy back");
    assert_eq!(folder.done("index query back letter.txt --json").json()["matches"][0]["id"], "a");
}

#[test]
fn fingerprints_are_imported() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::rows(&[("a", HARBOUR), ("b", "!")]));
    folder.write("letter.txt", HARBOUR);
    folder.done("index create seen --recipe simhash");
    for file in ["fingerprints.tsv", "fingerprints.jsonl", "fingerprints.tsv.gz", "fingerprints.jsonl.zst"] {
        folder.done(&format!("fingerprint in.jsonl --output {file}"));
        let summary = folder.done(&format!("index import seen {file} --json")).json();
        assert_eq!((&summary["imported"], &summary["without_words"]), (&1.into(), &1.into()));
    }
    let answer = folder.done("index query seen letter.txt --json").json();
    let found = &answer["matches"][0];
    assert_eq!((&found["id"], &found["verified"]), (&"a".into(), &false.into()));
    assert_eq!(answer["matches"].as_array().unwrap().len(), 1);
    folder.write("bad.tsv", "id\tfingerprint\nx\tnot hexadecimal\n");
    folder.fails("index import seen bad.tsv", 1, &["bad.tsv:2", "16 hexadecimal digits"]);

    // They expire as the index says, or as they say themselves.
    folder.done("index create brief --recipe simhash --ttl 1d");
    folder.write(
        "brief.tsv",
        "id\tfingerprint\texpires\nusual\t00000000000000ff\t\nown\tff00000000000000\t9999999999\n",
    );
    folder.done("index import brief brief.tsv");
    let expires = |id: &str| folder.done(&format!("index get brief {id}")).json()["expires"].as_u64();
    assert_eq!(expires("own"), Some(9_999_999_999));
    assert!(expires("usual").is_some_and(|time| time < 9_999_999_999));
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::rows(&[("a", HARBOUR)]));
    folder.fails("index stats nowhere", 1, &["nowhere", "no index", "twindex index create"]);
    folder.write("full/notes.txt", "mine");
    folder.fails("index create full", 1, &["full", "not empty"]);
    folder.fails("index create new --ttl soon", 2, &["soon", "7d"]);
    folder.done("index create seen");
    folder.fails("index remove seen x y", 1, &["not in the index: x, y"]);
    folder.fails("index renew seen x", 2, &["--ttl", "--forever"]);
    folder.fails("index get seen x", 1, &["no document x"]);
}
