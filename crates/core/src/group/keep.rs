//! Which of a set of duplicates is kept.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Which document of a set of duplicates stays. Ties go to the one that came first.
///
/// ```
/// use twindex_core::group::{KeepKey, KeepPolicy, KeepValue};
///
/// let policy: KeepPolicy = "newest:date".parse()?;
/// assert_eq!(policy.field(), Some("date"));
/// let key = |date| policy.key(100, Some(KeepValue::Text(date)));
/// assert!(key("2024-05-31")? < key("2023-01-01T12:00:00Z")?, "the smaller key is kept first");
/// assert_eq!(policy.key(100, None)?, KeepKey::LAST);
/// assert!("oldest".parse::<KeepPolicy>().is_err());
/// # Ok::<(), twindex_core::group::KeepError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeepPolicy {
    /// The first in input order.
    #[default]
    First,
    /// The longest text.
    Longest,
    /// The shortest text.
    Shortest,
    /// The latest date in a field: RFC 3339, a plain date, or an integer.
    Newest(String),
    /// The largest number in a field.
    Max(String),
    /// The smallest number in a field.
    Min(String),
}

/// The value of the policy's field in one document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeepValue<'a> {
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text: a date for `newest`, a number in digits for `max` and `min`.
    Text(&'a str),
}

/// The place of a document in keep order: smaller is kept first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeepKey(pub u64);

impl KeepKey {
    /// A document without the field comes after all that have it.
    pub const LAST: KeepKey = KeepKey(u64::MAX);
}

/// What is wrong with a policy or with a document's value for it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeepError {
    /// The policy's name.
    #[error(
        "unknown keep policy \"{0}\": expected first, longest, shortest, newest:FIELD, max:FIELD or min:FIELD"
    )]
    Policy(String),
    /// A value that is no date.
    #[error(
        "\"{0}\" is no date: newest:FIELD reads RFC 3339 dates such as 2024-05-31T12:00:00Z, plain dates, or integers"
    )]
    Date(String),
    /// A value that is no number.
    #[error("\"{0}\" is no number")]
    Number(String),
}

impl FromStr for KeepPolicy {
    type Err = KeepError;

    fn from_str(name: &str) -> Result<Self, KeepError> {
        let unknown = || KeepError::Policy(name.to_owned());
        match name.split_once(':') {
            None => match name {
                "first" => Ok(KeepPolicy::First),
                "longest" => Ok(KeepPolicy::Longest),
                "shortest" => Ok(KeepPolicy::Shortest),
                _ => Err(unknown()),
            },
            Some((_, "")) => Err(unknown()),
            Some(("newest", field)) => Ok(KeepPolicy::Newest(field.to_owned())),
            Some(("max", field)) => Ok(KeepPolicy::Max(field.to_owned())),
            Some(("min", field)) => Ok(KeepPolicy::Min(field.to_owned())),
            Some(_) => Err(unknown()),
        }
    }
}

impl fmt::Display for KeepPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeepPolicy::First => f.write_str("first"),
            KeepPolicy::Longest => f.write_str("longest"),
            KeepPolicy::Shortest => f.write_str("shortest"),
            KeepPolicy::Newest(field) => write!(f, "newest:{field}"),
            KeepPolicy::Max(field) => write!(f, "max:{field}"),
            KeepPolicy::Min(field) => write!(f, "min:{field}"),
        }
    }
}

impl KeepPolicy {
    /// The field that the policy reads, if it reads one.
    pub fn field(&self) -> Option<&str> {
        match self {
            KeepPolicy::First | KeepPolicy::Longest | KeepPolicy::Shortest => None,
            KeepPolicy::Newest(field) | KeepPolicy::Max(field) | KeepPolicy::Min(field) => Some(field),
        }
    }

    /// The key of a document with a text of `length` bytes and, if the policy reads a field, its
    /// value.
    pub fn key(&self, length: u64, value: Option<KeepValue<'_>>) -> Result<KeepKey, KeepError> {
        match self {
            KeepPolicy::First => return Ok(KeepKey(0)),
            KeepPolicy::Longest => return Ok(KeepKey(!length)),
            KeepPolicy::Shortest => return Ok(KeepKey(length)),
            _ => {}
        }
        let Some(value) = value else { return Ok(KeepKey::LAST) };
        let ascending = match self {
            KeepPolicy::Newest(_) => ascending_date(value)?,
            _ => ascending_number(value)?,
        };
        let key = if matches!(self, KeepPolicy::Min(_)) { ascending } else { !ascending };
        Ok(KeepKey(key.min(KeepKey::LAST.0 - 1)))
    }
}

/// An integer of the same order as the date: its own value, or nanoseconds since 1970.
fn ascending_date(value: KeepValue<'_>) -> Result<u64, KeepError> {
    let signed = match value {
        KeepValue::Integer(value) => value,
        // The same scale as integers: a number with a fraction would be newer than all of them.
        KeepValue::Number(value) if value.fract() == 0.0 && value.abs() < WHOLE => value as i64,
        KeepValue::Number(value) => return Err(KeepError::Date(value.to_string())),
        KeepValue::Text(text) => {
            let text = text.trim();
            let date = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
            let timestamp = text.parse::<jiff::Timestamp>().ok().or_else(|| Some(date()?.timestamp()));
            match timestamp {
                // The range of 64-bit nanoseconds ends in 2262; later dates are equal to the last.
                Some(timestamp) => i64::try_from(timestamp.as_nanosecond())
                    .unwrap_or(if timestamp.as_nanosecond() < 0 { i64::MIN } else { i64::MAX }),
                None => text.parse().map_err(|_| KeepError::Date(text.to_owned()))?,
            }
        }
    };
    Ok(ascending_integer(signed))
}

/// Whole numbers below this are exact.
const WHOLE: f64 = (1u64 << 53) as f64;

fn ascending_number(value: KeepValue<'_>) -> Result<u64, KeepError> {
    let number = match value {
        KeepValue::Integer(value) => value as f64,
        KeepValue::Number(value) => value,
        KeepValue::Text(text) => {
            text.trim().parse().map_err(|_| KeepError::Number(text.trim().to_owned()))?
        }
    };
    if number.is_nan() { Err(KeepError::Number("NaN".to_owned())) } else { Ok(ascending_float(number)) }
}

fn ascending_integer(value: i64) -> u64 {
    value.cast_unsigned() ^ (1 << 63)
}

/// The bits of a float, turned so that they sort like the float.
fn ascending_float(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits(); // + 0.0 makes -0 a 0
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(policy: &str, value: KeepValue<'_>) -> KeepKey {
        policy.parse::<KeepPolicy>().unwrap().key(0, Some(value)).unwrap()
    }

    #[test]
    fn policies_parse_and_print() {
        for name in ["first", "longest", "shortest", "newest:date", "max:a.b", "min:score"] {
            assert_eq!(name.parse::<KeepPolicy>().unwrap().to_string(), name);
        }
        for name in ["oldest", "newest", "newest:", "max", ""] {
            assert!(name.parse::<KeepPolicy>().is_err(), "{name}");
        }
    }

    #[test]
    fn longer_or_shorter_first() {
        assert!(KeepPolicy::Longest.key(10, None).unwrap() < KeepPolicy::Longest.key(9, None).unwrap());
        assert!(KeepPolicy::Shortest.key(9, None).unwrap() < KeepPolicy::Shortest.key(10, None).unwrap());
    }

    #[test]
    fn newest_reads_dates_with_offsets_plain_dates_and_integers() {
        let date = |text| key("newest:d", KeepValue::Text(text));
        assert!(date("2024-05-31T12:00:00Z") < date("2024-05-31T11:59:59Z"));
        assert_eq!(date("2024-05-31T12:00:00+02:00"), date("2024-05-31T10:00:00Z"));
        assert_eq!(date("2024-05-31"), date("2024-05-31T00:00:00Z"));
        assert!(key("newest:d", KeepValue::Integer(5)) < key("newest:d", KeepValue::Integer(-5)));
        assert_eq!(key("newest:d", KeepValue::Number(5.0)), key("newest:d", KeepValue::Integer(5)));
        let fraction = "newest:d".parse::<KeepPolicy>().unwrap().key(0, Some(KeepValue::Number(1.5)));
        assert!(fraction.is_err());
        assert!("newest:d".parse::<KeepPolicy>().unwrap().key(0, Some(KeepValue::Text("soon"))).is_err());
    }

    #[test]
    fn numbers_of_both_signs_sort() {
        let numbers = [f64::NEG_INFINITY, -2.5, -0.0, 1e-9, 3.0, f64::INFINITY];
        for pair in numbers.windows(2) {
            let [low, high] = [pair[0], pair[1]].map(KeepValue::Number);
            assert!(key("min:n", low) < key("min:n", high));
            assert!(key("max:n", high) < key("max:n", low));
        }
        assert_eq!(key("max:n", KeepValue::Text("7")), key("max:n", KeepValue::Integer(7)));
    }

    #[test]
    fn a_document_without_the_field_comes_last() {
        for name in ["newest:d", "max:d", "min:d"] {
            let policy: KeepPolicy = name.parse().unwrap();
            for value in [KeepValue::Integer(i64::MIN), KeepValue::Integer(i64::MAX)] {
                assert!(policy.key(0, Some(value)).unwrap() < policy.key(0, None).unwrap());
            }
        }
    }
}
