//! Which keys may be those of more than one document?
//!
//! Nearly every key belongs to one document only. A table of two bits a slot tells most of them:
//!
//! ```text
//! count    every key marks its slot: met, and met again
//! is_met   a key whose slot was met again may be shared; all others belong to one document
//! ```
//!
//! With eight slots or more for each key eight strangers of nine are told apart, for two to four bytes a key.

/// Slots for each key: the table of a hundred thousand keys stays in the second-level cache.
const SLOTS_PER_KEY: usize = 8;

/// Bits of a slot, and slots of a word.
const SLOT_BITS: u32 = 2;
const WORD_SLOTS: u32 = u64::BITS / SLOT_BITS;

/// A table of slots.
pub(crate) struct Sieve {
    words: Vec<u64>,
    /// The slot of a key is what is left of it after so many bits.
    shift: u32,
}

impl Sieve {
    /// A table for about so many keys.
    pub(crate) fn new(keys: usize) -> Self {
        let slots = (keys * SLOTS_PER_KEY).next_power_of_two().max(WORD_SLOTS as usize);
        Sieve { words: vec![0; slots / WORD_SLOTS as usize], shift: u64::BITS - slots.trailing_zeros() }
    }

    /// Forgets all keys.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Notes a key.
    #[inline]
    pub(crate) fn count(&mut self, key: u64) {
        let (word, met) = place(spread(key) >> self.shift);
        let word = &mut self.words[word];
        // Who finds the first bit set sets the second one.
        *word |= (*word & met) << 1 | met;
    }

    /// Whether the slot of a key was noted more than once.
    #[inline]
    pub(crate) fn is_met(&self, key: u64) -> bool {
        let (word, met) = place(spread(key) >> self.shift);
        self.words[word] & met << 1 != 0
    }
}

/// A number whose highest bits depend on all bits of a key, whatever a method's keys look like.
#[inline]
pub(crate) fn spread(key: u64) -> u64 {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    key.wrapping_mul(SPREAD)
}

/// The word of a slot, and the first bit of the slot in it.
#[inline]
fn place(slot: u64) -> (usize, u64) {
    ((slot / u64::from(WORD_SLOTS)) as usize, 1 << (slot as u32 % WORD_SLOTS * SLOT_BITS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use twindex_core::hash::mix;

    use super::*;

    proptest! {
        /// Whatever the size, a key that comes twice is met.
        #[test]
        fn no_shared_key_is_lost(
            draws in prop::collection::vec(0u64..2_000, 0..2_000),
            expected in 0usize..4_000,
            hashed in any::<bool>(),
        ) {
            let keys: Vec<u64> = draws.into_iter().map(|draw| if hashed { mix(draw) } else { draw << 48 }).collect();
            let mut sieve = Sieve::new(expected);
            for _ in 0..2 {
                sieve.clear();
                keys.iter().for_each(|&key| sieve.count(key));
            }
            let mut counts = BTreeMap::new();
            keys.iter().for_each(|key| *counts.entry(key).or_insert(0) += 1);
            prop_assert!(counts.into_iter().all(|(key, count)| count < 2 || sieve.is_met(*key)));
        }
    }

    #[test]
    fn most_strangers_are_told_apart() {
        for keys in [10_000u64, 16_000] {
            let mut sieve = Sieve::new(keys as usize);
            (0..keys).for_each(|key| sieve.count(mix(key)));
            let left = (0..keys).filter(|&key| sieve.is_met(mix(key))).count();
            assert!(left > 0 && left < keys as usize / 8, "{left} of {keys}");
        }
    }
}
