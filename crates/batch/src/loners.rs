//! How many shingles does a document have that nobody else has?
//!
//! A [`Sieve`] of all shingles tells. It would be too large for the cache, and every
//! shingle would wait for the memory twice. So shingles are first gathered by parts of its slots, each of which fits:
//!
//! ```text
//! gather   (slot, rank) of every shingle, by the part of its slot
//! part     note all slots of a part; a rank has one lonely shingle more for each slot that was noted once
//! ```
//!
//! 5.3 million shingles of 124,000 posts take about half the time so that they take in one sieve. Shingles that share a slot are not lonely, so
//! that there are never too many; which do depends on the number of documents alone, not on how many parts fit into memory at a time.

use crate::error::Result;
use crate::sieve::{Sieve, spread};

/// Slots for each document: twelve for each shingle of a post, so that twelve strangers of thirteen are told apart.
const SLOTS: usize = 512;

/// There are no more slots than these: of collections of many millions, fewer lonely shingles are recognised.
const MOST_SLOT_BITS: u32 = 30;

/// Slots of a part: a table of 128 KiB.
const PART_BITS: u32 = 19;

/// A shingle: its slot in the part, and the rank of its document.
type Entry = (u32, u32);

/// The most lonely shingles that a document can have: listed documents have no more.
pub(crate) type Count = u8;

/// For each of so many ranks, how many of its shingles nobody else has. Of all `total` shingles together, as many as fit into `memory` are
/// taken at a time: `for_each` takes what is to be done with a rank and its shingle, and may be called several times.
pub(crate) fn lonely(
    ranks: usize,
    total: usize,
    memory: usize,
    for_each: impl Fn(&mut Gathered) -> Result<()>,
) -> Result<Vec<Count>> {
    let bits = (ranks * SLOTS).next_power_of_two().trailing_zeros().clamp(PART_BITS, MOST_SLOT_BITS);
    let parts = 1usize << (bits - PART_BITS);
    let passes = (total * size_of::<Entry>()).div_ceil(memory.max(1)).clamp(1, parts);
    let together = parts.div_ceil(passes);
    let mut lonely = vec![0; ranks];
    let mut sieve = Sieve::with_slots(1 << PART_BITS);
    // Parts differ by chance, and by what is common; one that is larger grows.
    let expected = total / parts + total / parts / 8;
    let entries = (0..together).map(|_| Vec::with_capacity(expected)).collect();
    let mut gathered = Gathered { parts: entries, first: 0, shift: u64::BITS - bits };
    for first in (0..parts).step_by(together) {
        gathered.begin(first);
        for_each(&mut gathered)?;
        for part in &gathered.parts {
            count_part(part, &mut sieve, &mut lonely);
        }
    }
    Ok(lonely)
}

/// The shingles of some parts.
pub(crate) struct Gathered {
    parts: Vec<Vec<Entry>>,
    /// The number of the first part.
    first: usize,
    /// The slot of a shingle is what is left of its product after so many bits.
    shift: u32,
}

impl Gathered {
    fn begin(&mut self, first: usize) {
        self.first = first;
        self.parts.iter_mut().for_each(Vec::clear);
    }

    /// Takes a shingle, if its part is among these.
    #[inline]
    pub(crate) fn push(&mut self, rank: u32, shingle: u32) {
        let slot = spread(shingle.into()) >> self.shift;
        let part = (slot >> PART_BITS) as usize;
        if let Some(part) = self.parts.get_mut(part.wrapping_sub(self.first)) {
            part.push((slot as u32 % (1 << PART_BITS), rank));
        }
    }
}

fn count_part(part: &[Entry], sieve: &mut Sieve, lonely: &mut [Count]) {
    sieve.clear();
    part.iter().for_each(|&(slot, _)| sieve.count_slot(slot.into()));
    for &(slot, rank) in part {
        let count = &mut lonely[rank as usize];
        *count = count.saturating_add(Count::from(!sieve.is_slot_met(slot.into())));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use twindex_core::hash::mix;

    use super::*;

    /// The documents' shingles, and how many of them nobody else has, in so much memory.
    fn counted(documents: &[Vec<u32>], memory: usize) -> Vec<Count> {
        let total = documents.iter().map(Vec::len).sum();
        lonely(documents.len(), total, memory, |gathered| {
            for (rank, shingles) in (0..).zip(documents) {
                shingles.iter().for_each(|&shingle| gathered.push(rank, shingle));
            }
            Ok(())
        })
        .unwrap()
    }

    proptest! {
        /// Never too many, whatever the memory; and all of them, where no two shingles share a slot.
        #[test]
        fn lonely_shingles_are_those_of_one_document(
            draws in prop::collection::vec(prop::collection::vec(0u64..400, 0..30), 0..60),
            memory in 0usize..10_000,
        ) {
            let documents: Vec<Vec<u32>> =
                draws.iter().map(|draws| draws.iter().map(|&draw| mix(draw) as u32).collect()).collect();
            let mut occurrences = BTreeMap::new();
            documents.iter().flatten().for_each(|shingle| *occurrences.entry(*shingle).or_insert(0) += 1);
            let slot = |shingle: u32| spread(shingle.into()) >> (u64::BITS - PART_BITS);
            let mut in_slot = BTreeMap::new();
            occurrences.keys().for_each(|&shingle| *in_slot.entry(slot(shingle)).or_insert(0) += 1);
            let expected = documents.iter().map(|shingles| {
                let is_lonely = |shingle: &&u32| occurrences[*shingle] == 1 && in_slot[&slot(**shingle)] == 1;
                shingles.iter().filter(is_lonely).count() as Count
            });
            prop_assert_eq!(counted(&documents, memory), expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_depends_on_the_memory() {
        let documents: Vec<Vec<u32>> = (0..20_000u64)
            .map(|rank| (0..20).map(|place| mix(mix(rank * 20 + place) % 300_000) as u32).collect())
            .collect();
        let all = counted(&documents, usize::MAX);
        assert!(all.iter().any(|&count| count > 5) && all.iter().any(|&count| count < 5));
        assert_eq!(counted(&documents, 100_000), all);
    }
}
