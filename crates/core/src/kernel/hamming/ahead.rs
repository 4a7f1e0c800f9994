//! Asking memory for a run some look-ups before it is read.
//!
//! The runs of a block lie anywhere, and one that is only asked for when it is needed costs a whole wait. Asked for some
//! look-ups ahead, its lines arrive while others are compared. All at once would be worse: a processor follows some two
//! dozen lines at a time, and stands still while it is asked for more.

use super::{LookUp, Word};
use crate::kernel::memory::prefetch;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Lines that are asked for and not yet read: about as many as a processor follows.
const IN_FLIGHT: usize = 32;

/// Look-ups ahead: fewer would end before their lines arrive, more than this gains nothing.
const LOOK_UPS: std::ops::RangeInclusive<usize> = 4..=16;

/// Lines of a run that are asked for, besides its last one; the processor notices a longer sequence itself.
const MOST_LINES: usize = 12;

/// Asks for the runs of a block one after another.
pub(super) struct Ahead<'b, W> {
    words: &'b [W],
    look_ups: std::slice::Iter<'b, LookUp<W>>,
}

impl<'b, W: Word> Ahead<'b, W> {
    /// Asks for the first runs.
    #[inline(always)]
    pub(super) fn new(words: &'b [W], look_ups: &'b [LookUp<W>]) -> Self {
        let lengths: usize = look_ups.iter().map(|wanted| (wanted.end - wanted.start) as usize).sum();
        let lines = lengths * size_of::<W>() / LINE + look_ups.len();
        let distance = (IN_FLIGHT * look_ups.len() / lines.max(1)).clamp(*LOOK_UPS.start(), *LOOK_UPS.end());
        let mut ahead = Ahead { words, look_ups: look_ups.iter() };
        (0..distance).for_each(|_| ahead.ask_for_next());
        ahead
    }

    /// Asks for one run more, if there is one.
    #[inline(always)]
    pub(super) fn ask_for_next(&mut self) {
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
