//! Shingles by blocks of documents and, in a block, by the parts of their slots.

use twindex_core::kernel::memory::{make_present, prefetch};

use super::{BLOCK_DOCUMENTS, PART_BITS, Shingle, slot_of};
use crate::sieve::spread;

/// Shingles that the memory gives at once.
const LINE_SHINGLES: usize = 64 / size_of::<Shingle>();

/// The shingles of some parts, block by block, in a block by parts, and there in the order of documents.
pub(crate) struct Gathered {
    shingles: Vec<Shingle>,
    /// So many of them are there.
    used: usize,
    /// Where in `shingles` each part of each block begins, and behind the parts of a block where it ends.
    starts: Vec<usize>,
    /// The number of the first part, and how many there are.
    first: usize,
    parts: usize,
    /// The slot of a shingle is what is left of its product after so many bits.
    shift: u32,
    /// Shingles of the documents so far, repetitions included.
    lengths: Vec<u8>,
    /// Those of the last documents, which are not yet put into order.
    block: Block,
}

/// Shingles on their way to their parts.
#[derive(Default)]
struct Block {
    /// Their slots, counted from the first of these parts on; the others are far behind the last.
    slots: Vec<u32>,
    /// Where the slots of each document end.
    ends: Vec<usize>,
    /// How many there are of each part; then, where the next one of the part goes.
    places: Vec<usize>,
}

impl Gathered {
    /// For `parts` parts at a time, whose slots are what is left of a product after `shift` bits; about so many documents and shingles come.
    pub(super) fn new(parts: usize, shift: u32, documents: usize, expected: usize) -> Self {
        Gathered {
            // Of this size it is fresh memory of the system's, which is not touched before it is used.
            shingles: vec![0; expected],
            used: 0,
            starts: vec![],
            first: 0,
            parts,
            shift,
            lengths: Vec::with_capacity(documents),
            block: Block::default(),
        }
    }

    /// How many parts are gathered at a time.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }

    /// Shingles of each document, repetitions included.
    pub(super) fn lengths(&self) -> &[u8] {
        &self.lengths
    }

    /// Forgets everything; what comes is gathered from the part `first` on.
    pub(super) fn begin(&mut self, first: usize) {
        self.first = first;
        self.lengths.clear();
        self.used = 0;
        self.starts.clear();
        self.block.places.resize(self.parts, 0);
    }

    /// Takes the shingles of the next document. One without a list has none.
    #[inline]
    pub(crate) fn push(&mut self, list: impl Iterator<Item = u32>) {
        let Block { slots, ends, .. } = &mut self.block;
        let (begin, first_slot, shift) = (slots.len(), (self.first << PART_BITS) as u32, self.shift);
        slots.extend(list.map(|shingle| ((spread(shingle.into()) >> shift) as u32).wrapping_sub(first_slot)));
        let length = u8::try_from(slots.len() - begin).unwrap_or(u8::MAX);
        ends.push(slots.len());
        self.lengths.push(length);
        if self.block.ends.len() == BLOCK_DOCUMENTS {
            self.end_block();
        }
    }

    /// Puts those shingles of a block into the order of parts whose parts are among these.
    pub(super) fn end_block(&mut self) {
        let Block { slots, ends, places } = &mut self.block;
        let part = |slot: u32| (slot >> PART_BITS) as usize;
        for &slot in slots.iter() {
            if let Some(count) = places.get_mut(part(slot)) {
                *count += 1;
            }
        }
        let before = self.used;
        let mut next = 0;
        for place in places.iter_mut() {
            self.starts.push(before + next);
            next += std::mem::replace(place, next);
        }
        self.starts.push(before + next);
        self.used += next;
        if self.used > self.shingles.len() {
            self.shingles.resize(self.used, 0);
        }
        let block = &mut self.shingles[before..self.used];
        make_present(block);
        let mut begin = 0;
        for (document, &end) in (0u32..).zip(ends.iter()) {
            for &slot in &slots[begin..end] {
                if let Some(place) = places.get_mut(part(slot)) {
                    block[*place] = document << PART_BITS | slot_of(slot) as u32;
                    *place += 1;
                }
            }
            begin = end;
        }
        places.fill(0);
        slots.clear();
        ends.clear();
    }

    /// The shingles of a part, block by block, with the number of the block's first document.
    #[inline(always)]
    pub(super) fn for_each_block(&mut self, part: usize, mut each: impl FnMut(usize, &mut [Shingle])) {
        let stride = self.parts + 1;
        for (block, starts) in self.starts.chunks_exact(stride).enumerate() {
            // The processor does not guess where the next block has its shingles of the part.
            let next = (block + 1) * stride + part;
            if let Some(&[start, end]) = self.starts.get(next..next + 2) {
                (start..end).step_by(LINE_SHINGLES).for_each(|at| prefetch(&self.shingles, at));
            }
            each(block * BLOCK_DOCUMENTS, &mut self.shingles[starts[part]..starts[part + 1]]);
        }
    }
}
