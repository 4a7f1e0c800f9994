//! Entries gathered by key: documents that share a key are in one bucket.
//!
//! Nearly every key belongs to one document only, and sorting those is wasted. So entries are not sorted as a whole:
//!
//! ```text
//! push   an entry goes to the part of its key's range; a part fits into the cache
//! close  in each part, an entry whose key shares its slot in a small table with no other is alone and dropped;
//!        what is left is sorted
//! ```
//!
//! Parts follow each other in the order of their keys, so the buckets come in the order that sorting everything gives.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::sieve::spread;

/// A key with the number of a document that has it: its rank, or another that says which comes first.
pub(crate) type Entry = (u64, u32);

/// Entries of a part: 64 KiB of them, so that a part and its table stay in the second-level cache.
const PART_ENTRIES: usize = 4096;

/// More parts than this are slower to write to than larger parts are to sort.
const MOST_PARTS: usize = 4096;

/// Slots of the table for each entry: with four of them three strangers of four are told apart.
const SLOTS_PER_ENTRY: usize = 4;

/// The entries of one range of keys.
pub(crate) struct Buckets {
    parts: Vec<Vec<Entry>>,
    /// All keys are cut into so many equal ranges, one a part of every pass.
    ranges: u64,
    /// The ranges of this pass begin here.
    first: u64,
}

impl Buckets {
    /// Buckets for about `entries` entries of each of `passes` equal ranges of keys.
    pub(crate) fn new(passes: u64, entries: usize) -> Self {
        let parts = (entries / PART_ENTRIES).clamp(1, MOST_PARTS);
        let mean = entries.div_ceil(parts);
        // Parts differ by chance; one that holds a hot bucket grows.
        let capacity = mean + mean / 8 + 64;
        Buckets {
            parts: (0..parts).map(|_| Vec::with_capacity(capacity)).collect(),
            ranges: passes * parts as u64,
            first: 0,
        }
    }

    /// Empties the buckets for the entries of pass number `pass`.
    pub(crate) fn begin(&mut self, pass: u64) {
        self.first = pass * self.parts.len() as u64;
        self.parts.iter_mut().for_each(Vec::clear);
    }

    /// Adds an entry, if its key lies in the range of this pass.
    #[inline]
    pub(crate) fn push(&mut self, key: u64, rank: u32) {
        let range = key_range(key, self.ranges).wrapping_sub(self.first);
        if let Some(part) = self.parts.get_mut(range as usize) {
            part.push((key, rank));
        }
    }

    /// The entries that share their key with another one (and a few that do not), sorted, part by part.
    pub(crate) fn close(&mut self) -> impl Iterator<Item = &[Entry]> {
        self.parts.par_iter_mut().with_min_len(16).for_each_init(Vec::new, |slots, part| {
            drop_single(part, slots);
            part.sort_unstable();
        });
        self.parts.iter().map(Vec::as_slice)
    }
}

/// Drops entries that have a slot for themselves in a table, for which `slots` is a buffer.
fn drop_single(part: &mut Vec<Entry>, slots: &mut Vec<u8>) {
    let bits = (part.len() * SLOTS_PER_ENTRY).next_power_of_two().trailing_zeros().max(1);
    // Without the lowest bit, which may tell entries of one bucket apart: see `bucket_edges`.
    let slot = |key: u64| (spread(key | 1) >> (u64::BITS - bits)) as usize;
    slots.clear();
    slots.resize(1 << bits, 0);
    for &(key, _) in part.iter() {
        let count = &mut slots[slot(key)];
        *count = count.saturating_add(1);
    }
    // Every entry is written, and the place moves on only after one that stays: no branch to be guessed wrong.
    let mut kept = 0;
    for at in 0..part.len() {
        let entry = part[at];
        part[kept] = entry;
        kept += usize::from(slots[slot(entry.0)] > 1);
    }
    part.truncate(kept);
}

/// Which of `ranges` equal parts of all keys a key lies in.
fn key_range(key: u64, ranges: u64) -> u64 {
    ((u128::from(key) * u128::from(ranges)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use twindex_core::hash::mix;

    use super::*;

    fn shared(entries: &[Entry]) -> Vec<Entry> {
        let buckets = entries.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1);
        buckets.flatten().copied().collect()
    }

    proptest! {
        /// Whatever the number of passes and parts, the buckets are those of sorting everything.
        #[test]
        fn equals_sorting(
            draws in prop::collection::vec((0u64..3_000, 0u32..50), 0..3_000),
            passes in 1u64..5,
            expected_entries in 0usize..40_000,
            hashed in any::<bool>(),
        ) {
            let key = |draw: u64| if hashed { mix(draw) } else { draw << 48 };
            let entries: Vec<Entry> = draws.into_iter().map(|(draw, rank)| (key(draw), rank)).collect();
            let mut buckets = Buckets::new(passes, expected_entries);
            let mut found = vec![];
            for pass in 0..passes {
                buckets.begin(pass);
                entries.iter().for_each(|&(key, rank)| buckets.push(key, rank));
                for part in buckets.close() {
                    prop_assert!(part.is_sorted());
                    found.extend_from_slice(&shared(part));
                }
            }
            let mut sorted = entries;
            sorted.sort_unstable();
            prop_assert_eq!(found, shared(&sorted));
        }
    }

    #[test]
    fn entries_that_are_alone_are_mostly_dropped() {
        let mut buckets = Buckets::new(1, 10_000);
        buckets.begin(0);
        (0..10_000).for_each(|rank| buckets.push(mix(u64::from(rank)), rank));
        let left: usize = buckets.close().map(<[Entry]>::len).sum();
        assert!(left < 4_000, "{left}");
    }
}
