//! Collections on disk: the labelled packs, document by document, and the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use twindex_core::Markup;
use twindex_corpus::{ReadOptions, Reader, resolve};
use twindex_hardware::{Host, Pace, Software, built, run};
use twindex_testing::{Need, skip};

/// Names the folder of the packs, as for the tests of the program.
const PACKS: &str = "TWINDEX_PACKS";

/// Texts of a pack that are simulated, in bytes: the rest of a large pack shows nothing new.
const ENOUGH: usize = 4_000_000;

fn documents(file: &Path) -> Vec<(String, Markup)> {
    let options = ReadOptions { whole_rows: false, ..ReadOptions::default() };
    let sources = resolve(&[file.display().to_string()], &options).unwrap();
    let mut reader = Reader::open(&sources, &options).unwrap();
    let (mut documents, mut bytes) = (vec![], 0);
    while let Some(batch) = reader.next_batch(1 << 20).unwrap() {
        for row in batch.parse(&options) {
            let row = row.unwrap();
            bytes += row.text.len();
            if bytes > ENOUGH {
                return documents;
            }
            documents.push((row.text.into_owned(), row.markup));
        }
    }
    documents
}

/// The texts of every pack, as `twindex fingerprint --recipe fpga` reads them.
#[test]
fn every_document_of_the_packs_has_the_fingerprint_of_the_software() {
    let usual = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/packs");
    let folder = std::env::var_os(PACKS).map_or_else(usual, PathBuf::from).join("dev");
    let mut packs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path().join("docs.jsonl.zst"))
        .filter(|file| file.is_file())
        .collect();
    if packs.is_empty() {
        skip(Need::Packs, &format!("no packs in {}; {PACKS}=DIR names their folder", folder.display()));
    }
    packs.sort();
    let (mut host, mut software) = (Host::new().unwrap(), Software::new().unwrap());
    for pack in packs {
        let documents = documents(&pack);
        let streams: Vec<Vec<u8>> =
            documents.iter().map(|(text, markup)| host.prepare(text, *markup)).collect();
        let expected = software.fingerprints(&documents);
        for form in built().iter().filter(|form| form.counter_width > 8) {
            let result = run(form, &streams, Pace::full()).unwrap();
            for (number, (answer, expected)) in result.answers.iter().zip(&expected).enumerate() {
                assert_eq!(answer.fingerprint(), *expected, "{}: {} {number}", form.name, pack.display());
                assert!(!answer.overflow);
            }
        }
        println!("{}: {} documents", pack.display(), documents.len());
    }
}

/// Figure 3 of the paper, by the program, as the paper prints it.
#[test]
fn the_papers_example_by_the_program() {
    let example = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/figure-3.txt");
    let output = Command::new(env!("CARGO_BIN_EXE_run")).arg("--bits").arg(&example).output().unwrap();
    let (table, report) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{report}");
    let bits = "0011101010100100001000111100010101011000001101010000111111110100";
    assert_eq!(table.lines().nth(1).and_then(|line| line.split('\t').nth(1)), Some(bits), "{table}");
    assert!(report.contains("1 documents, 32 bytes") && report.contains("0 differ"), "{report}");
    assert!(report.contains("were idle for most of the time"), "{report}");
}

/// As many documents as keep eight cores busy, into a file, with the rates of four FPGAs beside the
/// paper's.
#[test]
fn a_collection_by_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("docs.jsonl"), folder.path().join("fingerprints.tsv"));
    let rows: String = (0..64)
        .map(|id| format!("{{\"id\": \"d{id}\", \"text\": \"{}\"}}\n", "School, students. ".repeat(20 + id)))
        .collect();
    std::fs::write(&input, rows).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_run"));
    let run = program.arg(&input).arg("--output").arg(&output).output().unwrap();
    let report = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success() && run.stdout.is_empty(), "{report}");
    assert!(report.contains("64 documents") && report.contains(" 0 differ"), "{report}");
    assert!(!report.contains("were idle"), "{report}");
    for row in
        ["1 core ", "1 engine ", "8 engines", "4 x 8 engines", "4.800", "10.200", "38.400", "our software"]
    {
        assert!(report.contains(row), "{row}: {report}");
    }
    let table = std::fs::read_to_string(&output).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("id\tfingerprint"));
    let software =
        Software::new().unwrap().fingerprint(&"School, students. ".repeat(20), Markup::None).unwrap();
    assert_eq!(lines.next(), Some(format!("d0\t{software:016x}").as_str()));
    assert_eq!(lines.count(), 63);
}

/// What is wrong is said, and no file is left.
#[test]
fn mistakes_of_a_user_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("docs.jsonl"), folder.path().join("fingerprints.tsv"));
    let failure = |text: &str, options: &[&str]| {
        std::fs::write(&input, text).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_run"));
        let run = program.arg(&input).arg("--output").arg(&output).args(options).output().unwrap();
        assert!(!run.status.success() && !output.exists());
        String::from_utf8(run.stderr).unwrap()
    };
    assert!(failure("", &[]).contains("there is no document in"));
    assert!(failure("{\"id\": 1, \"text\":\n", &[]).contains("docs.jsonl"));
    assert!(failure("{\"id\": 1, \"body\": \"a\"}\n", &[]).contains("text"));
    assert!(failure("{\"id\": 1, \"text\": \"a\"}\n", &["--clock", "0"]).contains("above 0 MHz"));
}
