//! JSON Lines: rows, bad rows, pass-through.

use crate::common::{ONE_BATCH, copy, message, read, rows, write};
use twindex_corpus::{FieldValue, ReadOptions};

const THREE: &[u8] =
    b"{\"id\":\"a\",\"text\":\"one\"}\n\n{\"text\":\"two\",\"id\":7}\r\n{\"text\":\"three\"}";

#[test]
fn rows_have_ids_texts_and_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.jsonl", THREE);
    let rows: Vec<_> =
        rows(&path, &ReadOptions::default()).unwrap().into_iter().map(Result::unwrap).collect();
    let seen: Vec<_> =
        rows.iter().map(|row| (row.id.as_deref(), row.text.as_ref(), row.position.number())).collect();
    let expected = [(Some("a"), "one", Some(1)), (Some("7"), "two", Some(3)), (None, "three", Some(4))];
    assert_eq!(seen, expected);
    assert!(rows[2].id_or_position().ends_with("docs.jsonl:4"), "{}", rows[2].id_or_position());
}

#[test]
fn kept_rows_are_the_same_bytes_in_every_packing() {
    let folder = tempfile::tempdir().unwrap();
    for input in ["in.jsonl", "in.jsonl.gz", "in.jsonl.zst"] {
        let path = write(folder.path(), input, THREE);
        for output in ["out.jsonl", "out.jsonl.gz", "out.ndjson.zst"] {
            let output = folder.path().join(output);
            copy(&[&path], &output, &ReadOptions::default(), ONE_BATCH, |_| true).unwrap();
            assert_eq!(read(&output), THREE);
            copy(&[&path], &output, &ReadOptions::default(), 1, |number| number != 1).unwrap();
            assert_eq!(read(&output), b"{\"id\":\"a\",\"text\":\"one\"}\n\n{\"text\":\"three\"}");
        }
    }
}

#[test]
fn files_are_joined_by_a_line_break_only_where_one_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), "1.jsonl", b"\xef\xbb\xbf{\"text\":\"1\"}");
    let second = write(folder.path(), "2.jsonl", b"\xef\xbb\xbf{\"text\":\"2\"}");
    let output = folder.path().join("out.jsonl");
    copy(&[&first, &second], &output, &ReadOptions::default(), ONE_BATCH, |_| true).unwrap();
    assert_eq!(read(&output), b"\xef\xbb\xbf{\"text\":\"1\"}\n{\"text\":\"2\"}");
    copy(&[&first, &second], &output, &ReadOptions::default(), ONE_BATCH, |row| row == 0).unwrap();
    assert_eq!(read(&output), b"\xef\xbb\xbf{\"text\":\"1\"}");
}

#[test]
fn fields_are_found_by_path() {
    let folder = tempfile::tempdir().unwrap();
    let line = br#"{"meta":{"body":"old"},"a":[{"meta":1}],"meta":{"body":"nested","n":-3,"x":2.5},"meta.n":"flat","u":{"id":18446744073709551615}}"#;
    let path = write(folder.path(), "docs.jsonl", line);
    let options = ReadOptions {
        text_field: "meta.body".parse().unwrap(),
        id_field: Some("u.id".parse().unwrap()),
        extra: ["meta.n", "meta.x", "meta.body", "none"].map(|path| path.parse().unwrap()).to_vec(),
        ..ReadOptions::default()
    };
    let row = rows(&path, &options).unwrap().remove(0).unwrap();
    assert_eq!((row.text.as_ref(), row.id.as_deref()), ("nested", Some("18446744073709551615")));
    let expected = [
        Some(FieldValue::Text("flat".into())),
        Some(FieldValue::Number(2.5)),
        Some(FieldValue::Text("nested".into())),
        None,
    ];
    assert_eq!(row.extra, expected);
}

#[test]
fn bad_rows_say_where_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for (line, expected) in [
        (
            &b"{\"id\":1,\"body\":\"x\"}"[..],
            r#"docs.jsonl:2: the row has no field "text" (it has: body, id)"#,
        ),
        (b"{\"text\":false}", r#"docs.jsonl:2: the field "text" holds a boolean, expected text"#),
        (b"{\"text\":[\"x\"]}", r#"docs.jsonl:2: the field "text" holds an array, expected text"#),
        (
            b"{\"text\":\"x\",\"id\":[1]}",
            r#"docs.jsonl:2: the field "id" holds an array, expected a string or a number"#,
        ),
        (
            b"{\"text\":\"x\"",
            "docs.jsonl:2: not a JSON object: EOF while parsing an object (column 11); expected one object per line",
        ),
        (
            b"{\"text\":\"x\"} {",
            "docs.jsonl:2: not a JSON object: trailing characters (column 14); expected one object per line",
        ),
        (
            b"[1]",
            "docs.jsonl:2: not a JSON object: invalid type: sequence, expected an object (column 0); expected one object per line",
        ),
        (
            b"{\"x\":\"\xff\",\"text\":\"x\"}",
            "docs.jsonl:2: not UTF-8: byte 6 of the row is 0xff; convert the file, for example with iconv",
        ),
    ] {
        let bytes = [b"{\"text\":\"good\"}\n", line, b"\n{\"text\":\"good\"}\n"].concat();
        let path = write(folder.path(), "docs.jsonl", &bytes);
        let mut rows = rows(&path, &ReadOptions::default()).unwrap();
        assert_eq!(rows.len(), 3);
        assert!(rows[0].is_ok() && rows[2].is_ok());
        let message = message(rows.swap_remove(1));
        assert!(message.ends_with(expected), "{message}\n{expected}");
    }
}

#[test]
fn a_text_that_is_null_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    for (field, line, is_null) in [
        ("text", r#"{"id":"x","text":null}"#, true),
        ("text", r#"{"id":"x","\u0074ext":null}"#, true), // not the quick way
        ("text", r#"{"id":"x","text":null,"features":null}"#, true),
        ("text", r#"{"id":"x","text":null,"features":[["a",1]]}"#, false),
        ("text", r#"{"id":"x","text":""}"#, false),
        ("a.b", r#"{"id":"x","a":{"b":null}}"#, true),
        ("a.b", r#"{"id":"x","a":null}"#, true),
    ] {
        let path = write(folder.path(), "docs.jsonl", line.as_bytes());
        let options = ReadOptions { text_field: field.parse().unwrap(), ..ReadOptions::default() };
        let row = rows(&path, &options).unwrap().remove(0).unwrap();
        assert_eq!((row.is_null, row.id.as_deref()), (is_null, Some("x")), "{line}");
        assert!(!is_null || row.text.is_empty(), "{line}");
    }
    let path = write(folder.path(), "docs.jsonl", b"{\"a\":{}}");
    let options = ReadOptions { text_field: "a.b".parse().unwrap(), ..ReadOptions::default() };
    assert!(message(rows(&path, &options).unwrap().remove(0)).contains("no field \"a.b\""));
}

#[test]
fn an_id_that_was_asked_for_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "docs.jsonl", b"{\"text\":\"x\",\"id\":null}\n");
    assert_eq!(rows(&path, &ReadOptions::default()).unwrap()[0].as_ref().unwrap().id, None);
    let options = ReadOptions { id_field: Some("url".parse().unwrap()), ..ReadOptions::default() };
    let found = message(rows(&path, &options).unwrap().remove(0));
    assert!(found.ends_with(r#"the row has no field "url" (it has: id, text)"#));
}

#[test]
fn escapes_nuls_and_lone_surrogates_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let line = br#"{"text":"a\u0000b \ud83d\ude00 \ud83d \"","other":"\udead"}"#;
    let path = write(folder.path(), "docs.jsonl", line);
    assert_eq!(crate::common::texts(&path), ["a\0b 😀 \u{fffd} \""]);
}
