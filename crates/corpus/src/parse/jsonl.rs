//! How does a line of JSON become a document?
//!
//! A lone surrogate escape (`\ud800`), which JSON allows and Unicode text cannot hold, is read as
//! U+FFFD: such rows come from programs that cut strings in the middle, and one of them must not
//! stop a run. The row that is written out keeps the escape, because rows are passed on byte for
//! byte.
//!
//! A row without the text field, or with null in it, may have features instead: see [`features`].

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use twindex_core::Markup;

use crate::field::FieldPath;
use crate::options::ReadOptions;
use crate::parse::json_string::{self, Room, UNIT_ESCAPE};
use crate::parse::{features, json_line};
use crate::row::{Found, ID_SLOT, Row, TEXT_SLOT, Wanted};
use crate::row_error::RowError;
use crate::span::SpanBatch;

/// Parses every row of a batch. Texts with escapes go to `room`.
pub(crate) fn parse<'b>(
    batch: &'b SpanBatch,
    options: &ReadOptions,
    room: &mut Room<'b>,
) -> Vec<Result<Row<'b>, RowError>> {
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
        if json_line::read(line, &paths, &mut slots, room).is_none() {
            return Err(RowError::BadJson { position, detail: wrong(line) });
        }
        if slots[ID_SLOT] == Found::Object {
            slots[ID_SLOT] = wrapped_id(line, paths[ID_SLOT]).unwrap_or(Found::Object);
        }
        if matches!(slots[TEXT_SLOT], Found::Missing | Found::Null)
            && let Some(features) = features::text_of(line)
        {
            let text =
                features.map_err(|detail| RowError::BadFeatures { position: position.clone(), detail })?;
            slots[TEXT_SLOT] = Found::Text(text.into());
            let row = wanted.row(&mut slots, position, || keys(line))?;
            return Ok(Row { markup: Markup::Features, ..row });
        }
        wanted.row(&mut slots, position, || keys(line))
    };
    (0..batch.rows.len()).map(one).collect()
}

/// The names under which MongoDB's exports write what JSON has no form for.
const WRAPPERS: [&str; 3] = ["$oid", "$uuid", "$numberLong"];

/// An id like `{"$oid": "507f1f77bcf86cd799439011"}`. Few rows have one: the line is read again.
fn wrapped_id(line: &str, path: &FieldPath) -> Option<Found<'static>> {
    WRAPPERS.iter().find_map(|name| {
        let mut slots = [Found::Missing];
        json_line::read(line, &[&path.inside(name)], &mut slots, &mut Room::default())?;
        match slots {
            [Found::Text(id)] => Some(Found::Text(id.into_owned().into())),
            _ => None,
        }
    })
}

/// What is wrong with a line that is no object.
fn wrong(line: &str) -> String {
    match serde_json::from_str::<Object>(&replace_lone_surrogates(line)) {
        // Numbers are the only values that are looked into, and only wanted ones.
        Ok(Object) => "number out of range".to_owned(),
        Err(error) => {
            // serde_json counts lines inside the text it was given, which here is one line: only
            // the column tells.
            let message = error.to_string();
            let what = message.split(" at line ").next().unwrap_or(&message);
            format!("{what} (column {})", error.column())
        }
    }
}

/// Any object.
struct Object;

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(Object)
    }
}

impl<'de> Visitor<'de> for Object {
    type Value = Object;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        while map.next_entry::<Cow<str>, IgnoredAny>()?.is_some() {}
        Ok(Object)
    }
}

/// The keys of an object, for the error about a missing one.
fn keys(line: &str) -> Vec<String> {
    let object: Result<std::collections::BTreeMap<String, IgnoredAny>, _> = serde_json::from_str(line);
    object.map(|object| object.into_keys().collect()).unwrap_or_default()
}

/// Turns every escape of half a surrogate pair into `\ufffd`, which is as long.
pub(crate) fn replace_lone_surrogates(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        let Some(unit) = json_string::unit(bytes, at) else {
            at += 2; // A backslash and the character that it escapes.
            if at > bytes.len() {
                break;
            }
            continue;
        };
        let paired = is_high(unit) && json_string::unit(bytes, at + UNIT_ESCAPE).is_some_and(is_low);
        if paired {
            at += 2 * UNIT_ESCAPE;
            continue;
        }
        if is_high(unit) || is_low(unit) {
            repaired.push_str(&line[copied..at]);
            repaired.push_str("\\ufffd");
            copied = at + UNIT_ESCAPE;
        }
        at += UNIT_ESCAPE;
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    repaired.push_str(&line[copied..]);
    Cow::Owned(repaired)
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
