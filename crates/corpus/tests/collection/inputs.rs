//! Which files an input names, and standard input.

use crate::common::{message, sources, texts, write};
use twindex_corpus::{Compression, Format, ReadOptions, Reader, resolve, spool_stdin};

#[test]
fn folders_and_patterns_are_sorted() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["c.jsonl", "a.jsonl", "sub/b.jsonl", "sub/deep/d.jsonl"] {
        write(folder.path(), name, b"{\"text\":\"x\"}\n");
    }
    let options = ReadOptions::default();
    let found = sources(&[folder.path()], &options).unwrap();
    let relative: Vec<_> = found.iter().map(|source| source.relative.to_str().unwrap()).collect();
    assert_eq!(relative, ["a.jsonl", "c.jsonl", "sub/b.jsonl", "sub/deep/d.jsonl"]);
    let pattern = format!("{}/**/*.jsonl", folder.path().display());
    let matched = resolve(&[pattern], &options).unwrap();
    assert_eq!(
        matched.iter().map(|source| &source.path).collect::<Vec<_>>(),
        found.iter().map(|source| &source.path).collect::<Vec<_>>()
    );
    assert!(found[0].stamp().contains("a.jsonl 13 bytes, written at "), "{}", found[0].stamp());
}

#[test]
fn what_a_job_makes_for_itself_is_no_input() {
    let folder = tempfile::tempdir().unwrap();
    let row = b"{\"text\":\"x\"}\n";
    for name in ["a.jsonl", "sub/b.jsonl"] {
        write(folder.path(), name, row);
    }
    write(folder.path(), "kept.jsonl.twindex-work/spool.jsonl", row);
    write(folder.path(), "kept.jsonl.twindex-work/manifest", row);
    write(folder.path(), "sub/kept.twindex-work/deep/spool.jsonl", row);
    write(folder.path(), ".kept.jsonl.twindex-partial", row);
    write(folder.path(), ".kept.twindex-partial/part.jsonl", row);
    let options = ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() };
    let whole = folder.path().display().to_string();
    for input in [whole.clone(), format!("{whole}/**/*.jsonl"), format!("{whole}/**/*")] {
        let found = resolve(std::slice::from_ref(&input), &options).unwrap();
        let relative: Vec<_> = found.iter().map(|source| source.relative.to_str().unwrap()).collect();
        assert_eq!(relative, ["a.jsonl", "sub/b.jsonl"], "{input}");
    }
    // Whoever names such a folder means it.
    let work = folder.path().join("kept.jsonl.twindex-work");
    assert_eq!(sources(&[&work], &options).unwrap().len(), 2);
}

#[test]
fn inputs_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    let fails = |name: &str| message(resolve(&[format!("{}/{name}", folder.path().display())], &options));
    assert!(
        fails("missing.jsonl").contains("cannot open") && fails("missing.jsonl").contains("missing.jsonl")
    );
    assert!(fails("*.jsonl").contains("no file matches"));
    assert!(fails("a[.jsonl").contains("is no valid pattern"));
    assert!(fails("").contains("holds no files to read"));
    write(folder.path(), "paper.docx", b"x");
    assert!(fails("paper.docx").contains(".html or .warc"));
    assert!(fails("").contains("paper.docx does not tell its format"));
    let any = ReadOptions { format: Some(Format::Text), ..ReadOptions::default() };
    assert_eq!(sources(&[folder.path()], &any).unwrap().len(), 1);
    let twice = write(folder.path(), "a.jsonl", b"");
    assert!(message(sources(&[&twice, &twice], &options)).contains("is named twice"));
    assert!(message(resolve(&["-".to_owned()], &options)).contains("standard input"));
    write(folder.path(), "a.parquet.gz", b"");
    assert!(fails("a.parquet.gz").contains("unpack it first"));
}

#[test]
fn standard_input_is_recognised_and_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("spool");
    let line = b"{\"text\":\"from a pipe\"}\n";
    let packed = zstd::encode_all(&line[..], 1).unwrap();
    let source = spool_stdin(&into, &packed[..], None).unwrap();
    assert_eq!((source.format, source.compression), (Format::Jsonl, Compression::Zstd));
    let options = ReadOptions::default();
    for _ in 0..2 {
        let mut reader = Reader::open(std::slice::from_ref(&source), &options).unwrap();
        let batch = reader.next_batch(1 << 20).unwrap().unwrap();
        let row = batch.parse(&options).remove(0).unwrap();
        assert_eq!((row.id_or_position().as_ref(), row.text.as_ref()), ("stdin:1", "from a pipe"));
        assert_eq!(reader.compressed_bytes_read(), source.bytes);
    }
    assert_eq!(spool_stdin(&into, &b"WARC/1.0\r\n"[..], None).unwrap().format, Format::Warc);
    assert_eq!(spool_stdin(&into, &b"PAR1"[..], None).unwrap().format, Format::Parquet);
    assert_eq!(spool_stdin(&into, &b"one\n"[..], Some(Format::Lines)).unwrap().format, Format::Lines);
}

#[test]
fn a_live_stream_gives_rows_as_they_arrive() {
    let (receive, mut send) = std::io::pipe().unwrap();
    let options = ReadOptions::default();
    let mut reader = Reader::live(receive, "stdin", Format::Jsonl, &options).unwrap();
    for number in 0..3 {
        use std::io::Write;
        send.write_all(format!("{{\"text\":\"{number}\"}}\n{{\"te").as_bytes()).unwrap();
        let batch = reader.next_batch(1 << 20).unwrap().unwrap();
        assert_eq!(batch.parse(&options)[0].as_ref().unwrap().text, number.to_string());
        send.write_all(b"xt\":\"rest\"}\n").unwrap();
        assert_eq!(reader.next_batch(1 << 20).unwrap().unwrap().len(), 1);
    }
    drop(send);
    assert!(reader.next_batch(1 << 20).unwrap().is_none());
    assert!(
        message(Reader::live(&b""[..], "stdin", Format::Csv, &options).map(drop))
            .contains("csv cannot be read")
    );
}

#[test]
fn two_folders_with_equal_names_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let one = folder.path().join("one");
    let two = folder.path().join("two");
    write(&one, "x.txt", b"1");
    write(&two, "x.txt", b"2");
    let found = sources(&[&one, &two], &ReadOptions::default()).unwrap();
    let relative: Vec<_> = found.iter().map(|source| source.relative.to_str().unwrap()).collect();
    assert_eq!(relative, ["one/x.txt", "two/x.txt"]);
    assert_eq!(texts(&one), ["1"]);
}
