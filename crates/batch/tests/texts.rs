//! The results are the same whether a job reads texts again in plain inputs, in unpacked copies or
//! in its own copies.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use twindex_batch::{BatchError, Existing, Job, Mode, Outputs, Progress, Silent, Unit, run};
use twindex_core::group::KeepPolicy;
use twindex_core::hash::mix;
use twindex_corpus::create_compressed;

mod dying;
use dying::Dies;

/// Rows of sixty words, every third an edited copy of the one before; escapes, rows without an id,
/// a byte order mark. Long enough for several batches, and most of it is packed to nothing.
fn rows(count: u64) -> String {
    let text = |seed: u64, edits: u64| {
        let word = |place: u64| mix(seed * 100 + place + if place < edits { 7_000_000 } else { 0 }) % 100_000;
        (0..60).map(|place| format!("w{} ", word(place))).collect::<String>()
    };
    let blank = " ".repeat(6_000);
    let row = |number: u64| {
        let original = number - u64::from(number % 3 == 2);
        let text = text(original, if original == number { 0 } else { 2 });
        match number % 4 {
            0 => format!("{{\"text\": \"{text}\\n\\\"é\\\"\", \"blank\": \"{blank}\"}}\n\n"),
            _ => format!("{{\"id\": \"d{number}\", \"blank\": \"{blank}\", \"text\": \"{text}\"}}\n"),
        }
    };
    let rows: String = (0..count).map(row).collect();
    format!("\u{feff}{rows}")
}

/// A job whose inputs are these files.
fn job(folder: &Path, inputs: &[&str], checkpoint_bytes: u64) -> Job {
    let path = |name: &str| Some(folder.join(name));
    let outputs = Outputs { kept: path("kept.jsonl"), pairs: path("pairs.tsv"), ..Outputs::default() };
    let inputs = inputs.iter().map(|name| folder.join(name).display().to_string()).collect();
    let mut job = Job::new(inputs, Mode::Dedup(KeepPolicy::First), outputs).unwrap();
    job.work = folder.join("work");
    job.memory = 256 << 20;
    job.threads = 2;
    job.pace.checkpoint_bytes = checkpoint_bytes;
    job
}

fn compress(path: &Path, content: &str) {
    let mut file = create_compressed(path).unwrap();
    file.put(content.as_bytes()).unwrap();
    file.finish().unwrap().commit().unwrap();
}

/// The kept rows, and how many pairs there are. (Ids of rows without one differ by the name of
/// their file.)
fn results(folder: &Path) -> (Vec<u8>, usize) {
    let pairs = fs::read_to_string(folder.join("pairs.tsv")).unwrap();
    (fs::read(folder.join("kept.jsonl")).unwrap(), pairs.lines().count())
}

#[test]
fn packed_or_plain_small_or_not_the_results_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let content = rows(600);
    fs::write(folder.join("docs.jsonl"), &content).unwrap();
    compress(&folder.join("docs.jsonl.gz"), &content);
    compress(&folder.join("docs.jsonl.zst"), &content);
    let mut expected = None;
    for name in ["docs.jsonl", "docs.jsonl.gz", "docs.jsonl.zst"] {
        // Too large for copies from the start; too large in the middle, because the file
        // compresses well; and small.
        for checkpoint_bytes in [1, content.len() as u64 / 2, 256 << 20] {
            run(&job(folder, &[name], checkpoint_bytes), &Silent).unwrap();
            let found = results(folder);
            assert!(found.1 > 100, "{} pairs", found.1);
            assert_eq!(*expected.get_or_insert(found.clone()), found, "{name}, {checkpoint_bytes}");
            assert!(!folder.join("work").exists());
        }
    }
}

/// Does something to a file when a stage begins.
struct When<F: Fn() + Sync>(&'static str, F);

impl<F: Fn() + Sync> Progress for When<F> {
    fn begin(&self, stage: &'static str, _: u64, _: Unit) {
        if stage == self.0 {
            self.1();
        }
    }
    fn position(&self, _: u64) {}
    fn end(&self) {}
}

#[test]
fn an_input_that_changes_before_it_is_compared_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let input = folder.join("docs.jsonl");
    let content = rows(300);
    for changed in [content.replace("w1", "x1"), content[..content.len() / 2].to_owned()] {
        fs::write(&input, &content).unwrap();
        let change = When("verify", || fs::write(&input, &changed).unwrap());
        let error = run(&job(folder, &["docs.jsonl"], 256 << 20), &change).unwrap_err();
        assert!(
            matches!(&error, BatchError::InputChanged { name } if name.ends_with("docs.jsonl")),
            "{error}"
        );
        assert!(!folder.join("kept.jsonl").exists());
        let _ = fs::remove_dir_all(folder.join("work"));
    }
}

/// A job over packed files that dies again and again, a little later each time, with more of them
/// unpacked.
#[test]
fn a_job_that_was_killed_finds_its_copies_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let content = rows(600);
    fs::write(folder.join("docs.jsonl"), &content).unwrap();
    compress(&folder.join("docs.jsonl.zst"), &content);
    run(&job(folder, &["docs.jsonl"], 256 << 20), &Silent).unwrap();
    let expected = results(folder);
    let mut checkpoints = 0;
    // A checkpoint after every batch, of which half are unpacked; one in the middle; and none.
    for checkpoint_bytes in [1 << 20, content.len() as u64 / 2, 256 << 20] {
        for life in 0.. {
            let mut job = job(folder, &["docs.jsonl.zst"], checkpoint_bytes);
            job.existing = Existing::Resume;
            let progress = Dies::after(life);
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&job, &progress)));
            checkpoints += u32::from(folder.join("work/checkpoint").exists());
            if let Ok(summary) = ended {
                summary.unwrap();
                break;
            }
            assert!(life < 100, "it never comes to an end");
        }
        assert_eq!(results(folder), expected, "{checkpoint_bytes}");
    }
    assert!(checkpoints > 2, "{checkpoints}");
}

/// Damage of a copy is not reported as a change of the input.
#[test]
fn a_damaged_copy_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    compress(&folder.join("docs.jsonl.zst"), &rows(300));
    let damage = When("verify", || fs::write(folder.join("work/unpacked-0"), "no rows").unwrap());
    let error = run(&job(folder, &["docs.jsonl.zst"], 256 << 20), &damage).unwrap_err().to_string();
    assert!(error.contains("unpacked-0") && error.contains("damaged"), "{error}");
}

/// Many files, plain and packed, with documents that have duplicates in other files.
#[test]
fn texts_are_found_in_the_file_that_they_are_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let content = rows(900);
    let lines: Vec<&str> = content.trim_start_matches('\u{feff}').split_inclusive('\n').collect();
    // More files than are open at a time.
    let names: Vec<String> = (0..600)
        .map(|number| format!("part-{number:03}.jsonl{}", if number % 3 == 0 { ".zst" } else { "" }))
        .collect();
    for (number, name) in names.iter().enumerate() {
        let part: String = lines.iter().skip(number).step_by(names.len()).copied().collect();
        if name.ends_with(".zst") {
            compress(&folder.join(name), &part);
        } else {
            fs::write(folder.join(name), part).unwrap();
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for count in [5, names.len()] {
        run(&job(folder, &names[..count], 256 << 20), &Silent).unwrap();
    }
    let all = results(folder);
    let whole = tempfile::tempdir().unwrap();
    fs::write(whole.path().join("docs.jsonl"), &content).unwrap();
    run(&job(whole.path(), &["docs.jsonl"], 256 << 20), &Silent).unwrap();
    assert_eq!(all.1, results(whole.path()).1);
}
