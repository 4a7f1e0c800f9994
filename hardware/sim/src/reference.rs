//! The definition of the engine's answer, for any bytes and any width of counters.

use twindex_core::hash::sdbm;

use crate::driver::Answer;
use crate::form::Form;

/// The list of separators that the RTL includes: the only one there is.
const SEPARATORS: &str = include_str!("../../rtl/separators.svh");

/// Whether the engine ends a word at this byte.
pub fn is_separator(byte: u8) -> bool {
    // Four words of 64 bits, the highest first.
    let words = SEPARATORS.lines().filter_map(|line| line.trim().strip_prefix("64'h"));
    let digits = |line: &str| -> String {
        line.chars().take_while(|c| c.is_ascii_hexdigit() || *c == '_').filter(|c| *c != '_').collect()
    };
    let words: Vec<u64> =
        words.map(|line| u64::from_str_radix(&digits(line), 16).expect("a hexadecimal constant")).collect();
    assert_eq!(words.len(), 4, "separators.svh has four constants");
    words[3 - usize::from(byte) / 64] >> (byte % 64) & 1 == 1
}

/// A mistake in the reference: tests show with each that the comparison would notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slip {
    /// None: the definition.
    None,
    /// Bit 1 only where the sum is above 0.
    Above,
    /// The last word does not count if no separator follows.
    LastWordDropped,
    /// A word's hash goes on from the one before.
    HashNotReset,
    /// Only blanks separate.
    BlanksOnly,
    /// Counters stop at their limits instead of the flag.
    NoOverflow,
    /// A document without words is not marked.
    NoEmpty,
}

/// What an engine must answer to a document's bytes, but for the mistake.
pub fn reference(form: &Form, document: &[u8], slip: Slip) -> Answer {
    let separators: Vec<bool> = (0..=255).map(is_separator).collect();
    let separates = |byte: &u8| match slip {
        Slip::BlanksOnly => *byte == b' ',
        _ => separators[usize::from(*byte)],
    };
    let mut sums = [0i64; 64];
    let mut words = 0u64;
    let mut before = Vec::new();
    let mut parts: Vec<&[u8]> = document.split(separates).collect();
    if slip == Slip::LastWordDropped {
        parts.pop();
    }
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let mut word = part.to_vec();
        if form.fold_case {
            word.make_ascii_lowercase();
        }
        if slip == Slip::HashNotReset {
            before.extend_from_slice(&word);
            word.clone_from(&before);
        }
        words += 1;
        let hash = sdbm(&word);
        for (j, sum) in sums.iter_mut().enumerate() {
            *sum += if hash >> j & 1 == 1 { 1 } else { -1 };
        }
    }
    // As a counter of the form's width has it.
    let wrap = |sum: i64| sum << (64 - form.counter_width) >> (64 - form.counter_width);
    let is_set = |sum: i64| if slip == Slip::Above { sum > 0 } else { sum >= 0 };
    let bits = sums.iter().enumerate().map(|(j, &sum)| u64::from(is_set(wrap(sum))) << j);
    Answer {
        fingerprint: bits.sum(),
        overflow: words >= 1 << (form.counter_width - 1) && slip != Slip::NoOverflow,
        empty: words == 0 && slip != Slip::NoEmpty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twindex_core::kernel::words::WordRule;

    #[test]
    fn separators_are_those_of_the_software() {
        for byte in 0..=255 {
            assert_eq!(is_separator(byte), !WordRule::Alphanumeric.is_word(byte), "byte {byte:#04x}");
        }
    }
}
