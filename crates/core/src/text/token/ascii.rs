//! Tokens of texts that are pure ASCII.
//!
//! ASCII is normal but for its upper case, has no marks and no unspaced script, so a byte is a
//! separator or part of a word, and a word without upper case is a slice of the text.
//!
//! A loop that tests each byte for the end of the word mispredicts once or twice a word, which
//! is most of its time. So eight bytes at a time are classified by arithmetic, eight such make a
//! mask of 64 bits with a one for each byte of a word, and words are runs of ones: counting zeros
//! and ones finds their ends without a guess.

/// Bytes that are classified together.
const LANES: usize = 8;
/// The lowest bit of each lane.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each lane.
const HIGHS: u64 = 0x8080_8080_8080_8080;
/// Multiplied with one bit in each lane, gathers them in the top byte.
const GATHER: u64 = 0x0002_0408_1020_4081;
/// Bytes that a mask describes.
const MASK: usize = 64;

/// Calls `sink` with every token of `text`, which must be pure ASCII. `token` is a buffer.
pub(in crate::text) fn tokens(text: &str, fold: bool, token: &mut String, mut sink: impl FnMut(&str)) {
    spans(text, |start, end, has_upper| {
        let word = &text[start..end];
        sink(if has_upper && fold { folded(word, token) } else { word });
    });
}

/// A word in lower case, in `token`.
pub(in crate::text) fn folded<'a>(word: &str, token: &'a mut String) -> &'a str {
    token.clear();
    token.push_str(word);
    token.make_ascii_lowercase();
    token
}

/// Calls `give` with the start and the end of every word of `text`, which must be pure ASCII, and
/// whether it has upper case.
#[inline]
pub(in crate::text) fn spans(text: &str, mut give: impl FnMut(usize, usize, bool)) {
    debug_assert!(text.is_ascii());
    // The word that reached the end of the last mask, and whether it has upper case so far.
    let mut open: Option<(usize, bool)> = None;
    let mut base = 0;
    for chunk in text.as_bytes().chunks(MASK) {
        let (mut words, uppers) = masks(chunk);
        if let Some((start, has_upper)) = open {
            let length = words.trailing_ones();
            let has_upper = has_upper || uppers & low_bits(length) != 0;
            if length as usize == MASK {
                open = Some((start, has_upper));
                base += MASK;
                continue;
            }
            give(start, base + length as usize, has_upper);
            open = None;
            words &= !low_bits(length);
        }
        while words != 0 {
            let start = words.trailing_zeros();
            let length = (words >> start).trailing_ones();
            let word = low_bits(length) << start;
            let has_upper = uppers & word != 0;
            if (start + length) as usize == MASK {
                open = Some((base + start as usize, has_upper));
                break;
            }
            give(base + start as usize, base + (start + length) as usize, has_upper);
            words &= !word;
        }
        base += MASK;
    }
    if let Some((start, has_upper)) = open {
        give(start, text.len(), has_upper);
    }
}

/// A mask of `count` ones, at most 64.
fn low_bits(count: u32) -> u64 {
    u64::MAX.checked_shr(64 - count).unwrap_or(0)
}

/// For up to 64 bytes of ASCII, which are part of a word and which are upper case.
fn masks(chunk: &[u8]) -> (u64, u64) {
    let mut words = 0;
    let mut uppers = 0;
    for (index, lanes) in chunk.chunks(LANES).enumerate() {
        // What is missing at the end of the text is zero: a separator.
        let mut bytes = [0; LANES];
        bytes[..lanes.len()].copy_from_slice(lanes);
        let lanes = u64::from_le_bytes(bytes);
        let upper = within(lanes, b'A', b'Z');
        let word = upper | within(lanes, b'a', b'z') | within(lanes, b'0', b'9');
        words |= gather(word) << (LANES * index);
        uppers |= gather(upper) << (LANES * index);
    }
    (words, uppers)
}

/// The high bit of each lane that is between `low` and `high`, for lanes below 128: no sum leaves
/// its lane.
fn within(lanes: u64, low: u8, high: u8) -> u64 {
    let at_least_low = lanes + ONES * u64::from(0x80 - low);
    let above_high = lanes + ONES * u64::from(0x7F - high);
    at_least_low & !above_high & HIGHS
}

/// The high bits of the lanes as one byte.
fn gather(highs: u64) -> u64 {
    (highs >> 7).wrapping_mul(GATHER << 7) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_say_what_each_byte_is() {
        for byte in 0..=0x7F_u8 {
            for position in 0..MASK {
                for (rest, is_word) in [(b' ', 0), (b'x', u64::MAX)] {
                    let mut chunk = [rest; MASK];
                    chunk[position] = byte;
                    let bit = 1 << position;
                    let expected = if byte.is_ascii_alphanumeric() { is_word | bit } else { is_word & !bit };
                    let upper = if byte.is_ascii_uppercase() { bit } else { 0 };
                    assert_eq!(masks(&chunk), (expected, upper), "{byte} at {position}");
                }
            }
        }
    }

    #[test]
    fn words_of_every_length_at_every_offset() {
        for offset in 0..2 * MASK {
            for length in 1..3 * MASK {
                let text =
                    format!("{}{}Z{}", " ".repeat(offset), "a".repeat(length), " b".repeat(length % 3));
                let mut found = Vec::new();
                tokens(&text, true, &mut String::new(), |token| found.push(token.to_owned()));
                let expected: Vec<_> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
                assert_eq!(found, expected);
            }
        }
    }
}
