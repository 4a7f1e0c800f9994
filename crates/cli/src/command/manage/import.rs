//! `twindex index import`

use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;
use twindex_core::fingerprint::Simhash;
use twindex_corpus::{STANDARD_STREAM, unpack};
use twindex_index::{Imported, Timestamp};

use super::open;
use crate::arguments::ImportOptions;
use crate::command::job::print_json;
use crate::words;

/// A line of a JSONL file.
#[derive(Deserialize)]
struct Line {
    id: String,
    fingerprint: String,
    #[serde(default)]
    expires: Option<u64>,
}

/// Adds fingerprints that were made elsewhere.
pub(super) fn run(options: &ImportOptions) -> Result<()> {
    let started = Instant::now();
    let index = open(&options.index)?;
    let usual_expiry = index.settings().ttl.map(|ttl| Timestamp::now().after(ttl));
    let mut imported = 0;
    let mut without_words = 0u64;
    for path in &options.files {
        let name = path.display().to_string();
        let mut failure = None;
        let lines = BufReader::with_capacity(1 << 20, reader(path)?).lines().enumerate();
        let documents = lines.map_while(|(number, line)| {
            let place = || format!("{name}:{}", number + 1);
            let parsed = line.with_context(place).and_then(|line| parse(&line, number).with_context(place));
            parsed.map_err(|error| failure = Some(error)).ok()
        });
        // Rows without a fingerprint are documents without words: nothing can be like them.
        let documents = documents.filter_map(|row| match row {
            Row::Document(document) => {
                Some(Imported { expires: document.expires.or(usual_expiry), ..document })
            }
            Row::Header => None,
            Row::WithoutWords => {
                without_words += 1;
                None
            }
        });
        imported += index.import(documents)?;
        if let Some(error) = failure {
            return Err(
                error.context(format!("{} were imported before", words::count(imported, "fingerprint")))
            );
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    if options.json {
        return print_json(
            &json!({ "imported": imported, "without_words": without_words, "seconds": seconds }),
        );
    }
    eprintln!("imported {} in {}", words::count(imported, "fingerprint"), words::duration(seconds));
    if without_words > 0 {
        eprintln!("left out {} without words", words::count(without_words, "document"));
    }
    Ok(())
}

/// A file as its lines were written, packed or not.
fn reader(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path.as_os_str() == STANDARD_STREAM {
        return unpack(stdin()).context("cannot read standard input");
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    unpack(file).with_context(|| format!("cannot read {}", path.display()))
}

enum Row {
    Header,
    WithoutWords,
    Document(Imported),
}

/// A line of TSV, or a JSON object.
fn parse(line: &str, number: usize) -> Result<Row> {
    let line = if line.starts_with('{') {
        serde_json::from_str(line).context("expected an object with id and fingerprint")?
    } else {
        let mut cells = line.split('\t');
        let (id, fingerprint) =
            cells.next().zip(cells.next()).context("expected id, a tab and a fingerprint")?;
        if number == 0 && (id, fingerprint) == ("id", "fingerprint") {
            return Ok(Row::Header);
        }
        let expires = cells.next().filter(|cell| !cell.is_empty()).map(str::parse).transpose();
        let expires = expires.context("expected the seconds since 1970 in the third column")?;
        Line { id: id.to_owned(), fingerprint: fingerprint.to_owned(), expires }
    };
    if line.fingerprint.is_empty() {
        return Ok(Row::WithoutWords);
    }
    let digits = Some(line.fingerprint.as_str()).filter(|digits| digits.len() == 16);
    let fingerprint = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let fingerprint = fingerprint
        .with_context(|| format!("\"{}\" is no simhash: expected 16 hexadecimal digits", line.fingerprint))?;
    Ok(Row::Document(Imported {
        id: line.id,
        fingerprint: Simhash(fingerprint),
        expires: line.expires.map(Timestamp),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(line: &str) -> Option<Imported> {
        match parse(line, 1) {
            Ok(Row::Document(document)) => Some(document),
            _ => None,
        }
    }

    #[test]
    fn lines_of_both_kinds() {
        let expected =
            Imported { id: "a b".to_owned(), fingerprint: Simhash(0xff), expires: Some(Timestamp(7)) };
        assert_eq!(document("a b\t00000000000000ff\t7"), Some(expected.clone()));
        let json = r#"{"id":"a b","fingerprint":"00000000000000ff","expires":7}"#;
        assert_eq!(document(json), Some(expected));
        assert!(document("a\t00000000000000FF").is_some_and(|it| it.expires.is_none()));
        assert!(matches!(parse("id\tfingerprint", 0), Ok(Row::Header)));
        assert!(matches!(parse("a\t", 3), Ok(Row::WithoutWords)));
        for wrong in ["a", "a\tff", "a\t00000000000000fg", "{\"id\":1}", "a\t00000000000000ff\tsoon"] {
            assert!(parse(wrong, 3).is_err(), "{wrong}");
        }
    }
}
