//! The exact Jaccard of two texts over their sets of word 3-shingles: the strength of a planted
//! pair.
//!
//! Naive on purpose and independent of twindex-core, because it judges it. Lower case; a Han
//! character is a word, any other run of letters and digits is a word; a text shorter than one
//! shingle is a single shingle. Shingles are compared as 64-bit hashes: in a text of 10,000
//! shingles the probability of a collision is one in 10^11.

use xxhash_rust::xxh3::xxh3_64;

/// Words of a shingle.
const WORDS: usize = 3;

/// The Jaccard of two texts. Two texts without any word are equal: 1.
pub fn of(left: &str, right: &str) -> f64 {
    let (left, right) = (shingles(left), shingles(right));
    if left.is_empty() && right.is_empty() {
        return 1.0;
    }
    let (mut shared, mut a, mut b) = (0_usize, 0, 0);
    while a < left.len() && b < right.len() {
        shared += usize::from(left[a] == right[b]);
        let (left, right) = (left[a], right[b]);
        a += usize::from(left <= right);
        b += usize::from(right <= left);
    }
    shared as f64 / (left.len() + right.len() - shared) as f64
}

/// The distinct shingles, sorted.
fn shingles(text: &str) -> Vec<u64> {
    let words = words(text);
    let combine = |window: &[u64]| {
        window.iter().fold(0_u64, |hash, &word| {
            let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        })
    };
    let mut shingles: Vec<u64> = match words.len() {
        0 => Vec::new(),
        1..WORDS => vec![combine(&words)],
        _ => words.windows(WORDS).map(combine).collect(),
    };
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// One hash per word.
fn words(text: &str) -> Vec<u64> {
    let mut hashes = Vec::with_capacity(text.len() / 5);
    let mut word = Vec::new();
    let finish = |word: &mut Vec<u8>, hashes: &mut Vec<u64>| {
        if !word.is_empty() {
            hashes.push(xxh3_64(word));
            word.clear();
        }
    };
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            word.push(character.to_ascii_lowercase() as u8);
        } else if is_han(character) {
            finish(&mut word, &mut hashes);
            hashes.push(xxh3_64(character.encode_utf8(&mut [0; 4]).as_bytes()));
        } else if character.is_alphanumeric() {
            for lower in character.to_lowercase() {
                word.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
            }
        } else {
            finish(&mut word, &mut hashes);
        }
    }
    finish(&mut word, &mut hashes);
    hashes
}

fn is_han(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        // a b c d has abc, bcd; a b c e has abc, bce: one of three is shared.
        assert_eq!(of("A b, c d.", "a b c e"), 1.0 / 3.0);
        assert_eq!(of("a b c", "d e f"), 0.0);
        assert_eq!(of("one two three four", "One two THREE -- four!"), 1.0);
    }

    #[test]
    fn word_order_and_word_borders_count() {
        assert_eq!(of("a b c", "c b a"), 0.0);
        assert_eq!(of("ab c d", "a bc d"), 0.0);
    }

    #[test]
    fn short_texts_are_one_shingle() {
        assert_eq!(of("a b", "a b"), 1.0);
        assert_eq!(of("a b", "a c"), 0.0);
        assert_eq!(of("", "..."), 1.0);
        assert_eq!(of("", "a"), 0.0);
    }

    #[test]
    fn a_han_character_is_a_word() {
        // 天气很好 has two shingles, 天气很冷 shares one of them.
        assert_eq!(of("天气很好。", "天气很冷"), 1.0 / 3.0);
        assert_eq!(words("今天25度").len(), 4);
    }
}
