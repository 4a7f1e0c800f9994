//! The first step of a table: radix partition by the highest bits of a block.
//!
//! Uniform fingerprints fill all partitions alike. So they are not counted first: each partition of
//! a chunk has room for the mean plus some standard deviations. Only if one overflows (or
//! partitions are so small that this would waste much memory) are they counted and placed without
//! gaps. Counting took a fifth of the time of filling.

use std::ops::Range;

use crate::kernel::memory;
use crate::search::bit_order::BitOrder;
use crate::search::workers::{Workers, run_each};

/// Fingerprints of a chunk: chunks are partitioned independently, so that threads share nothing.
const CHUNK: usize = 1 << 20;

/// How many values ahead of the written one are prefetched: two cache lines. The hardware
/// prefetcher does not track as many streams as there are partitions.
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
    /// The start and the end of each partition of the range.
    starts: Vec<u32>,
    ends: Vec<u32>,
}

/// Smaller partitions, on average, are counted: the slack would exceed a seventh of their size.
const LEAST_MEAN: usize = 1 << 11;

/// Room above the mean, in standard deviations: one in ten billion partitions of uniform bits
/// overflows.
const DEVIATIONS: f64 = 6.5;

/// The partition of a value.
#[derive(Clone, Copy)]
struct Wanted<'o> {
    order: &'o BitOrder,
    shift: u32,
    mask: u64,
    first: usize,
    /// The number of wanted partitions.
    count: usize,
}

impl Wanted<'_> {
    /// The permuted fingerprints, each with the number of its partition: at least `count` if it is
    /// not wanted.
    #[inline(always)]
    fn numbered(self, fingerprints: &[u64]) -> impl Iterator<Item = (usize, u64)> {
        let is_plain = self.order.is_plain();
        fingerprints.iter().map(move |&fingerprint| {
            let value = if is_plain { fingerprint } else { self.order.permute(fingerprint) };
            // One subtraction gives both the number and whether it is wanted.
            (((value >> self.shift & self.mask) as usize).wrapping_sub(self.first), value)
        })
    }
}

impl<'o> Partitions<'o> {
    /// Restarts, for the partitions `range` by the highest `bits` bits of a block.
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
        let (shift, mask) = (self.shift, self.mask);
        let wanted = Wanted { order, shift, mask, first: self.range.start, count: self.range.len() };
        run_each(workers, &mut self.chunks[first..first + parts.len()], |number, chunk| {
            chunk.fill(parts[number], wanted);
        });
    }

    /// The permuted fingerprints of a partition of the range, one slice per chunk.
    pub(super) fn segments(&self, partition: usize) -> Vec<&[u64]> {
        let segment = |chunk: &'_ Chunk| chunk.starts[partition] as usize..chunk.ends[partition] as usize;
        self.chunks[..self.used].iter().map(|chunk| &chunk.values[segment(chunk)]).collect()
    }
}

impl Chunk {
    fn fill(&mut self, fingerprints: &[u64], wanted: Wanted<'_>) {
        let mean = fingerprints.len() / (wanted.mask as usize + 1);
        if mean >= LEAST_MEAN {
            let room = mean + (DEVIATIONS * (mean as f64).sqrt()) as usize;
            self.starts.clear();
            self.starts.extend((0..wanted.count).map(|number| (number * room) as u32));
            self.make_room(wanted.count * room);
            if self.place(fingerprints, wanted, |number, end| (end as usize) < (number + 1) * room) {
                return;
            }
        }
        self.count(fingerprints, wanted);
        self.place(fingerprints, wanted, |_, _| true);
    }

    /// Counts the values of each partition; each begins where the previous one ends.
    fn count(&mut self, fingerprints: &[u64], wanted: Wanted<'_>) {
        self.starts.clear();
        self.starts.resize(wanted.count, 0);
        for (number, _) in wanted.numbered(fingerprints) {
            if let Some(count) = self.starts.get_mut(number) {
                *count += 1;
            }
        }
        let mut before = 0;
        for start in &mut self.starts {
            before += std::mem::replace(start, before);
        }
        self.make_room(before as usize);
    }

    fn make_room(&mut self, length: usize) {
        if self.values.len() < length {
            // Nearly always as much as will ever be needed.
            self.values = memory::zeroed(length.next_power_of_two().min(CHUNK + CHUNK / 4).max(length));
        }
    }

    /// Appends each value to its partition. Returns false as soon as `has_room` does.
    #[inline(always)]
    fn place(
        &mut self,
        fingerprints: &[u64],
        wanted: Wanted<'_>,
        has_room: impl Fn(usize, u32) -> bool,
    ) -> bool {
        self.ends.clone_from(&self.starts);
        for (number, value) in wanted.numbered(fingerprints) {
            if let Some(end) = self.ends.get_mut(number) {
                if !has_room(number, *end) {
                    return false;
                }
                memory::prefetch(&self.values, *end as usize + AHEAD);
                self.values[*end as usize] = value;
                *end += 1;
            }
        }
        true
    }
}

/// A partition of ascending fingerprints by their highest bits.
pub(super) fn of_sorted(fingerprints: &[u64], bits: u32, partition: usize) -> &[u64] {
    let number = |fingerprint: u64| fingerprint.checked_shr(u64::BITS - bits).unwrap_or(0) as usize;
    let start = fingerprints.partition_point(|&fingerprint| number(fingerprint) < partition);
    let end = fingerprints.partition_point(|&fingerprint| number(fingerprint) <= partition);
    &fingerprints[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// A partition has its values in their order, uniform or not, wanted or not.
    #[test]
    fn partitions_are_those_of_a_stable_sort() {
        let even: Vec<u64> = (0..20_000).map(mix).collect();
        let uneven: Vec<u64> =
            even.iter().enumerate().map(|(i, value)| value & u64::MAX >> (i % 7)).collect();
        let order = BitOrder::plain(4);
        for values in [&even, &uneven, &even[..3_000].to_vec(), &vec![]] {
            for (first, count) in [(0, 8), (3, 2)] {
                let (shift, mask) = (61, 7);
                let wanted = Wanted { order: &order, shift, mask, first, count };
                let mut chunk = Chunk::default();
                // The memory of other values is reused.
                chunk.fill(&even[7..11_000], wanted);
                chunk.fill(values, wanted);
                for number in 0..count {
                    let found = &chunk.values[chunk.starts[number] as usize..chunk.ends[number] as usize];
                    let is_there = |value: &&u64| **value >> shift == (first + number) as u64;
                    assert!(found.iter().eq(values.iter().filter(is_there)), "{number} of {}", values.len());
                }
            }
        }
    }
}
