//! `--against INDEX` is `--against` the documents that are in it; `--remember INDEX` adds what was
//! kept, once.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::folder::Folder;
use crate::serving::Serving;
use crate::{packs, planted, table};

/// Removed documents and witnesses, or pairs, with their scores and without the places, which
/// differ: of a document of an index it is the index.
fn without_places(table: &str) -> Vec<Value> {
    let mut rows = table::rows(table);
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        row.retain(|column, _| !column.ends_with("place"));
    }
    rows
}

/// Compares the outputs of a job against a file with those of one against an index of it.
fn same_as_a_file(old: &str, new: &str, recipe: &str) -> usize {
    let folder = Folder::new();
    folder.write("old.jsonl", old);
    folder.write("new.jsonl", new);
    folder.done(&format!("index create seen --recipe {recipe}"));
    folder.done("index add seen old.jsonl");
    let outputs = |against: &str| {
        folder.done(&format!(
            "dedup new.jsonl --recipe {recipe} --against {against} --output kept.jsonl --removed removed.jsonl"
        ));
        folder.done(&format!("pairs new.jsonl --recipe {recipe} --against {against} --output pairs.jsonl"));
        let [removed, pairs] =
            ["removed.jsonl", "pairs.jsonl"].map(|name| without_places(&folder.text(name)));
        (folder.text("kept.jsonl"), removed, pairs)
    };
    let (of_file, of_index) = (outputs("old.jsonl"), outputs("seen"));
    for (what, left, right) in [("removed", &of_file.1, &of_index.1), ("pairs", &of_file.2, &of_index.2)] {
        let only = |these: &[Value], those: &[Value]| these.iter().find(|row| !those.contains(row)).cloned();
        let differing = [only(left, right), only(right, left)];
        assert_eq!(
            differing,
            [None, None],
            "{recipe}: {what}, only against the file, only against the index"
        );
        assert_eq!(left, right, "{recipe}: {what}");
    }
    assert_eq!(of_file.0, of_index.0, "{recipe}: kept");
    of_file.1.len()
}

#[test]
fn an_index_is_as_good_as_its_documents() {
    let documents = planted::collection(71, 200);
    let (old, new) = documents.split_at(documents.len() / 2);
    for recipe in ["default", "simhash"] {
        let removed = same_as_a_file(&planted::jsonl(old), &planted::jsonl(new), recipe);
        assert!(removed > 10, "{recipe}: {removed}");
    }
}

#[test]
fn of_labelled_packs_too() {
    packs::each(|name, texts| {
        // Families of thousands have hot keys, where the index counts the documents that it finds.
        const MOST: usize = 3_000;
        if texts.len() <= MOST {
            let texts: Vec<(&str, &str)> =
                texts.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
            let (old, new): (Vec<_>, Vec<_>) = texts.iter().enumerate().partition(|(at, _)| at % 2 == 0);
            let rows = |part: Vec<(usize, &(&str, &str))>| {
                planted::rows(&part.into_iter().map(|(_, row)| *row).collect::<Vec<_>>())
            };
            let removed = same_as_a_file(&rows(old), &rows(new), "default");
            eprintln!("{name}: {removed} removed");
        }
    });
}

/// Day by day, each against everything that was kept before: the same documents stay as in one run.
#[test]
fn an_index_remembers_from_day_to_day() {
    let documents = planted::collection(72, 200);
    let folder = Folder::new();
    folder.write("all.jsonl", planted::jsonl(&documents));
    folder.done("dedup all.jsonl --output whole.jsonl");
    let mut kept = String::new();
    for (number, day) in documents.chunks(documents.len().div_ceil(3)).enumerate() {
        folder.write("day.jsonl", planted::jsonl(day));
        let ended = folder
            .done(&format!("dedup day.jsonl --against seen --remember seen --output kept{number}.jsonl"));
        let rows = folder.text(&format!("kept{number}.jsonl"));
        assert_eq!(ended.figure("remembered").map(|figure| figure.0), Some(rows.lines().count() as u64));
        kept.push_str(&rows);
    }
    assert_eq!(kept, folder.text("whole.jsonl"));
    assert_eq!(remembered(&folder), kept.lines().count());
    // The same day again: everything is there already.
    let again = folder.done("dedup day.jsonl --against seen --remember seen --output again.jsonl");
    assert_eq!(folder.text("again.jsonl"), "", "{}", again.stderr);
}

fn remembered(folder: &Folder) -> usize {
    let stats: Value = serde_json::from_str(&folder.done("index stats seen --json").stdout).unwrap();
    stats["documents"].as_u64().unwrap() as usize
}

/// Story: the job is killed while it adds what it kept, and resumed. If it looked for witnesses
/// again it would find its own documents; if it added them under other names they would be there
/// twice. Resumed after its end it does neither.
#[test]
fn killed_and_resumed_each_document_is_there_once() {
    let documents = planted::collection(73, 1_500);
    let folder = Folder::new();
    folder.write("old.jsonl", planted::jsonl(&documents[..300]));
    // Ids come again with other texts.
    let rows: String = planted::jsonl(&documents[300..]).replace("\"id\":\"1", "\"id\":\"");
    folder.write("new.jsonl", rows);
    folder.done("index create expected");
    folder.done("index add expected old.jsonl");
    folder.done("dedup new.jsonl --against expected --remember expected --output whole.jsonl");
    let line = "dedup new.jsonl --against seen --remember seen --output kept.jsonl";
    let mut killed = 0;
    for delay in [0, 20, 60, 120, 200, 300, 450, 600] {
        let _ = std::fs::remove_dir_all(folder.path("seen"));
        folder.done("index create seen");
        folder.done("index add seen old.jsonl");
        let mut process = folder.command(line).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        process.kill().unwrap();
        let was_killed = !process.wait().unwrap().success();
        // Whatever its end, another run changes nothing, or goes on where it was killed.
        let resumed = folder.run(&format!("{line} --resume"));
        if resumed.code == Some(0) {
            killed += 1;
        } else {
            assert!(resumed.stderr.contains("the job may be finished"), "{}", resumed.stderr);
        }
        assert!(was_killed || resumed.code == Some(1), "a finished job ran again after {delay} ms");
        assert_eq!(folder.text("kept.jsonl"), folder.text("whole.jsonl"), "killed after {delay} ms");
        assert_eq!(names(&folder, "seen"), names(&folder, "expected"), "killed after {delay} ms");
        std::fs::remove_file(folder.path("kept.jsonl")).unwrap();
    }
    assert!(killed > 0, "never killed: the test shows nothing");
}

/// Every document of an index, by the pairs of a query that finds all of them.
fn names(folder: &Folder, index: &str) -> BTreeSet<String> {
    let all = folder.done(&format!("index query {index} new.jsonl --limit 100 --all --json")).stdout;
    let rows = table::rows(&all);
    let found = rows.iter().flat_map(|row| row["matches"].as_array().unwrap().iter());
    found.map(|found| found["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_does_not_fit_is_refused_with_a_hint() {
    let folder = Folder::new();
    folder.write("new.jsonl", planted::rows(&[("a", "one two three four")]));
    folder.done("index create other --recipe simhash");
    folder.done("index create sketches --evidence sketch");
    for (index, expected) in [
        ("--against other", ["was made with the recipe simhash", "--recipe simhash"]),
        ("--remember other", ["was made with the recipe simhash", "--recipe simhash"]),
        ("--against sketches", ["keeps no texts", "--evidence text"]),
    ] {
        let ended = folder.run(&format!("dedup new.jsonl {index}"));
        assert_eq!(ended.code, Some(1));
        for part in expected {
            assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
        }
    }
}

/// One process at a time has an index open; a job beside a service says what to do.
#[test]
fn beside_a_running_service_a_job_says_what_to_do() {
    let folder = Folder::new();
    folder.write("new.jsonl", planted::rows(&[("a", "one two three four")]));
    let service = Serving::start(&folder, "");
    service.wait_until_ready();
    let ended = folder.run("dedup new.jsonl --against index");
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("before it was started"), "{}", ended.stderr);
}
