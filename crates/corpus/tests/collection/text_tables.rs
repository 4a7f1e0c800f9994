//! CSV, TSV and lines.

use crate::common::{ONE_BATCH, batches, copy, message, read, rows, sources, texts, write};
use twindex_corpus::{FieldValue, Format, ReadOptions};

const CSV: &[u8] =
    b"\xef\xbb\xbfid,\"text\",n\r\na,\"one, \"\"two\"\"\r\nthree\",1\r\n\r\nb,5\" disk,\r\nc,,2.5";

#[test]
fn csv_rows_may_hold_line_breaks_and_quotes() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.csv", CSV);
    let options = ReadOptions { extra: vec!["n".parse().unwrap()], ..ReadOptions::default() };
    let rows: Vec<_> = rows(&path, &options).unwrap().into_iter().map(Result::unwrap).collect();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.id.as_deref().unwrap(), row.text.as_ref(), row.position.number().unwrap()))
        .collect();
    assert_eq!(seen, [("a", "one, \"two\"\r\nthree", 2), ("b", "5\" disk", 5), ("c", "", 6)]);
    let extra: Vec<_> = rows.into_iter().map(|mut row| row.extra.remove(0)).collect();
    assert_eq!(extra, [Some(FieldValue::Integer(1)), None, Some(FieldValue::Number(2.5))]);
}

#[test]
fn csv_is_passed_on_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    for packing in ["", ".gz", ".zst"] {
        let path = write(folder.path(), &format!("docs.csv{packing}"), CSV);
        let output = folder.path().join(format!("out.csv{packing}"));
        for target in [1, 7, ONE_BATCH] {
            copy(&[&path], &output, &ReadOptions::default(), target, |_| true).unwrap();
            assert_eq!(read(&output), CSV);
            copy(&[&path], &output, &ReadOptions::default(), target, |row| row == 2).unwrap();
            assert_eq!(read(&output), b"\xef\xbb\xbfid,\"text\",n\r\n\r\nc,,2.5");
        }
    }
}

#[test]
fn a_header_is_written_once_and_must_be_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), "1.csv", b"id,text\n1,a");
    let second = write(folder.path(), "2.csv", b"id,\"text\"\n2,b\n");
    let output = folder.path().join("out.csv");
    copy(&[&first, &second], &output, &ReadOptions::default(), ONE_BATCH, |_| true).unwrap();
    assert_eq!(read(&output), b"id,text\n1,a\n2,b\n");
    let third = write(folder.path(), "3.csv", b"text,id\n");
    let error = message(copy(&[&first, &third], &output, &ReadOptions::default(), ONE_BATCH, |_| true));
    assert!(error.contains("1.csv") && error.contains("3.csv"), "{error}");
    assert!(error.ends_with(r#"column 1 is "id" in the first and "text" in the second"#), "{error}");
    assert_eq!(read(&output), b"id,text\n1,a\n2,b\n", "a failed run leaves the old output");
}

#[test]
fn tables_say_what_is_wrong_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.csv", b"id,body\n1,x\n");
    let error = message(rows(&path, &ReadOptions::default()));
    let expected = r#"docs.csv: there is no column "text" (there are: id, body)"#;
    assert!(error.ends_with(expected), "{error}");
    let path = write(folder.path(), "docs.csv", b"id,text\n1,x,y\n2,\"open\n");
    let error = message(rows(&path, &ReadOptions::default()));
    assert!(error.contains("docs.csv:3: a quote opens and never closes"), "{error}");
    let path = write(folder.path(), "docs.csv", b"id,text\n1,x,y\n2,\xff\n");
    let mut bad = rows(&path, &ReadOptions::default()).unwrap();
    let error = message(bad.remove(0));
    assert!(error.ends_with("docs.csv:2: the row has 3 fields and the header has 2; quote fields that hold commas or line breaks"), "{error}");
    assert!(message(bad.remove(0)).contains("docs.csv:3: not UTF-8: byte 2 of the row is 0xff"));
    let path = write(folder.path(), "docs.tsv", b"id\ttext\n1\t\"x\ny\"\n");
    let error = message(rows(&path, &ReadOptions::default()).unwrap().remove(1));
    assert!(
        error.contains("docs.tsv:3: the row has 1 fields and the header has 2; TSV has no quotes"),
        "{error}"
    );
}

#[test]
fn tsv_takes_quotes_for_characters() {
    let folder = tempfile::tempdir().unwrap();
    let tsv = b"id\ttext\r\n1\t\"one\r\n\n2\ttwo\"\tx".to_vec();
    let tsv = tsv.strip_suffix(b"\tx").unwrap();
    let path = write(folder.path(), "docs.tsv", tsv);
    assert_eq!(texts(&path), ["\"one", "two\""]);
    let output = folder.path().join("out.tsv.gz");
    copy(&[&path], &output, &ReadOptions::default(), 1, |_| true).unwrap();
    assert_eq!(read(&output), tsv);
    copy(&[&path], &output, &ReadOptions::default(), 1, |row| row == 1).unwrap();
    assert_eq!(read(&output), b"id\ttext\r\n\n2\ttwo\"");
}

#[test]
fn lines_are_documents_if_the_user_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.txt", b"one\r\n\n  \ntwo \0 three");
    let options = ReadOptions { format: Some(Format::Lines), ..ReadOptions::default() };
    let found: Vec<_> = rows(&path, &options).unwrap().into_iter().map(Result::unwrap).collect();
    assert_eq!(found.iter().map(|row| row.text.as_ref()).collect::<Vec<_>>(), ["one", "two \0 three"]);
    assert!(found[1].id_or_position().ends_with("docs.txt:4"));
    let output = folder.path().join("out.txt");
    copy(&[&path], &output, &options, 1, |row| row == 1).unwrap();
    assert_eq!(read(&output), b"\n  \ntwo \0 three");
}

#[test]
fn rows_become_json_where_a_table_needs_them() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    for (name, bytes, expected) in [
        ("a.csv", &b"text,id\n\"x\n\",1\n"[..], r#"{"id":"1","text":"x\n"}"#),
        ("a.tsv", b"text\tid\nx\t1\n", r#"{"id":"1","text":"x"}"#),
        ("a.jsonl", b"{\"text\": \"x\"}\r\n", r#"{"text": "x"}"#),
    ] {
        let path = write(folder.path(), name, bytes);
        let batches = batches(&sources(&[&path], &options).unwrap(), &options, ONE_BATCH).unwrap();
        assert_eq!(batches[0].row_json(0).unwrap(), expected);
    }
}
