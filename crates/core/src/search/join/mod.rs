//! All pairs of fingerprints within h bits of each other.
//!
//! Looking up every fingerprint in an index would mean n random accesses. A join instead sorts the
//! fingerprints by one table after another, so that candidates are adjacent:
//!
//! ```text
//! for each block i of the G blocks:                                         (the tables, nested)
//!     partition by block i
//!     for each partition, in the cache:
//!         while fewer than g blocks are chosen:  for each later block j:  sort by block j
//!         compare all pairs of each run (equal in the chosen blocks)
//!         keep a pair if these are its first equal blocks
//! ```
//!
//! Two fingerprints within h bits agree in at least g = G - h blocks, so that every pair is found;
//! the last rule lets exactly one table report it, without a set of reported pairs. Only the
//! partition by the first block is a pass over memory: for h = 3 four passes serve the ten tables
//! of G = 5, g = 2. [`Plan`] chooses G and g.
//!
//! *Equal fingerprints* would make runs with quadratically many pairs. They are collapsed first
//! ([`Distinct`]) and expanded only on request. *Skewed bits* make long runs too: bits are assigned
//! to blocks by their entropy ([`BitOrder`]), and a run that is still long is joined on its own,
//! with its own blocks.
//!
//! *Memory*: the partitions of one block are in memory; if they do not fit, the input is read
//! several times for each block, each time for a range of partitions. *Threads*: chunks of the
//! input, then partitions, are independent; results are emitted in their order, so that neither
//! memory nor threads change it.

mod distinct;
mod nearness;
mod partition;
mod plan;
mod runs;
mod source;

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

use crate::kernel::Kernel;
use crate::search::bit_order::BitOrder;
use crate::search::hamming::check_radius;
use crate::search::workers::{Workers, run_each};

use partition::Partitions;
use runs::{Runs, Scratch, Segments};

pub use distinct::Distinct;
pub use plan::Plan;
pub use source::Source;

/// Two different fingerprints, the smaller first.
pub type Pair = (u64, u64);

/// Joins the partition of a number and emits its pairs.
type JoinPartition<'j> = dyn Fn(usize, &mut Scratch, &mut dyn FnMut(Pair)) + Sync + 'j;

/// The parameters of a join. Its result depends on the radius alone.
#[derive(Clone, Copy)]
pub struct Join<'w> {
    /// The most bits in which a pair differs: up to [`LARGEST_JOIN_RADIUS`].
    pub radius: u32,
    /// The kernel to use.
    pub kernel: Kernel,
    /// Runs the tasks.
    pub workers: &'w dyn Workers,
    /// The most bytes for partitions, besides the input and the result.
    pub memory: usize,
}

/// The largest radius of a join. Beyond the [`LARGEST_RADIUS`] of queries a join is still faster
/// than comparing everything, but random fingerprints are pairs too: within 16 bits one pair in
/// 26,000, so that a million unrelated fingerprints have 19 million pairs.
///
/// [`LARGEST_RADIUS`]: crate::search::hamming::LARGEST_RADIUS
pub const LARGEST_JOIN_RADIUS: u32 = 16;

/// The approximate size of a partition: it should fit the L2 cache.
const PARTITION: usize = 1 << 15;

/// The same if further blocks are chosen: it is sorted by each of them and should roughly fit the
/// L1 cache.
const NESTED_PARTITION: usize = 1 << 13;

/// The most partitions: the cache lines being written, one each, should fit the L2 cache.
const MOST_PARTITION_BITS: u32 = 12;

/// Partitions differ in size: a pass takes as many as would fit with this margin.
const SLACK: f64 = 1.25;

impl Join<'_> {
    /// Calls `sink` with every pair of `fingerprints`, which are distinct, within the radius: each
    /// once, in an order that depends only on them.
    pub fn run(&self, fingerprints: &[u64], sink: &mut dyn FnMut(Pair)) {
        let mut source = fingerprints;
        match self.run_source(&mut source, fingerprints.len(), sink) {
            Ok(()) => {}
            Err(never) => match never as Infallible {},
        }
    }

    /// The same for `length` distinct fingerprints that are not all in memory.
    pub fn run_source<S: Source>(
        &self,
        source: &mut S,
        length: usize,
        sink: &mut dyn FnMut(Pair),
    ) -> Result<(), S::Error> {
        check_radius(self.radius, LARGEST_JOIN_RADIUS);
        if self.radius == 0 || length < 2 {
            return Ok(());
        }
        let plan = Plan::new(length, u64::BITS, self.radius);
        let order = BitOrder::balanced(plan.blocks, &source.sample()?);
        let runs = Runs::new(&order, plan, self.radius, self.kernel);
        let passes = self.passes(length);
        let partition = if plan.chosen == 1 { PARTITION } else { NESTED_PARTITION };
        let wanted_bits = (length / partition).max(4 * passes).checked_ilog2().unwrap_or(0);
        let mut partitions = Partitions::default();
        for block in 0..=(plan.blocks - plan.chosen) as usize {
            let bits = wanted_bits.min(MOST_PARTITION_BITS).min(order.bits(block).len() as u32);
            let per_pass = (1usize << bits).div_ceil(passes.min(1 << bits));
            for first in (0..1 << bits).step_by(per_pass) {
                let range = first..(first + per_pass).min(1 << bits);
                let by_first_block = block == 0 && order.is_plain();
                if let Some(sorted) = by_first_block.then(|| source.sorted()).flatten() {
                    // Ascending fingerprints are sorted by the first block.
                    self.join_partitions(range.len(), sink, &|number, scratch, emit| {
                        let ordered = Segments::Ordered(partition::of_sorted(sorted, bits, number + first));
                        runs.join_partition(ordered, block, bits, scratch, emit);
                    });
                    continue;
                }
                partitions.begin(&order, block, bits, range.clone());
                source.read(&mut |chunk| partitions.add(chunk, self.workers))?;
                self.join_partitions(range.len(), sink, &|number, scratch, emit| {
                    let segments = partitions.segments(number);
                    runs.join_partition(Segments::Any(&segments), block, bits, scratch, emit);
                });
            }
        }
        Ok(())
    }

    /// In how many parts the partitions of one block fit into memory.
    fn passes(&self, length: usize) -> usize {
        let bytes = (length * size_of::<u64>()) as f64 * SLACK;
        (bytes / self.memory.max(1) as f64).ceil().max(1.0) as usize
    }

    /// How often, at most, [`Join::run_source`] reads `length` fingerprints: for progress.
    pub fn reads(&self, length: usize) -> usize {
        let plan = Plan::new(length, u64::BITS, self.radius);
        1 + (plan.blocks - plan.chosen + 1) as usize * self.passes(length)
    }

    /// Calls `join` for each of `count` partitions and emits its pairs in their order.
    fn join_partitions(&self, count: usize, sink: &mut dyn FnMut(Pair), join: &JoinPartition<'_>) {
        // A few partitions per thread at a time, so that results are emitted before they pile up.
        let together = 8 * self.workers.threads();
        let mut results: Vec<Vec<Pair>> = vec![vec![]; together.min(count)];
        // Scratch memory is reused while it is in the cache: one per thread, last in, first out.
        let free: Mutex<Vec<Scratch>> = Mutex::default();
        let lock = || free.lock().unwrap_or_else(PoisonError::into_inner);
        for first in (0..count).step_by(together) {
            let batch = together.min(count - first);
            run_each(self.workers, &mut results[..batch], |number, found| {
                let taken = lock().pop();
                let mut scratch = taken.unwrap_or_default();
                join(first + number, &mut scratch, &mut |pair| found.push(pair));
                lock().push(scratch);
            });
            for found in &mut results[..batch] {
                found.sort_unstable();
                found.drain(..).for_each(&mut *sink);
            }
        }
    }
}

#[cfg(test)]
mod tests;
