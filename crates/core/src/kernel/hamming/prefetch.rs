//! Prefetches each run a few look-ups before it is read.
//!
//! The runs of a block are scattered, so that a run without a prefetch costs a full cache miss.
//! Prefetching all of them at once is worse: a CPU tracks about two dozen outstanding lines and
//! stalls beyond that.

use super::{LookUp, Word};
use crate::kernel::memory::prefetch;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Lines prefetched and not yet read: about as many as a CPU tracks.
const IN_FLIGHT: usize = 32;

/// Look-ups ahead: with fewer the lines arrive too late, more gain nothing.
const LOOK_UPS: std::ops::RangeInclusive<usize> = 4..=16;

/// Lines of a run to prefetch, besides its last one; the hardware prefetcher detects longer
/// sequences.
const MOST_LINES: usize = 12;

/// Prefetches the runs of a block one after another.
pub(super) struct Prefetcher<'b, W> {
    words: &'b [W],
    look_ups: std::slice::Iter<'b, LookUp<W>>,
}

impl<'b, W: Word> Prefetcher<'b, W> {
    /// Prefetches the first runs.
    #[inline(always)]
    pub(super) fn new(words: &'b [W], look_ups: &'b [LookUp<W>]) -> Self {
        let lengths: usize = look_ups.iter().map(|wanted| (wanted.end - wanted.start) as usize).sum();
        let lines = lengths * size_of::<W>() / LINE + look_ups.len();
        let distance = (IN_FLIGHT * look_ups.len() / lines.max(1)).clamp(*LOOK_UPS.start(), *LOOK_UPS.end());
        let mut prefetcher = Prefetcher { words, look_ups: look_ups.iter() };
        (0..distance).for_each(|_| prefetcher.prefetch_next());
        prefetcher
    }

    /// Prefetches the next run, if there is one.
    #[inline(always)]
    pub(super) fn prefetch_next(&mut self) {
        let Some(&LookUp { start, end, .. }) = self.look_ups.next() else { return };
        let (start, last) = (start as usize, (end as usize).wrapping_sub(1));
        // Most runs have one line or two, beginning anywhere in the first of them.
        prefetch(self.words, start);
        prefetch(self.words, last);
        let line = LINE / size_of::<W>();
        if last.wrapping_sub(start) > line {
            for place in (start + line..last).step_by(line).take(MOST_LINES) {
                prefetch(self.words, place);
            }
        }
    }
}
