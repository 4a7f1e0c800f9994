//! Data inside HTML. Ids and texts are untrusted: a document may contain `</script>`.

use serde::Serialize;

/// JSON that can stand inside a `<script type="application/json">` element.
///
/// The element ends at `</script`, and `<!--` followed by `<script` would hide that end; without
/// any `<` neither can occur. JSON has `<` only inside strings, where the escape means the same
/// character. U+2028 and U+2029 end a line in JavaScript before 2019, for readers that evaluate the
/// data as a script.
pub(super) fn script_json(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).expect("structs with string keys always have a JSON form");
    let mut escaped = String::with_capacity(json.len() + json.len() / 16);
    for character in json.chars() {
        match character {
            '<' => escaped.push_str("\\u003c"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// How many bytes a character takes in [`script_json`].
pub(super) fn escaped_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' | '<' | '\u{2028}' | '\u{2029}' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_strings_cannot_end_the_element() {
        let hostile = [
            "</script><img src=x onerror=alert(1)>",
            "<!--<script>",
            "</SCRIPT >",
            "]]>",
            "\u{2028}\u{2029}",
        ];
        let json = script_json(&hostile);
        assert!(!json.contains(['<', '\u{2028}', '\u{2029}']), "{json}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), hostile);
    }

    proptest! {
        #[test]
        fn any_string_comes_back_and_its_size_is_foretold(text in any::<String>()) {
            let json = script_json(&text);
            prop_assert!(!json.contains('<'));
            prop_assert_eq!(json.len(), 2 + text.chars().map(escaped_bytes).sum::<usize>());
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
