//! How does a row with features instead of a text become a document?
//!
//! A row `{"id": "a", "features": [["https://a.example/", 3], ["tag:news", 0.5]]}` has no text but
//! names with weights. Only rows without a text are asked for it, so that texts pay nothing.

use serde::Deserialize;
use serde_json::Value;
use twindex_core::feature::NamedFeatures;

/// The field that holds them.
const FIELD: &str = "features";

#[derive(Deserialize)]
struct Row {
    features: Option<Value>,
}

/// The features of a row as a text; `None` if it has none, and an error that says what is wrong
/// with them.
pub(crate) fn text_of(line: &str) -> Option<Result<String, String>> {
    // A line that is no object was found to be none before.
    let features = serde_json::from_str::<Row>(line).ok()?.features?;
    Some(text(&features))
}

fn text(features: &Value) -> Result<String, String> {
    let Value::Array(list) = features else {
        return Err(format!("the field \"{FIELD}\" holds {}", kind(features)));
    };
    let named = list.iter().enumerate().map(|(number, feature)| match feature {
        Value::Array(pair) => match &pair[..] {
            [Value::String(name), Value::Number(weight)] => {
                // Every JSON number is one; one that is too large is infinite, and refused as such.
                Ok((name.clone(), weight.as_f64().unwrap_or(f64::INFINITY)))
            }
            [Value::String(_), other] => Err(format!("the weight of {FIELD}[{number}] is {}", kind(other))),
            [other, _] => Err(format!("the name of {FIELD}[{number}] is {}", kind(other))),
            _ => Err(format!("{FIELD}[{number}] has {} elements", pair.len())),
        },
        other => Err(format!("{FIELD}[{number}] is {}", kind(other))),
    });
    let named = named.collect::<Result<Vec<(String, f64)>, String>>()?;
    NamedFeatures::new(named).map(|features| features.to_text()).map_err(|error| error.to_string())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_become_a_text_in_order() {
        let line = r#"{"id": 1, "features": [["b", 2], ["a", 0.5], ["b", 1]]}"#;
        assert_eq!(text_of(line), Some(Ok("a\t0.5\nb\t3\n".to_owned())));
        assert_eq!(text_of(r#"{"features": []}"#), Some(Ok(String::new())));
        assert_eq!(text_of(r#"{"id": 1}"#), None);
        assert_eq!(text_of(r#"{"features": null}"#), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (features, part) in [
            ("\"a\"", "holds text"),
            ("{}", "holds an object"),
            ("[\"a\"]", "features[0] is text"),
            ("[[\"a\", 1], [\"b\"]]", "features[1] has 1 elements"),
            ("[[1, 2]]", "the name of features[0] is a number"),
            ("[[\"a\", \"2\"]]", "the weight of features[0] is text"),
            ("[[\"a\", null]]", "the weight of features[0] is null"),
            ("[[\"a\", -2]]", "\"a\" is -2"),
            ("[[\"a\", 0]]", "above 0"),
        ] {
            let error = text_of(&format!("{{\"features\": {features}}}")).unwrap().unwrap_err();
            assert!(error.contains(part), "{features}: {error}");
        }
    }
}
