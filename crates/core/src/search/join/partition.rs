//! The first step of a table: fingerprints by the highest bits of a block.
//!
//! Fingerprints whose bits are even fill all partitions alike. So they are not counted first: each partition of a chunk has room for the
//! mean and some standard deviations, and only if one overflows (or partitions are so small that the room would be much) are
//! they counted, and placed without gaps. Counting takes a fifth of the time.

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
    /// Where each partition of the range begins, and where it ends.
    starts: Vec<u32>,
    ends: Vec<u32>,
}

/// Partitions of fewer values on average are counted.
const LEAST_MEAN: usize = 1 << 11;

/// Room above the mean, in standard deviations: one of ten billion partitions of even bits needs more.
const DEVIATIONS: f64 = 6.5;

/// Which partition a value belongs to.
#[derive(Clone, Copy)]
struct Wanted<'o> {
    order: &'o BitOrder,
    shift: u32,
    mask: u64,
    first: usize,
    /// How many of them are wanted.
    count: usize,
}

impl Wanted<'_> {
    /// Calls `each` with the number of the partition of each fingerprint, at least `count` if it is not wanted, and the permuted
    /// fingerprint, until it says that it is enough.
    #[inline(always)]
    fn for_each(self, fingerprints: &[u64], mut each: impl FnMut(usize, u64) -> bool) -> bool {
        let is_plain = self.order.is_plain();
        fingerprints.iter().all(|&fingerprint| {
            let value = if is_plain { fingerprint } else { self.order.permute(fingerprint) };
            // One subtraction tells both whether the partition is wanted and which one it is.
            each(((value >> self.shift & self.mask) as usize).wrapping_sub(self.first), value)
        })
    }
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
        let (shift, mask) = (self.shift, self.mask);
        let wanted = Wanted { order, shift, mask, first: self.range.start, count: self.range.len() };
        run_each(workers, &mut self.chunks[first..first + parts.len()], |number, chunk| {
            chunk.fill(parts[number], wanted);
        });
    }

    /// The fingerprints, permuted, of a partition of the range, as one piece of each chunk.
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

    /// Counts the values of each partition, which begins where the one before ends.
    fn count(&mut self, fingerprints: &[u64], wanted: Wanted<'_>) {
        self.starts.clear();
        self.starts.resize(wanted.count, 0);
        wanted.for_each(fingerprints, |number, _| {
            if let Some(count) = self.starts.get_mut(number) {
                *count += 1;
            }
            true
        });
        let mut before = 0;
        for start in &mut self.starts {
            before += std::mem::replace(start, before);
        }
        self.make_room(before as usize);
    }

    fn make_room(&mut self, length: usize) {
        if self.values.len() < length {
            // As much as will ever be needed, nearly always.
            self.values = memory::zeroed(length.next_power_of_two().min(CHUNK + CHUNK / 4).max(length));
        }
    }

    /// Puts values where their partitions end, as long as `has_room` for one there.
    #[inline(always)]
    fn place(
        &mut self,
        fingerprints: &[u64],
        wanted: Wanted<'_>,
        has_room: impl Fn(usize, u32) -> bool,
    ) -> bool {
        self.ends.clone_from(&self.starts);
        let (values, ends) = (&mut self.values, &mut self.ends);
        wanted.for_each(fingerprints, |number, value| {
            let Some(end) = ends.get_mut(number) else { return true };
            if !has_room(number, *end) {
                return false;
            }
            memory::prefetch(values, *end as usize + AHEAD);
            values[*end as usize] = value;
            *end += 1;
            true
        })
    }
}

/// A partition of ascending fingerprints by their highest bits.
pub(super) fn of_sorted(fingerprints: &[u64], bits: u32, partition: usize) -> &[u64] {
    let number = |fingerprint: u64| fingerprint.checked_shr(u64::BITS - bits).unwrap_or(0) as usize;
    let start = fingerprints.partition_point(|&fingerprint| number(fingerprint) < partition);
    let end = fingerprints.partition_point(|&fingerprint| number(fingerprint) <= partition);
    &fingerprints[start..end]
}
