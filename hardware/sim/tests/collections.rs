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
}
