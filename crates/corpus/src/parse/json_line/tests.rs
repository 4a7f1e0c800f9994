//! The quick walk, held against the general one.

use proptest::prelude::*;

use super::*;
use crate::parse::json_fields::Walk;

fn both<'l>(line: &'l str, names: &[&str]) -> (Option<Vec<Found<'l>>>, Result<Vec<Found<'l>>, ()>) {
    let paths: Vec<FieldPath> = names.iter().map(|name| name.parse().unwrap()).collect();
    let paths: Vec<&FieldPath> = paths.iter().collect();
    let mut slots = vec![Found::Boolean; paths.len()];
    let quick = read(line, &paths, &mut slots).map(|()| slots.clone());
    let general = Walk::read(line, &paths, &mut slots).map_err(drop).map(|()| slots);
    (quick, general)
}

#[test]
fn ordinary_lines_take_the_fast_path() {
    for line in [
        r#"{"id": "7", "text": "Red, green."}"#,
        r#"{"text":"a\nb\t\"c\" \\ \/ \u00e9 \ud83d\ude00","id":17,"meta":{"a":[1,2.5e-3,{"b":null}],"c":"\n"}}"#,
        r#" { "text" : "" , "id" : null , "likes" : -0.5 , "is" : [ true , false , [ ] , { } ] } "#,
        r#"{"text":"one","text":"two","id":-4}"#,
        "{}",
    ] {
        let (quick, general) = both(line, &["text", "id", "text"]);
        assert_eq!(quick, Some(general.unwrap()), "{line}");
    }
}

#[test]
fn what_is_doubtful_is_left_to_the_general_walk() {
    for line in [
        r#"{"text":"\ud83d"}"#,
        r#"{"text":"\ude00\ud83d"}"#,
        r#"{"text":"\u+123"}"#,
        r#"{"te\u0078t":"a"}"#,
        "{\"text\":\t\"a\"}",
        "{\"text\":\"a\tb\"}",
        r#"{"text":"a"} x"#,
        r#"{"text":"a",}"#,
        r#"{"text":"a"#,
        r#"{"text":"a\"#,
        r#"{"text":"a\"}"#,
        r#"{"text":12345678901234567890}"#,
        r#"{"text":01}"#,
        r#"{"other":01}"#,
        r#"{"other":1.}"#,
        r#"{"other":-}"#,
        r#"{"other":"\x"}"#,
        r#"{"other":{1:2}}"#,
        r#"{"other":nul}"#,
        r#"{"text":true}"#,
        "[1]",
        "",
    ] {
        assert_eq!(both(line, &["text", "id"]).0, None, "{line}");
    }
    assert_eq!(both(r#"{"a":{"b":"c"}}"#, &["a.b"]).0, None);
    let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(LONGEST_LINE));
    assert_eq!(both(&long, &["text"]).0, None);
    let deep = format!("{{\"other\":{}1{}}}", "[".repeat(DEEPEST), "]".repeat(DEEPEST));
    assert_eq!(both(&deep, &["text"]).0, None);
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    /// Where the quick walk answers, the general one answers the same.
    #[test]
    fn the_quick_walk_never_says_anything_else(line in prop_oneof![line(), object()]) {
        if let (Some(quick), general) = both(&line, &["text", "id", "id"]) {
            prop_assert_eq!(Ok(quick), general);
        }
    }
}
