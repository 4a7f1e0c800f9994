//! Numbers and times in sentences.

/// 1234567 as `1,234,567`.
pub(crate) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 document`, `2 documents`.
pub(crate) fn count(value: u64, singular: &str) -> String {
    let plural = match (value, singular) {
        (1, word) => word.to_owned(),
        (_, "query") => "queries".to_owned(),
        (_, "match" | "sketch" | "hash") => format!("{singular}es"),
        (_, word) => format!("{word}s"),
    };
    format!("{} {plural}", number(value))
}

/// What is said of `rows` bad rows that were left out.
pub(crate) fn bad_rows(rows: u64, where_listed: &str) -> String {
    format!("bad {}, {where_listed}", if rows == 1 { "row" } else { "rows" })
}

/// `28 ms`, `0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0 if seconds < 0.1 => format!("{:.0} ms", 1000.0 * seconds),
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Bytes in a time as `1.2 MB/s`, `340 MB/s`.
pub(crate) fn speed(megabytes_per_second: f64) -> String {
    let decimals = if megabytes_per_second < 10.0 { 1 } else { 0 };
    format!("{megabytes_per_second:.decimals$} MB/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn words_have_plurals() {
        assert_eq!(count(1, "candidate"), "1 candidate");
        assert_eq!(count(2, "candidate"), "2 candidates");
        assert_eq!(count(0, "pair"), "0 pairs");
        assert_eq!([count(1, "query"), count(2, "query")], ["1 query", "2 queries"]);
        assert_eq!([count(1, "hash"), count(2, "hash")], ["1 hash", "2 hashes"]);
    }

    #[test]
    fn speeds() {
        assert_eq!([0.04, 3.21, 340.2].map(speed), ["0.0 MB/s", "3.2 MB/s", "340 MB/s"]);
    }

    #[test]
    fn durations() {
        assert_eq!(
            [0.028, 0.42, 12.4, 185.0, 7440.0].map(duration),
            ["28 ms", "0.4 s", "12 s", "3 min 5 s", "2 h 4 min"]
        );
    }
}
