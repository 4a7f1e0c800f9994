//! In how many sketches does a hash occur? The global order of the prefix filter.
//!
//! An exact answer would need every distinct hash. The order need not be exact, only the same for every sketch: so a table
//! of counters is enough, each counting all hashes that fall into it. Two hashes that share a counter look more frequent
//! than they are, and the join does a little more work; its result is the same with any table, even with an empty one.
//! Counting is addition, so the order in which documents are counted does not matter either.

/// Counters of hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HashFrequencies {
    counts: Vec<u16>,
    /// The slot of a hash is the upper part of a product: shifted down by so much.
    shift: u32,
}

/// Slots for each document of an external join: a quarter of a sketch of 128. Hashes that share a slot then blur the order
/// among the rare ones, and leave the hot ones far behind.
const SLOTS_PER_DOCUMENT: usize = 32;

/// Fewer slots are not worth saving.
const LEAST_SLOTS: usize = 1 << 10;

impl HashFrequencies {
    /// The size for a collection on disk. It depends on the number of documents alone, never on the memory that happens to
    /// be free, because what the order is decides which documents meet in a bucket that is cut short.
    pub fn for_documents(documents: usize) -> Self {
        HashFrequencies::with_slots(documents * SLOTS_PER_DOCUMENT)
    }

    /// How many bytes [`HashFrequencies::for_documents`] takes.
    pub fn bytes_for_documents(documents: usize) -> usize {
        slots(documents * SLOTS_PER_DOCUMENT) * size_of::<u16>()
    }

    /// At least so many slots.
    pub fn with_slots(least: usize) -> Self {
        let slots = slots(least);
        HashFrequencies { counts: vec![0; slots], shift: u64::BITS - slots.ilog2() }
    }

    /// Counts the hashes of one sketch.
    pub fn add(&mut self, hashes: impl IntoIterator<Item = u64>) {
        for hash in hashes {
            let slot = self.slot(hash);
            self.counts[slot] = self.counts[slot].saturating_add(1);
        }
    }

    /// At least in how many sketches the hash occurs, up to 65,535; 0 if nothing was counted.
    #[inline]
    pub fn of(&self, hash: u64) -> u16 {
        if self.counts.is_empty() { 0 } else { self.counts[self.slot(hash)] }
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        // The hashes of sketches are small numbers; the product spreads them.
        const SPREAD: u64 = 0xd6e8_feb8_6659_fd93;
        (hash.wrapping_mul(SPREAD) >> self.shift) as usize
    }

    /// How many bytes the counters take.
    pub fn bytes(&self) -> usize {
        self.counts.len() * size_of::<u16>()
    }
}

fn slots(least: usize) -> usize {
    least.max(LEAST_SLOTS).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn counts_are_never_too_low_and_usually_right() {
        let mut frequencies = HashFrequencies::with_slots(1 << 14);
        let hashes: Vec<u64> = (0..1_000).map(|i| mix(i) >> 12).collect();
        for occurrence in 0..5 {
            frequencies.add(hashes[..1_000 - 200 * occurrence].iter().copied());
        }
        let expected = |i: usize| 5 - i / 200;
        assert!(hashes.iter().enumerate().all(|(i, &hash)| usize::from(frequencies.of(hash)) >= expected(i)));
        let right =
            hashes.iter().enumerate().filter(|&(i, &hash)| usize::from(frequencies.of(hash)) == expected(i));
        assert!(right.count() > 900);
    }

    #[test]
    fn a_counter_stops_at_its_largest_value() {
        let mut frequencies = HashFrequencies::with_slots(1);
        frequencies.add(std::iter::repeat_n(7, 70_000));
        assert_eq!(frequencies.of(7), u16::MAX);
        assert_eq!(HashFrequencies::default().of(7), 0);
    }

    #[test]
    fn the_size_is_foretold() {
        for documents in [0, 1, 31, 33, 5_000] {
            let frequencies = HashFrequencies::for_documents(documents);
            assert_eq!(frequencies.bytes(), HashFrequencies::bytes_for_documents(documents));
        }
    }
}
