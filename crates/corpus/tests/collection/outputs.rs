//! Outputs appear whole or not at all.

use std::fs;
use std::io::Write;

use crate::common::{ONE_BATCH, copy, message, write};
use twindex_corpus::{AtomicFile, Pending, ReadOptions, create_compressed};

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_when_it_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.txt");
    fs::write(&path, "old").unwrap();
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(names(folder.path()), [".out.txt.twindex-partial", "out.txt"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    file.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    drop(AtomicFile::create(&path).unwrap());
    assert_eq!(names(folder.path()), ["out.txt"]);
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn several_outputs_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let pending: Vec<Pending> = ["a.jsonl", "b.tsv.gz", "c.zst"]
        .iter()
        .map(|name| {
            let mut out = create_compressed(&folder.path().join(name)).unwrap();
            out.put(b"x").unwrap();
            out.finish().unwrap()
        })
        .collect();
    assert!(names(folder.path()).iter().all(|name| name.ends_with(".twindex-partial")));
    Pending::commit_all(pending).unwrap();
    assert_eq!(names(folder.path()), ["a.jsonl", "b.tsv.gz", "c.zst"]);
}

#[test]
fn links_stay_links_and_devices_stay_devices() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real.txt");
    let link = folder.path().join("link.txt");
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let mut file = AtomicFile::create(&link).unwrap();
    file.write_all(b"new").unwrap();
    file.commit().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"new");
    let input = write(folder.path(), "in.jsonl", b"{\"text\":\"x\"}\n");
    copy(&[&input], "/dev/null".as_ref(), &ReadOptions::default(), ONE_BATCH, |_| true).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_full_disk_is_named() {
    let mut out = create_compressed("/dev/full".as_ref()).unwrap();
    out.put(b"x").unwrap();
    let error = message(out.finish());
    assert!(error.starts_with("cannot write /dev/full: no space left on its disk; free some"), "{error}");
    let error = message(AtomicFile::create("/no/such/folder/out.jsonl".as_ref()));
    assert!(error.starts_with("cannot write /no/such/folder/out.jsonl: No such file"), "{error}");
}

#[test]
fn an_output_must_fit_its_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let jsonl = write(folder.path(), "in.jsonl", b"{\"text\":\"x\"}\n");
    let csv = write(folder.path(), "in.csv", b"text\nx\n");
    let options = ReadOptions::default();
    let output = folder.path().join("out.parquet");
    let error = message(copy(&[&jsonl], &output, &options, ONE_BATCH, |_| true));
    assert!(error.contains("out.parquet cannot hold rows of jsonl inputs"), "{error}");
    assert!(error.ends_with("a name with .jsonl or .ndjson or .json, each also with .gz or .zst"), "{error}");
    let error = message(copy(&[&jsonl, &csv], &output, &options, ONE_BATCH, |_| true));
    assert!(error.contains("in.jsonl (jsonl) and of") && error.contains("in.csv (csv)"), "{error}");
}
