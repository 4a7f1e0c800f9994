//! What is no regular file (a named pipe, the shell's `<(command)`) is read once, like standard
//! input.

use std::process::{Child, Command, Stdio};

use crate::bad_input::gzip;
use crate::folder::{Ended, Folder};
use crate::planted;

/// Writes files into named pipes, one after another.
struct Feeding(Child);

impl Feeding {
    /// Makes the pipes, each with the file that goes into it.
    fn new(folder: &Folder, pipes: &[(&str, &str)]) -> Feeding {
        let mut script = String::new();
        for (pipe, file) in pipes {
            let path = folder.path(pipe);
            let _ = std::fs::remove_file(&path);
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            script += &format!("cat '{}' > '{}'; ", folder.path(file).display(), path.display());
        }
        Feeding(Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Feeding {
    fn drop(&mut self) {
        // It waits for ever where the program did not open a pipe.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// More than the sample of the forecast and the buffer of a pipe.
fn folder() -> Folder {
    let folder = Folder::new();
    let rows = planted::jsonl(&planted::collection(131, 3_000));
    assert!(rows.len() > 2 << 20);
    folder.write("in.jsonl", &rows);
    folder.write("in.gz", gzip(rows.as_bytes()));
    folder.write("more.jsonl", planted::jsonl(&planted::collection(132, 200)).replace("\"d", "\"m"));
    folder
}

/// The ids, without where a row stands: the name of a pipe differs from that of a file.
fn ids(table: &str) -> Vec<String> {
    table.lines().map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_pipe_is_an_input() {
    let folder = folder();
    folder.done("dedup in.jsonl more.jsonl --output kept.jsonl --removed removed.tsv");
    let expected = (folder.text("kept.jsonl"), ids(&folder.text("removed.tsv")));
    assert!(expected.1.len() > 100);
    for (first, extra) in [("in.jsonl", ""), ("in.gz", "--memory 300M --checkpoint 1M")] {
        let _feeding = Feeding::new(&folder, &[("one", first), ("two.jsonl", "more.jsonl")]);
        folder.done(&format!("dedup one two.jsonl --output kept.jsonl --removed removed.tsv {extra}"));
        assert_eq!((folder.text("kept.jsonl"), ids(&folder.text("removed.tsv"))), expected, "{first}");
    }
    // A file between two pipes stays there.
    folder.done("fingerprint more.jsonl in.jsonl --output expected.tsv");
    folder.write("nothing", "");
    let _feeding = Feeding::new(&folder, &[("one", "more.jsonl"), ("two", "nothing")]);
    folder.done("fingerprint one in.jsonl two --output found.tsv");
    assert_eq!(folder.text("found.tsv"), folder.text("expected.tsv"));
}

#[test]
fn a_pipe_holds_witnesses() {
    let folder = folder();
    folder.done("dedup more.jsonl --against in.jsonl --output kept.jsonl --removed removed.tsv");
    let expected = (folder.text("kept.jsonl"), ids(&folder.text("removed.tsv")));
    let _feeding = Feeding::new(&folder, &[("witnesses", "in.gz"), ("documents", "more.jsonl")]);
    folder.done("dedup documents --against witnesses --output kept.jsonl --removed removed.tsv");
    assert_eq!((folder.text("kept.jsonl"), ids(&folder.text("removed.tsv"))), expected);
}

/// What a shell gives for `<(command)` and for `/dev/stdin`: a name that cannot be opened twice.
#[test]
fn a_descriptor_is_an_input() {
    let folder = folder();
    let rows = folder.text("in.jsonl");
    folder.done("dedup in.jsonl --output expected.jsonl");
    let ended = run_with(&folder, "dedup /dev/stdin --format jsonl --output kept.jsonl", &rows);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(folder.text("kept.jsonl"), folder.text("expected.jsonl"));
}

fn run_with(folder: &Folder, line: &str, rows: &str) -> Ended {
    use std::io::Write;
    let mut process = folder.command(line).stdin(Stdio::piped()).spawn().unwrap();
    // A program that does not read all of it fails the test by its output.
    let _ = process.stdin.take().unwrap().write_all(rows.as_bytes());
    Ended::of(process)
}

#[test]
fn every_command_reads_a_pipe() {
    let folder = folder();
    for (command, name) in [("fingerprint", "a"), ("pairs", "b")] {
        folder.done(&format!("{command} more.jsonl --output expected.tsv"));
        let _feeding = Feeding::new(&folder, &[(name, "more.jsonl")]);
        folder.done(&format!("{command} {name} --output found.tsv"));
        let cut = |table: &str| if command == "pairs" { ids(table).join("\n") } else { table.to_owned() };
        assert_eq!(cut(&folder.text("found.tsv")), cut(&folder.text("expected.tsv")), "{command}");
    }
    let expected = folder.done("compare more.jsonl more.jsonl").stdout;
    let _feeding = Feeding::new(&folder, &[("left", "more.jsonl"), ("right", "more.jsonl")]);
    let found = folder.done("compare left right").stdout;
    let same = |text: &str| text.replace("more.jsonl", "").replace("left", "").replace("right", "");
    assert_eq!(same(&found), same(&expected));
}

#[test]
fn a_pipe_cannot_be_read_twice() {
    let folder = folder();
    let _feeding = Feeding::new(&folder, &[("pipe", "more.jsonl")]);
    folder.fails("fingerprint pipe --recipe web", 2, &["pipe cannot be read twice", "--idf"]);
    folder.fails("fingerprint pipe pipe", 2, &["pipe is named twice"]);
    folder.fails("dedup pipe --against pipe", 1, &["pipe is named twice"]);
}

/// Its bytes would be gone for the job.
#[test]
fn a_forecast_says_that_it_left_a_pipe_out() {
    let folder = folder();
    let note = "note: standard input and pipes can be read only once, so the forecast leaves them out";
    let line = "dedup - --format jsonl --dry-run";
    assert!(folder.done(line).stderr.contains(note));
    assert!(!folder.done("dedup more.jsonl --dry-run").stderr.contains("note: standard input"));
}
