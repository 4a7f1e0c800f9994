//! From a text to the hashes of its character n-grams, for text without spaces between words.
//!
//! The unit is a character, hashed as its UTF-8 bytes by the [default word
//! hash](crate::hash::chunks()). A gram is a run of `size` characters, hashed like a
//! [shingle](crate::hash::shingle()) of words. A shorter text is one gram; an empty text has none.
//! A gram of one character is its unit.
//!
//! ```text
//! for each run c1 .. cn of characters:  push(shingle(chunks(c1), .., chunks(cn)))
//! ```
//!
//! One loop serves every CPU: a character's position depends on the length of the one before it,
//! which vectors do not change, and the hashing that they could speed up overlaps with that chain.

use crate::hash::{chunks, mix, shingle};

/// Bytes read at once: the longest UTF-8 character.
const LONGEST: usize = 4;

/// The definition: one character after the other, one gram after the other.
pub fn naive(text: &str, size: usize, grams: &mut Vec<u64>) {
    let units: Vec<u64> = text.chars().map(|c| chunks(c.encode_utf8(&mut [0; LONGEST]).as_bytes())).collect();
    if size == 1 {
        grams.extend(units);
    } else if !units.is_empty() {
        let size = size.min(units.len());
        grams.extend(units.windows(size).map(|gram| shingle(gram.iter().copied())));
    }
}

/// Appends the hash of each character of `text`, in order.
pub fn characters(text: &str, units: &mut Vec<u64>) {
    let mut rest = text.as_bytes();
    if text.is_ascii() {
        return units.extend(rest.iter().map(|&byte| ASCII[usize::from(byte)]));
    }
    units.reserve(rest.len() / LONGEST);
    while let Some(&bytes) = rest.first_chunk::<LONGEST>() {
        let length = length(bytes[0]);
        units.push(mix(u64::from(u32::from_le_bytes(bytes)) << (64 - 8 * length)));
        rest = &rest[length..];
    }
    // Fewer than four bytes: characters of one to three.
    while let Some(&first) = rest.first() {
        let (character, after) = rest.split_at(length(first));
        units.push(chunks(character));
        rest = after;
    }
}

/// The hash of each character of one byte.
static ASCII: [u64; 256] = {
    let mut hashes = [0; 256];
    let mut byte = 0;
    while byte < hashes.len() {
        hashes[byte] = mix((byte as u64) << 56);
        byte += 1;
    }
    hashes
};

/// The length of the character that begins with this byte. Branches, because most texts repeat one
/// length and a predicted branch does not wait for the byte, as counting its leading ones does
/// (0.88 against 0.51 GB/s of Chinese).
#[inline(always)]
fn length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::feature::{Shingler, Unit};
    use crate::hash::WordHash;

    fn check(text: &str) {
        for size in 1..=6 {
            let (mut expected, mut units) = (vec![], vec![]);
            naive(text, size, &mut expected);
            characters(text, &mut units);
            let found = Shingler::new(Unit::Character, size, WordHash::Chunks).shingle_hashes(&units);
            assert_eq!(found, expected, "{size} of {text:?}");
        }
    }

    #[test]
    fn characters_of_every_length_at_every_end() {
        for text in
            ["", "a", "é", "中", "😀", "ab", "中文", "a中é😀", "滚滚长江东逝水，浪花淘尽英雄。", "plain"]
        {
            for (start, _) in text.char_indices() {
                check(&text[start..]);
                check(&text[..start]);
            }
            check(text);
        }
    }

    proptest! {
        #[test]
        fn any_text(text in any::<String>()) {
            check(&text);
        }
    }
}
