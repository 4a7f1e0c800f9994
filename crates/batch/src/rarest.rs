//! Which documents share one of their rarest shingles?
//!
//! The prefix filter of short documents (`core::search::listed`) wants to know how many documents have each shingle, and a table of
//! all counts is too large for the cache. So shingles are first gathered by parts of its slots, each of which fits, and
//! everything is done where they lie:
//!
//! ```text
//! gather   of every shingle its slot, and whose it is, by the part of its slot
//! count    in a part, how many documents have each slot; a shingle remembers about how many, a document how many shingles it
//!          has of each degree of rarity: most have too many that nobody else has, and are out
//! choose   a document's rarest shingles, by degree and then by part, until there are enough
//! meet     those who chose the same slot
//! ```
//!
//! Shingles that share a slot count as one: who meets by them meets in vain, and nobody is missed. How many slots there are depends on
//! the number of documents alone, so that memory decides only how many parts are gathered at a time.
//!
//! Memory that is used for the first time takes as long as the work, so an entry has four bytes: documents are taken in blocks, whose
//! shingles lie together, by parts, and an entry tells its document within the block.
//!
//! Tried and dropped, for 125,000 posts with 5.3 million shingles: a sieve of shingles that nobody else has, a table of counts for the others
//! and sorted keys (half as much time again for the whole stage); a list for each part, which grows by lines of the cache (as fast, and more code);
//! half, a quarter or twice as many slots, and parts of half the size (no difference). Not built: a second round without the documents that are
//! out (of exact counts, 40,000 instead of 55,000 would be left).

mod gathered;

use crate::buckets::Entry;
use crate::error::Result;

pub(crate) use gathered::Gathered;

/// Slots for each document: twelve for each shingle of a post, so that twelve strangers of thirteen are told apart.
const SLOTS: usize = 512;

/// There are no more slots than these: in collections of many millions, more strangers seem to share a shingle.
const MOST_SLOT_BITS: u32 = 30;

/// Slots of a part: a table of 256 KiB, half of a second-level cache.
const PART_BITS: u32 = 18;
const PART_SLOTS: usize = 1 << PART_BITS;

/// Documents of a block: what the degree and the slot leave of an entry.
const BLOCK_BITS: u32 = 11;
const BLOCK_DOCUMENTS: usize = 1 << BLOCK_BITS;

/// What one document takes while shingles are counted: how many it has in all and of each degree, and what it chooses.
pub(crate) const DOCUMENT_BYTES: usize = size_of::<u8>() + size_of::<Degrees>() + size_of::<Choice>();

/// A shingle: its slot in the part, above it the number of its document in the block, and above that its degree.
type Shingle = u32;

/// How rare a shingle is: 0 if nobody else has it, 1 if two documents have it, then 3 and 4, 5 to 16, 17 to 64, 65 to 254, and more. Few
/// degrees for the rare, which make small buckets whatever their order is.
type Degree = u32;
const LONELY: Degree = 0;
const DEGREES: Degree = 7;
const DEGREE_SHIFT: u32 = PART_BITS + BLOCK_BITS;

/// Stands where a shingle is gone, and behind the last one that is left: no shingle has such a degree.
const GONE: Shingle = DEGREES << DEGREE_SHIFT;

/// How many shingles of each degree a document has, a byte each, and in the last one how many repeat another: documents with a list have no
/// more than 192 shingles. Those that nobody else has are the rest.
type Degrees = u64;
const DEGREE_BITS: u32 = u8::BITS;

/// Which shingles of a document are its keys: all that are rarer than `degree`, and `more` of that degree.
#[derive(Debug, Clone, Copy, Default)]
struct Choice {
    degree: u8,
    more: u8,
}

/// The shingles of documents with a list, ready to meet.
pub(crate) struct Rarest<F> {
    lists: F,
    parts: usize,
    gathered: Gathered,
    counts: Counts,
    choices: Vec<Choice>,
}

/// Hands the lists of all documents over, in the same order each time.
pub(crate) trait HandOver: Fn(&mut Gathered) -> Result<()> {}
impl<F: Fn(&mut Gathered) -> Result<()>> HandOver for F {}

impl<F: HandOver> Rarest<F> {
    /// Counts the shingles of so many documents, about `total` together, of which as many as fit into `memory` are gathered at a time.
    /// A document with a list of n shares one of any `prefix(n)` of its shingles with each of its duplicates.
    pub(crate) fn new(
        documents: usize,
        total: usize,
        memory: usize,
        lists: F,
        prefix: impl Fn(usize) -> usize,
    ) -> Result<Self> {
        let bits = (documents * SLOTS).next_power_of_two().trailing_zeros().clamp(PART_BITS, MOST_SLOT_BITS);
        let parts = 1usize << (bits - PART_BITS);
        // Parts differ by chance, and by what is common; what is larger grows.
        let expected = total / parts + total / parts / 8;
        let part_bytes =
            expected * size_of::<Shingle>() + documents.div_ceil(BLOCK_DOCUMENTS) * size_of::<usize>();
        let passes = (parts * part_bytes).div_ceil(memory.max(1)).clamp(1, parts);
        let together = parts.div_ceil(passes);
        let gathered = Gathered::new(together, u64::BITS - bits, documents, together * expected);
        let counts = Counts { table: Box::new([0; PART_SLOTS]) };
        let mut rarest = Rarest { lists, parts, gathered, counts, choices: vec![] };
        let mut degrees: Vec<Degrees> = vec![0; documents];
        for first in rarest.passes() {
            rarest.gather(first, &mut degrees)?;
        }
        let choice =
            |(&length, &degrees): (&u8, &Degrees)| Choice::new(length, degrees, prefix(length.into()));
        rarest.choices = rarest.gathered.lengths().iter().zip(&degrees).map(choice).collect();
        Ok(rarest)
    }

    /// The first part of each pass.
    fn passes(&self) -> impl Iterator<Item = usize> + use<F> {
        (0..self.parts).step_by(self.gathered.parts())
    }

    /// Gathers the parts from `first` on, and counts them.
    fn gather(&mut self, first: usize, degrees: &mut [Degrees]) -> Result<()> {
        self.gathered.begin(first);
        (self.lists)(&mut self.gathered)?;
        self.gathered.end_block();
        for part in 0..self.gathered.parts() {
            self.counts.count(&mut self.gathered, part, degrees);
            self.counts.rate(&mut self.gathered, part, degrees);
        }
        Ok(())
    }

    /// Whether a document has a key. If not, it is a duplicate of none by its list.
    #[cfg(test)]
    fn has_key(&self, document: usize) -> bool {
        self.choices.get(document).is_some_and(|choice| choice.degree > 0)
    }

    /// Calls `meet` with the keys of all documents, part by part: those that are shared (and a few that are not), sorted. Documents
    /// have the numbers that `ranks` has for them.
    pub(crate) fn for_each_part(
        mut self,
        ranks: &[u32],
        mut meet: impl FnMut(&[Entry]) -> Result<()>,
    ) -> Result<()> {
        let (mut keys, mut entries) = (vec![], vec![]);
        let passes = self.passes();
        let is_gathered = self.gathered.parts() == self.parts;
        let mut degrees = if is_gathered { vec![] } else { vec![0; self.choices.len()] };
        for first in passes {
            if !is_gathered {
                self.gather(first, &mut degrees)?;
            }
            for part in 0..self.gathered.parts() {
                keys.clear();
                push_keys(&mut self.gathered, part, &mut self.choices, ranks, &mut keys);
                self.counts.drop_single(&mut keys);
                keys.sort_unstable();
                let number = ((first + part) as u64) << PART_BITS;
                entries.clear();
                entries.extend(keys.iter().map(|&Key(of)| (number | of >> u32::BITS, of as u32)));
                meet(&entries)?;
            }
        }
        Ok(())
    }
}

impl Choice {
    /// For a document with so many shingles, so many of each degree but the first, of which a duplicate has one of any `prefix`.
    fn new(shingles: u8, degrees: Degrees, prefix: usize) -> Choice {
        let others: u64 = degrees.to_le_bytes().into_iter().map(u64::from).sum();
        let lonely = u64::from(shingles).saturating_sub(others);
        let Some(mut left) = (prefix as u64).checked_sub(lonely).filter(|&left| left > 0) else {
            // Of what nobody else has no key is made.
            return Choice::default();
        };
        for degree in LONELY + 1..DEGREES {
            let count = degrees >> (DEGREE_BITS * degree) & u64::from(u8::MAX);
            if left <= count {
                return Choice { degree: degree as u8, more: left as u8 };
            }
            left -= count;
        }
        // Shingles that share a slot are counted once: all that there are.
        Choice { degree: DEGREES as u8, more: 0 }
    }
}

/// The slot of a key in its part, above the rank of the document that has it: one number, which is quickly sorted.
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

/// Appends the keys of a part; documents have the numbers that `ranks` has for them.
fn push_keys(
    gathered: &mut Gathered,
    part: usize,
    choices: &mut [Choice],
    ranks: &[u32],
    keys: &mut Vec<Key>,
) {
    gathered.for_each_block(part, |first, shingles| {
        let (choices, ranks) = (&mut choices[first..], &ranks[first..]);
        // Most are of documents that are out, or too common: these are dropped first. Written in any case, and the place moves on only after one
        // that stays: no branch to be guessed wrong.
        let mut count = 0;
        for at in 0..shingles.len() {
            let shingle = shingles[at];
            if shingle == GONE {
                break;
            }
            shingles[count] = shingle;
            count += usize::from(degree_of(shingle) <= choices[document_of(shingle)].degree);
        }
        // Of one document in one part all shingles of a degree are keys, or none: in which order they come differs from document
        // to document.
        let (mut last, mut left) = (usize::MAX, 0);
        for &shingle in &shingles[..count] {
            let document = document_of(shingle);
            let choice = &mut choices[document];
            left = if document == last { left } else { choice.more };
            last = document;
            let is_more = degree_of(shingle) == choice.degree;
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

/// How rare it is, once it is rated.
#[inline(always)]
fn degree_of(shingle: Shingle) -> u8 {
    (shingle >> DEGREE_SHIFT) as u8
}

/// How many documents have each slot of a part.
struct Counts {
    table: Box<[u8; PART_SLOTS]>,
}

impl Counts {
    /// Counts the shingles of a part. Those that have the slot of another one of their document are gone, of which `degrees` takes note.
    fn count(&mut self, gathered: &mut Gathered, part: usize, degrees: &mut [Degrees]) {
        let table = &mut *self.table;
        table.fill(0);
        gathered.for_each_block(part, |first, shingles| {
            let degrees = &mut degrees[first..];
            // The last two, as they were: shingles of a document stand side by side, and few have company. Only where a third may be
            // of the same document is anything looked for, so that the branch is seldom guessed wrong.
            let mut last = [GONE; 2];
            for at in 0..shingles.len() {
                let shingle = shingles[at];
                let [before, before_that] = last;
                let may_repeat = (shingle == before) | ((shingle ^ before_that) >> PART_BITS == 0);
                last = [shingle, before];
                if may_repeat && is_among(&shingles[..at], shingle) {
                    degrees[document_of(shingle)] += 1 << (DEGREE_BITS * DEGREES);
                    shingles[at] = GONE;
                    continue;
                }
                let count = &mut table[slot_of(shingle)];
                *count = count.saturating_add(1);
            }
        });
    }

    /// Drops the keys that nobody else has chosen.
    fn drop_single(&mut self, keys: &mut Vec<Key>) {
        let table = &mut *self.table;
        // Few slots are looked at: these are cleared, and no others.
        keys.iter().for_each(|key| table[key.slot()] = 0);
        for key in keys.iter() {
            let count = &mut table[key.slot()];
            *count = count.saturating_add(1);
        }
        keys.retain(|key| table[key.slot()] > 1);
    }

    /// Writes into the shingles of a part what degree they have, and adds up the degrees of documents. What nobody else has is dropped.
    fn rate(&self, gathered: &mut Gathered, part: usize, degrees: &mut [Degrees]) {
        gathered.for_each_block(part, |first, shingles| {
            let degrees = &mut degrees[first..];
            let mut kept = 0;
            for at in 0..shingles.len() {
                let shingle = shingles[at];
                let degree = DEGREE_OF_COUNT[usize::from(self.table[slot_of(shingle)])];
                // Written in any case, and the place moves on only after one that others have: no branch to be guessed wrong.
                shingles[kept] = shingle | degree << DEGREE_SHIFT;
                kept += usize::from((degree != LONELY) & (shingle != GONE));
            }
            for &shingle in &shingles[..kept] {
                degrees[document_of(shingle)] += 1 << (DEGREE_BITS * (shingle >> DEGREE_SHIFT));
            }
            if let Some(end) = shingles.get_mut(kept) {
                *end = GONE;
            }
        });
    }
}

/// Whether a shingle is among the last of these, as far as they are of its document.
#[cold]
fn is_among(before: &[Shingle], shingle: Shingle) -> bool {
    let is_of_document = |other: Shingle| other == GONE || document_of(other) == document_of(shingle);
    before.iter().rev().take_while(|&&other| is_of_document(other)).any(|&other| other == shingle)
}

/// The degree of a shingle by the number of documents that have it.
const DEGREE_OF_COUNT: [Degree; 256] = {
    let mut degrees = [LONELY; 256];
    let mut count = 0;
    while count < 256 {
        degrees[count] = match count {
            0 | 1 => LONELY,
            2 => 1,
            3 | 4 => 2,
            5..=16 => 3,
            17..=64 => 4,
            65..=254 => 5,
            _ => 6,
        };
        count += 1;
    }
    degrees
};

#[cfg(test)]
mod tests;
