//! One table: entries sorted by header, and the start of each header.

use std::ops::Range;

use crate::kernel::hamming::{Line, Word};
use crate::kernel::memory::{self, Zero};

use super::layout::Header;

/// The part of a fingerprint that a table stores.
pub(in crate::search) trait Entry: Word + Zero {
    /// The entry of a fingerprint.
    fn of(fingerprint: u64, header: Header) -> Self;

    /// The bits in which a fingerprint is known to differ from a query, if its header differs in
    /// `flip` and its entry in `difference`.
    fn spread(difference: Self, flip: u32, header: Header) -> u64;

    /// The bits that header and entry cover.
    fn known(header: Header) -> u64;

    /// In how many bits an entry may differ, if the header differs in `flip`.
    fn radius(radius: u32, flip: u32) -> u32;
}

/// The 32 bits below the header, cyclically: those of earlier tables, so that a match of an earlier
/// table is recognised without another memory access.
impl Entry for u32 {
    #[inline(always)]
    fn of(fingerprint: u64, header: Header) -> u32 {
        fingerprint.rotate_right(tag_shift(header)) as u32
    }

    #[inline(always)]
    fn spread(difference: u32, flip: u32, header: Header) -> u64 {
        u64::from(difference).rotate_left(tag_shift(header)) | u64::from(flip) << header.shift
    }

    fn known(header: Header) -> u64 {
        u64::from(u32::MAX).rotate_left(tag_shift(header)) | header.mask()
    }

    #[inline(always)]
    fn radius(radius: u32, flip: u32) -> u32 {
        // Most headers are looked up unflipped, and not every CPU counts bits in one step.
        if flip == 0 { radius } else { radius - flip.count_ones() }
    }
}

#[inline(always)]
fn tag_shift(header: Header) -> u32 {
    (header.shift + u32::BITS) % u64::BITS
}

/// The whole fingerprint.
impl Entry for u64 {
    #[inline(always)]
    fn of(fingerprint: u64, _: Header) -> u64 {
        fingerprint
    }

    #[inline(always)]
    fn spread(difference: u64, _: u32, _: Header) -> u64 {
        difference
    }

    fn known(_: Header) -> u64 {
        u64::MAX
    }

    #[inline(always)]
    fn radius(radius: u32, _: u32) -> u32 {
        radius
    }
}

/// Entries sorted by header. Bucket `b` is `offsets[b]..offsets[b + 1]`; within a bucket, positions
/// ascend.
#[derive(Debug, Clone)]
pub(in crate::search) struct Table<W> {
    pub(in crate::search) header: Header,
    pub(in crate::search) offsets: Vec<u32>,
    pub(in crate::search) entries: Vec<W>,
    pub(in crate::search) positions: Vec<u32>,
    /// A line for each bucket, if it is worth its memory.
    pub(in crate::search) lines: Vec<Line>,
}

/// Fingerprints that are sorted in one step: their entries stay in the caches.
const ONE_STEP: usize = 1 << 16;

/// The most bits of the first of two steps: more would write to more pages than the TLB holds.
const MOST_PARTS: u32 = 10;

/// Memory that the tables of an index share while they are built.
#[derive(Default)]
pub(in crate::search) struct Scratch {
    fingerprints: Vec<u64>,
    positions: Vec<u32>,
}

impl<W: Entry> Table<W> {
    /// Sorts all fingerprints by header: by the highest bits first, so that the second step stays
    /// in the caches.
    pub(in crate::search) fn build(header: Header, fingerprints: &[u64], scratch: &mut Scratch) -> Self {
        let mut table = Table {
            header,
            offsets: memory::zeroed((1 << header.bits) + 1),
            entries: memory::zeroed(fingerprints.len()),
            positions: memory::zeroed(fingerprints.len()),
            lines: vec![],
        };
        let steps = (fingerprints.len() / ONE_STEP).checked_ilog2().map_or(0, |bits| bits + 1);
        let part_bits = steps.min(MOST_PARTS).min(header.bits);
        if part_bits == 0 {
            table.fill(0..1 << header.bits, 0, fingerprints.iter().copied().zip(0..));
        } else {
            table.fill_parts(part_bits, fingerprints, scratch);
        }
        table.offsets[1 << header.bits] = fingerprints.len() as u32;
        table
    }

    fn fill_parts(&mut self, part_bits: u32, fingerprints: &[u64], scratch: &mut Scratch) {
        let low_bits = self.header.bits - part_bits;
        let part = |fingerprint: u64| (self.header.of(fingerprint) >> low_bits) as usize;
        let mut ends = vec![0u32; (1 << part_bits) + 1];
        fingerprints.iter().for_each(|&fingerprint| ends[part(fingerprint) + 1] += 1);
        for number in 1..ends.len() {
            ends[number] += ends[number - 1];
        }
        if scratch.fingerprints.len() < fingerprints.len() {
            scratch.fingerprints = memory::zeroed(fingerprints.len());
            scratch.positions = memory::zeroed(fingerprints.len());
        }
        for (&fingerprint, position) in fingerprints.iter().zip(0..) {
            let place = &mut ends[part(fingerprint)];
            scratch.fingerprints[*place as usize] = fingerprint;
            scratch.positions[*place as usize] = position;
            *place += 1;
        }
        let mut start = 0;
        for (number, &end) in ends[..1 << part_bits].iter().enumerate() {
            let part = start as usize..end as usize;
            let fingerprints = scratch.fingerprints[part.clone()].iter().copied();
            let buckets = number << low_bits..(number + 1) << low_bits;
            self.fill(buckets, start, fingerprints.zip(scratch.positions[part].iter().copied()));
            start = end;
        }
    }

    /// Counting sort of the fingerprints of some neighbouring `buckets`, to the places from `start`
    /// on.
    fn fill(
        &mut self,
        buckets: Range<usize>,
        start: u32,
        fingerprints: impl Iterator<Item = (u64, u32)> + Clone,
    ) {
        let header = self.header;
        let offsets = &mut self.offsets[buckets.clone()];
        let bucket = |fingerprint: u64| header.of(fingerprint) as usize - buckets.start;
        for (fingerprint, _) in fingerprints.clone() {
            offsets[bucket(fingerprint)] += 1;
        }
        let mut before = start;
        for offset in offsets.iter_mut() {
            before += std::mem::replace(offset, before);
        }
        for (fingerprint, position) in fingerprints {
            let place = &mut offsets[bucket(fingerprint)];
            self.entries[*place as usize] = W::of(fingerprint, header);
            self.positions[*place as usize] = position;
            *place += 1;
        }
        // Each offset has moved to the end of its bucket, where the next one begins.
        offsets.rotate_right(1);
        offsets[0] = start;
    }
}

impl Table<u32> {
    /// Makes the lines.
    pub(super) fn add_lines(&mut self) {
        let mut lines = memory::with_capacity(1 << self.header.bits);
        let buckets = self.offsets.array_windows();
        lines.extend(buckets.map(|&[start, end]| Line::of(&self.entries[start as usize..end as usize])));
        self.lines = lines;
    }
}
