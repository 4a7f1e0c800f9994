//! Entries gathered by key: documents that share a key are in one bucket.
//!
//! Nearly every key belongs to one document, and sorting those singletons is wasted. So entries are
//! radix-partitioned:
//!
//! ```text
//! push   an entry goes to the partition of its key's range; a partition fits into the cache
//! close  in each partition, an entry whose key shares its slot of a small table with no other is
//!        a singleton and dropped; what is left is sorted
//! ```
//!
//! Partitions follow each other in the order of their keys, so the buckets come in the order of a
//! full sort.

use super::Entry;
use super::rarest::spread;
use crate::search::Workers;
use crate::search::workers::run_each;

/// Entries of a partition: 64 KiB, so that a partition and its table stay in the second-level
/// cache.
const PARTITION_ENTRIES: usize = 4096;

/// More partitions than this are slower to write to than larger partitions are to sort.
const MOST_PARTITIONS: usize = 4096;

/// Slots of the table for each entry: with four, three singletons of four are dropped.
const SLOTS_PER_ENTRY: usize = 4;

/// The entries of one range of keys.
#[derive(Debug)]
pub struct Buckets {
    partitions: Vec<Vec<Entry>>,
    /// All keys are cut into this many equal ranges, one for each partition of each pass.
    ranges: u64,
    /// The first range of this pass.
    first: u64,
}

impl Buckets {
    /// Buckets for about `entries` entries in each of `passes` equal ranges of keys.
    pub fn new(passes: u64, entries: usize) -> Self {
        let partitions = (entries / PARTITION_ENTRIES).clamp(1, MOST_PARTITIONS);
        let mean = entries.div_ceil(partitions);
        // Partitions differ by chance; one that holds a hot bucket grows.
        let capacity = mean + mean / 8 + 64;
        Buckets {
            partitions: (0..partitions).map(|_| Vec::with_capacity(capacity)).collect(),
            ranges: passes * partitions as u64,
            first: 0,
        }
    }

    /// Empties the buckets for the entries of pass number `pass`.
    pub fn begin(&mut self, pass: u64) {
        self.first = pass * self.partitions.len() as u64;
        self.partitions.iter_mut().for_each(Vec::clear);
    }

    /// Adds an entry, if its key lies in the range of this pass.
    #[inline]
    pub fn push(&mut self, key: u64, document: u32) {
        let range = key_range(key, self.ranges).wrapping_sub(self.first);
        if let Some(partition) = self.partitions.get_mut(range as usize) {
            partition.push((key, document));
        }
    }

    /// The entries that share their key with another one (and a few singletons), sorted, partition
    /// by partition.
    pub fn close(&mut self, workers: &dyn Workers) -> impl Iterator<Item = &[Entry]> {
        let mut shares: Vec<&mut [Vec<Entry>]> = self.partitions.chunks_mut(PARTITIONS_PER_TASK).collect();
        run_each(workers, &mut shares, |_, partitions| {
            let mut slots = vec![];
            for partition in partitions.iter_mut() {
                drop_singletons(partition, &mut slots);
                partition.sort_unstable();
            }
        });
        self.partitions.iter().map(Vec::as_slice)
    }
}

/// A partition alone is too small for a task.
const PARTITIONS_PER_TASK: usize = 16;

/// Drops entries that have a slot of a table for themselves; `slots` is a buffer for the table.
fn drop_singletons(part: &mut Vec<Entry>, slots: &mut Vec<u8>) {
    let bits = (part.len() * SLOTS_PER_ENTRY).next_power_of_two().trailing_zeros().max(1);
    // Without the lowest bit, which may tell entries of one bucket apart: see `meet`.
    let slot = |key: u64| (spread(key | 1) >> (u64::BITS - bits)) as usize;
    slots.clear();
    slots.resize(1 << bits, 0);
    for &(key, _) in part.iter() {
        let count = &mut slots[slot(key)];
        *count = count.saturating_add(1);
    }
    // Every entry is written, and the place moves on only after one that stays: no branch to be
    // guessed wrong.
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

    use super::*;
    use crate::hash::mix;
    use crate::search::OneThread;

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
                for part in buckets.close(&OneThread) {
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
        let left: usize = buckets.close(&OneThread).map(<[Entry]>::len).sum();
        assert!(left < 4_000, "{left}");
    }
}
