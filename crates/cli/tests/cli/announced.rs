//! What a job says before it starts, and the figures that scripts read.

use crate::folder::Folder;
use crate::planted;

#[test]
fn a_dry_run_says_what_it_would_cost_and_writes_nothing() {
    let folder = Folder::new();
    let documents = planted::collection(91, 300);
    folder.write("in.jsonl", planted::jsonl(&documents));
    let line = "dedup in.jsonl --output kept.jsonl --removed removed.jsonl --report report.html --dry-run";
    let ended = folder.done(line);
    assert_eq!(ended.stdout, "");
    for part in
        [format!("{} documents in 1 file", documents.len()), " of memory, ".into(), " of disk\n".into()]
    {
        assert!(ended.stderr.contains(&part), "{part:?} in:\n{}", ended.stderr);
    }
    let (_, expected) = ended.stderr.split_once("expect ").unwrap();
    let time = expected.split(", ").next().unwrap();
    assert!(time.ends_with(" s") || time.ends_with(" ms"), "{time:?}");
    // What is over in a moment needs no forecast.
    assert!(!folder.done("dedup in.jsonl").stderr.contains("expect "));
    let plan = folder.done(&format!("{line} --json")).json();
    assert_eq!(plan["documents"], documents.len());
    assert_eq!(plan["exact"], true);
    for key in ["memory_bytes", "work_bytes", "row_bytes", "input_bytes"] {
        assert!(plan[key].as_u64().unwrap() > 0, "{key}: {plan}");
    }
    assert!(plan["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(folder.names(), ["in.jsonl"]);
    assert_eq!(folder.temporary_names(), [""; 0]);
}

/// More than the sample of two megabytes: then figures are estimates, and near the truth.
#[test]
fn a_large_collection_is_estimated_from_a_sample() {
    let folder = Folder::new();
    let documents = planted::collection(92, 12_000);
    let collection = planted::jsonl(&documents);
    assert!(collection.len() > 9 << 20, "{}", collection.len());
    folder.write("in.jsonl", collection);
    let plan = folder.done("dedup in.jsonl --dry-run --json").json();
    assert_eq!(plan["exact"], false);
    let estimate = plan["documents"].as_f64().unwrap() / documents.len() as f64;
    assert!((0.9..1.1).contains(&estimate), "{estimate}");
}

/// Real collections are sorted by source: the beginning says little about the rest.
#[test]
fn a_sorted_collection_is_sampled_all_over() {
    let folder = Folder::new();
    let row = |words: usize| format!("{{\"text\":\"{}\"}}\n", "word ".repeat(words));
    let (short, long) = (row(10).repeat(30_000), row(2_000).repeat(600));
    let documents = 30_600.0;
    for (name, collection) in
        [("short.jsonl", format!("{short}{long}")), ("long.jsonl", format!("{long}{short}"))]
    {
        folder.write(name, collection);
        let plan = folder.done(&format!("dedup {name} --dry-run --json")).json();
        let estimate = plan["documents"].as_f64().unwrap() / documents;
        assert!((0.8..1.25).contains(&estimate), "{name}: {estimate}");
    }
}

#[test]
fn summaries_are_json_and_agree_with_the_outputs() {
    let folder = Folder::new();
    let documents = planted::collection(93, 200);
    folder.write("in.jsonl", planted::jsonl(&documents));
    let ended = folder.done("dedup in.jsonl --output kept.jsonl --removed removed.jsonl --json --quiet");
    assert_eq!(ended.stderr, "", "quiet");
    let summary = ended.json();
    let lines = |name: &str| folder.text(name).lines().count();
    assert_eq!(summary["documents"], documents.len());
    assert_eq!(summary["kept"], lines("kept.jsonl"));
    assert_eq!(summary["removed"], lines("removed.jsonl"));
    let equal = documents.iter().enumerate();
    let equal = equal
        .filter(|(number, document)| documents[..*number].iter().any(|other| other.text == document.text));
    assert_eq!(summary["exact_duplicates"], equal.count());
    assert_eq!(summary["bytes"], folder.read("in.jsonl").len());
    assert_eq!(summary["resumed"], false);
    let stages: Vec<&str> =
        summary["stages"].as_array().unwrap().iter().filter_map(|stage| stage["name"].as_str()).collect();
    assert_eq!(stages, ["read", "exact", "candidates", "verify", "containers", "list", "write"]);

    let summary = folder.done("pairs in.jsonl --output pairs.tsv --json").json();
    assert_eq!(summary["pairs"], lines("pairs.tsv") - 1);
    assert_eq!(summary["pairs"], planted::pairs(&documents).len());
}

#[test]
fn version_and_help_go_to_standard_output() {
    let folder = Folder::new();
    assert!(folder.done("--version").stdout.starts_with("twindex "));
    for command in ["", "dedup", "pairs", "recipe"] {
        let help = folder.done(&format!("{command} --help"));
        assert!(help.stdout.contains("Examples:") && help.stderr.is_empty(), "{command}: {}", help.stdout);
    }
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(94, 20)));
    let escape = '\u{1b}';
    assert!(!folder.done("dedup in.jsonl").stderr.contains(escape));
    assert!(folder.done("dedup in.jsonl --color always").stderr.contains(escape));
    assert!(!folder.done("--color never dedup in.jsonl").stderr.contains(escape));
    assert!(folder.run("dedup missing.jsonl --color always").stderr.contains(escape));
}

#[test]
fn families_is_still_understood() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(95, 20)));
    folder.done("dedup in.jsonl --families old.jsonl");
    folder.done("dedup in.jsonl --clusters new.jsonl");
    assert_eq!(folder.text("old.jsonl"), folder.text("new.jsonl"));
    assert!(!folder.done("dedup --help").stdout.contains("families"));
}
