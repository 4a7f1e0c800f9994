//! How is a number written, the same on every machine?

/// Scores carry no more information than this, and fewer digits hide differences in the last bit.
const DECIMALS: usize = 6;

/// Writes a finite number with at most six decimals, without trailing zeros; `None` for what is not
/// finite.
pub(crate) fn shortest(number: f64) -> Option<String> {
    if !number.is_finite() {
        return None;
    }
    let mut written = format!("{number:.DECIMALS$}");
    let kept = written.trim_end_matches('0').trim_end_matches('.').len();
    written.truncate(kept);
    Some(if written == "-0" { "0".to_owned() } else { written })
}

/// The number that [`shortest`] writes.
pub(crate) fn rounded(number: f64) -> Option<f64> {
    shortest(number).and_then(|written| written.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact_to_six_decimals() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-1e-9, "0"),
            (1.0, "1"),
            (100.0, "100"),
            (0.5, "0.5"),
            (2.0 / 3.0, "0.666667"),
            (1e21, "1000000000000000000000"),
            (0.123_456_78, "0.123457"),
        ] {
            assert_eq!(shortest(number).as_deref(), Some(expected));
        }
        assert_eq!(shortest(f64::NAN), None);
        assert_eq!(shortest(f64::INFINITY), None);
        assert_eq!(rounded(2.0 / 3.0), Some(0.666_667));
    }
}
