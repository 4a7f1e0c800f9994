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
//! Memory that is used for the first time takes as long as the work, so an entry has four bytes: documents come in order, and it tells
//! its own within a block of them.
//!
//! 125,000 posts with 5.3 million shingles: candidates in 0.161 s, where a sieve of shingles that nobody else has, a table of counts for
//! the others and sorted keys took 0.243 s in turns with it. Tried and dropped: half, a quarter or twice as many slots, and parts of half the
//! size (no difference); and not built: a second round without the documents that are out
//! (of exact counts, 40,000 instead of 55,000 would be left).

use crate::buckets::{Entry, drop_single};
use crate::error::Result;
use crate::sieve::spread;

/// Slots for each document: twelve for each shingle of a post, so that twelve strangers of thirteen are told apart.
const SLOTS: usize = 512;

/// There are no more slots than these: in collections of many millions, more strangers seem to share a shingle.
const MOST_SLOT_BITS: u32 = 30;

/// Slots of a part: a table of 256 KiB, half of a second-level cache.
const PART_BITS: u32 = 18;
const PART_SLOTS: usize = 1 << PART_BITS;

/// Documents of a block: what the degree and the slot leave of an entry.
const BLOCK_BITS: u32 = 11;

/// What one document takes while shingles are counted: how many it has in all and of each degree, and what it chooses.
pub(crate) const DOCUMENT_BYTES: usize = size_of::<u8>() + size_of::<Degrees>() + size_of::<Choice>();

/// A shingle: its slot in the part, above it the number of its document in the block, and above that its degree.
///
/// What has the degree [`MARK`] is none: the rest says how many blocks there are from the shingles before it to those behind it.
type Shingle = u32;

/// How rare a shingle is: 0 if nobody else has it, 1 if two documents have it, then 3 and 4, 5 to 16, 17 to 64, 65 to 254, and more. Few
/// degrees for the rare, which make small buckets whatever their order is.
type Degree = u32;
const LONELY: Degree = 0;
const MARK: Degree = 7;
const DEGREE_SHIFT: u32 = PART_BITS + BLOCK_BITS;

/// How many shingles of each degree a document has, a byte each: documents with a list have no more than 192 shingles.
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
        // Parts differ by chance, and by what is common; one that is larger grows.
        let expected = total / parts + total / parts / 8;
        let passes = (parts * expected * size_of::<Shingle>()).div_ceil(memory.max(1)).clamp(1, parts);
        let together = parts.div_ceil(passes);
        let gathered = Gathered {
            parts: (0..together).map(|_| Vec::with_capacity(expected)).collect(),
            lines: vec![Line::default(); together],
            first: 0,
            shift: u64::BITS - bits,
            lengths: Vec::with_capacity(documents),
        };
        let counts = Counts { table: Box::new([0; PART_SLOTS]) };
        let mut rarest = Rarest { lists, parts, gathered, counts, choices: vec![] };
        let mut degrees: Vec<Degrees> = vec![0; documents];
        for first in rarest.passes() {
            rarest.gather(first, &mut degrees)?;
        }
        let choice = |(&length, &degrees): (&u8, &Degrees)| Choice::new(degrees, prefix(length.into()));
        rarest.choices = rarest.gathered.lengths.iter().zip(&degrees).map(choice).collect();
        Ok(rarest)
    }

    /// The first part of each pass.
    fn passes(&self) -> impl Iterator<Item = usize> + use<F> {
        (0..self.parts).step_by(self.gathered.parts.len())
    }

    /// Gathers the parts from `first` on, and counts them.
    fn gather(&mut self, first: usize, degrees: &mut [Degrees]) -> Result<()> {
        self.gathered.begin(first);
        (self.lists)(&mut self.gathered)?;
        self.gathered.end();
        self.gathered.parts.iter_mut().for_each(|part| self.counts.rate(part, degrees));
        Ok(())
    }

    /// Whether a document has a key. If not, it is a duplicate of none by its list.
    pub(crate) fn has_key(&self, document: usize) -> bool {
        self.choices.get(document).is_some_and(|choice| choice.degree > 0)
    }

    /// Calls `meet` with the keys of all documents, part by part: those that are shared (and a few that are not), sorted. `key` makes
    /// them of slots, and documents have the numbers that `ranks` has for them.
    pub(crate) fn for_each_part(
        mut self,
        ranks: &[u32],
        key: impl Fn(u64) -> u64,
        mut meet: impl FnMut(&[Entry]) -> Result<()>,
    ) -> Result<()> {
        let (mut entries, mut slots) = (vec![], vec![]);
        let passes = self.passes();
        let is_gathered = self.gathered.parts.len() == self.parts;
        let mut degrees = if is_gathered { vec![] } else { vec![0; self.choices.len()] };
        for first in passes {
            if !is_gathered {
                self.gather(first, &mut degrees)?;
            }
            for (number, part) in (first as u64..).zip(&self.gathered.parts) {
                entries.clear();
                for_each_key(part, &mut self.choices, |slot, document| {
                    entries.push((key(number << PART_BITS | u64::from(slot)), ranks[document]));
                });
                drop_single(&mut entries, &mut slots);
                entries.sort_unstable();
                meet(&entries)?;
            }
        }
        Ok(())
    }
}

impl Choice {
    /// For a document with so many shingles of each degree, of which a duplicate has one of any `prefix`.
    fn new(degrees: Degrees, prefix: usize) -> Choice {
        let mut left = prefix as u64;
        for degree in LONELY..MARK {
            let count = degrees >> (DEGREE_BITS * degree) & u64::from(u8::MAX);
            if left <= count {
                // Of what nobody else has no key is made.
                let is_out = degree == LONELY;
                return if is_out {
                    Choice::default()
                } else {
                    Choice { degree: degree as u8, more: left as u8 }
                };
            }
            left -= count;
        }
        // Shingles that share a slot are counted once: all that there are.
        Choice { degree: MARK as u8, more: 0 }
    }
}

/// The shingles of some parts, each in the order of documents.
pub(crate) struct Gathered {
    parts: Vec<Vec<Shingle>>,
    /// What comes last of each part.
    lines: Vec<Line>,
    /// The number of the first part.
    first: usize,
    /// The slot of a shingle is what is left of its product after so many bits.
    shift: u32,
    /// Shingles of the documents so far, repetitions included.
    lengths: Vec<u8>,
}

/// Shingles on the way to their part. The ends of all parts lie in more pages than the processor knows by heart; lines stay in the cache,
/// and a full one goes at once.
#[derive(Clone, Copy, Default)]
struct Line {
    shingles: [Shingle; LINE],
    count: u32,
    /// The block of the last shingle of the part.
    block: u32,
}

/// Shingles of a line of the cache.
const LINE: usize = 16;

impl Gathered {
    fn begin(&mut self, first: usize) {
        self.first = first;
        self.lengths.clear();
        self.lines.fill(Line::default());
        self.parts.iter_mut().for_each(Vec::clear);
    }

    /// Takes those shingles of the next document whose parts are among these. One without a list has none.
    #[inline]
    pub(crate) fn push(&mut self, list: impl Iterator<Item = u32>) {
        let document = self.lengths.len() as u32;
        let (block, document) = (document >> BLOCK_BITS, document % (1 << BLOCK_BITS));
        let mut length: u8 = 0;
        for shingle in list {
            length = length.saturating_add(1);
            let slot = spread(shingle.into()) >> self.shift;
            let part = ((slot >> PART_BITS) as usize).wrapping_sub(self.first);
            if let (Some(line), Some(part)) = (self.lines.get_mut(part), self.parts.get_mut(part)) {
                if block != line.block {
                    line.push(MARK << DEGREE_SHIFT | (block - line.block), part);
                    line.block = block;
                }
                line.push(document << PART_BITS | slot_of(slot as u32) as u32, part);
            }
        }
        self.lengths.push(length);
    }

    /// Nothing more comes.
    fn end(&mut self) {
        for (line, part) in self.lines.iter().zip(&mut self.parts) {
            part.extend_from_slice(&line.shingles[..line.count as usize]);
        }
    }
}

impl Line {
    #[inline(always)]
    fn push(&mut self, shingle: Shingle, part: &mut Vec<Shingle>) {
        self.shingles[self.count as usize % LINE] = shingle;
        self.count += 1;
        if self.count as usize == LINE {
            part.extend_from_slice(&self.shingles);
            self.count = 0;
        }
    }
}

/// Calls `each` with the slot and the document of every key of a part.
fn for_each_key(part: &[Shingle], choices: &mut [Choice], mut each: impl FnMut(u32, usize)) {
    let mut first = 0;
    // Of one document in one part all shingles of a degree are keys, or none: in which order they come differs from document
    // to document.
    let (mut last, mut left) = (usize::MAX, 0);
    for &shingle in part {
        let degree = shingle >> DEGREE_SHIFT;
        if degree == MARK {
            first += documents_passed(shingle);
            continue;
        }
        let document = first + (shingle >> PART_BITS) as usize % (1 << BLOCK_BITS);
        let choice = &mut choices[document];
        if document != last {
            (last, left) = (document, choice.more);
        }
        let is_last_degree = degree == u32::from(choice.degree);
        if degree < u32::from(choice.degree) || is_last_degree && left > 0 {
            choice.more = choice.more.saturating_sub(is_last_degree.into());
            each(slot_of(shingle) as u32, document);
        }
    }
}

#[inline]
fn slot_of(shingle: Shingle) -> usize {
    shingle as usize % PART_SLOTS
}

/// From the block before a mark to the one behind it.
fn documents_passed(mark: Shingle) -> usize {
    (mark as usize % (1 << DEGREE_SHIFT)) << BLOCK_BITS
}

/// How many documents have each slot of a part.
struct Counts {
    table: Box<[u8; PART_SLOTS]>,
}

impl Counts {
    /// Writes into the shingles of a part what degree they have, and adds up the degrees of documents. What nobody else has is dropped.
    fn rate(&mut self, part: &mut Vec<Shingle>, degrees: &mut [Degrees]) {
        self.count(part);
        let (mut first, mut kept) = (0, 0);
        for at in 0..part.len() {
            let shingle = part[at];
            if shingle >> DEGREE_SHIFT == MARK {
                first += documents_passed(shingle);
                part[kept] = shingle;
                kept += 1;
                continue;
            }
            let degree = u32::from(DEGREE_OF_COUNT[usize::from(self.table[slot_of(shingle)])]);
            let document = first + (shingle >> PART_BITS) as usize;
            degrees[document] += 1 << (DEGREE_BITS * degree);
            // Written in any case, and the place moves on only after one that others have: no branch to be guessed wrong.
            part[kept] = shingle | degree << DEGREE_SHIFT;
            kept += usize::from(degree != LONELY);
        }
        part.truncate(kept);
    }

    /// Counts the shingles of a part, and drops those that have the slot of another one of their document: they stand side by side, and
    /// few have company.
    fn count(&mut self, shingles: &mut Vec<Shingle>) {
        self.table.fill(0);
        // Those of the document at hand are kept from `first` on.
        let (mut kept, mut first, mut last) = (0, 0, u32::MAX);
        for at in 0..shingles.len() {
            let shingle = shingles[at];
            // The number of its document; that of a mark is nobody's.
            let document = shingle >> PART_BITS;
            if document != last {
                (last, first) = (document, kept);
            }
            let is_repeated = first < kept && shingles[first..kept].contains(&shingle);
            shingles[kept] = shingle;
            kept += usize::from(!is_repeated);
            // A mark counts for the slot that it seems to have: one more is never too few.
            let count = &mut self.table[slot_of(shingle)];
            *count = count.saturating_add(u8::from(!is_repeated));
        }
        shingles.truncate(kept);
    }
}

/// The degree of a shingle by the number of documents that have it.
const DEGREE_OF_COUNT: [u8; 256] = {
    let mut degrees = [0; 256];
    let mut count = 0;
    while count < 256 {
        degrees[count] = match count {
            0 | 1 => 0,
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
