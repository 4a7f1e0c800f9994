//! The first step of a table: fingerprints by the highest bits of a block.

use std::ops::Range;

use crate::kernel::memory;
use crate::search::bit_order::BitOrder;
use crate::search::workers::{Workers, run_each};

/// Fingerprints of a chunk: each chunk is partitioned for itself, so that threads share nothing.
const CHUNK: usize = 1 << 20;

/// Values ahead of the one that is written whose cache line is asked for: two lines. The processor does not follow as many
/// sequences as there are partitions.
const AHEAD: usize = 16;

/// The partitions of one block, in as many chunks as the input has.
#[derive(Default)]
pub(super) struct Partitions<'o> {
    order: Option<&'o BitOrder>,
    shift: u32,
    mask: u64,
    range: Range<usize>,
    chunks: Vec<Chunk>,
    /// Chunks in use; the others keep their memory for the next block.
    used: usize,
}

#[derive(Default)]
struct Chunk {
    values: Vec<u64>,
    /// Where each partition of the range begins, and where the last one ends.
    offsets: Vec<u32>,
}

impl<'o> Partitions<'o> {
    /// Starts over, for the partitions `range` by the highest `bits` bits of a block.
    pub(super) fn begin(&mut self, order: &'o BitOrder, block: usize, bits: u32, range: Range<usize>) {
        self.order = Some(order);
        self.shift = order.bits(block).end - bits;
        self.mask = (1 << bits) - 1;
        self.range = range;
        self.used = 0;
    }

    /// Adds fingerprints.
    pub(super) fn add(&mut self, fingerprints: &[u64], workers: &dyn Workers) {
        let parts: Vec<&[u64]> = fingerprints.chunks(CHUNK).collect();
        let first = self.used;
        self.used += parts.len();
        if self.chunks.len() < self.used {
            self.chunks.resize_with(self.used, Chunk::default);
        }
        let Some(order) = self.order else { return };
        let (shift, mask, range) = (self.shift, self.mask, self.range.clone());
        run_each(workers, &mut self.chunks[first..first + parts.len()], |number, chunk| {
            chunk.fill(parts[number], order, shift, mask, &range);
        });
    }

    /// The fingerprints, permuted, of a partition of the range, as one piece of each chunk.
    pub(super) fn segments(&self, partition: usize) -> Vec<&[u64]> {
        let segment =
            |chunk: &'_ Chunk| chunk.offsets[partition] as usize..chunk.offsets[partition + 1] as usize;
        self.chunks[..self.used].iter().map(|chunk| &chunk.values[segment(chunk)]).collect()
    }
}

impl Chunk {
    fn fill(&mut self, fingerprints: &[u64], order: &BitOrder, shift: u32, mask: u64, range: &Range<usize>) {
        self.offsets.clear();
        self.offsets.resize(range.len() + 1, 0);
        // One subtraction tells both whether the partition is in the range and which one it is.
        let partition = |value: u64| ((value >> shift & mask) as usize).wrapping_sub(range.start);
        let last = range.len();
        let plain = order.is_plain();
        let permuted = |fingerprint: u64| if plain { fingerprint } else { order.permute(fingerprint) };
        for &fingerprint in fingerprints {
            if let Some(count) = self.offsets.get_mut(partition(permuted(fingerprint)).min(last)) {
                *count += 1;
            }
        }
        let mut before = 0;
        for offset in &mut self.offsets {
            before += std::mem::replace(offset, before);
        }
        let length = self.offsets[last] as usize;
        if self.values.len() < length {
            self.values = memory::zeroed(length.next_power_of_two().min(CHUNK));
        }
        for &fingerprint in fingerprints {
            let value = permuted(fingerprint);
            let number = partition(value);
            if number < last {
                let place = &mut self.offsets[number];
                memory::prefetch(&self.values, *place as usize + AHEAD);
                self.values[*place as usize] = value;
                *place += 1;
            }
        }
        // Each offset has moved to the end of its partition, where the next one begins; the last one is the end of all.
        self.offsets[..last].rotate_right(1);
        self.offsets[0] = 0;
    }
}

/// A partition of ascending fingerprints by their highest bits.
pub(super) fn of_sorted(fingerprints: &[u64], bits: u32, partition: usize) -> &[u64] {
    let number = |fingerprint: u64| fingerprint.checked_shr(u64::BITS - bits).unwrap_or(0) as usize;
    let start = fingerprints.partition_point(|&fingerprint| number(fingerprint) < partition);
    let end = fingerprints.partition_point(|&fingerprint| number(fingerprint) <= partition);
    &fingerprints[start..end]
}
