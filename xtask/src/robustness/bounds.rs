//! Memory with long rows of every kind of input, and speed on pages that are made to be slow.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::measured;
use crate::table::Table;

/// What the program may use.
const MEMORY: u64 = 200_000_000;
/// Rows nearly as long as it reads with that: the more words, the shorter.
const WORDS: usize = 9_000_000;
const LETTERS: usize = 3_600_000;
const HAN: usize = 5_000_000;
const ROWS: usize = 4;

/// The least speed on a hostile page, of the whole program, in MB/s.
const LEAST_SPEED: f64 = 20.0;
/// A page, and one of twice its size that may take little more than twice as long.
const PAGE_BYTES: usize = 16_000_000;

/// Words of seven letters that no other row has.
fn words(row: usize) -> String {
    let words = (0..WORDS / 8).map(|word| format!("{:07x} ", (word * ROWS + row) % 0xfff_ffff));
    words.collect()
}

/// Words of one letter, in an order of its own in every row.
fn letters(row: usize) -> String {
    let letter = |place: usize| char::from(b'a' + ((place * place / 7 + place * (row + 3)) % 26) as u8);
    (0..LETTERS / 2).flat_map(|place| [letter(place), ' ']).collect()
}

/// Every character is a word.
fn han(row: usize) -> String {
    let character = |place: usize| 0x4e00 + ((place * place / 7 + place * (row + 3)) % 0x5000) as u32;
    (0..HAN / 3).filter_map(|place| char::from_u32(character(place))).collect()
}

/// A name for the kind, what its texts are, and what a row of it looks like.
type Kind = (&'static str, fn(usize) -> String, &'static str, fn(&str) -> String);

const KINDS: [Kind; 8] = [
    ("a.jsonl", words, "", json),
    ("letters.jsonl", letters, "", json),
    ("han.jsonl", han, "", json),
    ("a.csv", words, "text,x\n", |text| format!("\"{text}\",1\n")),
    ("a.tsv", words, "text\tx\n", |text| format!("{text}\t1\n")),
    ("a.warc", words, "", |text| {
        let length = text.len();
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n\
             {text}\r\n\r\n"
        )
    }),
    ("a.txt", words, "", str::to_owned),
    ("a.html", words, "", |text| format!("<p>{text}</p>")),
];

fn json(text: &str) -> String {
    format!("{{\"text\": \"{text}\"}}\n")
}

/// Peak resident memory for every kind of input, and for the files of `more`.
pub(super) fn memory(twindex: &Path, more: Option<&Path>) -> anyhow::Result<(Table, usize, Vec<String>)> {
    let mut table = Table::new(&["long rows, --memory 200M", "peak MB"]);
    let (mut cases, mut found) = (0, vec![]);
    let mut measure = |name: &str, input: &Path| -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(twindex);
        command
            .arg("dedup")
            .arg(input)
            .args(["--memory", "200M", "--threads", "2"])
            .current_dir(folder.path());
        let peak = measured::peak_bytes(&command)?;
        table.row([name.to_owned(), (peak / 1_000_000).to_string()]);
        cases += 1;
        if peak > MEMORY {
            found.push(format!("{name}: {peak} bytes at the peak"));
        }
        Ok(())
    };
    for (name, text, header, row) in KINDS {
        let folder = tempfile::tempdir()?;
        if name.ends_with(".txt") || name.ends_with(".html") {
            for number in 0..ROWS {
                std::fs::write(folder.path().join(format!("{number}{name}")), row(&text(number)))?;
            }
        } else {
            let rows: String = (0..ROWS).map(|number| row(&text(number))).collect();
            std::fs::write(folder.path().join(name), format!("{header}{rows}"))?;
        }
        measure(name, folder.path())?;
    }
    let mut files = vec![];
    if let Some(more) = more {
        super::collect(more, &mut files)?;
    }
    for file in files {
        measure(&file.file_name().unwrap_or_default().to_string_lossy(), &file)?;
    }
    Ok((table, cases, found))
}

pub(super) const SHAPES: [(&str, &str, &str); 10] = [
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

/// Speed on hostile pages, by the time on the CPU: one page is one thread's, and a busy machine
/// makes that a little longer. A difference is reported only far below the bound.
pub(super) fn pages(twindex: &Path) -> anyhow::Result<(Table, Vec<String>)> {
    let mut table = Table::new(&["page of 16 MB", "MB/s of one core", "at twice the size"]);
    let mut found = vec![];
    for (name, start, piece) in SHAPES {
        let folder = tempfile::tempdir()?;
        let speed = |bytes: usize| -> anyhow::Result<f64> {
            let page = folder.path().join("a.html");
            std::fs::write(&page, format!("{start}{}x", piece.repeat(bytes / piece.len())))?;
            let mut command = Command::new(twindex);
            command.args(["fingerprint", "a.html", "--output", "out.tsv"]).current_dir(folder.path());
            let cost = measured::run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
            Ok(bytes as f64 / 1e6 / cost.cpu_seconds)
        };
        let (once, twice) = (speed(PAGE_BYTES)?, speed(2 * PAGE_BYTES)?);
        table.row([name.replace('<', "`<`"), format!("{once:.0}"), format!("{twice:.0}")]);
        if once.max(twice) < LEAST_SPEED / 2.0 {
            found.push(format!("{name}: {once:.1} MB/s"));
        }
    }
    Ok((table, found))
}
