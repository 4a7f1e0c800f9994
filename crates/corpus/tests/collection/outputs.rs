//! Outputs appear whole or not at all.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

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
    let before = names(folder.path());
    assert!(before[0].starts_with(".out.txt.") && before[0].ends_with(".twindex-partial"), "{before:?}");
    assert_eq!(before[1..], ["out.txt"]);
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
fn a_replaced_output_keeps_its_permissions() {
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for wanted in [0o640, 0o600, 0o666, 0o400] {
        let path = folder.path().join(format!("{wanted:o}.txt"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        for name in names(folder.path()).iter().filter(|name| name.ends_with(".twindex-partial")) {
            assert_eq!(mode(&folder.path().join(name)), wanted, "{name}");
        }
        file.commit().unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (wanted, b"new".to_vec()));
    }
    let input = write(folder.path(), "in.txt", b"x");
    let kept = folder.path().join("kept");
    fs::create_dir(&kept).unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o750)).unwrap();
    copy(&[&input], &kept, &ReadOptions::default(), ONE_BATCH, |_| true).unwrap();
    assert_eq!((mode(&kept), names(&kept)), (0o750, vec!["in.txt".to_owned()]));
}

/// Another program that takes the name while the output is written keeps it.
#[test]
fn what_got_the_name_meanwhile_stays() {
    let folder = tempfile::tempdir().unwrap();
    for (name, before) in [("new.txt", None), ("old.txt", Some("old"))] {
        let path = folder.path().join(name);
        if let Some(before) = before {
            fs::write(&path, before).unwrap();
        }
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"of this run").unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "of another program").unwrap();
        fs::rename(&other, &path).unwrap();
        let error = message(file.commit());
        assert!(error.contains(name) && error.contains("was written by another program"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "of another program");
    }
    assert_eq!(names(folder.path()), ["new.txt", "old.txt"]);
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
