//! How does a line of JSON become a document?
//!
//! A lone surrogate escape (`\ud800`), which JSON allows and Unicode text cannot hold, is read as
//! U+FFFD: such rows come from programs that cut strings in the middle, and one of them must not
//! stop a run. The row that is written out keeps the escape, because rows are passed on byte for
//! byte.
//!
//! A row without the text field, or with null in it, may have features instead: see [`features`].

use std::borrow::Cow;

use serde::de::IgnoredAny;
use twindex_core::Markup;

use crate::field::FieldPath;
use crate::options::ReadOptions;
use crate::parse::json_fields::Walk;
use crate::parse::{features, json_line};
use crate::position::Position;
use crate::row::{Found, Row, TEXT_SLOT, Wanted};
use crate::row_error::RowError;
use crate::span::SpanBatch;

/// Parses every row of a batch.
pub(crate) fn parse<'b>(batch: &'b SpanBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let wanted = Wanted::new(options);
    let paths = wanted.paths();
    let mut slots = vec![Found::Missing; paths.len()];
    // Everything is checked, since skipped values would hide bad bytes from the parser; all rows at
    // once, if there are none.
    let all = simdutf8::basic::from_utf8(&batch.bytes).ok();
    let one = |row: usize| {
        let position = batch.position(row);
        let line = match all.and_then(|all| all.get(batch.line_range(row))) {
            Some(line) => line,
            None => {
                let bytes = batch.line(row);
                match std::str::from_utf8(bytes) {
                    Ok(line) => line,
                    Err(error) => return Err(RowError::invalid_utf8(position, bytes, error)),
                }
            }
        };
        match read(line, &paths, &mut slots) {
            Ok(()) => {
                if matches!(slots[TEXT_SLOT], Found::Missing | Found::Null)
                    && let Some(features) = features::text_of(line)
                {
                    let text = features
                        .map_err(|detail| RowError::BadFeatures { position: position.clone(), detail })?;
                    slots[TEXT_SLOT] = Found::Text(text.into());
                    let row = wanted.row(&mut slots, position, || keys(line))?;
                    return Ok(Row { markup: Markup::Features, ..row });
                }
                wanted.row(&mut slots, position, || keys(line))
            }
            Err(error) => Err(bad_json(position, &error)),
        }
    };
    (0..batch.rows.len()).map(one).collect()
}

/// Fills a slot for each path from an object: the quick way, the general way, and without what
/// Unicode cannot hold.
fn read<'l>(line: &'l str, paths: &[&FieldPath], slots: &mut [Found<'l>]) -> Result<(), serde_json::Error> {
    if json_line::read(line, paths, slots).is_some() {
        return Ok(());
    }
    Walk::read(line, paths, slots).or_else(|error| {
        let repaired = replace_lone_surrogates(line);
        if repaired == line { Err(error) } else { Walk::read(&repaired, paths, slots) }
    })
}

fn bad_json(position: Position, error: &serde_json::Error) -> RowError {
    // serde_json counts lines inside the text it was given, which here is one line: only the column
    // tells.
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or(&message);
    RowError::BadJson { position, detail: format!("{what} (column {})", error.column()) }
}

/// The keys of an object, for the error about a missing one.
fn keys(line: &str) -> Vec<String> {
    let object: Result<std::collections::BTreeMap<String, IgnoredAny>, _> = serde_json::from_str(line);
    object.map(|object| object.into_keys().collect()).unwrap_or_default()
}

/// Turns every escape of half a surrogate pair into `\ufffd`, which is as long.
fn replace_lone_surrogates(line: &str) -> Cow<'_, str> {
    const ESCAPE: usize = "\\u0000".len();
    let bytes = line.as_bytes();
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        let Some(unit) = escaped_unit(bytes, at) else {
            at += 2; // A backslash and the character that it escapes.
            if at > bytes.len() {
                break;
            }
            continue;
        };
        let paired = is_high(unit) && escaped_unit(bytes, at + ESCAPE).is_some_and(is_low);
        if paired {
            at += 2 * ESCAPE;
            continue;
        }
        if is_high(unit) || is_low(unit) {
            repaired.push_str(&line[copied..at]);
            repaired.push_str("\\ufffd");
            copied = at + ESCAPE;
        }
        at += ESCAPE;
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    repaired.push_str(&line[copied..]);
    Cow::Owned(repaired)
}

/// The value of the `\uXXXX` that begins at `at`.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (line, expected) in [
            (r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\ud83d\ude00"}"#),
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, r#"{"a":"\ufffd\ud83d\ude00"}"#),
            (r#"{"a":"\ude00x"}"#, r#"{"a":"\ufffdx"}"#),
            (r#"{"a":"\\ud83d"}"#, r#"{"a":"\\ud83d"}"#),
            ("\\", "\\"),
        ] {
            assert_eq!(replace_lone_surrogates(line), expected);
        }
    }
}
