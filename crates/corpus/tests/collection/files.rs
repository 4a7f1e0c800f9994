//! Collections in which a file is a document.

use std::fs;

use crate::common::{ONE_BATCH, batches, copy, message, read, rows, sources, texts, write};
use twindex_corpus::ReadOptions;

#[test]
fn small_files_share_a_batch_and_keep_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    write(&input, "b.txt", b"second");
    write(&input, "a/x.txt.gz", b"first");
    write(&input, "c.txt", b"");
    write(&input, ".hidden", b"no");
    write(&input, "_SUCCESS", b"no");
    let options = ReadOptions::default();
    let sources = sources(&[&input], &options).unwrap();
    let batch = &batches(&sources, &options, ONE_BATCH).unwrap()[0];
    assert_eq!(batch.len(), 3);
    let ids: Vec<_> =
        batch.parse(&options).into_iter().map(|row| row.unwrap().id_or_position().into_owned()).collect();
    assert!(ids[0].ends_with("in/a/x.txt.gz") && ids[1].ends_with("in/b.txt"), "{ids:?}");
    assert_eq!(texts(&input), ["first", "second", ""]);
    assert_eq!(batches(&sources, &options, 1).unwrap().len(), 3);
    assert_eq!(batch.row_json(1).unwrap(), r#"{"text":"second"}"#);
}

#[test]
fn kept_files_are_copied_or_become_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    write(&input, "a/x.txt.gz", b"first");
    write(&input, "b.txt", b"caf\xe9 \"quoted\"");
    let output = folder.path().join("out");
    copy(&[&input], &output, &ReadOptions::default(), 1, |_| true).unwrap();
    assert_eq!(fs::read(output.join("a/x.txt.gz")).unwrap(), fs::read(input.join("a/x.txt.gz")).unwrap());
    assert_eq!(read(&output.join("b.txt")), b"caf\xe9 \"quoted\"");
    let error = message(copy(&[&input], &output, &ReadOptions::default(), 1, |_| true));
    assert!(error.ends_with("out is not empty: name a new one, or empty it"), "{error}");

    let output = folder.path().join("out.jsonl.zst");
    copy(&[&input], &output, &ReadOptions::default(), 1, |row| row == 1).unwrap();
    let line = String::from_utf8(read(&output)).unwrap();
    assert!(line.ends_with("in/b.txt\",\"text\":\"café \\\"quoted\\\"\"}\n"), "{line}");
    let error =
        message(copy(&[&input], &folder.path().join("out.txt"), &ReadOptions::default(), 1, |_| true));
    assert!(error.contains("expected a folder, or a name with .jsonl"), "{error}");
    let leftovers = fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("partial"));
    assert_eq!(leftovers.count(), 0);
}

#[test]
fn html_pages_declare_their_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "page.html", b"<meta charset=gbk><p>\xd6\xd0\xce\xc4");
    let row = rows(&path, &ReadOptions::default()).unwrap().remove(0).unwrap();
    assert!(row.text.ends_with("中文"));
    assert_eq!(row.markup, twindex_core::Markup::Html);
}
