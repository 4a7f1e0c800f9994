//! Shingles by blocks of documents and, in a block, by the partitions of their slots.

use super::{BLOCK_DOCUMENTS, PART_BITS, Shingle, slot_of, spread};
use crate::kernel::memory::prefetch;

/// Shingles of a cache line.
const LINE_SHINGLES: usize = 64 / size_of::<Shingle>();

/// The shingles of some partitions: block by block, in a block by partition, and there in the order
/// of documents.
pub(crate) struct Gathered {
    shingles: Vec<Shingle>,
    /// How many of them are filled.
    used: usize,
    /// Where in `shingles` each partition of each block begins, and behind those of a block where
    /// it ends.
    starts: Vec<usize>,
    /// The number of the first partition, and how many are gathered at a time.
    first: usize,
    parts: usize,
    /// The slot of a shingle is its product shifted right by this.
    shift: u32,
    /// The rank of each document so far.
    ranks: Vec<u32>,
    /// The number of its shingles, repetitions included.
    lengths: Vec<u8>,
    /// The shingles of the last documents, not yet partitioned.
    block: Block,
}

/// Shingles on their way to their partitions.
#[derive(Default)]
struct Block {
    /// Their slots, counted from the first gathered partition on; the others are far behind the
    /// last.
    slots: Vec<u32>,
    /// Where the slots of each document end.
    ends: Vec<usize>,
    /// How many there are of each partition; then, where the next one goes.
    places: Vec<usize>,
}

impl Gathered {
    /// For `parts` partitions at a time, and about `expected` shingles in them.
    pub(super) fn new(parts: usize, shift: u32, documents: usize, expected: usize) -> Self {
        Gathered {
            shingles: vec![0; expected],
            used: 0,
            starts: vec![],
            first: 0,
            parts,
            shift,
            ranks: Vec::with_capacity(documents),
            lengths: Vec::with_capacity(documents),
            block: Block::default(),
        }
    }

    /// How many partitions are gathered at a time.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }

    /// The number of shingles of each document, repetitions included.
    pub(super) fn lengths(&self) -> &[u8] {
        &self.lengths
    }

    /// Starts over, from the partition `first` on.
    pub(super) fn begin(&mut self, first: usize) {
        self.first = first;
        self.ranks.clear();
        self.lengths.clear();
        self.used = 0;
        self.starts.clear();
        self.block.places.resize(self.parts, 0);
    }

    /// Takes the shingles of the next document.
    #[inline]
    pub(crate) fn push(&mut self, rank: u32, list: impl Iterator<Item = u32>) {
        let Block { slots, ends, .. } = &mut self.block;
        let (begin, first_slot, shift) = (slots.len(), (self.first << PART_BITS) as u32, self.shift);
        slots.extend(list.map(|shingle| ((spread(shingle.into()) >> shift) as u32).wrapping_sub(first_slot)));
        let length = u8::try_from(slots.len() - begin).unwrap_or(u8::MAX);
        ends.push(slots.len());
        self.ranks.push(rank);
        self.lengths.push(length);
        if self.block.ends.len() == BLOCK_DOCUMENTS {
            self.end_block();
        }
    }

    /// Partitions the shingles of a block.
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

    /// The shingles of a partition, block by block: the number of the block's first document, the
    /// ranks of the block's documents, and the shingles.
    #[inline(always)]
    pub(super) fn for_each_block(
        &mut self,
        part: usize,
        mut each: impl FnMut(usize, &[u32], &mut [Shingle]),
    ) {
        let stride = self.parts + 1;
        for (block, starts) in self.starts.chunks_exact(stride).enumerate() {
            // The hardware does not predict where the next block has its shingles of the partition.
            let next = (block + 1) * stride + part;
            if let Some(&[start, end]) = self.starts.get(next..next + 2) {
                (start..end).step_by(LINE_SHINGLES).for_each(|at| prefetch(&self.shingles, at));
            }
            let first = block * BLOCK_DOCUMENTS;
            each(first, &self.ranks[first..], &mut self.shingles[starts[part]..starts[part + 1]]);
        }
    }
}
