//! Files that are not quite what their names say, and values that are not quite what was expected.

use std::io::Write;

use crate::common::{ONE_BATCH, copy, message, rows, texts, write};
use twindex_corpus::{CorpusError, ReadOptions};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compression_is_known_by_the_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let rows = b"{\"text\": \"one\"}\n{\"text\": \"two\"}\n";
    let zstd = zstd::encode_all(&rows[..], 1).unwrap();
    let skippable = [&b"\x53\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd].concat();
    for packed in [gzip(rows), zstd, skippable] {
        let path = folder.path().join("docs.jsonl");
        std::fs::write(&path, packed).unwrap();
        assert_eq!(texts(&path), ["one", "two"]);
    }
}

#[test]
fn zeros_behind_gzip_are_padding() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.jsonl.gz");
    let members = [gzip(b"{\"text\": \"one\"}\n"), gzip(b"{\"text\": \"two\"}\n")].concat();
    std::fs::write(&path, [&members[..], &[0; 700]].concat()).unwrap();
    assert_eq!(texts(&path), ["one", "two"]);
    std::fs::write(&path, [&members[..], b"garbage"].concat()).unwrap();
    assert!(message(rows(&path, &ReadOptions::default())).contains("docs.jsonl.gz"));
}

#[test]
fn an_array_is_read_as_lines() {
    let folder = tempfile::tempdir().unwrap();
    let array = b"[\n  {\"id\": \"a\",\n   \"text\": \"one\"},\n  {\"text\": \"[{,\\\"two\"}\n]\n";
    for name in ["docs.json", "docs.json.gz", "docs.jsonl.zst"] {
        let path = write(folder.path(), name, array);
        assert_eq!(texts(&path), ["one", "[{,\"two"], "{name}");
        let found = rows(&path, &ReadOptions::default()).unwrap();
        assert_eq!(found[0].as_ref().unwrap().id.as_deref(), Some("a"));
        let output = folder.path().join("out.jsonl");
        copy(&[&path], &output, &ReadOptions::default(), ONE_BATCH, |row| row == 1).unwrap();
        assert_eq!(texts(&output), ["[{,\"two"]);
    }
    let path = write(folder.path(), "cut.json", &array[..40]);
    let found = message(rows(&path, &ReadOptions::default()));
    assert!(found.contains("cut.json is truncated: its JSON array is not closed"), "{found}");
}

#[test]
fn csv_may_be_separated_by_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.csv", b"id;text\n1;\"one; two\"\n2;a,b\n");
    let options = ReadOptions { delimiter: b';', ..ReadOptions::default() };
    let found: Vec<_> = rows(&path, &options).unwrap().into_iter().map(|row| row.unwrap().text).collect();
    assert_eq!(found, ["one; two", "a,b"]);
    assert!(matches!(rows(&path, &ReadOptions::default()), Err(CorpusError::MissingColumn { .. })));
    let output = folder.path().join("out.csv");
    copy(&[&path], &output, &options, ONE_BATCH, |row| row == 1).unwrap();
    assert_eq!(std::fs::read(&output).unwrap(), b"id;text\n2;a,b\n");
}

#[test]
fn two_columns_of_the_name_that_is_meant_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.csv", b"text,text\none,two\n");
    assert!(message(rows(&path, &ReadOptions::default())).contains("there are 2 columns \"text\""));
    let path = write(folder.path(), "docs.csv", b"text,x,x\none,two,three\n");
    assert_eq!(texts(&path), ["one"]);
}

#[test]
fn ids_of_other_kinds_are_ids() {
    let folder = tempfile::tempdir().unwrap();
    let lines = b"{\"text\":\"a\",\"id\":{\"$oid\":\"507f1f77\"}}\n{\"text\":\"b\",\"id\":3.5}\n\
                  {\"text\":\"c\",\"id\":4.0}\n{\"text\":\"d\",\"id\":{\"other\":1}}\n";
    let path = write(folder.path(), "docs.jsonl", lines);
    let found = rows(&path, &ReadOptions::default()).unwrap();
    let ids: Vec<_> = found.iter().map(|row| row.as_ref().ok().and_then(|row| row.id.as_deref())).collect();
    assert_eq!(ids, [Some("507f1f77"), Some("3.5"), Some("4.0"), None]);
    assert!(found[3].as_ref().unwrap_err().to_string().contains("holds an object"));
}

#[test]
fn archives_before_warc_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["crawl.arc", "crawl.ARC.gz"] {
        let path = write(folder.path(), name, b"filedesc://x");
        assert!(message(rows(&path, &ReadOptions::default())).contains("convert it to WARC"));
    }
}

#[test]
fn encrypted_tables_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.parquet", b"PARE\0\0\0\0PARE");
    assert!(message(rows(&path, &ReadOptions::default())).contains("docs.parquet is encrypted"));
    // A version, an algorithm, and nothing else: the footer is no secret, its columns are.
    let footer = b"\x15\x04\x7c\x1c\x00\x00\x00";
    let footer = [&b"PAR1"[..], footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat();
    let path = write(folder.path(), "docs.parquet", &footer);
    let found = message(rows(&path, &ReadOptions::default()));
    assert!(found.contains("docs.parquet is encrypted"), "{found}");
}
