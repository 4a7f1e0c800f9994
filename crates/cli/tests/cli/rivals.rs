//! Two runs with one output: each output is the whole result of one run, and the other run says
//! that it lost.

use std::io::Write;
use std::process::{Child, Stdio};

use crate::folder::{Ended, Folder};
use crate::planted;

const OUTPUT: &str = "fingerprints.tsv";

/// A run that has begun its output and waits for standard input.
fn waiting(folder: &Folder) -> Child {
    let line = format!("fingerprint - --output {OUTPUT}");
    let mut process = folder.command(&line).stdin(Stdio::piped()).spawn().unwrap();
    // Until it is locked, its name has a "new-".
    let is_begun = |name: &String| name.ends_with(".twindex-partial") && !name.contains(".new-");
    while !folder.names().iter().any(is_begun) {
        assert!(process.try_wait().unwrap().is_none(), "it ended before it was given anything");
        std::thread::yield_now();
    }
    process
}

fn go_on(mut process: Child, rows: &str) -> Ended {
    process.stdin.take().unwrap().write_all(rows.as_bytes()).unwrap();
    Ended::of(process)
}

fn collection(seed: u64) -> String {
    planted::jsonl(&planted::collection(seed, 300))
}

/// What a run alone writes.
fn alone(rows: &str) -> String {
    let folder = Folder::new();
    assert_eq!(folder.run_with(&format!("fingerprint - --output {OUTPUT}"), rows).code, Some(0));
    folder.text(OUTPUT)
}

#[test]
fn the_second_one_fails_and_the_first_one_is_whole() {
    let folder = Folder::new();
    let rows = collection(121);
    folder.write("other.jsonl", collection(122));
    let first = waiting(&folder);
    folder.fails(
        &format!("fingerprint other.jsonl --output {OUTPUT}"),
        1,
        &["another run is writing", OUTPUT, "hint: wait for it, or name another output"],
    );
    let ended = go_on(first, &rows);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(folder.text(OUTPUT), alone(&rows));
    assert_eq!(folder.names(), [OUTPUT, "other.jsonl"]);
    // A killed one leaves its file behind, and the next run removes it.
    let mut killed = waiting(&folder);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(folder.names().len(), 3, "{:?}", folder.names());
    folder.done(&format!("fingerprint other.jsonl --output {OUTPUT}"));
    assert_eq!(folder.names(), [OUTPUT, "other.jsonl"]);
}

#[test]
fn a_file_that_came_meanwhile_is_not_replaced() {
    for before in [None, Some("of yesterday")] {
        let folder = Folder::new();
        if let Some(before) = before {
            folder.write(OUTPUT, before);
        }
        let first = waiting(&folder);
        folder.write("by-hand", "by hand");
        std::fs::rename(folder.path("by-hand"), folder.path(OUTPUT)).unwrap();
        let ended = go_on(first, &collection(123));
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        for part in [OUTPUT, "was written by another program", "hint: run again"] {
            assert!(ended.stderr.contains(part), "{part:?} in:\n{}", ended.stderr);
        }
        assert!(!ended.stderr.contains("wrote"), "{}", ended.stderr);
        assert_eq!(folder.text(OUTPUT), "by hand");
        assert_eq!(folder.names(), [OUTPUT]);
    }
}

#[test]
fn of_two_that_start_together_one_has_its_result() {
    let folder = Folder::new();
    let rows = [collection(124), collection(125)];
    let expected = rows.each_ref().map(|rows| alone(rows));
    for round in 0..20 {
        let output = format!("{round}.tsv");
        let line = format!("fingerprint - --output {output} --threads 1");
        let runs = rows.each_ref().map(|rows| {
            let mut process = folder.command(&line).stdin(Stdio::piped()).spawn().unwrap();
            // A run that has lost does not read.
            let _ = process.stdin.take().unwrap().write_all(rows.as_bytes());
            process
        });
        let ended = runs.map(Ended::of);
        let whole: Vec<&String> = ended
            .iter()
            .zip(&expected)
            .filter(|(ended, _)| ended.code == Some(0))
            .map(|(_, text)| text)
            .collect();
        assert!(whole.contains(&&folder.text(&output)), "round {round}: {ended:?}");
        for lost in ended.iter().filter(|ended| ended.code != Some(0)) {
            assert_eq!(lost.code, Some(1), "{}", lost.stderr);
            let is_said = ["another run is writing", "was written by another program"];
            assert!(is_said.iter().any(|part| lost.stderr.contains(part)), "{}", lost.stderr);
        }
    }
    assert!(folder.names().iter().all(|name| !name.contains("partial")), "{:?}", folder.names());
}
