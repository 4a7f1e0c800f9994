//! Distinct hashes in ascending order, and how often each occurs.
//!
//! Hashes are uniformly distributed, so that the highest bits of one predict its position. A hash
//! table whose slot is that prediction finds repetitions and nearly sorts at the same time:
//!
//! ```text
//! a table of two to four slots a distinct hash, zeroed (0 is an empty slot)
//! for each hash:  slot = its highest bits; while the slot holds another hash, the next slot
//! gather the slots that are not empty; finish by insertion sort: each hash is within a few
//! places of its own
//! ```
//!
//! Texts repeat themselves, programs above all: a sort that only predicts positions piles
//! repetitions up in one place and has to be left for comparisons. With such a sort the stage that
//! verifies the Linux sources took 2.48 s on one core, with the table it takes 1.40 s (AMD EPYC,
//! Zen 4; 125,000 posts and 878 RFCs as before).
//!
//! How many hashes are distinct is estimated first, by those of a sample: a table for all of them
//! would not fit a cache. A register header of the Linux sources has a million shingles and forty
//! thousand distinct ones; eighty such files are three fifths of what is sorted there. The estimate
//! took the stage from 1.43 to 1.28 s (Zen 5).
//!
//! A list that is not uniform (a weak hash, adversarial words) shows by a long run of occupied
//! slots, and is sorted by comparison.

use std::cell::RefCell;

/// Shorter lists are sorted by comparison, which is faster.
const LEAST: usize = 48;

/// Of longer lists a sample tells how many hashes are distinct: the table of a shorter one fits the
/// cache of a core anyway.
const SAMPLED: usize = 8 << 10;

/// One hash in this many is in the sample. Chosen by its value, so that with a hash all its
/// repetitions are in.
const SAMPLE_OF: usize = 64;

/// How many standard deviations the estimate may be wrong: a table that is too small is noticed,
/// and costs a sort.
const DEVIATIONS: usize = 4;

/// A longer run of occupied slots is not chance at this load: the list is not uniform.
const LONGEST_RUN: usize = 48;

/// A thread keeps a table of at most this many slots.
const MOST_SLOTS: usize = 1 << 20;

thread_local! {
    /// Clearing the pages of new memory took a fifth of the time on two threads.
    static TABLE: RefCell<Table> = const { RefCell::new(Table { slots: vec![], counts: vec![] }) };
}

/// Sorts hashes, ascending, and removes repetitions.
///
/// ```
/// let mut hashes = vec![9, 3, 9];
/// twindex_core::hash::distinct(&mut hashes);
/// assert_eq!(hashes, [3, 9]);
/// ```
pub fn distinct(hashes: &mut Vec<u64>) {
    let by_table =
        hashes.len() >= LEAST && with_table(slots(hashes), |table, slots| table.distinct(hashes, slots));
    if !by_table {
        hashes.sort_unstable();
        hashes.dedup();
    }
}

/// Pairs of hash and count, by ascending hash.
///
/// ```
/// assert_eq!(twindex_core::hash::counted(&[9, 3, 9]), [(3, 1), (9, 2)]);
/// ```
pub fn counted(hashes: &[u64]) -> Vec<(u64, u32)> {
    if hashes.len() >= LEAST
        && let Some(counts) = with_table(slots(hashes), |table, slots| table.counted(hashes, slots))
    {
        return counts;
    }
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX))).collect()
}

/// Runs `work` with the table of this thread, or with one for more slots than a thread keeps.
fn with_table<T>(slots: usize, work: impl FnOnce(&mut Table, usize) -> T) -> T {
    if slots > MOST_SLOTS {
        return work(&mut Table::default(), slots);
    }
    TABLE.with_borrow_mut(|table| work(table, slots))
}

/// How many slots a list needs, besides those behind the last prediction.
fn slots(hashes: &[u64]) -> usize {
    (2 * most_distinct(hashes)).next_power_of_two()
}

/// At least as many as are distinct, but for chance.
fn most_distinct(hashes: &[u64]) -> usize {
    if hashes.len() <= SAMPLED {
        return hashes.len();
    }
    let in_sample = hashes.iter().copied().filter(|hash| hash % SAMPLE_OF as u64 == 0);
    let mut sample: Vec<u64> = in_sample.collect();
    sample.sort_unstable();
    sample.dedup();
    let deviation = sample.len().isqrt() + 1;
    hashes.len().min((sample.len() + DEVIATIONS * deviation) * SAMPLE_OF)
}

/// The slots of a hash table, empty between two calls.
#[derive(Default)]
struct Table {
    slots: Vec<u64>,
    counts: Vec<u32>,
}

impl Table {
    /// The slots with those behind the last prediction, and by how much a hash is shifted to
    /// predict its slot. Hashes below a limit, as those of a sketch, are uniform up to the
    /// largest.
    fn prepare(&mut self, hashes: &[u64], predicted: usize) -> (usize, u32) {
        let length = predicted + LONGEST_RUN;
        if self.slots.len() < length {
            self.slots.resize(length, 0);
        }
        let largest = hashes.iter().fold(0, |all, &hash| all | hash);
        let bits = u64::BITS - largest.leading_zeros();
        (length, bits.saturating_sub(predicted.trailing_zeros()))
    }

    /// The same as [`distinct`]; returns false, and changes nothing, if the list is not uniform.
    fn distinct(&mut self, hashes: &mut Vec<u64>, slots: usize) -> bool {
        let (length, shift) = self.prepare(hashes, slots);
        let table = &mut self.slots[..length];
        let mut has_zero = false;
        for &hash in hashes.iter() {
            let predicted = (hash >> shift) as usize;
            let run = &mut table[predicted..predicted + LONGEST_RUN];
            let Some(slot) = run.iter_mut().find(|slot| **slot == 0 || **slot == hash) else {
                table.fill(0);
                return false;
            };
            *slot = hash;
            has_zero |= hash == 0;
        }
        let mut length = usize::from(has_zero);
        hashes[0] = 0;
        for slot in table {
            let hash = std::mem::take(slot);
            // No branch: whether a slot is empty is a coin toss. Behind the last hash there may be
            // no place for what an empty slot writes.
            if let Some(place) = hashes.get_mut(length) {
                *place = hash;
            }
            length += usize::from(hash != 0);
        }
        hashes.truncate(length);
        insert_each(hashes, |hash| *hash);
        true
    }

    /// The same as [`counted`]; `None` if the list is not uniform.
    fn counted(&mut self, hashes: &[u64], slots: usize) -> Option<Vec<(u64, u32)>> {
        let (length, shift) = self.prepare(hashes, slots);
        if self.counts.len() < length {
            self.counts.resize(length, 0);
        }
        let (table, counts) = (&mut self.slots[..length], &mut self.counts[..length]);
        let (mut zeros, mut others) = (0u32, 0);
        for &hash in hashes {
            if hash == 0 {
                zeros = zeros.saturating_add(1);
                continue;
            }
            let predicted = (hash >> shift) as usize;
            let run = &mut table[predicted..predicted + LONGEST_RUN];
            let Some(place) = run.iter().position(|&slot| slot == 0 || slot == hash) else {
                table.fill(0);
                counts.fill(0);
                return None;
            };
            others += usize::from(run[place] == 0);
            run[place] = hash;
            let count = &mut counts[predicted + place];
            *count = count.saturating_add(1);
        }
        let mut counted = Vec::with_capacity(others + 1);
        counted.extend((zeros > 0).then_some((0, zeros)));
        for (slot, count) in table.iter_mut().zip(counts) {
            if *slot != 0 {
                counted.push((std::mem::take(slot), std::mem::take(count)));
            }
        }
        insert_each(&mut counted, |&(hash, _)| hash);
        Some(counted)
    }
}

/// Insertion sort, for a list in which nearly everything is in its place.
#[inline(always)]
fn insert_each<T: Copy>(list: &mut [T], key: impl Fn(&T) -> u64) {
    for at in 1..list.len() {
        let (item, mut place) = (list[at], at);
        while place > 0 && key(&list[place - 1]) > key(&item) {
            list[place] = list[place - 1];
            place -= 1;
        }
        list[place] = item;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    proptest! {
        #[test]
        fn equals_comparing(
            seeds in prop::collection::vec(0u64..3_000, 0..3_000),
            length in 0usize..3_000,
            shape in 0u32..5,
        ) {
            let hash = |seed: &u64| match shape {
                // Uniform; below a limit; with many repetitions; of the highest bits alone; of the
                // lowest bits alone.
                0 => mix(*seed),
                1 => mix(*seed) >> 13,
                2 => mix(seed / 1_000),
                3 => seed << 52,
                _ => *seed,
            };
            let hashes: Vec<u64> = seeds.iter().take(length).map(hash).collect();
            let mut sorted = hashes.clone();
            sorted.sort_unstable();
            let runs = sorted.chunk_by(|a, b| a == b);
            let expected: Vec<(u64, u32)> = runs.map(|run| (run[0], run.len() as u32)).collect();
            prop_assert_eq!(counted(&hashes), &*expected);
            let mut found = hashes;
            distinct(&mut found);
            prop_assert!(found.into_iter().eq(expected.iter().map(|&(hash, _)| hash)));
        }
    }

    #[test]
    fn a_text_that_repeats_itself_has_a_small_table() {
        let repeated = |distinct: u64| (0..1 << 18).map(|n| mix(n % distinct)).collect::<Vec<u64>>();
        for distinct in [7, 1 << 10, 1 << 15] {
            let (most, few) = (most_distinct(&repeated(distinct)) as u64, 100 * SAMPLE_OF as u64);
            assert!(most >= distinct && most <= 2 * distinct + few, "{most} of {distinct}");
        }
        assert_eq!(most_distinct(&(0..1 << 18).map(mix).collect::<Vec<_>>()), 1 << 18);
        // All of them are in the sample.
        assert_eq!(most_distinct(&(0..10_000).map(|n| n << 10).collect::<Vec<_>>()), 10_000);
    }

    /// Every length around the limits, with and without the hash zero, with the largest.
    #[test]
    fn every_length() {
        for length in (0..300).chain([1 << 12, 1 << 17]) {
            for extra in [vec![], vec![0], vec![0, 0, u64::MAX]] {
                let mut hashes: Vec<u64> = (0..length).map(mix).chain(extra).collect();
                let mut expected = hashes.clone();
                expected.sort_unstable();
                expected.dedup();
                distinct(&mut hashes);
                assert!(hashes == expected, "{length}");
            }
        }
    }

    #[test]
    fn uniform_lists_are_not_compared_and_others_are() {
        let mut table = Table::default();
        let mut by_table = |hashes: &[u64]| {
            let slots = slots(hashes);
            let by_table = table.distinct(&mut hashes.to_vec(), slots);
            let found = (by_table, table.counted(hashes, slots).is_some());
            assert!(table.slots.iter().all(|&slot| slot == 0), "slots are left");
            assert!(table.counts.iter().all(|&count| count == 0), "counts are left");
            found
        };
        for length in [LEAST as u64, 100, 1 << 10, 1 << 18] {
            let hashes: Vec<u64> = (0..length).map(mix).collect();
            assert_eq!(by_table(&hashes), (true, true), "{length}");
            let repeated: Vec<u64> = (0..length).map(|number| mix(number % 7)).collect();
            assert_eq!(by_table(&repeated), (true, true), "{length}, repeated");
        }
        let crowded: Vec<u64> = (0..100).chain([u64::MAX]).collect();
        assert_eq!(by_table(&crowded), (false, false));
    }
}
