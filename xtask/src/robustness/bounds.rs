//! Memory with long rows of every kind of input, and speed on pages that are made to be slow.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::measured;
use crate::table::Table;

/// What the program may use, and how long a row is: the longest that it reads with that.
const MEMORY: u64 = 200_000_000;
const ROW_BYTES: usize = 15_000_000;
const ROWS: usize = 4;

/// The least speed on a hostile page, of the whole program, in MB/s.
const LEAST_SPEED: f64 = 20.0;
/// A page, and one of twice its size that may take little more than twice as long.
const PAGE_BYTES: usize = 16_000_000;

/// Rows of words that no other row has.
fn text(row: usize) -> String {
    let words = (0..ROW_BYTES / 8).map(|word| format!("{:07x} ", (word * ROWS + row) % 0xfff_ffff));
    words.collect()
}

/// A name for the kind and what a row of it looks like.
type Kind = (&'static str, &'static str, fn(&str) -> String);

const KINDS: [Kind; 6] = [
    ("a.jsonl", "", |text| format!("{{\"text\": \"{text}\"}}\n")),
    ("a.csv", "text,x\n", |text| format!("\"{text}\",1\n")),
    ("a.tsv", "text\tx\n", |text| format!("{text}\t1\n")),
    ("a.warc", "", |text| {
        let length = text.len();
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n\
             {text}\r\n\r\n"
        )
    }),
    ("a.txt", "", str::to_owned),
    ("a.html", "", |text| format!("<p>{text}</p>")),
];

/// Peak resident memory for every kind of input.
pub(super) fn memory(twindex: &Path) -> anyhow::Result<(Table, Vec<String>)> {
    let mut table = Table::new(&["rows of 15 MB, --memory 200M", "peak MB"]);
    let mut found = vec![];
    for (name, header, row) in KINDS {
        let folder = tempfile::tempdir()?;
        if name.ends_with(".txt") || name.ends_with(".html") {
            for number in 0..ROWS {
                std::fs::write(folder.path().join(format!("{number}{name}")), row(&text(number)))?;
            }
        } else {
            let rows: String = (0..ROWS).map(|number| row(&text(number))).collect();
            std::fs::write(folder.path().join(name), format!("{header}{rows}"))?;
        }
        let mut command = Command::new(twindex);
        command.args(["dedup", ".", "--memory", "200M"]).current_dir(folder.path());
        let cost = measured::run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        table.row([name.to_owned(), format!("{:.0}", cost.peak_megabytes())]);
        if cost.peak_bytes > MEMORY {
            found.push(format!("{name}: {:.0} MB at the peak", cost.peak_megabytes()));
        }
    }
    Ok((table, found))
}

const SHAPES: [(&str, &str, &str); 10] = [
    ("deep nesting", "", "<div>"),
    ("a million attributes", "<p", " abc=de"),
    ("only tags", "", "<b></b>"),
    ("only entities", "", "&amp;&#65;&eacute;"),
    ("nothing closed", "", "<p><li><td><b>x"),
    ("one comment", "<!--", "a-"),
    ("only <", "", "<"),
    ("a tag for a letter", "", "<p>a<br>b<i>c</i>"),
    ("end tags of nothing", "<div><div>", "</p>"),
    ("a script that never ends", "<script>", "</scrip"),
];

/// Speed on hostile pages. A figure of a busy machine says little, so that a difference is reported
/// only far below the bound.
pub(super) fn pages(twindex: &Path) -> anyhow::Result<(Table, Vec<String>)> {
    let mut table = Table::new(&["page of 16 MB", "MB/s", "MB/s at twice the size"]);
    let mut found = vec![];
    for (name, start, piece) in SHAPES {
        let folder = tempfile::tempdir()?;
        let speed = |bytes: usize| -> anyhow::Result<f64> {
            let page = folder.path().join("a.html");
            std::fs::write(&page, format!("{start}{}x", piece.repeat(bytes / piece.len())))?;
            let mut command = Command::new(twindex);
            command.args(["fingerprint", "a.html", "--output", "out.tsv"]).current_dir(folder.path());
            let cost = measured::run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
            Ok(cost.megabytes_per_second(bytes as u64))
        };
        let (once, twice) = (speed(PAGE_BYTES)?, speed(2 * PAGE_BYTES)?);
        table.row([name.replace('<', "`<`"), format!("{once:.0}"), format!("{twice:.0}")]);
        if once.max(twice) < LEAST_SPEED / 2.0 {
            found.push(format!("{name}: {once:.1} MB/s"));
        }
    }
    Ok((table, found))
}
