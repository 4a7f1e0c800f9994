//! The flips of a query, and their order.

use crate::fingerprint::Margins;
use crate::kernel::Kernel;
use crate::kernel::task::Task;

use super::volatility::Volatility;
use super::vosh::{Vosh, ones};

/// How the flips of a query are ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlipOrder {
    /// By the heap, from the probabilities of this query: the paper's.
    Heap,
    /// By a list that is the same for all queries: subsets of *ranks*, where rank 0 is the query's
    /// smallest margin. Nearly the same recall, without a heap for each query.
    Ranks(Vec<u32>),
}

impl FlipOrder {
    /// The `length` subsets that come first in the heap of an average of these documents.
    pub fn ranks(
        documents: &[Margins],
        volatility: &Volatility,
        header_bits: u32,
        radius: u32,
        length: usize,
    ) -> Self {
        // The heap of the mean document: its sorted probabilities, averaged rank by rank. (A mean
        // over places would need every subset of every document.)
        let mut mean = vec![0.0; header_bits as usize];
        for document in documents {
            let mut sorted = header_probabilities(volatility, document, header_bits);
            sorted.sort_unstable_by(|a, b| b.total_cmp(a));
            mean.iter_mut().zip(sorted).for_each(|(mean, p)| *mean += p / documents.len() as f64);
        }
        if documents.is_empty() {
            mean.iter_mut().enumerate().for_each(|(rank, p)| *p = 0.4 / (rank + 1) as f64);
        }
        let mut vosh = Vosh::default();
        vosh.restart(&mean, radius as usize);
        FlipOrder::Ranks(
            std::iter::from_fn(|| vosh.next_subset()).take(length).map(|subset| subset.ranks).collect(),
        )
    }
}

/// The probabilities of the highest `header_bits` bits, bit 0 of the header first.
pub(super) fn header_probabilities(volatility: &Volatility, margins: &Margins, header_bits: u32) -> Vec<f64> {
    volatility.probabilities(margins)[(u64::BITS - header_bits) as usize..].to_vec()
}

/// The source of a query's flips.
#[derive(Clone, Copy)]
pub(super) struct Guess<'g> {
    pub(super) order: &'g FlipOrder,
    pub(super) volatility: &'g Volatility,
    pub(super) header_bits: u32,
    /// The most bits of a flip.
    pub(super) radius: u32,
    pub(super) kernel: Kernel,
}

/// Computes the flips of one query after another.
#[derive(Debug, Default)]
pub(super) struct Flips {
    vosh: Vosh,
}

impl Flips {
    /// Appends at most `count` flips of the header of a query with these margins.
    pub(super) fn append(&mut self, guess: Guess<'_>, margins: &Margins, count: usize, out: &mut Vec<u32>) {
        guess.kernel.run(Append { flips: self, guess, margins, count, out });
    }
}

/// One call of [`Flips::append`].
struct Append<'a> {
    flips: &'a mut Flips,
    guess: Guess<'a>,
    margins: &'a Margins,
    count: usize,
    out: &'a mut Vec<u32>,
}

impl Task for Append<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Append { flips: Flips { vosh }, guess, margins, count, out } = self;
        let Guess { order, volatility, header_bits, radius, .. } = guess;
        // Sorts the bits by margin: each key has the bit's number below its margin.
        let header = &margins.0[(u64::BITS - header_bits) as usize..];
        let mut keys = [NO_KEY; MOST_BITS];
        for ((key, margin), bit) in keys.iter_mut().zip(header).zip(0..) {
            *key = (margin.unsigned_abs().min(LARGEST_MARGIN) << RANK_BITS).cast_signed() | bit;
        }
        let ranked = &sorted(&keys)[..header.len()];
        let mask_of = |key: i32| 1 << (key & (MOST_BITS - 1) as i32);
        match order {
            FlipOrder::Heap => {
                // Each subset reaches at most one rank beyond the earlier ones.
                let reached = &ranked[..ranked.len().min(count.saturating_add(radius as usize))];
                let sorted = reached.iter().map(|key| key.cast_unsigned() >> RANK_BITS);
                let odds = volatility.log_odds(margins, sorted);
                vosh.restart_sorted(odds.zip(reached.iter().map(|&key| mask_of(key))), radius as usize);
                for _ in 0..count {
                    let Some(subset) = vosh.next_subset() else { break };
                    out.push(subset.mask);
                }
            }
            FlipOrder::Ranks(list) => {
                let possible = list.iter().filter(|ranks| ranks.count_ones() <= radius);
                let flip_of = |ranks| ones(ranks).fold(0, |flip, rank| flip | mask_of(ranked[rank]));
                out.extend(possible.take(count).map(|&ranks| flip_of(ranks)));
            }
        }
    }
}

/// Bits that number the bits of a header, and so how many it may have.
const RANK_BITS: u32 = 5;
const MOST_BITS: usize = 1 << RANK_BITS;

/// Larger margins are all equally safe.
const LARGEST_MARGIN: u32 = i32::MAX.cast_unsigned() >> RANK_BITS;

/// Greater than every key: no header is wide enough to use the last bit number.
const NO_KEY: i32 = i32::MAX;

/// Sorts the keys before the first [`NO_KEY`], which are distinct: the place of a key is the number
/// of smaller ones. Counting them needs no branch, and the compiler vectorises it.
#[inline(always)]
fn sorted(keys: &[i32; MOST_BITS]) -> [i32; MOST_BITS] {
    let mut places = [0; MOST_BITS];
    for &other in keys {
        if other == NO_KEY {
            break;
        }
        for (place, &key) in places.iter_mut().zip(keys) {
            *place += i32::from(key > other);
        }
    }
    let mut sorted = [NO_KEY; MOST_BITS];
    for (&key, &place) in keys.iter().zip(&places) {
        sorted[place as usize % MOST_BITS] = key;
    }
    sorted
}
