//! A job that is killed goes on where it stopped, and ends as if nothing had happened.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::folder::{Ended, Folder};
use crate::planted;
use crate::random::Random;
use crate::same_bytes::{ALL_OUTPUTS, Results};

const WORK: &str = "kept.jsonl.twindex-work";

/// Large enough that a kill finds every stage at work.
const ORIGINALS: usize = 6_000;

fn job(options: &str) -> String {
    format!("dedup in.jsonl {ALL_OUTPUTS} --threads 2 --checkpoint 1 {options}")
}

/// The input, and what an undisturbed run makes of it in how much time; made once for all tests.
fn undisturbed() -> &'static (String, Results, Duration) {
    static UNDISTURBED: OnceLock<(String, Results, Duration)> = OnceLock::new();
    UNDISTURBED.get_or_init(|| {
        let collection = planted::jsonl(&planted::collection(21, ORIGINALS));
        let folder = Folder::new();
        folder.write("in.jsonl", &collection);
        let started = Instant::now();
        folder.done(&job(""));
        (collection, Results::of(&folder), started.elapsed())
    })
}

fn start(folder: &Folder, options: &str) -> Child {
    folder.command(&job(options)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// `kill -9`.
fn kill(mut process: Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}

/// Kills a job right after one of its stages; whether it was not faster.
fn kill_after(stage: &str, work: &Path, mut process: Child) -> bool {
    while !is_finished(stage, work) && process.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    kill(process);
    work.join("checkpoint").exists()
}

/// Whether the checkpoint of a job says that a stage is finished.
fn is_finished(stage: &str, work: &Path) -> bool {
    let checkpoint = std::fs::read_to_string(work.join("checkpoint")).unwrap_or_default();
    let finished = checkpoint.split(']').next().unwrap_or_default();
    finished.contains(&format!("\"{stage}\""))
}

/// Kills a job after its first stages: again, should the machine have been too busy to do it in
/// time.
fn interrupt(folder: &Folder, work: &str, mut command: impl FnMut() -> Command) {
    let before = folder.names();
    for _ in 0..10 {
        let process = command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if kill_after("exact", &folder.path(work), process) {
            return;
        }
        for name in folder.names().iter().filter(|name| !before.contains(name)) {
            std::fs::remove_file(folder.path(name)).unwrap();
        }
    }
    panic!("ten jobs ended before they could be killed");
}

fn resume_and_compare(folder: &Folder, expected: &Results, what: &str) {
    folder.done(&job("--resume"));
    Results::of(folder).must_equal(expected, what);
    let all = ["clusters.jsonl", "in.jsonl", "kept.jsonl", "pairs.tsv", "removed.jsonl", "report.html"];
    assert_eq!(folder.names(), all, "{what}: leftovers");
}

#[test]
fn at_ten_moments() {
    let (collection, expected, duration) = undisturbed();
    let mut random = Random::new(22);
    let mut interrupted = 0;
    for moment in 0..10 {
        let folder = Folder::new();
        folder.write("in.jsonl", collection);
        let delay = duration.mul_f64((moment as f64 + random.below(1_000) as f64 / 1_000.0) / 10.0);
        let process = start(&folder, "");
        std::thread::sleep(delay);
        kill(process);
        interrupted += usize::from(folder.path(WORK).exists());
        resume_and_compare(&folder, expected, &format!("killed after {delay:?}"));
    }
    // On a busy machine the runs may take less time than the one that was measured.
    assert!(interrupted >= 3, "only {interrupted} of ten kills found the job at work");
}

/// The same, right after each stage: the delays above may miss a short one.
#[test]
fn after_every_stage() {
    let (collection, expected, _) = undisturbed();
    let mut interrupted = vec![];
    for stage in ["read", "exact", "candidates", "verify", "list"] {
        let folder = Folder::new();
        folder.write("in.jsonl", collection);
        if kill_after(stage, &folder.path(WORK), start(&folder, "")) {
            interrupted.push(stage);
        }
        resume_and_compare(&folder, expected, &format!("killed after the stage {stage}"));
    }
    assert!(interrupted.len() >= 2, "only {interrupted:?}");
}

/// Killed again and again, each time a little later: what one run has done must serve the next.
#[test]
fn again_and_again() {
    let (collection, expected, duration) = undisturbed();
    let folder = Folder::new();
    folder.write("in.jsonl", collection);
    for tenth in [2, 4, 6, 7] {
        let process = start(&folder, "--resume");
        std::thread::sleep(*duration * tenth / 10);
        kill(process);
    }
    resume_and_compare(&folder, expected, "killed four times");
}

#[test]
fn before_anything_was_written() {
    let collection = planted::jsonl(&planted::collection(23, 100));
    for lock in [false, true] {
        let folder = Folder::new();
        folder.write("in.jsonl", &collection);
        folder.done(&job(""));
        let expected = Results::of(&folder);
        std::fs::create_dir(folder.path(WORK)).unwrap();
        if lock {
            folder.write(&format!("{WORK}/twindex.lock"), "");
            folder.write(&format!("{WORK}/job.partial"), "form");
        }
        resume_and_compare(&folder, &expected, "killed at once");
    }
}

/// A copy of standard input whose job never began must not be taken for the input of the next one.
#[test]
fn before_the_job_was_written_down() {
    let folder = Folder::new();
    folder.write(&format!("{WORK}/twindex.lock"), "");
    folder.write(&format!("{WORK}/stdin"), planted::rows(&[("old", "from another day")]));
    let rows = planted::rows(&[("new", "from today")]);
    folder.write("elsewhere/in.jsonl", &rows);
    let input = std::fs::File::open(folder.path("elsewhere/in.jsonl")).unwrap();
    let ended = Ended::of(folder.command("dedup - --output kept.jsonl").stdin(input).spawn().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(folder.text("kept.jsonl"), rows);
}

/// A folder with an unfinished job in it, and what the finished one gives.
fn unfinished() -> (Folder, String) {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(24, 1_000)));
    interrupt(&folder, WORK, || folder.command(&job("")));
    let whole = Folder::new();
    whole.write("in.jsonl", folder.read("in.jsonl"));
    whole.done(&job(""));
    (folder, whole.text("removed.jsonl"))
}

#[test]
fn without_resume_an_unfinished_job_is_left_alone() {
    let (folder, removed) = unfinished();
    folder.fails(&job(""), 1, &[WORK, "unfinished job", "--resume", "--fresh"]);
    folder.done(&job("--fresh"));
    assert_eq!(folder.text("removed.jsonl"), removed);
    assert!(!folder.path(WORK).exists());
}

#[test]
fn another_job_does_not_resume() {
    let (folder, removed) = unfinished();
    folder.write("elsewhere/old.jsonl", planted::rows(&[("old", "text")]));
    for (option, before, now) in [
        ("--threshold 0.7", "`threshold = 0.5`", "`threshold = 0.7`"),
        ("--method bottom-k", "`method = \"minhash-lsh\"`", "`method = \"bottom-k\"`"),
        ("--keep longest", "`dedup, keep first`", "`dedup, keep longest`"),
        ("--text-field id", "text field text", "text field id"),
        ("--on-error skip", "bad rows: fail", "bad rows: skip"),
        ("--unique-ids", "repeated ids: counted", "repeated ids: refused"),
        ("--dedup-wordless", "documents without words: kept", "documents without words: by equality"),
        ("--against elsewhere/old.jsonl", "`input in.jsonl", "`against elsewhere/old.jsonl"),
    ] {
        let line = job(&format!("--resume {option}"));
        folder.fails(&line, 1, &["different job", before, now, "--fresh"]);
    }
    // Threads, memory and kernel do not change the result, so they may change.
    folder.done(&job("--resume --memory 1G --kernel scalar").replace("--threads 2", "--threads 1"));
    assert_eq!(folder.text("removed.jsonl"), removed);
}

/// The format decides how rows are cut. Naming the one that the extension says changes nothing.
#[test]
fn another_format_does_not_resume() {
    let folder = Folder::new();
    let work = "removed.tsv.twindex-work";
    folder.write("in.jsonl", planted::jsonl(&planted::collection(27, 1_000)));
    let line = "dedup in.jsonl --removed removed.tsv --checkpoint 1";
    interrupt(&folder, work, || folder.command(line));
    folder.fails(
        &format!("{line} --resume --format lines"),
        1,
        &["different job", "jsonl`", "lines`", "--fresh"],
    );
    folder.done(&format!("{line} --resume --format jsonl"));
}

#[test]
fn a_changed_input_does_not_resume() {
    let (folder, _) = unfinished();
    let mut changed = folder.text("in.jsonl");
    changed.push_str(&planted::rows(&[("new", "one more row")]));
    folder.write("in.jsonl", changed);
    folder.fails(&job("--resume"), 1, &["different job", "in.jsonl", "bytes, written at", "--fresh"]);
    folder.done(&job("--fresh"));
}

/// Not even while its outputs are half written: the others are refused before they touch anything.
#[test]
fn a_running_job_is_not_disturbed() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(25, 2_000)));
    let is_half_written = || {
        let names = folder.names();
        names.iter().any(|name| name.starts_with(".kept.jsonl.") && name.ends_with(".twindex-partial"))
    };
    let process = (0..10).find_map(|_| {
        let mut process = start(&folder, "--fresh");
        while !(is_finished("list", &folder.path(WORK)) && is_half_written())
            && process.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        signal(&process, "STOP");
        if process.try_wait().unwrap().is_none() && is_half_written() {
            return Some(process);
        }
        kill(process); // too late: another try
        None
    });
    let process = process.expect("ten jobs ended before they could be stopped");
    let others = ["", "--resume", "--fresh"].map(|option| folder.run(&job(option)));
    let other_work = folder.run(&job("--work other-work"));
    let is_whole = is_half_written();
    signal(&process, "CONT");
    assert_eq!(Ended::of(process).code, Some(0));
    assert!(is_whole, "an output of the running job was thrown away");
    for other in others {
        assert_eq!(other.code, Some(1), "{}", other.stderr);
        assert!(other.stderr.contains("in use by another run"), "{}", other.stderr);
    }
    // With a work folder of its own it is the output that is taken.
    assert_eq!(other_work.code, Some(1), "{}", other_work.stderr);
    assert!(other_work.stderr.contains("another run is writing"), "{}", other_work.stderr);
    assert!(!folder.path("other-work").exists());
}

fn signal(process: &Child, name: &str) {
    // A process that has ended cannot be signalled, and need not be.
    let _ = Command::new("kill").args([&format!("-{name}"), &process.id().to_string()]).output();
}

/// Standard input cannot be read again: a resumed job has its own copy.
#[test]
fn standard_input_survives() {
    let collection = planted::jsonl(&planted::collection(26, 1_000));
    let folder = Folder::new();
    folder.write("elsewhere/in.jsonl", &collection);
    let line = "dedup - --output kept.jsonl";
    let input = || std::fs::File::open(folder.path("elsewhere/in.jsonl")).unwrap();
    assert_eq!(Ended::of(folder.command(line).stdin(input()).spawn().unwrap()).code, Some(0));
    let expected = folder.text("kept.jsonl");
    std::fs::remove_file(folder.path("kept.jsonl")).unwrap();

    interrupt(&folder, WORK, || {
        let mut command = folder.command(line);
        command.stdin(input());
        command
    });
    folder.done(&format!("{line} --resume"));
    assert_eq!(folder.text("kept.jsonl"), expected);
}
