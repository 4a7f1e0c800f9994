//! The article's own sketch: FNV-1a over UTF-16 code units, 32 bits, for reproducing its results.
//!
//! Words are runs of letters and digits. A shingle is K adjacent words; its hash runs over the code
//! units of its words without a separator, low byte first. Source: A. Gudkov, Efficient
//! implementation of MinHash, part 1.
//!
//! The listing has slips; this is the corrected reading. `c >> 16` of a 16-bit unit is always 0 and
//! must be `c >> 8`. Its pipeline starts empty and its first K - 1 shingles are partial; here no
//! shingle is taken before K words were read. A leading delimiter would give an empty shingle; it
//! is skipped. A hash that equals the mark of an empty slot is not lost. Words stay unseparated
//! ("ab c" and "a bc" have the same shingle), because that is the published function. The article
//! does not case-fold, and neither does this.

use std::collections::BTreeSet;

const OFFSET_BASIS: u32 = 2_166_136_261;
const PRIME: u32 = 16_777_619;

/// The article's hash of a run of code units.
pub fn fnv1a_utf16(units: &[u16]) -> u32 {
    units.iter().fold(OFFSET_BASIS, |hash, &unit| step(hash, unit))
}

/// Extends the hash by one code unit.
#[inline]
pub fn step(hash: u32, unit: u16) -> u32 {
    let [low, high] = unit.to_le_bytes();
    let hash = (hash ^ u32::from(low)).wrapping_mul(PRIME);
    (hash ^ u32::from(high)).wrapping_mul(PRIME)
}

/// The `n` smallest distinct hashes of the shingles of `K` words, ascending. A plain reference for
/// faster ones.
pub fn article_sketch<const K: usize>(text: &[u16], n: usize) -> Vec<u32> {
    let words: Vec<&[u16]> =
        text.split(|&unit| !is_alphanumeric(unit)).filter(|word| !word.is_empty()).collect();
    let shingles = words.windows(K).map(|shingle| fnv1a_utf16(&shingle.concat()));
    shingles.collect::<BTreeSet<_>>().into_iter().take(n).collect()
}

/// Whether a code unit is a letter or a digit. Half of a surrogate pair is not, as in the article.
pub fn is_alphanumeric(unit: u16) -> bool {
    char::from_u32(u32::from(unit)).is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    /// FNV-1a 32 of the bytes 61 00, and of the six letters of "foobar", each followed by a zero
    /// byte.
    #[test]
    fn golden_hashes() {
        assert_eq!(fnv1a_utf16(&[]), 0x811c_9dc5);
        // fnv1a(61) = e40c292c is the published vector; one more zero byte multiplies by the prime.
        assert_eq!(fnv1a_utf16(&utf16("a")), 0xe40c_292c_u32.wrapping_mul(PRIME));
        // The high byte counts: the slip in the listing would make these two equal.
        assert_ne!(fnv1a_utf16(&[0x0161]), fnv1a_utf16(&[0x0061]));
    }

    #[test]
    fn golden_sketch() {
        let text = utf16("A school is a school if it has students and teachers; the school has 2 teachers.");
        let sketch = article_sketch::<3>(&text, 6);
        assert_eq!(sketch, GOLDEN);
        // 16 words are 14 shingles, all different.
        assert_eq!(article_sketch::<3>(&text, 128).len(), 14);
    }

    /// Computed by an independent program of ten lines.
    const GOLDEN: [u32; 6] =
        [430_136_918, 808_873_048, 1_412_419_496, 1_544_884_154, 1_593_667_567, 1_601_002_127];

    #[test]
    fn words_are_not_separated_and_short_texts_have_no_shingle() {
        assert_eq!(article_sketch::<2>(&utf16("ab c"), 9), article_sketch::<2>(&utf16(" a bc"), 9));
        assert!(article_sketch::<3>(&utf16("two words"), 9).is_empty());
    }
}
