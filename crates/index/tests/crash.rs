//! A process is killed while it writes: what it acknowledged is there, what it removed is not.
//!
//! The test starts itself as another process (`the_writer_that_is_killed`), which says before and
//! after every change what it does. `TWINDEX_CRASH_ROUNDS=100 cargo test -p twindex-index --release
//! --test crash` makes as many rounds.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use twindex_core::Recipe;
use twindex_core::hash::mix;
use twindex_index::{AddOptions, Index, NewDocument, OpenOptions, Query, Settings, Timestamp};

const FOLDER: &str = "TWINDEX_CRASH_FOLDER";
const ROUNDS: &str = "TWINDEX_CRASH_ROUNDS";
const NOW: Timestamp = Timestamp(1_000);

/// A small buffer, so that sealing, merging and saving are interrupted, too.
fn open(folder: &Path) -> Index {
    Index::open(folder, OpenOptions { buffer: 16, ..OpenOptions::default() }).unwrap()
}

/// Every document has words of its own, so that a question finds it alone.
fn text(id: u64) -> String {
    (0..30).map(|place| format!("{:x}", mix(id * 1_000 + place))).collect::<Vec<_>>().join(" ")
}

/// One change, as it is printed: `+` or `-`, then ids.
fn parse(line: &str) -> (bool, Vec<u64>) {
    let ids = line[1..].split_whitespace().map(|id| id.parse().unwrap());
    (line.starts_with('+'), ids.collect())
}

#[test]
#[ignore = "started by the other test, and killed"]
fn the_writer_that_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let index = open(Path::new(&folder));
    let mut out = std::io::stdout().lock();
    let mut say = |line: &str| {
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    say("begin");
    let mut next =
        index.stats().unwrap().documents * 1_000_003 + u64::from(std::process::id()) * 1_000_000_007;
    let mut there: Vec<u64> = vec![];
    loop {
        next = mix(next);
        if next.is_multiple_of(4) && !there.is_empty() {
            let id = there.swap_remove((next >> 8) as usize % there.len());
            say(&format!("- {id}"));
            assert!(index.remove(&id.to_string()).unwrap());
        } else {
            let ids: Vec<u64> = (0..1 + next % 5).map(|place| mix(next + place) >> 16).collect();
            let printed: Vec<String> = ids.iter().map(u64::to_string).collect();
            say(&format!("+ {}", printed.join(" ")));
            let documents: Vec<NewDocument> =
                ids.iter().map(|&id| NewDocument::new(id.to_string(), text(id))).collect();
            index.add(&documents, AddOptions::default(), NOW).unwrap();
            there.extend(ids);
        }
        say("done");
    }
}

/// Runs the writer for a while; what it said.
fn killed_after(folder: &Path, delay: Duration) -> Vec<String> {
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_writer_that_is_killed", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let mut said = vec![];
    // The delay counts from the moment when it works.
    for line in lines.by_ref() {
        if line.unwrap().ends_with("begin") {
            break;
        }
    }
    std::thread::sleep(delay);
    writer.kill().unwrap();
    writer.wait().unwrap();
    for line in lines {
        said.push(line.unwrap());
    }
    said
}

#[test]
fn what_was_acknowledged_is_there_and_what_was_removed_is_not() {
    survives_kills(Recipe::preset("simhash").unwrap());
}

#[test]
fn the_same_by_keys() {
    survives_kills(Recipe::default());
}

fn survives_kills(recipe: Recipe) {
    let rounds: u64 = std::env::var(ROUNDS).map_or(10, |rounds| rounds.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    Index::create(folder.path(), &Settings::new(recipe)).unwrap();
    let (mut there, mut gone) = (BTreeMap::new(), BTreeSet::new());
    let mut changes = 0;
    for round in 0..rounds {
        let said = killed_after(folder.path(), Duration::from_micros(mix(round) % 400_000));
        let mut in_flight = None;
        for line in &said {
            match in_flight.take() {
                Some((added, ids)) if line == "done" => {
                    changes += 1;
                    for id in ids {
                        if added {
                            there.insert(id, text(id));
                        } else {
                            there.remove(&id);
                            gone.insert(id);
                        }
                    }
                }
                // A line that the kill cut short was never acknowledged: as if it had not been
                // said.
                _ if line.starts_with(['+', '-']) => in_flight = Some(parse(line)),
                _ => {}
            }
        }
        let index = open(folder.path());
        for (id, text) in &there {
            let is_in_flight = in_flight.as_ref().is_some_and(|(added, ids)| !added && ids.contains(id));
            let found = index.get(&id.to_string(), NOW).unwrap();
            assert!(
                is_in_flight || found.is_some_and(|it| it.text.as_ref() == Some(text)),
                "round {round}: {id}"
            );
        }
        // Asking about all of them every round would take minutes.
        for (id, text) in there.iter().filter(|(id, _)| (*id ^ round).is_multiple_of(16)) {
            let is_in_flight = in_flight.as_ref().is_some_and(|(added, ids)| !added && ids.contains(id));
            let answer = index.check(&Query::new(text), NOW).unwrap();
            assert!(
                is_in_flight || answer.matches.iter().any(|it| it.id == id.to_string()),
                "round {round}: {id}"
            );
        }
        for id in &gone {
            assert!(index.get(&id.to_string(), NOW).unwrap().is_none(), "round {round}: {id} was removed");
        }
        if let Some((added, ids)) = in_flight {
            let present = |id: &u64| index.get(&id.to_string(), NOW).unwrap().is_some();
            let count = ids.iter().filter(|id| present(id)).count();
            assert!(count == 0 || count == ids.len(), "round {round}: half of a batch");
            for id in ids {
                match (added, count > 0) {
                    (true, true) => drop(there.insert(id, text(id))),
                    (false, false) => {
                        there.remove(&id);
                        gone.insert(id);
                    }
                    _ => {}
                }
            }
        }
        let verified = index.verify().unwrap();
        assert!(verified.is_whole(), "round {round}: {:?}", verified.damage);
        assert_eq!(verified.documents, there.len() as u64, "round {round}");
    }
    assert!(
        changes > rounds,
        "the writers were killed before they wrote: {changes} changes in {rounds} rounds"
    );
}
