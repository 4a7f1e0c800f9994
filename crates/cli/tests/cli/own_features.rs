//! Documents that bring their own features instead of a text.

use crate::folder::Folder;
use crate::table;

const ROWS: &str = r#"{"id":"a","features":[["https://a.example/",3],["tag:news",1],["Ada Lovelace",0.5]]}
{"id":"b","features":[["Ada Lovelace",0.5],["tag:news",1],["https://a.example/",3]]}
{"id":"c","features":[["https://b.example/",3],["tag:sport",1]]}
{"id":"d","text":"A document of words, as any other."}
{"id":"e","features":[["https://a.example/",3],["tag:news",1],["Ada Lovelace",0.5],["tag:old",0.1]]}
{"id":"f","features":[]}
"#;

#[test]
fn equal_sets_are_equal_and_similar_ones_similar() {
    for recipe in ["simhash", "default", "article"] {
        let folder = Folder::new();
        folder.write("docs.jsonl", ROWS);
        folder.done(&format!("pairs docs.jsonl --recipe {recipe} --output pairs.jsonl"));
        let pairs: Vec<(String, String)> = table::rows(&folder.text("pairs.jsonl"))
            .iter()
            .map(|pair| {
                (pair["left"].as_str().unwrap().to_owned(), pair["right"].as_str().unwrap().to_owned())
            })
            .collect();
        let expected = [("a", "b"), ("a", "e"), ("b", "e")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(pairs, expected, "{recipe}");
        folder.done(&format!("dedup docs.jsonl --recipe {recipe} --output kept.jsonl --report report.html"));
        let kept: Vec<String> = folder.text("kept.jsonl").lines().map(str::to_owned).collect();
        let lines: Vec<&str> = ROWS.lines().collect();
        // All features of the first two are in the fifth, and it has one more.
        assert_eq!(kept, [lines[2], lines[3], lines[4], lines[5]], "rows leave as they came");
    }
}

#[test]
fn a_simhash_is_made_of_them_and_none_of_none() {
    let folder = Folder::new();
    folder.write("docs.jsonl", ROWS);
    let printed = folder.done("fingerprint docs.jsonl --margins").stdout;
    let cells = |line: usize| printed.lines().nth(line).unwrap().split('\t').collect::<Vec<_>>();
    assert_eq!(cells(1)[1..], cells(2)[1..], "{printed}");
    assert_ne!(cells(1)[1], cells(3)[1]);
    assert_eq!(cells(6)[1], "", "without features there is no fingerprint");
}

#[test]
fn bad_features_are_named_by_file_and_line() {
    for (features, part) in [
        ("{}", "holds an object"),
        (r#"[["a",1],["b"]]"#, "features[1] has 1 elements"),
        (r#"[["a","1"]]"#, "the weight of features[0] is text"),
        (r#"[["a",-1]]"#, "\"a\" is -1"),
    ] {
        let folder = Folder::new();
        folder.write("docs.jsonl", format!("{{\"text\":\"fine\"}}\n{{\"features\":{features}}}\n"));
        let parts = ["docs.jsonl:2", part, "[[\"name\", weight], ...]"];
        folder.fails("pairs docs.jsonl --output pairs.tsv", 1, &parts);
        let ended = folder.done("fingerprint docs.jsonl --on-error skip");
        assert!(ended.stderr.contains("skipped: docs.jsonl:2"), "{}", ended.stderr);
    }
    let folder = Folder::new();
    folder.write("docs.jsonl", ROWS);
    folder.done("index create seen");
    let ended = folder.run("index add seen docs.jsonl");
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("features instead of a text"), "{}", ended.stderr);
}
