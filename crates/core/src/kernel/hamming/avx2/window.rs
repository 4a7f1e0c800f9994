//! Short consecutive runs: every word is compared with the next eight, whatever the run bounds.
//!
//! A loop over the pairs of a run of four mispredicts each of its ends. Here no branch depends on
//! the runs until a pair is found:
//!
//! ```text
//! for each register of tags: for each distance d of 1..=8: compare with the register d tags later
//!     if any is near:  which words, are they in one run, and are they near in full?
//! then the pairs of runs of more than nine words that are further apart, one by one
//! ```
//!
//! Tags, and what counts as near, are those of `tags`.

use std::arch::x86_64::*;

use super::tags::{self, HALVES_TOGETHER};
use crate::kernel::hamming::{Nearness, Run};

/// The largest distance in the array between words that are compared in vectors.
const WINDOW: usize = 8;

/// Runs up to this length count as short: most of their pairs are in the window.
pub(super) const LONGEST: usize = 16;

/// Windows pay off if at least one word in `SPARSE` is in a short run.
const SPARSE: usize = 4;

/// Appends the near pairs of the runs of at most [`LONGEST`] words, in ascending order. Returns
/// false, and does nothing, if there are too few of them.
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
pub(super) fn near_in_short_runs<const HALVES: usize>(
    words: &[u64],
    runs: &[Run],
    tags: &[u16],
    near: &Nearness,
    found: &mut Vec<(u32, u32)>,
) -> bool {
    let short = || runs.iter().filter(|run| run.len() <= LONGEST);
    let (Some(first), Some(last)) = (short().next(), short().next_back()) else { return false };
    let span = first.start as usize..last.end as usize;
    let in_runs: usize = short().map(Run::len).sum();
    if in_runs < span.len() / SPARSE || !runs.is_sorted_by_key(|run| run.start) {
        return false;
    }
    let tags = &tags[HALVES * span.start..HALVES * span.end + 2 * HALVES_TOGETHER];
    windows::<HALVES>(tags, &Runs { words, runs, first: first.start, near }, found);
    for run in short().filter(|run| run.len() > WINDOW + 1) {
        for a in run.start..run.end - WINDOW as u32 - 1 {
            for b in a + WINDOW as u32 + 1..run.end {
                if near.is_near(words[a as usize], words[b as usize]) {
                    found.push((a, b));
                }
            }
        }
    }
    true
}

/// The data that a near pair of tags is checked against.
struct Runs<'r> {
    words: &'r [u64],
    runs: &'r [Run],
    /// The place of the first tag.
    first: u32,
    near: &'r Nearness,
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
fn windows<const HALVES: usize>(tags: &[u16], runs: &Runs<'_>, found: &mut Vec<(u32, u32)>) {
    let mut rest = tags;
    let mut first = runs.first;
    // Behind the last tag are two registers of padding.
    while rest.len() > 2 * HALVES_TOGETHER {
        let Some(own) = rest.first_chunk() else { return };
        let own = tags::load(own);
        let mut least = _mm256_set1_epi8(-1);
        for distance in 1..=WINDOW {
            if let Some(others) = rest.get(HALVES * distance..).and_then(|rest| rest.first_chunk()) {
                least = _mm256_min_epu16(least, tags::beyond_one(own, tags::load(others)));
            }
        }
        let mut places = tags::near_places::<HALVES>(least);
        while places != 0 {
            runs.look_closer(first + places.trailing_zeros(), found);
            places &= places - 1;
        }
        rest = &rest[HALVES_TOGETHER..];
        first += (HALVES_TOGETHER / HALVES) as u32;
    }
}

impl Runs<'_> {
    /// The near pairs of a word within its window.
    fn look_closer(&self, a: u32, found: &mut Vec<(u32, u32)>) {
        let window = a as usize + 1..(a as usize + WINDOW + 1).min(self.words.len());
        for b in window {
            if self.near.is_near(self.words[a as usize], self.words[b]) && self.is_in_one_run(a, b as u32) {
                found.push((a, b as u32));
            }
        }
    }

    /// Whether two places, the smaller first, are in the same short run. Tested last, because it is
    /// a binary search.
    fn is_in_one_run(&self, a: u32, b: u32) -> bool {
        let at_or_before = self.runs.partition_point(|run| run.start <= a);
        let run = at_or_before.checked_sub(1).map(|number| self.runs[number]);
        run.is_some_and(|run| b < run.end && run.len() <= LONGEST)
    }
}
