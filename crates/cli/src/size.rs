//! Sizes as people write them.

/// Reads `512M`, `1.5G`, `64k`, `1000000`: units are powers of 1000, as they are printed; those of
/// `512MiB` are powers of 1024.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("\"{text}\" is no size: expected a number with k, M, G or T, such as 512M");
    let lower = text.trim().to_ascii_lowercase();
    let number_end = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    let (number, unit) = lower.split_at(number_end);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let unit = unit.trim().trim_end_matches('b');
    let (unit, base) = unit.strip_suffix('i').map_or((unit, 1000f64), |unit| (unit, 1024f64));
    let power = ["", "k", "m", "g", "t"].iter().position(|&known| known == unit).ok_or_else(wrong)?;
    Ok((number * base.powi(power as i32)) as u64)
}

/// A size with three digits: `1.5 GB`, in powers of 1000.
pub(crate) fn print(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = if unit == 0 || value >= 99.95 { 0 } else { 1 };
    format!("{value:.decimals$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("1k", 1_000),
            ("512M", 512_000_000),
            ("512 MiB", 512 << 20),
            ("1.5G", 1_500_000_000),
            ("2 GiB", 2 << 30),
            ("1tb", 1_000_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "12X", "-1", "1.2.3", "five"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_print() {
        let printed = [0, 999, 1_000, 1_536_000, 123_456_789, 5_000_000_000].map(print);
        assert_eq!(printed, ["0 bytes", "999 bytes", "1.0 kB", "1.5 MB", "123 MB", "5.0 GB"]);
    }
}
