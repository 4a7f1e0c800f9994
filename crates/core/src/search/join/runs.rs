//! One partition: its runs in every table, and the pairs in them.

use std::collections::HashMap;
use std::slice;

use crate::kernel::Kernel;
use crate::kernel::hamming::{Nearness, Run};
use crate::search::bit_order::BitOrder;

use super::Pair;
use super::nearness::nearness;
use super::plan::Plan;

/// Fingerprints in a run on average, as a logarithm (at most twice as many): comparing them costs
/// about as much as making the runs shorter.
const RUN_BITS: u32 = 2;

/// The most bits of one counting sort: its counters fit the L1 cache.
const MOST_BITS: u32 = 12;

/// Up to this size a partition is not sorted by the rest of its block first, if further blocks are
/// chosen: these make its runs short enough, and pairs that differ in the block are not reported.
const AS_IT_IS: usize = 1 << 15;

/// Up to this many fingerprints are compared directly, without choosing further blocks.
const FEW: usize = 24;

/// A longer run is joined on its own: its bits are not distributed like those of the whole
/// collection.
const LONG: usize = 4096;

/// The deepest recursion of joins. What is then still together differs in few bits, and nearly all
/// its pairs are near.
const DEEPEST: u32 = 3;

/// The blocks of a join and the rule of its tables.
pub(super) struct Runs<'o> {
    order: &'o BitOrder,
    masks: Vec<u64>,
    plan: Plan,
    radius: u32,
    kernel: Kernel,
    depth: u32,
}

/// Memory that is reused for the next partition of the same join.
#[derive(Default)]
pub(super) struct Scratch {
    levels: Vec<Level>,
    found: Vec<(u32, u32)>,
    runs: Vec<Run>,
    /// The nearness of each table, by its chosen blocks.
    nearness: HashMap<u64, Nearness>,
}

/// Fingerprints sorted by some bits.
#[derive(Default)]
struct Level {
    values: Vec<u64>,
    /// The start of each run, and the end of the last one.
    offsets: Vec<u32>,
}

/// The fingerprints of a partition.
#[derive(Clone, Copy)]
pub(super) enum Segments<'p> {
    /// One slice, already sorted by the block.
    Ordered(&'p [u64]),
    /// In any order.
    Any(&'p [&'p [u64]]),
}

impl<'p> Segments<'p> {
    fn pieces(&self) -> &[&'p [u64]] {
        match self {
            Segments::Ordered(values) => slice::from_ref(values),
            Segments::Any(pieces) => pieces,
        }
    }

    fn len(&self) -> usize {
        self.pieces().iter().map(|piece| piece.len()).sum()
    }
}

/// The blocks chosen so far: a table, or a prefix of some.
#[derive(Clone, Copy)]
pub(super) struct Chosen {
    /// One bit for each chosen block.
    pub(super) blocks: u64,
    /// Their number.
    pub(super) count: u32,
    /// The last of them.
    pub(super) last: usize,
}

impl<'o> Runs<'o> {
    pub(super) fn new(order: &'o BitOrder, plan: Plan, radius: u32, kernel: Kernel) -> Self {
        let masks = (0..order.blocks()).map(|block| order.mask(block)).collect();
        Runs { order, masks, plan, radius, kernel, depth: 0 }
    }

    /// Reports every pair of a partition (by the highest `bits` bits of `block`) whose first equal
    /// block is `block`.
    pub(super) fn join_partition(
        &self,
        segments: Segments<'_>,
        block: usize,
        bits: u32,
        scratch: &mut Scratch,
        emit: &mut dyn FnMut(Pair),
    ) {
        let chosen = Chosen { blocks: 1 << block, count: 1, last: block };
        if self.plan.chosen > 1 && segments.len() <= AS_IT_IS {
            return self.choose_further(segments.pieces(), chosen, scratch, emit);
        }
        let mut level = scratch.levels.pop().unwrap_or_default();
        let rest = self.order.bits(block).start..self.order.bits(block).end - bits;
        let of = Bits::new(segments.len(), rest.start, rest.len() as u32, self.plan.chosen > 1);
        match segments {
            Segments::Ordered(values) => {
                level.find_runs(values, of);
                self.descend(values, &level.offsets, chosen, scratch, emit);
            }
            Segments::Any(pieces) => {
                level.sort(pieces, of);
                self.descend(&level.values, &level.offsets, chosen, scratch, emit);
            }
        }
        scratch.levels.push(level);
    }

    /// Compares the runs of some values, or chooses further blocks for them.
    fn descend(
        &self,
        values: &[u64],
        offsets: &[u32],
        chosen: Chosen,
        scratch: &mut Scratch,
        emit: &mut dyn FnMut(Pair),
    ) {
        if chosen.count == self.plan.chosen {
            return self.compare(values, offsets, chosen, LONG, scratch, emit);
        }
        self.compare(values, offsets, chosen, FEW, scratch, &mut *emit);
        for run in runs(offsets).filter(|run| run.len() > FEW) {
            let values = &values[run.start as usize..run.end as usize];
            self.choose_further(&[values], chosen, scratch, emit);
        }
    }

    /// Sorts fingerprints by each block that may be chosen next.
    fn choose_further(
        &self,
        pieces: &[&[u64]],
        chosen: Chosen,
        scratch: &mut Scratch,
        emit: &mut dyn FnMut(Pair),
    ) {
        let mut next = scratch.levels.pop().unwrap_or_default();
        // As many blocks must follow this one as are still to be chosen.
        let last = (self.plan.blocks - (self.plan.chosen - chosen.count)) as usize;
        for block in chosen.last + 1..=last {
            let bits = self.order.bits(block);
            let more = chosen.count + 1 < self.plan.chosen;
            next.sort(pieces, Bits::new(Segments::Any(pieces).len(), bits.start, bits.len() as u32, more));
            let chosen = Chosen { blocks: chosen.blocks | 1 << block, count: chosen.count + 1, last: block };
            self.descend(&next.values, &next.offsets, chosen, scratch, emit);
        }
        scratch.levels.push(next);
    }

    /// Reports the pairs of runs of at most `longest`; at the last level, longer ones are joined on
    /// their own.
    fn compare(
        &self,
        values: &[u64],
        offsets: &[u32],
        chosen: Chosen,
        longest: usize,
        scratch: &mut Scratch,
        emit: &mut dyn FnMut(Pair),
    ) {
        let is_last = longest == LONG;
        let compared = |run: &Run| run.len() <= longest || is_last && self.depth == DEEPEST;
        scratch.runs.clear();
        scratch.runs.extend(runs(offsets).filter(compared));
        scratch.found.clear();
        let entry = scratch.nearness.entry(chosen.blocks);
        let near = entry.or_insert_with(|| nearness(&self.masks, chosen, self.radius));
        self.kernel.near_pairs(values, &scratch.runs, near, &mut scratch.found);
        for &(a, b) in &scratch.found {
            self.report(values[a as usize], values[b as usize], chosen, emit);
        }
        if is_last && self.depth < DEEPEST {
            for run in runs(offsets).filter(|run| run.len() > longest) {
                let values = &values[run.start as usize..run.end as usize];
                self.join_run(values, &mut |(a, b)| self.report(a, b, chosen, emit));
            }
        }
    }

    /// Reports a pair if the chosen blocks are its first equal ones.
    fn report(&self, a: u64, b: u64, chosen: Chosen, emit: &mut dyn FnMut(Pair)) {
        let difference = a ^ b;
        let equal = |block: &usize| difference & self.masks[*block] == 0;
        let first: u64 = (0..=chosen.last).filter(equal).map(|block| 1 << block).sum();
        if first == chosen.blocks {
            let (a, b) = (self.order.restore(a), self.order.restore(b));
            emit((a.min(b), a.max(b)));
        }
    }

    /// All pairs of a long run, with its own blocks.
    fn join_run(&self, values: &[u64], emit: &mut dyn FnMut(Pair)) {
        let plan = Plan::new(values.len(), distinguishing_bits(values), self.radius);
        let order = BitOrder::balanced(plan.blocks, values);
        let runs = Runs { depth: self.depth + 1, ..Runs::new(&order, plan, self.radius, self.kernel) };
        let permuted: Vec<u64> = values.iter().map(|&value| order.permute(value)).collect();
        let mut scratch = Scratch::default();
        for block in 0..=(plan.blocks - plan.chosen) as usize {
            runs.join_partition(Segments::Any(&[&permuted]), block, 0, &mut scratch, emit);
        }
    }
}

/// In how many bits the values are not all equal.
fn distinguishing_bits(values: &[u64]) -> u32 {
    let first = values.first().copied().unwrap_or(0);
    values.iter().fold(0, |bits, value| bits | (value ^ first)).count_ones()
}

/// The bits that define a value's bucket.
#[derive(Clone, Copy)]
struct Bits {
    shift: u32,
    used: u32,
}

impl Bits {
    /// Of `bits` bits from `shift` on, or of the highest of them if that makes the runs of `length`
    /// values short enough. If further blocks follow, as many as the counters allow.
    fn new(length: usize, shift: u32, bits: u32, more: bool) -> Self {
        let enough = length.checked_ilog2().unwrap_or(0).saturating_sub(if more { 0 } else { RUN_BITS });
        let used = bits.min(enough).min(MOST_BITS);
        Bits { shift: shift + bits - used, used }
    }

    fn buckets(self) -> usize {
        1 << self.used
    }

    #[inline(always)]
    fn bucket(self, value: u64) -> usize {
        (value.checked_shr(self.shift).unwrap_or(0) & ((1 << self.used) - 1)) as usize
    }
}

impl Level {
    /// Sorts values by some bits.
    fn sort(&mut self, pieces: &[&[u64]], bits: Bits) {
        self.offsets.clear();
        self.offsets.resize(bits.buckets() + 1, 0);
        for piece in pieces {
            for &value in *piece {
                self.offsets[bits.bucket(value)] += 1;
            }
        }
        let mut length = 0;
        for offset in &mut self.offsets {
            length += std::mem::replace(offset, length);
        }
        if self.values.len() < length as usize {
            self.values.resize((length as usize).next_power_of_two(), 0);
        }
        for piece in pieces {
            for &value in *piece {
                let place = &mut self.offsets[bits.bucket(value)];
                self.values[*place as usize] = value;
                *place += 1;
            }
        }
        // Each offset has moved to the end of its run, where the next one begins.
        let runs = self.offsets.len() - 1;
        self.offsets[..runs].rotate_right(1);
        self.offsets[0] = 0;
    }

    /// The same for sorted values, which are not copied.
    fn find_runs(&mut self, values: &[u64], bits: Bits) {
        self.offsets.clear();
        for (place, &value) in (0..).zip(values) {
            // The start of a run is also that of the empty runs before it.
            while self.offsets.len() <= bits.bucket(value) {
                self.offsets.push(place);
            }
        }
        self.offsets.resize(bits.buckets() + 1, values.len() as u32);
    }
}

/// The runs of at least two values between these offsets.
fn runs(offsets: &[u32]) -> impl Iterator<Item = Run> {
    let pairs = offsets.windows(2);
    pairs.map(|pair| Run { start: pair[0], end: pair[1] }).filter(|run| run.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// Sorted values have the runs that sorting gives them.
    #[test]
    fn runs_are_found_where_sorting_makes_them() {
        for (length, spread) in [(0u64, 1), (1, 1), (50, 3), (5_000, 40), (5_000, 100_000)] {
            let mut values: Vec<u64> = (0..length).map(|number| mix(number % spread)).collect();
            values.sort_unstable();
            for more in [false, true] {
                let bits = Bits::new(values.len(), 48, 16, more);
                let (mut sorted, mut found) = (Level::default(), Level::default());
                sorted.sort(&[&values], bits);
                found.find_runs(&values, bits);
                assert_eq!(found.offsets, sorted.offsets, "{length} {spread}");
                assert_eq!(sorted.values[..values.len()], values);
            }
        }
    }
}
