//! However a collection is cut, it has the same rows and the same bytes come out.

use proptest::prelude::*;

use crate::common::{ONE_BATCH, batches, copy, read, sources, write};
use twindex_corpus::{Format, ReadOptions, Reader};

/// Texts that try the cutting: quotes, line breaks of every kind, blank lines, no final line break.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("{\"text\":\"x\"}"),
        Just("a,b"),
        Just("\"q\r\n\"\"\n,\""),
        Just("\"q\""),
        Just("5\" disk"),
        Just(","),
        Just("\t"),
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("中文"),
        Just(" "),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

/// Everything that parsing returns, in a comparable form.
fn described(name: &str, bytes: &[u8], format: Format, target_bytes: usize) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), name, bytes);
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let sources = sources(&[&path], &options).unwrap();
    let without_folder = |text: String| text.replace(&folder.path().display().to_string(), "");
    let batches =
        batches(&sources, &options, target_bytes).map_err(|error| without_folder(error.to_string()))?;
    let rows = batches.iter().flat_map(|batch| batch.parse(&options));
    Ok(rows
        .map(|row| match row {
            Ok(row) => without_folder(format!("{} {:?} {:?}", row.position, row.id, row.text)),
            Err(error) => without_folder(error.to_string()),
        })
        .collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_do_not_depend_on_the_cut(body in pieces(), target in 1_usize..60, mark in any::<bool>()) {
        let cases: [(&str, Format, &[u8]); 4] = [
            ("x.jsonl", Format::Jsonl, b""),
            ("x.csv", Format::Csv, b"id,text\n"),
            ("x.tsv.gz", Format::Tsv, b"id\ttext\n"),
            ("x.txt", Format::Lines, b""),
        ];
        for (name, format, header) in cases {
            let mark: &[u8] = if mark { b"\xef\xbb\xbf" } else { b"" };
            let bytes = [mark, header, &body].concat();
            prop_assert_eq!(
                described(name, &bytes, format, target),
                described(name, &bytes, format, ONE_BATCH)
            );
        }
    }

    #[test]
    fn everything_kept_is_the_same_file(body in pieces(), target in 1_usize..60, mark in any::<bool>()) {
        let cases: [(&str, Format, &[u8]); 4] = [
            ("jsonl", Format::Jsonl, b""),
            ("csv", Format::Csv, b"id,text\n"),
            ("tsv", Format::Tsv, b"id\ttext\n"),
            ("txt", Format::Lines, b""),
        ];
        for (extension, format, header) in cases {
            let folder = tempfile::tempdir().unwrap();
            let mark: &[u8] = if mark { b"\xef\xbb\xbf" } else { b"" };
            let bytes = [mark, header, &body].concat();
            let path = write(folder.path(), &format!("in.{extension}"), &bytes);
            let output = folder.path().join(format!("out.{extension}"));
            let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
            // Only an unclosed quote cannot be copied.
            if copy(&[&path], &output, &options, target, |_| true).is_ok() {
                prop_assert_eq!(read(&output), bytes);
            } else {
                prop_assert_eq!(format, Format::Csv);
            }
        }
    }
}

#[test]
fn batches_travel_between_threads() {
    fn travels<T: Send + Sync>() {}
    travels::<twindex_corpus::Batch>();
    travels::<twindex_corpus::Row>();
    fn moves<T: Send>() {}
    moves::<twindex_corpus::Reader>();
    moves::<twindex_corpus::RowWriter>();
    moves::<twindex_corpus::TableWriter>();
    moves::<twindex_corpus::Pending>();
}

/// Rows from the middle of a file are whole rows, and none is given twice by two readers of
/// neighbouring parts.
#[test]
fn rows_are_found_from_any_offset() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.jsonl");
    let rows: Vec<String> = (0..20).map(|row| format!("{{\"text\":\"{}\"}}\n", "x".repeat(row))).collect();
    std::fs::write(&path, rows.concat()).unwrap();
    let options = ReadOptions::default();
    let source = &sources(&[&path], &options).unwrap()[0];
    for offset in 0..=source.bytes {
        let starts = rows.iter().scan(0, |end, row| Some(std::mem::replace(end, *end + row.len() as u64)));
        let expected = starts.filter(|start| *start >= offset).count();
        let mut reader = Reader::from_offset(source, offset, &options).unwrap().unwrap();
        let mut found = 0;
        while let Some(batch) = reader.next_batch(ONE_BATCH).unwrap() {
            found += batch.parse(&options).into_iter().filter(Result::is_ok).count();
        }
        assert_eq!(found, expected, "from {offset}");
        let within = Reader::rows_within(source, 0, offset).unwrap().unwrap();
        let ends = rows.iter().scan(0, |end, row| {
            *end += row.len() as u64;
            Some(*end)
        });
        assert_eq!(within, ends.filter(|end| *end <= offset).count() as u64, "before {offset}");
    }
    let packed = folder.path().join("docs.csv");
    std::fs::write(&packed, "text\na\n").unwrap();
    let source = &sources(&[&packed], &options).unwrap()[0];
    assert!(Reader::from_offset(source, 1, &options).unwrap().is_none());
    assert_eq!(Reader::rows_within(source, 0, 9).unwrap(), None);
}
