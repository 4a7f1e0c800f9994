//! How is a fingerprint written?

use std::fmt;
use std::str::FromStr;

/// How 64 bits are written as text. Numbers and bytes of typed formats (JSON, Parquet) need none:
/// they are the bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notation {
    /// 16 hexadecimal digits, 1 to 16 after `0x`, or 64 binary digits. Never decimal: one number in
    /// two thousand would be taken for hexadecimal digits.
    #[default]
    Auto,
    /// 1 to 16 hexadecimal digits, with or without `0x`.
    Hex,
    /// A decimal number; a negative one stands for its two's complement.
    Decimal,
    /// 64 binary digits, the highest bit first.
    Binary,
}

impl Notation {
    /// The bits of a text; `None` if it is not written so.
    pub fn parse(self, text: &str) -> Option<u64> {
        let text = text.trim();
        // Typed values arrive with the prefix, whatever the notation of texts.
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return hexadecimal(digits);
        }
        match self {
            Notation::Auto if text.len() == 16 => hexadecimal(text),
            Notation::Auto | Notation::Binary => binary(text),
            Notation::Hex => hexadecimal(text),
            Notation::Decimal => text.parse().ok().or_else(|| text.parse().ok().map(i64::cast_unsigned)),
        }
    }

    /// What is expected, in words.
    pub fn expected(self) -> &'static str {
        match self {
            Notation::Auto => "16 hexadecimal digits, 0x and up to 16, or 64 binary digits",
            Notation::Hex => "1 to 16 hexadecimal digits",
            Notation::Decimal => "a decimal number of 64 bits",
            Notation::Binary => "64 binary digits",
        }
    }
}

fn hexadecimal(digits: &str) -> Option<u64> {
    let plain = (1..=16).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    plain.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

fn binary(digits: &str) -> Option<u64> {
    let plain = digits.len() == 64 && digits.bytes().all(|digit| matches!(digit, b'0' | b'1'));
    plain.then(|| u64::from_str_radix(digits, 2).ok()).flatten()
}

const NAMES: [(Notation, &str); 4] = [
    (Notation::Auto, "auto"),
    (Notation::Hex, "hex"),
    (Notation::Decimal, "decimal"),
    (Notation::Binary, "binary"),
];

impl fmt::Display for Notation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(notation, _)| notation == self).map_or("auto", |(_, name)| name);
        formatter.write_str(name)
    }
}

impl FromStr for Notation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(_, known)| *known == name);
        known.map(|(notation, _)| *notation).ok_or_else(|| "expected auto, hex, decimal or binary".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_gives_the_same_bits() {
        let bits = 0x8000_0000_0000_00ff;
        for (notation, text) in [
            (Notation::Auto, "80000000000000ff"),
            (Notation::Auto, "0x80000000000000FF"),
            (Notation::Auto, &format!("{bits:064b}")),
            (Notation::Hex, "80000000000000ff"),
            (Notation::Decimal, "9223372036854776063"),
            (Notation::Decimal, "-9223372036854775553"),
            (Notation::Decimal, "0x80000000000000ff"),
            (Notation::Binary, &format!(" {bits:064b} ")),
        ] {
            assert_eq!(notation.parse(text), Some(bits), "{notation} {text}");
        }
        assert_eq!(Notation::Hex.parse("ff"), Some(255));
        assert_eq!(Notation::Auto.parse("0xff"), Some(255));
    }

    #[test]
    fn nothing_is_guessed() {
        for (notation, text) in [
            (Notation::Auto, "ff"),
            (Notation::Auto, "9223372036854776063"),
            (Notation::Auto, "-5"),
            (Notation::Auto, "+000000000000001"),
            (Notation::Auto, "0x"),
            (Notation::Auto, "0x11111111111111111"),
            (Notation::Hex, "11111111111111111"),
            (Notation::Hex, "+f"),
            (Notation::Decimal, "18446744073709551616"),
            (Notation::Decimal, "ff"),
            (Notation::Binary, "0101"),
        ] {
            assert_eq!(notation.parse(text), None, "{notation} {text}");
        }
        for (notation, name) in NAMES {
            assert_eq!((name.parse(), notation.to_string()), (Ok(notation), name.to_owned()));
        }
        assert!("octal".parse::<Notation>().is_err());
    }
}
