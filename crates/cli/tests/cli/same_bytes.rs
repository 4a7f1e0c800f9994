//! The same input gives the same bytes: with any number of threads, any memory and any kernel.

use twindex_core::kernel::Kernel;

use crate::bad_input::zstandard;
use crate::folder::Folder;
use crate::{planted, table};

pub(crate) const ALL_OUTPUTS: &str = "--output kept.jsonl --removed removed.jsonl --pairs pairs.tsv \
                                      --clusters clusters.jsonl --report report.html";

/// Everything that a job wrote, whether its input is packed or not; of the report, what does not
/// tell the time, the command, or how its input is called.
#[derive(PartialEq)]
pub(crate) struct Results {
    files: Vec<(&'static str, String)>,
    report: serde_json::Value,
}

impl Results {
    /// What a job with [`ALL_OUTPUTS`] has written.
    pub(crate) fn of(folder: &Folder) -> Results {
        let names = ["kept.jsonl", "removed.jsonl", "pairs.tsv", "clusters.jsonl"];
        let mut report = table::report(&folder.text("report.html"));
        report["totals"]["seconds"].take();
        for key in ["command", "stages", "title"] {
            report[key].take();
        }
        // Places begin with the name of the file.
        let text = |name| folder.text(name).replace("in.jsonl.zst:", "in.jsonl:");
        Results { files: names.map(|name| (name, text(name))).into(), report }
    }

    /// Fails with a readable difference.
    pub(crate) fn must_equal(&self, expected: &Results, what: &str) {
        for ((name, found), (_, expected)) in self.files.iter().zip(&expected.files) {
            let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
            assert_eq!(differs, None, "{name}, {what}");
            assert!(found == expected, "{name}, {what}: {} and {} bytes", found.len(), expected.len());
        }
        for (key, found) in self.report.as_object().unwrap() {
            assert_eq!(found, &expected.report[key], "{key} of the report, {what}");
        }
    }

    pub(crate) fn removed(&self) -> usize {
        self.files[1].1.lines().count()
    }
}

fn threads_memory_and_kernel_change_nothing(method: &str) {
    let collection = planted::jsonl(&planted::collection(11, 500));
    let folder = Folder::new();
    folder.write("in.jsonl", &collection);
    let run = |options: &str| {
        folder.done(&format!("dedup in.jsonl --method {method} {ALL_OUTPUTS} {options}"));
        Results::of(&folder)
    };
    let expected = run("--threads 1 --memory 1G --kernel scalar");
    assert!(expected.removed() > 50, "{}", expected.removed());
    // Three threads do not fit into less than 160 MB.
    for (threads, memory) in [(1, "96M"), (2, "1G"), (3, "160M"), (3, "1G")] {
        for kernel in Kernel::available() {
            let options = format!("--threads {threads} --memory {memory} --kernel {}", kernel.name());
            run(&options).must_equal(&expected, &options);
        }
    }
    let pairs = |options: &str| folder.done(&format!("pairs in.jsonl --method {method} {options}")).stdout;
    let expected = pairs("--threads 1 --memory 96M --kernel scalar");
    assert!(expected.lines().count() > 50);
    for kernel in Kernel::available() {
        let found = pairs(&format!("--threads 3 --memory 1G --kernel {}", kernel.name()));
        assert!(found == expected, "pairs with {}", kernel.name());
    }
}

#[test]
fn minhash_lsh() {
    threads_memory_and_kernel_change_nothing("minhash-lsh");
}

#[test]
fn bottom_k() {
    threads_memory_and_kernel_change_nothing("bottom-k");
}

#[test]
fn simhash() {
    threads_memory_and_kernel_change_nothing("simhash");
}

/// What is unpacked is written down and read again: the results are those of the plain input.
#[test]
fn packed_rows_are_those_of_the_input() {
    let padding = format!("{{\"padding\":\"{}\",\"", " ".repeat(40_000));
    let collection = planted::jsonl(&planted::collection(13, 400)).replace("{\"", &padding);
    let folder = Folder::new();
    folder.write("in.jsonl", &collection);
    folder.write("in.jsonl.zst", zstandard(collection.as_bytes()));
    let line = |input: &str, memory: &str| {
        format!("dedup {input} {ALL_OUTPUTS} --removed-rows --threads 1 --memory {memory}")
    };
    folder.done(&line("in.jsonl", "1G"));
    let expected = Results::of(&folder);
    assert!(expected.removed() > 50, "{}", expected.removed());
    let kept = folder.text("kept.jsonl");
    assert_eq!(kept.lines().count() + expected.removed(), collection.lines().count());
    assert!(kept.lines().all(|row| row.starts_with(&padding)));
    for memory in ["1G", "96M"] {
        folder.done(&line("in.jsonl.zst", memory));
        Results::of(&folder).must_equal(&expected, memory);
    }
}

/// The report wants every score, the other outputs only those that pass: that must not change a
/// decision.
#[test]
fn a_report_changes_no_decision() {
    let folder = Folder::new();
    folder.write("in.jsonl", planted::jsonl(&planted::collection(12, 200)));
    folder.done("dedup in.jsonl --removed with.jsonl --report report.html");
    folder.done("dedup in.jsonl --removed without.jsonl");
    assert_eq!(folder.text("with.jsonl"), folder.text("without.jsonl"));
}

/// What was read so far is kept: with more memory the job goes on.
#[test]
fn too_little_memory_is_refused_with_what_would_do() {
    let folder = Folder::new();
    let rows = planted::rows(&[("a", "one"), ("b", "two")]);
    folder.write("in.jsonl", &rows);
    let line = "dedup in.jsonl --output kept.jsonl --threads 1 --memory";
    let ended = folder.run(&format!("{line} 20M"));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let (_, rest) = ended.stderr.split_once("20M of memory is too little").unwrap();
    assert!(rest.contains("\nhint: allow more with --memory"), "{rest}");
    let (_, rest) = rest.split_once("at least ").unwrap();
    let (enough, _) = rest.split_once(" are needed").unwrap();
    assert!(!folder.path("kept.jsonl").exists());
    folder.done(&format!("{line} {enough} --resume"));
    assert_eq!(folder.text("kept.jsonl"), rows);
}
