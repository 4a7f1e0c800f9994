//! Command lines that make no sense, recipes that are none, and outputs that do not fit.

use crate::folder::Folder;
use crate::planted;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::rows(&[("a", "one two three"), ("b", "one two three")]));
    folder
}

#[test]
fn options_that_make_no_sense() {
    let folder = folder();
    for (options, parts) in [
        ("--threshold 1.5", &["1.5", "--threshold", "between 0 and 1"][..]),
        ("--threshold NaN", &["--threshold", "between 0 and 1"]),
        ("--threshold much", &["--threshold"]),
        ("--keep oldest", &["oldest", "newest:FIELD"]),
        ("--keep newest:", &["newest:", "newest:FIELD"]),
        ("--method magic", &["magic", "minhash-lsh", "bottom-k", "simhash"]),
        ("--recipe nonsense", &["nonsense", "default", "recipe list"]),
        ("--kernel abacus", &["abacus", "scalar"]),
        ("--memory lots", &["lots", "512M"]),
        ("--threads 0", &["--threads"]),
        ("--format docx", &["docx", "jsonl"]),
        ("--resume --fresh", &["--resume", "--fresh"]),
        ("--removed-rows", &["--removed"]),
        ("--on-error ignore", &["ignore", "skip"]),
        ("--no-such-option", &["--no-such-option"]),
    ] {
        folder.fails(&format!("dedup in.jsonl --output kept.jsonl {options}"), 2, parts);
    }
    folder.fails("dedup", 2, &["INPUT"]);
    folder.fails("dedup in.jsonl --against - --output kept.jsonl", 2, &["--against", "standard input"]);
    folder.fails("dedup - in.jsonl - --output kept.jsonl", 2, &["standard input", "twice"]);
    folder.fails("pairs in.jsonl --json", 2, &["--json", "--output"]);
    folder.fails("recipe show nonsense", 2, &["nonsense", "default"]);
}

#[test]
fn an_unknown_recipe_key_is_named_with_its_line() {
    let folder = folder();
    folder.write("mine.toml", "name = \"mine\"\n\n[rule]\nthresold = 0.5\n");
    folder.fails(
        "dedup in.jsonl --recipe mine.toml --output kept.jsonl",
        1,
        &["mine.toml", "thresold", "line 4"],
    );
    folder.write("mine.toml", "[rule]\nthreshold = 7\n");
    folder.fails(
        "dedup in.jsonl --recipe mine.toml --output kept.jsonl",
        1,
        &["mine.toml", "rule.threshold = 7"],
    );
    folder.fails(
        "dedup in.jsonl --recipe missing.toml --output kept.jsonl",
        1,
        &["missing.toml", "No such file"],
    );
}

#[test]
fn a_recipe_file_is_what_show_prints() {
    let folder = folder();
    let shown = folder.done("recipe show default").stdout;
    folder.write("mine.toml", &shown);
    folder.done("dedup in.jsonl --recipe mine.toml --removed mine.jsonl");
    folder.done("dedup in.jsonl --removed default.jsonl");
    assert_eq!(folder.text("mine.jsonl"), folder.text("default.jsonl"));
    let listed = folder.done("recipe list").stdout;
    for preset in ["default", "simhash", "article", "strict"] {
        assert!(listed.lines().any(|line| line.starts_with(preset)), "{listed}");
        folder.done(&format!("recipe show {preset}"));
    }
}

/// Noticed before the work, not after it.
#[test]
fn outputs_that_do_not_fit() {
    let folder = folder();
    std::fs::create_dir(folder.path("folder.jsonl")).unwrap();
    for (outputs, parts) in [
        ("--output kept.csv", &["kept.csv", "jsonl inputs", ".jsonl"][..]),
        ("--output kept.parquet", &["kept.parquet", "jsonl inputs", ".jsonl"]),
        ("--removed removed.docx", &["removed.docx", ".jsonl", ".tsv", ".parquet"]),
        ("--output kept.jsonl --pairs pairs.txt", &["pairs.txt", ".tsv"]),
        ("--output kept.jsonl --clusters clusters.parquet.gz", &["clusters.parquet.gz", ".parquet"]),
        ("--output in.jsonl/kept.jsonl", &["in.jsonl/kept.jsonl", "ot a directory"]),
        (
            "--output kept.jsonl --removed in.jsonl/removed.jsonl",
            &["in.jsonl/removed.jsonl", "ot a directory"],
        ),
        ("--output folder.jsonl", &["folder.jsonl", "directory"]),
    ] {
        folder.fails(&format!("dedup in.jsonl {outputs}"), 1, parts);
    }
    // A folder that is not there is made.
    folder.done("dedup in.jsonl --output new/kept.jsonl --report newer/report.html");
    assert!(folder.path("new/kept.jsonl").exists() && folder.path("newer/report.html").exists());
    folder.fails("pairs in.jsonl --output pairs.xml", 1, &["pairs.xml", ".tsv"]);
}

/// Inputs are never modified, and no output overwrites another.
#[test]
fn outputs_that_would_destroy_something() {
    let folder = folder();
    let before = folder.text("in.jsonl");
    let parts = ["in.jsonl", "input"];
    folder.fails("dedup in.jsonl --output in.jsonl", 2, &parts);
    folder.fails("dedup in.jsonl --removed ./in.jsonl", 2, &parts);
    folder.fails("pairs in.jsonl --clusters in.jsonl", 2, &parts);
    folder.write("old.jsonl", planted::rows(&[("c", "one two three")]));
    folder.fails("dedup in.jsonl --against old.jsonl --output old.jsonl", 2, &["old.jsonl", "input"]);
    folder.fails("dedup in.jsonl --output same.jsonl --removed same.jsonl", 2, &["same.jsonl"]);
    assert_eq!(folder.text("in.jsonl"), before);
}

#[test]
fn a_work_folder_with_other_things_in_it_is_left_alone() {
    let folder = folder();
    folder.write("precious/thesis.txt", "years of work");
    for option in ["", "--fresh", "--resume"] {
        let line = format!("dedup in.jsonl --work precious --output kept.jsonl {option}");
        folder.fails(&line, 1, &["precious", "no work folder", "--work"]);
    }
    assert_eq!(folder.text("precious/thesis.txt"), "years of work");
}

/// What lies in the work folder goes with it.
#[test]
fn nothing_may_lie_in_the_work_folder() {
    let folder = folder();
    let parts = ["kept.jsonl", "work folder", "--work"];
    folder.fails("dedup in.jsonl --work out --output out/kept.jsonl", 1, &parts);
    folder.write("mine/notes.txt", "not to be lost");
    folder.write("mine/twindex.lock", "of another program");
    folder.fails("dedup in.jsonl --work mine --fresh --output kept.jsonl", 1, &["mine", "no work folder"]);
}
