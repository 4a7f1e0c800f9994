//! Approximate document frequency of hashes: the global order of the prefix filter.
//!
//! Exact counts would need every distinct hash. The order need not be exact, only the same for
//! every sketch, so that a table of counters suffices, each counting all hashes of its slot. Two
//! hashes that share a counter look more frequent than they are, and the join does a little more
//! work; its result is the same with any table, even with an empty one. Counts add up, so that the
//! order of the documents does not matter either.

/// Counters of hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HashFrequencies {
    counts: Vec<u16>,
    /// The slot of a hash is a product shifted down by `shift`.
    shift: u32,
}

/// Slots per document of an external join: a quarter of a sketch of 128. Shared slots then blur the
/// order among rare hashes, but leave the hot ones last.
const SLOTS_PER_DOCUMENT: usize = 32;

/// The least number of slots: fewer save nothing.
const LEAST_SLOTS: usize = 1 << 10;

impl HashFrequencies {
    /// The size for a collection on disk. It depends on the number of documents alone, never on the
    /// free memory, because the order decides which documents are paired in a truncated bucket.
    pub fn for_documents(documents: usize) -> Self {
        HashFrequencies::with_slots(documents * SLOTS_PER_DOCUMENT)
    }

    /// How many bytes [`HashFrequencies::for_documents`] takes.
    pub fn bytes_for_documents(documents: usize) -> usize {
        slots(documents * SLOTS_PER_DOCUMENT) * size_of::<u16>()
    }

    /// At least `least` slots.
    pub fn with_slots(least: usize) -> Self {
        let slots = slots(least);
        HashFrequencies { counts: vec![0; slots], shift: u64::BITS - slots.ilog2() }
    }

    /// Counts the hashes of one sketch.
    pub fn add(&mut self, hashes: impl IntoIterator<Item = u64>) {
        for hash in hashes {
            if self.counts.is_empty() {
                return;
            }
            let slot = self.slot(hash);
            self.counts[slot] = self.counts[slot].saturating_add(1);
        }
    }

    /// An upper bound on the number of sketches that have the hash, up to 65,535; 0 if nothing was
    /// counted.
    #[inline]
    pub fn of(&self, hash: u64) -> u16 {
        if self.counts.is_empty() { 0 } else { self.counts[self.slot(hash)] }
    }

    /// Adds a table of the same size: counting in parts and adding them up gives the table of the
    /// whole.
    ///
    /// # Errors
    ///
    /// Returns the sizes if they differ, in slots.
    pub fn merge(&mut self, other: &HashFrequencies) -> Result<(), [usize; 2]> {
        if self.counts.len() != other.counts.len() {
            return Err([self.counts.len(), other.counts.len()]);
        }
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*other);
        }
        Ok(())
    }

    /// The table as bytes: its counters, two bytes each, the lower first.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.counts.iter().flat_map(|count| count.to_le_bytes()).collect()
    }

    /// Reads [`HashFrequencies::to_bytes`] back; `None` if that is no table.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (counts, rest) = bytes.as_chunks();
        if counts.is_empty() && rest.is_empty() {
            return Some(HashFrequencies::default());
        }
        let counts: Vec<u16> = counts.iter().map(|&count| u16::from_le_bytes(count)).collect();
        let is_table = rest.is_empty() && counts.len().is_power_of_two() && counts.len() >= LEAST_SLOTS;
        is_table.then(|| HashFrequencies { shift: u64::BITS - counts.len().ilog2(), counts })
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
    fn parts_add_up_to_the_whole_and_survive_as_bytes() {
        let hashes: Vec<u64> = (0..3_000).map(|i| mix(i % 700)).collect();
        let count = |hashes: &[u64]| {
            let mut frequencies = HashFrequencies::for_documents(100);
            frequencies.add(hashes.iter().copied());
            frequencies
        };
        let mut sum = count(&hashes[..1_000]);
        sum.merge(&count(&hashes[1_000..])).unwrap();
        assert_eq!(sum, count(&hashes));
        assert_eq!(HashFrequencies::from_bytes(&sum.to_bytes()), Some(sum.clone()));
        assert_eq!(HashFrequencies::from_bytes(&[]), Some(HashFrequencies::default()));
        assert_eq!(HashFrequencies::from_bytes(&[1, 2, 3]), None);
        assert!(sum.merge(&HashFrequencies::for_documents(10_000)).is_err());
    }

    #[test]
    fn the_size_is_foretold() {
        for documents in [0, 1, 31, 33, 5_000] {
            let frequencies = HashFrequencies::for_documents(documents);
            assert_eq!(frequencies.bytes(), HashFrequencies::bytes_for_documents(documents));
        }
    }
}
