//! Lengths of time as people write them.

use twindex_index::Seconds;

/// Reads `30s`, `15m`, `12h`, `7d`, `2w`; a number alone is seconds.
pub(crate) fn parse(text: &str) -> Result<Seconds, String> {
    let wrong =
        || format!("\"{text}\" is no length of time: expected a number with s, m, h, d or w, such as 7d");
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).filter(|seconds| *seconds > 0).map(Seconds).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_parse() {
        for (text, seconds) in
            [("45", 45), ("45s", 45), ("2m", 120), ("12h", 43_200), ("7d", 604_800), ("1w", 604_800)]
        {
            assert_eq!(parse(text), Ok(Seconds(seconds)), "{text}");
        }
        for text in
            ["", "d", "0d", "-1d", "1.5d", "7 d", "7days", "99999999999999999999d", "9999999999999999999w"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
