//! The prefix filter of short documents: which of them share one of their rarest shingles?
//!
//! A document with a [list](crate::search::method::minhash::list) of n shingles shares one of any
//! `prefix(n)` of them with each of its duplicates. Rare shingles make small buckets, but a table
//! of all frequencies is larger than the cache. So shingles are radix-partitioned by the slot of
//! their counter, and everything happens partition by partition:
//!
//! ```text
//! gather   slot and document of every shingle, by partition of the slot
//! count    how many documents have each slot; a shingle notes its frequency class, a document
//!          how many shingles it has of each class: most have too many singletons, and are out
//! choose   the rarest shingles of a document, by class and then by partition, until there are
//!          enough
//! meet     documents that chose the same slot
//! ```
//!
//! Shingles that share a slot count as one: that costs some candidates that verification rejects,
//! and loses none. The number of slots depends on the number of documents alone; memory decides how
//! many partitions are gathered at a time.
//!
//! An entry has four bytes, because the first touch of memory takes as long as the work: documents
//! are taken in blocks, and an entry holds the number of its document in the block.
//!
//! Tried and dropped, for 125,000 posts with 5.3 million shingles: a filter of singletons, a table
//! of counts for the other shingles and sorted keys (half as much time again for the whole stage);
//! a list for each partition, which grows by cache lines (as fast, more code); half, a quarter or
//! twice as many slots, partitions of half the size (no difference).

mod gathered;

use super::Entry;
pub(super) use gathered::Gathered;

/// Slots for each document: twelve for each shingle of a post, so that twelve singletons of
/// thirteen are recognised.
const SLOTS: usize = 512;

/// The most slots: in collections of many millions, more singletons seem to be shared.
const MOST_SLOT_BITS: u32 = 30;

/// Slots of a partition: a table of 256 KiB, half of a second-level cache.
const PART_BITS: u32 = 18;
const PART_SLOTS: usize = 1 << PART_BITS;

/// Documents of a block: what class and slot leave of an entry.
const BLOCK_BITS: u32 = 11;
const BLOCK_DOCUMENTS: usize = 1 << BLOCK_BITS;

/// Memory for each document: its rank, the number of its shingles in all and of each class, and
/// what it chooses.
pub(crate) const DOCUMENT_BYTES: usize =
    size_of::<u32>() + size_of::<u8>() + size_of::<Classes>() + size_of::<Choice>();

/// A shingle: its slot in the partition, above it the number of its document in the block, above
/// that its class.
type Shingle = u32;

/// The frequency class of a shingle: 0 for a singleton, 1 if two documents have it, then 3 and 4, 5
/// to 16, 17 to 64, 65 to 254, and more. The rare ones need few classes: they make small buckets in
/// any order.
type Class = u32;
const SINGLETON: Class = 0;
const CLASSES: Class = 7;
const CLASS_SHIFT: u32 = PART_BITS + BLOCK_BITS;

/// Marks a deleted shingle, and the end of a block. No shingle has this class.
const GONE: Shingle = CLASSES << CLASS_SHIFT;

/// How many shingles of each class a document has, a byte each, and in the last byte how many
/// repeat another: a list has at most 192 shingles. The others are singletons.
type Classes = u64;
const CLASS_BITS: u32 = u8::BITS;

/// Which shingles of a document are its keys: all of the classes below `class`, and `more` of that
/// class.
#[derive(Debug, Clone, Copy, Default)]
struct Choice {
    class: u8,
    more: u8,
}

/// Joins `documents` lists with about `shingles` shingles in all, of which as many as fit into
/// `memory` are gathered at a time. `lists` hands all lists over, in the same order each time.
/// Calls `each` with the keys of a partition, sorted: those that several documents have, and a few
/// others.
pub(super) fn join<E>(
    (documents, shingles): (usize, usize),
    memory: usize,
    lists: impl Fn(&mut Gathered) -> Result<(), E>,
    prefix: impl Fn(usize) -> usize,
    each: impl FnMut(&[Entry]) -> Result<(), E>,
) -> Result<(), E> {
    Rarest::new((documents, shingles), memory, lists, prefix)?.meet(each)
}

/// The shingles of documents with a list, and what each document chooses of them.
struct Rarest<F> {
    lists: F,
    parts: usize,
    gathered: Gathered,
    counts: Counts,
    choices: Vec<Choice>,
}

impl<E, F: Fn(&mut Gathered) -> Result<(), E>> Rarest<F> {
    /// Counts and chooses.
    fn new(
        (documents, total): (usize, usize),
        memory: usize,
        lists: F,
        prefix: impl Fn(usize) -> usize,
    ) -> Result<Self, E> {
        let bits = (documents * SLOTS).next_power_of_two().trailing_zeros().clamp(PART_BITS, MOST_SLOT_BITS);
        let parts = 1usize << (bits - PART_BITS);
        // Partitions differ by chance, and by common shingles; a larger one grows.
        let expected = total / parts + total / parts / 8;
        let part_bytes =
            expected * size_of::<Shingle>() + documents.div_ceil(BLOCK_DOCUMENTS) * size_of::<usize>();
        let passes = (parts * part_bytes).div_ceil(memory.max(1)).clamp(1, parts);
        let together = parts.div_ceil(passes);
        let gathered = Gathered::new(together, u64::BITS - bits, documents, together * expected);
        let counts = Counts { table: Box::new([0; PART_SLOTS]) };
        let mut rarest = Rarest { lists, parts, gathered, counts, choices: vec![] };
        let mut classes: Vec<Classes> = vec![0; documents];
        for first in rarest.passes() {
            rarest.gather(first, &mut classes)?;
        }
        let choice =
            |(&length, &classes): (&u8, &Classes)| Choice::new(length, classes, prefix(length.into()));
        rarest.choices = rarest.gathered.lengths().iter().zip(&classes).map(choice).collect();
        Ok(rarest)
    }

    /// The first partition of each pass.
    fn passes(&self) -> impl Iterator<Item = usize> + use<E, F> {
        (0..self.parts).step_by(self.gathered.parts())
    }

    /// Gathers the partitions from `first` on, and counts them.
    fn gather(&mut self, first: usize, classes: &mut [Classes]) -> Result<(), E> {
        self.gathered.begin(first);
        (self.lists)(&mut self.gathered)?;
        self.gathered.end_block();
        for part in 0..self.gathered.parts() {
            self.counts.count(&mut self.gathered, part, classes);
            self.counts.classify(&mut self.gathered, part, classes);
        }
        Ok(())
    }

    /// Whether a document has a key. If not, it is a duplicate of none by its list.
    #[cfg(test)]
    fn has_key(&self, document: usize) -> bool {
        self.choices.get(document).is_some_and(|choice| choice.class > 0)
    }

    /// Calls `each` with the chosen keys of each partition.
    fn meet(mut self, mut each: impl FnMut(&[Entry]) -> Result<(), E>) -> Result<(), E> {
        let (mut keys, mut entries) = (vec![], vec![]);
        let passes = self.passes();
        let is_gathered = self.gathered.parts() == self.parts;
        let mut classes = if is_gathered { vec![] } else { vec![0; self.choices.len()] };
        for first in passes {
            if !is_gathered {
                self.gather(first, &mut classes)?;
            }
            for part in 0..self.gathered.parts() {
                keys.clear();
                push_keys(&mut self.gathered, part, &mut self.choices, &mut keys);
                self.counts.drop_singletons(&mut keys);
                keys.sort_unstable();
                let number = ((first + part) as u64) << PART_BITS;
                entries.clear();
                entries.extend(keys.iter().map(|&Key(of)| (number | of >> u32::BITS, of as u32)));
                each(&entries)?;
            }
        }
        Ok(())
    }
}

impl Choice {
    /// For a document with `shingles` shingles, counted by `classes`, whose duplicates have one of
    /// any `prefix` of them.
    fn new(shingles: u8, classes: Classes, prefix: usize) -> Choice {
        let others: u64 = classes.to_le_bytes().into_iter().map(u64::from).sum();
        let singletons = u64::from(shingles).saturating_sub(others);
        let Some(mut left) = (prefix as u64).checked_sub(singletons).filter(|&left| left > 0) else {
            // A singleton is no key.
            return Choice::default();
        };
        for class in SINGLETON + 1..CLASSES {
            let count = classes >> (CLASS_BITS * class) & u64::from(u8::MAX);
            if left <= count {
                return Choice { class: class as u8, more: left as u8 };
            }
            left -= count;
        }
        // Shingles that share a slot are counted once: all that there are.
        Choice { class: CLASSES as u8, more: 0 }
    }
}

/// The slot of a key in its partition, above the rank of its document: one number, which is quickly
/// sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Key {
    fn new(slot: u32, rank: u32) -> Self {
        Key(u64::from(slot) << u32::BITS | u64::from(rank))
    }

    fn slot(self) -> usize {
        slot_of((self.0 >> u32::BITS) as u32)
    }
}

/// Appends the keys of a partition.
fn push_keys(gathered: &mut Gathered, part: usize, choices: &mut [Choice], keys: &mut Vec<Key>) {
    gathered.for_each_block(part, |first, ranks, shingles| {
        let choices = &mut choices[first..];
        // Most are of documents that are out, or too common: these are dropped first, without a
        // branch.
        let mut count = 0;
        for at in 0..shingles.len() {
            let shingle = shingles[at];
            if shingle == GONE {
                break;
            }
            shingles[count] = shingle;
            count += usize::from(class_of(shingle) <= choices[document_of(shingle)].class);
        }
        // Within one partition all of a document's shingles of the last class are keys, or none:
        // their order is not the same in every document, and a partial choice could separate
        // duplicates.
        let (mut last, mut left) = (usize::MAX, 0);
        for &shingle in &shingles[..count] {
            let document = document_of(shingle);
            let choice = &mut choices[document];
            left = if document == last { left } else { choice.more };
            last = document;
            let is_more = class_of(shingle) == choice.class;
            if is_more {
                choice.more = choice.more.saturating_sub(1);
            }
            if !is_more || left > 0 {
                keys.push(Key::new(slot_of(shingle) as u32, ranks[document]));
            }
        }
    });
}

#[inline(always)]
fn slot_of(shingle: Shingle) -> usize {
    shingle as usize % PART_SLOTS
}

/// The number of its document in the block.
#[inline(always)]
fn document_of(shingle: Shingle) -> usize {
    (shingle >> PART_BITS) as usize % BLOCK_DOCUMENTS
}

/// Its class, once it is classified.
#[inline(always)]
fn class_of(shingle: Shingle) -> u8 {
    (shingle >> CLASS_SHIFT) as u8
}

/// How many documents have each slot of a partition.
struct Counts {
    table: Box<[u8; PART_SLOTS]>,
}

impl Counts {
    /// Counts the shingles of a partition. A shingle with the slot of another one of its document
    /// is deleted, and counted in `classes`.
    fn count(&mut self, gathered: &mut Gathered, part: usize, classes: &mut [Classes]) {
        let table = &mut *self.table;
        table.fill(0);
        gathered.for_each_block(part, |first, _, shingles| {
            let classes = &mut classes[first..];
            // The last two: shingles of a document stand side by side. Only where a third may be of
            // the same document is anything searched, so that the branch is well predicted.
            let mut last = [GONE; 2];
            for at in 0..shingles.len() {
                let shingle = shingles[at];
                let [before, before_that] = last;
                let may_repeat = (shingle == before) | ((shingle ^ before_that) >> PART_BITS == 0);
                last = [shingle, before];
                if may_repeat && is_among(&shingles[..at], shingle) {
                    classes[document_of(shingle)] += 1 << (CLASS_BITS * CLASSES);
                    shingles[at] = GONE;
                    continue;
                }
                let count = &mut table[slot_of(shingle)];
                *count = count.saturating_add(1);
            }
        });
    }

    /// Drops the keys that one document alone has chosen.
    fn drop_singletons(&mut self, keys: &mut Vec<Key>) {
        let table = &mut *self.table;
        // Few slots are used: only these are cleared.
        keys.iter().for_each(|key| table[key.slot()] = 0);
        for key in keys.iter() {
            let count = &mut table[key.slot()];
            *count = count.saturating_add(1);
        }
        keys.retain(|key| table[key.slot()] > 1);
    }

    /// Writes the class into each shingle of a partition, and counts the classes of documents.
    /// Singletons are dropped.
    fn classify(&self, gathered: &mut Gathered, part: usize, classes: &mut [Classes]) {
        gathered.for_each_block(part, |first, _, shingles| {
            let classes = &mut classes[first..];
            let mut kept = 0;
            for at in 0..shingles.len() {
                let shingle = shingles[at];
                let class = CLASS_OF_COUNT[usize::from(self.table[slot_of(shingle)])];
                // Without a branch: written in any case, and overwritten if it is dropped.
                shingles[kept] = shingle | class << CLASS_SHIFT;
                kept += usize::from((class != SINGLETON) & (shingle != GONE));
            }
            for &shingle in &shingles[..kept] {
                classes[document_of(shingle)] += 1 << (CLASS_BITS * (shingle >> CLASS_SHIFT));
            }
            if let Some(end) = shingles.get_mut(kept) {
                *end = GONE;
            }
        });
    }
}

/// Whether a shingle is among the last of `before`, as far as they are of its document.
#[cold]
fn is_among(before: &[Shingle], shingle: Shingle) -> bool {
    let is_of_document = |other: Shingle| other == GONE || document_of(other) == document_of(shingle);
    before.iter().rev().take_while(|&&other| is_of_document(other)).any(|&other| other == shingle)
}

/// The class of a shingle by the number of documents that have it.
const CLASS_OF_COUNT: [Class; 256] = {
    let mut classes = [SINGLETON; 256];
    let mut count = 0;
    while count < 256 {
        classes[count] = match count {
            0 | 1 => SINGLETON,
            2 => 1,
            3 | 4 => 2,
            5..=16 => 3,
            17..=64 => 4,
            65..=254 => 5,
            _ => 6,
        };
        count += 1;
    }
    classes
};

/// A number whose highest bits depend on all bits of a key.
#[inline]
pub(super) fn spread(key: u64) -> u64 {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    key.wrapping_mul(SPREAD)
}

#[cfg(test)]
mod tests;
