//! Densification: the bin that an empty bin copies.
//!
//! The definition is a walk: bin i visits `walk(i, 1)`, `walk(i, 2)`, ... until it finds a bin that
//! is not empty. A short document leaves most bins empty, and every step is a random access and a
//! mispredicted branch, so for such documents the walks are inverted:
//!
//! ```text
//! once: row[j][i] = (step at which the walk of bin i first reaches bin j, j)
//! for a document:   best[i]   = smallest row[j][i] over the bins j that are not empty
//! ```
//!
//! Step and bin share a 16-bit number with the step above, so that the smallest is the first
//! arrival; one instruction takes the minimum of eight or sixteen. For a post of twenty-five words
//! this is six times as fast as walking.

use crate::hash::mix;

/// The walks of all bins.
#[derive(Debug, Clone)]
pub(super) struct Walks {
    bins: u16,
    /// The first [`KNOWN_STEPS`] steps of every bin's walk.
    known: Vec<u16>,
    /// For every bin a row of arrivals at it, split into lanes: the first lanes of all bins, then
    /// the second, and so on. Empty if there are more than [`MOST_ROWS`] bins.
    rows: Vec<[i16; LANES]>,
}

/// Precomputed steps of each walk: enough for documents that fill a tenth of the bins.
const KNOWN_STEPS: usize = 32;

/// The random steps of a walk are this many times the number of bins; then it visits bins in order.
const RANDOM_ROUNDS: u64 = 8;

/// The most bins that the lower part of an arrival can number. The rows then take at most 128 KiB.
const MOST_ROWS: usize = 1 << BIN_BITS;
const BIN_BITS: u32 = 8;

/// The steps that fit above the bin's number; one more could not be distinguished from [`NEVER`].
const ROW_STEPS: u64 = 126;

/// No arrival within [`ROW_STEPS`] steps. Signed, because every x86-64 CPU has their minimum.
const NEVER: i16 = i16::MAX;

/// Arrivals compared together: as many as stay in registers during a pass over all rows.
const LANES: usize = 64;

/// Rows are used if at least one bin in `EMPTY_SHARE` is empty; for fewer, walking is faster.
const EMPTY_SHARE: usize = 4;

impl Walks {
    pub(super) fn new(bins: u16) -> Self {
        let steps = |bin| (1..=KNOWN_STEPS as u64).map(move |step| walk(bin, step, bins) as u16);
        let count = usize::from(bins);
        let mut rows = vec![];
        if count <= MOST_ROWS {
            rows = vec![[NEVER; LANES]; count * count.div_ceil(LANES)];
            for bin in 0..count {
                let (number, lane) = (bin / LANES, bin % LANES);
                rows[number * count + bin][lane] = bin as i16;
                for step in 1..=row_steps(bins) {
                    let at = walk(bin, step, bins);
                    let arrival = &mut rows[number * count + at][lane];
                    *arrival = (*arrival).min((step << BIN_BITS) as i16 | at as i16);
                }
            }
        }
        Walks { bins, known: (0..count).flat_map(steps).collect(), rows }
    }

    /// Fills the signature `out`: a bin with a bit in `own` gets its own `value`, an empty one that
    /// of the bin where its walk ends. If all are empty, `out` is unchanged.
    #[inline(always)]
    pub(super) fn fill(&self, own: &[u64], value: impl Fn(usize) -> u16, out: &mut [u16]) {
        let bins = usize::from(self.bins);
        let occupied = own.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        if occupied == 0 {
            return;
        }
        if self.rows.is_empty() || (bins - occupied) * EMPTY_SHARE < bins {
            for (bin, out) in out.iter_mut().enumerate() {
                *out = value(self.source(bin, own));
            }
        } else {
            self.fill_by_rows(own, value, out);
        }
    }

    #[inline(always)]
    fn fill_by_rows(&self, own: &[u64], value: impl Fn(usize) -> u16, out: &mut [u16]) {
        let mut list = [0; MOST_ROWS];
        // The bins' own values, by number: a byte is never out of bounds.
        let mut values = [0; MOST_ROWS];
        let mut length = 0;
        for bin in ones(own) {
            list[length] = bin as u8;
            length += 1;
            values[bin] = value(bin);
        }
        let occupied = &list[..length];
        let mut best = [[NEVER; LANES]; MOST_ROWS / LANES];
        for (rows, best) in self.rows.chunks_exact(usize::from(self.bins)).zip(&mut best) {
            let mut first = [NEVER; LANES];
            for &bin in occupied {
                for (first, &arrival) in first.iter_mut().zip(&rows[usize::from(bin)]) {
                    *first = (*first).min(arrival);
                }
            }
            *best = first;
        }
        let best = &best.as_flattened()[..out.len()];
        for (out, &arrival) in out.iter_mut().zip(best) {
            *out = values[usize::from(arrival as u8)];
        }
        if best.contains(&NEVER) {
            for (bin, out) in out.iter_mut().enumerate().filter(|(bin, _)| best[*bin] == NEVER) {
                let source = match occupied {
                    // Every walk ends in the only occupied bin.
                    &[only] => only.into(),
                    _ => self.source_after(row_steps(self.bins), bin, own),
                };
                *out = values[source];
            }
        }
    }

    /// The bin itself, or the first non-empty one on its walk: the definition.
    fn source(&self, bin: usize, own: &[u64]) -> usize {
        if has(own, bin) {
            return bin;
        }
        let known = &self.known[bin * KNOWN_STEPS..(bin + 1) * KNOWN_STEPS];
        match known.iter().find(|&&at| has(own, usize::from(at))) {
            Some(&at) => usize::from(at),
            None => self.source_after(KNOWN_STEPS as u64, bin, own),
        }
    }

    /// The first non-empty bin after `steps` steps. Terminates, because some bin is not empty and
    /// the walk visits all bins in order after the random steps.
    fn source_after(&self, steps: u64, bin: usize, own: &[u64]) -> usize {
        let bins = usize::from(self.bins);
        let random = (steps + 1..=random_steps(self.bins)).map(|step| walk(bin, step, self.bins));
        let in_order = (1..bins).map(|step| (bin + step) % bins);
        random.chain(in_order).find(|&at| has(own, at)).unwrap_or(bin)
    }
}

/// The random steps of a walk.
fn random_steps(bins: u16) -> u64 {
    RANDOM_ROUNDS * u64::from(bins)
}

/// The steps of a walk that rows cover.
fn row_steps(bins: u16) -> u64 {
    ROW_STEPS.min(random_steps(bins))
}

/// Whether the bit of a bin is set.
fn has(own: &[u64], bin: usize) -> bool {
    own[bin / u64::BITS as usize] >> (bin % u64::BITS as usize) & 1 == 1
}

/// The bins whose bits are set, ascending.
#[inline(always)]
fn ones(own: &[u64]) -> impl Iterator<Item = usize> {
    own.iter().enumerate().flat_map(|(number, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(number * u64::BITS as usize + bit)
        })
    })
}

/// Where the walk of `bin` is after `step` steps.
fn walk(bin: usize, step: u64, bins: u16) -> usize {
    let random = mix((bin as u64) << 32 | step);
    ((u128::from(random) * u128::from(bins)) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_lead_where_walks_lead(
            bins in prop_oneof![1u16..20, Just(126), Just(256), Just(257), Just(300)],
            occupied in prop::collection::btree_set(0usize..300, 0..60),
        ) {
            let occupied: BTreeSet<usize> = occupied.into_iter().map(|bin| bin % usize::from(bins)).collect();
            let mut own = vec![0u64; usize::from(bins).div_ceil(64)];
            occupied.iter().for_each(|bin| own[bin / 64] |= 1 << (bin % 64));
            prop_assert_eq!(ones(&own).collect::<BTreeSet<_>>(), occupied.clone());
            let value = |bin: usize| 1_000 + bin as u16;
            let walks = Walks::new(bins);
            let mut filled = vec![0; usize::from(bins)];
            walks.fill(&own, value, &mut filled);
            let walked = (0..usize::from(bins)).map(|bin| match (occupied.len(), occupied.contains(&bin)) {
                (0, _) => 0,
                (_, false) => value(walks.source_after(0, bin, &own)),
                (_, true) => value(bin),
            });
            prop_assert_eq!(filled, walked.collect::<Vec<_>>());
        }
    }
}
