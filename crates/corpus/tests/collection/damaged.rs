//! A file that ends too early or is broken is an error that names it, never a silent end.

use std::fs;
use std::path::Path;

use crate::common::{message, rows, write};
use twindex_corpus::ReadOptions;

fn lines() -> Vec<u8> {
    (0..2000)
        .map(|number| format!("{{\"text\":\"document number {number}, {}\"}}\n", number * 7919))
        .collect::<String>()
        .into()
}

fn reading(path: &Path) -> String {
    message(rows(path, &ReadOptions::default()))
}

#[test]
fn truncated_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["docs.jsonl.gz", "docs.jsonl.zst"] {
        let path = write(folder.path(), name, &lines());
        let whole = fs::read(&path).unwrap();
        for length in [whole.len() - 1, whole.len() / 2, 1, 0] {
            fs::write(&path, &whole[..length]).unwrap();
            let error = reading(&path);
            assert!(error.contains(name) && error.contains("is truncated"), "{name} {length}: {error}");
        }
    }
}

#[test]
fn broken_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["docs.jsonl.gz", "docs.jsonl.zst"] {
        let path = write(folder.path(), name, &lines());
        let mut whole = fs::read(&path).unwrap();
        let middle = whole.len() / 2;
        whole[middle] ^= 0xff;
        whole[middle + 1] ^= 0xff;
        fs::write(&path, &whole).unwrap();
        let error = reading(&path);
        assert!(error.contains(name) && error.contains("is damaged"), "{error}");
        fs::write(&path, lines()).unwrap();
        let error = reading(&path);
        assert!(error.contains(name) && error.contains("is damaged"), "{error}");
    }
}

#[test]
fn several_members_and_long_windows_are_read_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["docs.jsonl.gz", "docs.jsonl.zst"] {
        let path = write(folder.path(), name, b"{\"text\":\"1\"}\n{\"te");
        let mut both = fs::read(&path).unwrap();
        write(folder.path(), name, b"xt\":\"2\"}\n");
        both.extend(fs::read(&path).unwrap());
        fs::write(&path, both).unwrap();
        assert_eq!(crate::common::texts(&path), ["1", "2"]);
    }
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.long_distance_matching(true).unwrap();
    encoder.window_log(30).unwrap();
    std::io::Write::write_all(&mut encoder, &lines()).unwrap();
    let path = folder.path().join("long.jsonl.zst");
    fs::write(&path, encoder.finish().unwrap()).unwrap();
    assert_eq!(crate::common::texts(&path).len(), 2000);
}

#[test]
fn damaged_parquet_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = crate::parquet::sample(folder.path(), "docs.parquet");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 20]).unwrap();
    assert!(reading(&path).contains("docs.parquet is truncated"), "{}", reading(&path));
    fs::write(&path, b"{\"text\":\"x\"}\n").unwrap();
    assert!(reading(&path).contains("docs.parquet is damaged or not a Parquet file"));
    fs::write(&path, b"").unwrap();
    assert!(reading(&path).contains("docs.parquet is damaged or not a Parquet file"));
}
