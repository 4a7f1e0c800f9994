//! Sizes as people write them: `512M`, `5G`, `2GiB`, `1000000`.

use anyhow::{Context, bail};

/// Reads a number of bytes. K, M, G, T are powers of 1000; Ki, Mi, Gi, Ti powers of 1024; a final B
/// is ignored.
pub fn parse(text: &str) -> anyhow::Result<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u64 =
        number.parse().with_context(|| format!("expected a size such as 512M or 5G, found {text:?}"))?;
    let factor: u64 = match unit.trim_end_matches('B') {
        "" => 1,
        "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        _ => bail!("expected a unit K, M, G, T, Ki, Mi, Gi or Ti after the number, found {text:?}"),
    };
    number.checked_mul(factor).with_context(|| format!("the size {text} is beyond 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn units_are_decimal_unless_they_say_otherwise() {
        for (text, bytes) in [
            ("0", 0),
            ("17", 17),
            ("17B", 17),
            ("5G", 5_000_000_000),
            ("512MB", 512_000_000),
            ("512MiB", 536_870_912),
            ("2Ki", 2_048),
        ] {
            assert_eq!(parse(text).unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        for text in ["", "G", "5X", "5g", "-1", "99999999T", "1.5G"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
