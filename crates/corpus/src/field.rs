//! Which field of a row is meant?

use std::fmt;
use std::str::FromStr;

/// The path of a field: `text`, or `meta.body` for the field `body` of the object in the field
/// `meta`.
///
/// A field whose name is the whole path, dots included, wins over a nested one, because flattened
/// tables have columns called `meta.body`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldPath {
    whole: String,
    segments: Vec<String>,
}

impl FieldPath {
    /// The path as it was typed.
    pub fn as_str(&self) -> &str {
        &self.whole
    }

    /// The path of a field of the object at this one.
    pub(crate) fn inside(&self, name: &str) -> FieldPath {
        let mut segments = self.segments.clone();
        segments.push(name.to_owned());
        FieldPath { whole: format!("{}.{name}", self.whole), segments }
    }

    /// The names on the way, outermost first; never empty.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.whole)
    }
}

/// A field path with an empty name in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{found}\" is no field: expected names joined by dots, like text or meta.body")]
pub struct BadFieldPath {
    /// What was given.
    pub found: String,
}

impl FromStr for FieldPath {
    type Err = BadFieldPath;

    fn from_str(path: &str) -> Result<Self, Self::Err> {
        let segments: Vec<String> = path.split('.').map(str::to_owned).collect();
        if segments.iter().any(String::is_empty) {
            return Err(BadFieldPath { found: path.to_owned() });
        }
        Ok(FieldPath { whole: path.to_owned(), segments })
    }
}

/// What a row needs a field for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// The document's text: [`ReadOptions::text_field`](crate::ReadOptions::text_field).
    Text,
    /// A fingerprint in the place of a text:
    /// [`ReadOptions::text_cells`](crate::ReadOptions::text_cells).
    Fingerprint,
    /// The document's id: [`ReadOptions::id_field`](crate::ReadOptions::id_field).
    Id,
}

/// The value of a field in [`ReadOptions::extra`](crate::ReadOptions::extra).
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A whole number that fits 64 bits.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    Text(String),
    /// A list, as JSON.
    List(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_split_at_dots() {
        let path: FieldPath = "meta.body".parse().unwrap();
        assert_eq!(path.segments(), ["meta", "body"]);
        assert_eq!(path.to_string(), "meta.body");
        for bad in ["", ".", "a.", ".a", "a..b"] {
            assert!(bad.parse::<FieldPath>().is_err(), "{bad:?}");
        }
    }
}
