//! Only what has not been seen passes.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::folder::{Ended, Folder};

const FIRST: &str = r#"{"id":"a","text":"The council approved the new bridge over the river on Monday after a long debate."}"#;
const AGAIN: &str =
    r#"{"id":"b","text":"the council approved the new bridge over the river on monday after a long debate"}"#;
const OTHER: &str =
    r#"{"id":"c","text":"Bakers in the old town sell twice as much bread on days when it rains early."}"#;

#[test]
fn unseen_rows_leave_as_they_came_and_duplicates_name_their_witness() {
    let folder = Folder::new();
    let input = format!("{FIRST}\n{AGAIN}\n{OTHER}\n{FIRST}\n");
    let ended = folder.run_with("filter --removed removed.jsonl", &input);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout, format!("{FIRST}\n{OTHER}\n"));
    assert_eq!(["passed", "seen"].map(|label| ended.figure(label).unwrap().0), [2, 2], "{}", ended.stderr);
    assert!(ended.stderr.contains("until the input ends; --data DIR keeps it"), "{}", ended.stderr);
    let removed: Vec<serde_json::Value> =
        folder.text("removed.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let witnesses: Vec<_> = removed.iter().map(|row| (row["id"].as_str(), row["witness"].as_str())).collect();
    assert_eq!(witnesses, [(Some("b"), Some("a")), (Some("a"), Some("a"))]);
    assert_eq!(removed[0]["jaccard"], 1.0);
    assert_eq!(folder.temporary_names(), Vec::<String>::new());
}

/// Rows without words say nothing about each other.
#[test]
fn what_has_no_words_always_passes() {
    let folder = Folder::new();
    let input = format!("{{\"text\":\"\"}}\n{FIRST}\n{{\"text\":\"\"}}\n{{\"id\":\"a\",\"text\":\"...\"}}\n")
        + "{\"id\":\"e\",\"text\":\"🙂\"}\n{\"id\":\"e\",\"text\":\"🙂\"}\n";
    for already_seen in ["", FIRST] {
        let ended = folder.run_with("filter --data seen", &input);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let expected: String = input.split_inclusive('\n').filter(|row| row.trim() != already_seen).collect();
        assert_eq!(ended.stdout, expected);
    }
}

/// An id that comes again with another text does not make the first one forgotten.
#[test]
fn ids_may_come_again() {
    let folder = Folder::new();
    let row = |id: &str, like: &str| like.replacen(&like[7..8], id, 1);
    let [first, again, other, same] = [row("1", FIRST), row("1", AGAIN), row("1", OTHER), row("2", FIRST)];
    let run = |input: &str| {
        let ended = folder.run_with("filter --data seen --removed removed.jsonl --quiet", input);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stdout
    };
    // In one batch, and in one after the other.
    assert_eq!(run(&format!("{first}\n{again}\n{other}\n{same}\n")), format!("{first}\n{other}\n"));
    for seen in [&same, &again, &other] {
        assert_eq!(run(&format!("{seen}\n")), "");
    }
    let removed: serde_json::Value = serde_json::from_str(folder.text("removed.jsonl").trim()).unwrap();
    assert_eq!((&removed["id"], &removed["witness"]), (&"1".into(), &"1".into()));
}

#[test]
fn a_folder_remembers_across_runs_and_lines_have_no_ids() {
    let folder = Folder::new();
    let line = "The council approved the new bridge over the river on Monday\n";
    let run = |input: &str| folder.run_with("filter --format lines --data seen --quiet", input).stdout;
    assert_eq!(run(line), line);
    assert_eq!(run(line), "");
    assert_eq!(
        run("Something else entirely was said here today\n"),
        "Something else entirely was said here today\n"
    );
    assert_eq!(run(line), "");
}

#[test]
fn a_window_ends() {
    let folder = Folder::new();
    let row = format!("{FIRST}\n");
    let run = || folder.run_with("filter --data seen --window 1s --quiet", &row).stdout;
    assert_eq!(run(), row);
    // Until the clock has moved on; without an end to the window this would not end either.
    while run().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(1100));
    }
}

/// Story: a feed that never ends. A row must come out before the next goes in.
#[test]
fn rows_leave_as_soon_as_they_are_known_to_be_new() {
    let folder = Folder::new();
    let mut process = folder
        .command("filter")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    for row in [FIRST, OTHER] {
        writeln!(input, "{row}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), row);
    }
    drop(input);
    assert!(process.wait().unwrap().success());
}

/// The signal, unless whoever runs the tests has it ignored (`nohup`, a background job): then the
/// program ignores it, too.
fn not_ignored((name, number): (&'static str, u32)) -> Option<&'static str> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    let ignored = u64::from_str_radix(mask.trim(), 16).unwrap();
    (ignored >> (number - 1) & 1 == 0).then_some(name)
}

/// Story: a feed that never ends, and an operator who stops the program. What has come is finished
/// and nothing is left behind.
#[test]
fn a_signal_is_the_end_of_the_input() {
    for signal in [("-HUP", 1), ("-INT", 2), ("-TERM", 15)].into_iter().filter_map(not_ignored) {
        let folder = Folder::new();
        let mut command = folder.command("filter --removed removed.jsonl");
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut input = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        // The last row has only half arrived.
        write!(input, "{FIRST}\n{AGAIN}\n{OTHER}\n{{\"id\":\"d\",\"te").unwrap();
        // When the third row is out, the one before it is judged.
        for expected in [FIRST, OTHER] {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line.trim_end(), expected);
        }
        let sent =
            std::process::Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let ended = Ended::of(process);
        assert_eq!(ended.code, Some(0), "{signal}: {}", ended.stderr);
        let figures = ["passed", "seen"].map(|label| ended.figure(label).unwrap().0);
        assert_eq!(figures, [2, 1], "{signal}: {}", ended.stderr);
        assert_eq!(folder.text("removed.jsonl").lines().count(), 1, "{signal}");
        assert_eq!(folder.temporary_names(), Vec::<String>::new(), "{signal}");
        drop(input);
    }
}
