//! Words whose stems are known: a distinct word is stemmed once, not each time it occurs.
//!
//! ```text
//! entry = entries[bits of chunks(word)]
//! if entry.word != word:  entry = word and the hash of its stem, none for a stop word
//! return entry.hash
//! ```
//!
//! The word itself is compared, so that a known word has the hash that the definition gives it,
//! whatever came before. One entry for each place, the last word wins: memory is bounded, and a
//! frequent word comes back at once. On C sources the recipe `irlbot`, which reads them twice, was
//! three times as fast with it.
//!
//! ASCII words of at most 16 bytes are a [number](ShortWord): nothing is copied or compared byte by
//! byte.

use std::sync::{Arc, Mutex};

use crate::hash::{MIX_MULTIPLIERS, WordHash, chunks};

/// 32,768 entries of 40 bytes fit an L2 cache with room for the text.
const PLACE_BITS: u32 = 15;

/// Longer words are stemmed each time: they are rare, and an entry has a fixed size.
const LONGEST: usize = 24;

/// What became of the words that one thread met last.
#[derive(Debug)]
pub(in crate::text) struct KnownWords {
    hash: WordHash,
    entries: Vec<Entry>,
    short: Vec<ShortEntry>,
}

/// The bytes of a [`ShortWord`].
const SHORT: usize = 16;

/// An ASCII word of at most 16 letters and digits in lower case, as a number: its last byte is the
/// highest, zeros stand before its first. Different words are different numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text) struct ShortWord([u64; 2]);

impl ShortWord {
    /// The bit that a lower case letter has and an upper case letter lacks. Digits have it too.
    const CASE: u128 = u128::from_le_bytes([b'a' ^ b'A'; SHORT]);

    /// The word `text[start..end]` of letters and digits in any case, if it is short.
    #[inline(always)]
    pub(in crate::text) fn of(text: &[u8], start: usize, end: usize) -> Option<ShortWord> {
        let length = end - start;
        if length > SHORT || length == 0 {
            return None;
        }
        // The bytes that end with the word; a text that is shorter is padded in front.
        let bytes = text[..end].last_chunk::<SHORT>().copied().unwrap_or_else(|| {
            let mut bytes = [0; SHORT];
            bytes[SHORT - end..].copy_from_slice(&text[..end]);
            bytes
        });
        let word = (u128::from_le_bytes(bytes) | Self::CASE) & u128::MAX << (8 * (SHORT - length));
        Some(ShortWord([word as u64, (word >> u64::BITS) as u64]))
    }

    /// Where its entry is.
    #[inline(always)]
    fn place(self) -> usize {
        let [first, last] = self.0;
        // Odd numbers without a pattern.
        let [one, other] = MIX_MULTIPLIERS;
        (last.wrapping_mul(one) ^ first).wrapping_mul(other) as usize >> (usize::BITS - PLACE_BITS)
    }
}

/// What became of a short word.
#[derive(Debug, Clone, Copy)]
struct ShortEntry {
    /// No word is zero.
    word: ShortWord,
    hash: u64,
}

/// Set in the word of an entry that does not count: ASCII has no such bit.
const NOT_COUNTED: u64 = 1 << 63;

#[derive(Debug, Clone)]
struct Entry {
    word: [u8; LONGEST],
    /// Zero in a free entry: no word is empty.
    length: u8,
    counts: bool,
    hash: u64,
}

impl KnownWords {
    fn new(hash: WordHash) -> Self {
        let free = Entry { word: [0; LONGEST], length: 0, counts: false, hash: 0 };
        let free_short = ShortEntry { word: ShortWord([0; 2]), hash: 0 };
        KnownWords { hash, entries: vec![free; 1 << PLACE_BITS], short: vec![free_short; 1 << PLACE_BITS] }
    }

    /// What `define` gives for the word: the hash of what counts of it, if anything does.
    #[inline]
    pub(in crate::text) fn get(&mut self, word: &str, define: impl FnOnce() -> Option<u64>) -> Option<u64> {
        let word = word.as_bytes();
        let place = (chunks(word) >> (u64::BITS - PLACE_BITS)) as usize;
        let entry = &mut self.entries[place];
        let is_known = word.len() == usize::from(entry.length) && entry.word.starts_with(word);
        if !is_known {
            let defined = define();
            let Some(place) = entry.word.get_mut(..word.len()) else { return defined };
            place.copy_from_slice(word);
            entry.length = word.len() as u8;
            entry.counts = defined.is_some();
            entry.hash = defined.unwrap_or_default();
        }
        entry.counts.then_some(entry.hash)
    }

    /// The same for a short word.
    #[inline(always)]
    pub(in crate::text) fn get_short(
        &mut self,
        word: ShortWord,
        define: impl FnOnce() -> Option<u64>,
    ) -> Option<u64> {
        let entry = &mut self.short[word.place()];
        let ShortWord([first, last]) = entry.word;
        if [first, last & !NOT_COUNTED] != word.0 {
            let defined = define();
            let mark = if defined.is_none() { NOT_COUNTED } else { 0 };
            let [first, last] = word.0;
            *entry = ShortEntry { word: ShortWord([first, last | mark]), hash: defined.unwrap_or_default() };
        }
        (entry.word == word).then_some(entry.hash)
    }
}

/// The known words of each thread that uses an analyzer, between two documents. They belong to the
/// analyzer, because another one has other stems.
#[derive(Debug, Clone, Default)]
pub(in crate::text) struct Shelf(Arc<Mutex<Vec<KnownWords>>>);

impl Shelf {
    /// Calls `work` with known words for this hash.
    pub(in crate::text) fn with(&self, hash: WordHash, work: impl FnOnce(&mut KnownWords)) {
        let taken = self.0.lock().ok().and_then(|mut shelf| shelf.pop());
        let mut known = taken.filter(|known| known.hash == hash).unwrap_or_else(|| KnownWords::new(hash));
        work(&mut known);
        if let Ok(mut shelf) = self.0.lock() {
            shelf.push(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many more words than places, of every length, each of them twice in a row and again later.
    #[test]
    fn a_word_has_the_hash_of_its_definition() {
        let define = |word: &str| (!word.ends_with('0')).then(|| WordHash::Murmur3.hash(word.as_bytes()));
        let word = |number: u64| {
            let length = 1 + number as usize % (LONGEST + 9);
            format!("{:0>length$}", crate::hash::mix(number) >> (number % 61))
        };
        let shelf = Shelf::default();
        for _ in 0..2 {
            shelf.with(WordHash::Murmur3, |known| {
                for number in (0..200_000).flat_map(|number| [number, number, number / 2]) {
                    let word = word(number);
                    assert_eq!(known.get(&word, || define(&word)), define(&word), "{word}");
                    let text = format!("{}{}.", &"A long BEGINNING, "[number as usize % 18..], word);
                    let end = text.len() - 1;
                    let Some(short) = ShortWord::of(text.as_bytes(), end - word.len(), end) else {
                        assert!(word.len() > SHORT);
                        continue;
                    };
                    assert_eq!(known.get_short(short, || define(&word)), define(&word), "{word}");
                }
            });
        }
    }

    #[test]
    fn short_words_are_folded_and_told_apart() {
        let of = |text: &str| ShortWord::of(text.as_bytes(), 0, text.len());
        let words =
            ["a", "aa", "b", "0", "0a", "a0", "abcdefgh", "abcdefghi", "bcdefghi", "0123456789abcdef"];
        for (at, word) in words.iter().enumerate() {
            assert_eq!(of(word), of(&word.to_ascii_uppercase()));
            assert_eq!(of(word), ShortWord::of(format!("x!{word}").as_bytes(), 2, 2 + word.len()));
            assert!(words[..at].iter().all(|other| of(other) != of(word)), "{word}");
        }
        assert_eq!((of(""), of("0123456789abcdefg")), (None, None));
    }

    #[test]
    fn another_hash_knows_nothing() {
        let shelf = Shelf::default();
        shelf.with(WordHash::Murmur3, |known| assert_eq!(known.get("school", || Some(1)), Some(1)));
        shelf.with(WordHash::Murmur3, |known| assert_eq!(known.get("school", || Some(2)), Some(1)));
        shelf.with(WordHash::Sdbm, |known| assert_eq!(known.get("school", || Some(3)), Some(3)));
    }
}
