//! The walk, held against the whole value as serde_json builds it.

use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;
use crate::parse::json_string::TextBuffer;

/// What `paths` find in a line, with room for texts and without.
fn walk(line: &str, paths: &[FieldPath]) -> Result<Vec<Found<'static>>, ()> {
    let paths: Vec<&FieldPath> = paths.iter().collect();
    let mut buffer = TextBuffer::default();
    let [with_room, without] = [buffer.room(line.len()), Room::default()].map(|mut room| {
        let mut slots = vec![Found::Boolean; paths.len()];
        let read = read(line, &paths, &mut slots, &mut room).ok_or(());
        read.map(|()| slots.into_iter().map(owned).collect::<Vec<_>>())
    });
    assert_eq!(with_room, without, "{line}");
    with_room
}

fn owned(found: Found) -> Found<'static> {
    match found {
        Found::Text(text) => Found::Text(text.into_owned().into()),
        Found::Integer(integer) => Found::Integer(integer),
        Found::Unsigned(integer) => Found::Unsigned(integer),
        Found::Number(number) => Found::Number(number),
        Found::Bytes(bytes) => Found::Bytes(bytes),
        Found::Other(kind) => Found::Other(kind),
        Found::Missing => Found::Missing,
        Found::Null => Found::Null,
        Found::Boolean => Found::Boolean,
        Found::Array(_) => Found::Array("".into()),
        Found::Object => Found::Object,
    }
}

fn paths(names: &[&str]) -> Vec<FieldPath> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// The definition: build the whole value and look.
fn naive(line: &str, path: &FieldPath) -> Result<Found<'static>, ()> {
    let Json::Object(object) = serde_json::from_str(line).map_err(drop)? else {
        return Err(());
    };
    let whole = object.get(path.as_str()).cloned();
    let nested = || {
        let mut value = &Json::Object(object);
        for segment in path.segments() {
            if value.is_null() {
                break;
            }
            value = value.as_object()?.get(segment)?;
        }
        Some(value.clone())
    };
    Ok(match whole.or_else(nested) {
        None => Found::Missing,
        Some(Json::Null) => Found::Null,
        Some(Json::Bool(_)) => Found::Boolean,
        Some(Json::String(text)) => Found::Text(text.into()),
        Some(Json::Array(_)) => Found::Array("".into()),
        Some(Json::Object(_)) => Found::Object,
        Some(Json::Number(number)) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(integer), _, _) => Found::Integer(integer),
            (_, Some(integer), _) => Found::Unsigned(integer),
            (_, _, number) => Found::Number(number.unwrap_or_default()),
        },
    })
}

/// Objects with few names, so that equal keys, nested paths and whole dotted names collide.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-7".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just("2.5".to_owned()),
        Just("[1,{\"a\":2}]".to_owned()),
        Just("\"x \\u00e9\\n\"".to_owned()),
        Just("\"text\"".to_owned()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let key = prop_oneof![Just("a"), Just("b"), Just("a.b"), Just("\\u0061"), Just("other")];
        let members = proptest::collection::vec((key, inner), 0..4);
        members.prop_map(|members| {
            let members: Vec<String> =
                members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            format!("{{{}}}", members.join(", "))
        })
    })
}

#[test]
fn wanted_values_are_found() {
    for line in [
        r#"{"id": "7", "text": "Red, green."}"#,
        r#"{"text":"a\nb\t\"c\" \\ \/ \u00e9 \ud83d\ude00","id":17,"meta":{"a":[1,2.5e-3,{"b":null}],"c":"\n"}}"#,
        r#" { "text" : "" , "id" : null , "likes" : -0.5 , "is" : [ true , false , [ ] , { } ] } "#,
        "{\t\"text\"\r:\t\"tab\"\t,\t\"a\" : [\t1\r,\t2 ] }",
        r#"{"text":"one","text":"two","id":-4}"#,
        r#"{"te\u0078t":"an escape in a key"}"#,
        r#"{"text":-0,"id":12345678901234567890}"#,
        r#"{"text":1234567890123456789012,"id":-1234567890123456789}"#,
        r#"{"text":9223372036854775807,"id":-9223372036854775808}"#,
        r#"{"text":1e3,"id":0.1}"#,
        "{}",
    ] {
        let wanted = paths(&["text", "id", "text"]);
        let expected: Result<Vec<Found>, ()> = wanted.iter().map(|path| naive(line, path)).collect();
        assert!(expected.is_ok(), "{line}");
        assert_eq!(walk(line, &wanted), expected, "{line}");
    }
}

#[test]
fn half_a_surrogate_pair_is_replaced() {
    for (line, expected) in [
        (r#"{"text":"\ud83d"}"#, "\u{fffd}"),
        (r#"{"text":"\ude00\ud83d"}"#, "\u{fffd}\u{fffd}"),
        (r#"{"text":"\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
        (r#"{"text":"\ud83d\n"}"#, "\u{fffd}\n"),
        (r#"{"\ud83d":{"\ude00":"\ud83d"},"text":"whole"}"#, "whole"),
    ] {
        assert_eq!(walk(line, &paths(&["text"])), Ok(vec![Found::Text(expected.into())]), "{line}");
    }
}

#[test]
fn what_is_no_object_is_refused() {
    for line in [
        r#"{"text":"\u+123"}"#,
        r#"{"text":"\ud83d\u12"}"#,
        "{\"text\":\"a\tb\"}",
        "{\"other\":\"a\tb\"}",
        r#"{"text":"a"} x"#,
        r#"{"text":"a",}"#,
        r#"{,"text":"a"}"#,
        r#"{"text":"a"#,
        r#"{"text":"a\"#,
        r#"{"text":"a\"}"#,
        r#"{"text":01}"#,
        r#"{"text":1e999}"#,
        r#"{"other":01}"#,
        r#"{"other":1.}"#,
        r#"{"other":-}"#,
        r#"{"other":"\x"}"#,
        r#"{"other":{1:2}}"#,
        r#"{"other":[1,]}"#,
        r#"{"other":[1}}"#,
        r#"{"other":nul}"#,
        "[1]",
        "",
    ] {
        assert_eq!(walk(line, &paths(&["text", "id"])), Err(()), "{line}");
        assert!(serde_json::from_str::<serde_json::Map<String, Json>>(line).is_err(), "{line}");
    }
}

#[test]
fn depth_is_no_limit() {
    let depth = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for field in ["text", "other"] {
            let line = format!("{{\"{field}\":{}1{}}}", open.repeat(depth), close.repeat(depth));
            assert!(walk(&line, &paths(&["text", "text.a.a"])).is_ok());
            assert!(walk(&line[..line.len() - 1], &paths(&["text"])).is_err());
        }
    }
}

/// Pieces of JSON in any order: some are objects, most are not.
fn line() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "{",
        "}",
        "[",
        "]",
        ",",
        ",",
        ":",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\n",
        "\\\"",
        "00e9",
        "d83d",
        "\\ud83d",
        "\\ude00",
        "plain characters, more than two blocks of them ",
        "\r",
        "\\ud83d\\ude00",
        "\"text\":",
        "\"id\":",
        "\"other\":",
        "\"text\":\"",
        "\"a\"",
        "\"é😀\"",
        "{\"text\":\"",
        "\"}",
        "1",
        "-0",
        "12.5",
        "1e9",
        ".",
        "e",
        "+",
        "null",
        "true",
        "false",
        " ",
        "\t",
        "\u{1}",
        "x",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..16).prop_map(|pieces| pieces.concat())
}

/// Objects, with a character changed or not.
fn object() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap_or_default()),
        any::<i64>().prop_map(|integer| integer.to_string()),
        any::<f64>().prop_map(|number| serde_json::to_string(&number).unwrap_or_default()),
        Just(r#"{"text":["\u00df",{}]}"#.to_owned()),
        Just("null".to_owned()),
    ];
    let key = prop::sample::select(vec!["text", "id", "other", "te\\u0078t"]);
    let members = prop::collection::vec((key, value), 0..5);
    (members, any::<prop::sample::Index>(), prop::option::of(any::<char>())).prop_map(|(members, at, put)| {
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
        let mut line: Vec<char> = format!("{{{}}}", members.join(",")).chars().collect();
        if let Some(put) = put {
            let at = at.index(line.len());
            line[at] = put;
        }
        line.into_iter().collect()
    })
}

/// The line without halves of surrogate pairs, which serde_json refuses.
fn repaired(line: &str) -> std::borrow::Cow<'_, str> {
    crate::parse::jsonl::replace_lone_surrogates(line)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_walk_finds_what_the_whole_value_holds(line in prop_oneof![line(), object(), json()]) {
        // serde_json refuses large numbers wherever they are.
        let error = serde_json::from_str::<Json>(&line).err();
        prop_assume!(error.is_none_or(|error| !error.to_string().starts_with("number out of range")));
        let wanted = paths(&["text", "id", "id", "a", "a.b", "b.a", "a.a.b", "text.a"]);
        let expected: Result<Vec<Found>, ()> = wanted.iter().map(|path| naive(&repaired(&line), path)).collect();
        prop_assert_eq!(walk(&line, &wanted), expected);
    }

    /// Strings of any length and content, escaped in any way.
    #[test]
    fn texts_are_what_was_written(
        characters in prop::collection::vec((any::<char>(), 1_usize..40, 0..3), 0..12),
    ) {
        let (mut text, mut line) = (String::new(), String::from("{\"text\":\""));
        for (character, count, how) in characters {
            for _ in 0..count {
                text.push(character);
                let mut units = [0; 2];
                match how {
                    0 => {
                        for unit in character.encode_utf16(&mut units) {
                            line.push_str(&format!("\\u{unit:04X}"));
                        }
                    }
                    _ => {
                        let string = serde_json::to_string(&character).unwrap();
                        line.push_str(&string[1..string.len() - 1]);
                    }
                }
            }
        }
        line.push_str("\"}");
        prop_assert_eq!(walk(&line, &paths(&["text"])), Ok(vec![Found::Text(text.into())]));
    }
}
