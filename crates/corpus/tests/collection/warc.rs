//! Web archives: which records are documents, and what is passed on.

use std::fs;
use std::io::Read;

use crate::common::{ONE_BATCH, batches, copy, message, read, rows, sources, write};
use twindex_corpus::{FieldValue, ReadOptions};

fn record(kind: &str, id: u32, content_type: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Target-URI: http://x/{id}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn page(head: &str, body: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), b"\r\n\r\n", body].concat()
}

fn records() -> Vec<Vec<u8>> {
    let http = "application/http; msgtype=response";
    vec![
        record("warcinfo", 1, "application/warc-fields", b"software: x\r\n"),
        record("request", 2, "application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"),
        record(
            "response",
            3,
            http,
            &page("content-type: text/html; charset=gbk", b"<p>\xd6\xd0\xce\xc4\r\n\r\nWARC/1.0"),
        ),
        record("response", 4, http, &page("Content-Type: image/png", b"\x89PNG")),
        record(
            "response",
            5,
            http,
            &page(
                "Content-Type: text/html\r\nTransfer-Encoding: chunked",
                b"3\r\n<p>\r\n2\r\nhi\r\n0\r\n\r\n",
            ),
        ),
        record("conversion", 6, "text/plain", "plain text é".as_bytes()),
        record("metadata", 7, "application/warc-fields", b""),
    ]
}

#[test]
fn pages_and_plain_text_are_documents() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "crawl.warc.gz", &records().concat());
    let options = ReadOptions { extra: vec!["warc-target-uri".parse().unwrap()], ..ReadOptions::default() };
    let found: Vec<_> = rows(&path, &options).unwrap().into_iter().map(Result::unwrap).collect();
    let seen: Vec<_> = found.iter().map(|row| (row.id.as_deref().unwrap(), row.text.as_ref())).collect();
    assert_eq!(
        seen,
        [("urn:uuid:3", "<p>中文\r\n\r\nWARC/1.0"), ("urn:uuid:5", "<p>hi"), ("urn:uuid:6", "plain text é")]
    );
    assert_eq!(found[1].extra, [Some(FieldValue::Text("http://x/5".to_owned()))]);
    assert_eq!(found[1].position.number(), Some(5));
    let options =
        ReadOptions { id_field: Some("WARC-Target-URI".parse().unwrap()), ..ReadOptions::default() };
    assert_eq!(rows(&path, &options).unwrap()[0].as_ref().unwrap().id.as_deref(), Some("http://x/3"));
}

#[test]
fn records_are_passed_on_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let all = records();
    let path = write(folder.path(), "crawl.warc", &all.concat());
    for name in ["out.warc", "out.warc.gz", "out.warc.zst"] {
        let output = folder.path().join(name);
        for target in [1, 300, ONE_BATCH] {
            copy(&[&path], &output, &ReadOptions::default(), target, |_| true).unwrap();
            assert_eq!(read(&output), all.concat());
            copy(&[&path], &output, &ReadOptions::default(), target, |row| row != 1).unwrap();
            let kept: Vec<_> = all
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != 4)
                .map(|(_, record)| record.clone())
                .collect();
            assert_eq!(read(&output), kept.concat());
        }
    }
    let packed = fs::read(folder.path().join("out.warc.gz")).unwrap();
    let mut first = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut first).unwrap();
    assert_eq!(first, all[0], "one gzip member per record");
}

#[test]
fn broken_archives_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let whole = records()[..6].concat();
    let path = write(folder.path(), "crawl.warc", &whole[..whole.len() - 10]);
    let error = message(rows(&path, &ReadOptions::default()));
    assert!(error.contains("crawl.warc is truncated: record 6 ends in the middle"), "{error}");
    let path = write(folder.path(), "crawl.warc", &whole[..whole.len() - 50]);
    let error = message(rows(&path, &ReadOptions::default()));
    assert!(error.contains("crawl.warc is truncated: the header of record 6 does not end"), "{error}");
    let path = write(folder.path(), "crawl.warc", b"<html>");
    let error = message(rows(&path, &ReadOptions::default()));
    assert!(error.contains("crawl.warc:1: not a WARC record: it begins with \"<html\""), "{error}");
    let path = write(folder.path(), "crawl.warc", b"WARC/1.0\r\nWARC-Type: response\r\n\r\n");
    let error = message(rows(&path, &ReadOptions::default()));
    assert!(error.contains("it has no valid Content-Length"), "{error}");
    let bad = page("Content-Type: text/html\r\nContent-Encoding: gzip", b"\x1f\x8b\x08cut");
    let path = write(folder.path(), "crawl.warc", &record("response", 1, "application/http", &bad));
    let error = message(rows(&path, &ReadOptions::default()).unwrap().remove(0));
    assert!(
        error.contains("crawl.warc:1: the record cannot be decoded: its gzip body is damaged"),
        "{error}"
    );
}

/// The texts of records, and what else there is.
fn texts_and_others(blocks: &[Vec<u8>]) -> (Vec<String>, Vec<(String, u64)>) {
    let folder = tempfile::tempdir().unwrap();
    let records = blocks.iter().zip(1..).map(|(block, id)| record("response", id, "application/http", block));
    let path = write(folder.path(), "crawl.warc", &records.collect::<Vec<_>>().concat());
    let options = ReadOptions::default();
    let batches = batches(&sources(&[&path], &options).unwrap(), &options, ONE_BATCH).unwrap();
    let parsed = batches.iter().flat_map(|batch| batch.parse(&options));
    let texts = parsed.map(|row| row.map_or_else(|error| error.to_string(), |row| row.text.into_owned()));
    let others = batches.iter().flat_map(|batch| batch.others());
    (texts.collect(), others.map(|(reason, count)| (reason.to_owned(), count)).collect())
}

#[test]
fn a_header_that_ends_with_bare_line_feeds_hides_no_page() {
    let pages = [&b"<p>one\r\n\r\n<p>the same end"[..], b"<p>two\r\n\r\n<p>the same end"];
    let blocks = pages.map(|page| [b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n", page].concat());
    let (texts, others) = texts_and_others(&blocks);
    assert_eq!(texts, ["<p>one\r\n\r\n<p>the same end", "<p>two\r\n\r\n<p>the same end"]);
    assert!(others.is_empty());
    // And so may the header of the record itself.
    let folder = tempfile::tempdir().unwrap();
    let record = b"WARC/1.0\nWARC-Type: conversion\nContent-Type: text/plain\nContent-Length: 3\n\none\n\n";
    let path = write(folder.path(), "lf.warc", &record.repeat(2));
    assert_eq!(crate::common::texts(&path), ["one", "one"]);
}

#[test]
fn headers_that_servers_really_send_are_documents() {
    let (texts, others) = texts_and_others(&[
        b"HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html\r\n\r\n<p>folded".to_vec(),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>late".to_vec(),
        b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n <!DOCTYPE html><p>untyped".to_vec(),
        b"HTTP/1.1 200 OK\r\n\r\nuntyped text".to_vec(),
        page("Content-Type: text/html\r\nContent-Encoding: utf-8", b"<p>unknown"),
        page("Content-Type: text/html; charset=iso-2022-kr", b"<p>label"),
        b"HTTP/1.1 200 OK\r\n\r\n\x89PNG\r\n\x1a\n\0".to_vec(),
        page("Content-Type: image/gif\x1b", b"GIF89a"),
        page("Content-Type: text/html", b""),
    ]);
    let expected =
        ["<p>folded", "<p>late", " <!DOCTYPE html><p>untyped", "untyped text", "<p>unknown", "<p>label"];
    assert_eq!(texts, expected);
    let counted = ["records of binary content", "records of image/gif\\u{1b}", "records without content"];
    assert_eq!(others, counted.map(|reason| (reason.to_owned(), 1)));
}
