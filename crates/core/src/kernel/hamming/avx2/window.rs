//! Short runs that follow each other: every word with the eight behind it, wherever runs begin and end.
//!
//! A loop over the pairs of a run of four ends as often as it begins, and the processor guesses each end wrong. Here nothing
//! depends on the runs until a pair is found:
//!
//! ```text
//! for each eight tags:  for each distance d of 1..=8:  compare them with the eight tags d places on
//!     if any is near:  which words, are they in one run, and are they near in full?
//! then the pairs of runs of more than nine that are further apart, one by one
//! ```
//!
//! A tag is 32 bits of a word, and near means few ones in the difference: clearing the lowest one bit as often as the radius
//! says leaves nothing (`x & (x - 1)`, two instructions a bit).

use std::arch::x86_64::*;

use super::{CLEARED, TAGS, load_tags, mask};
use crate::kernel::hamming::Run;

/// How far apart words are that are compared at once.
const WINDOW: usize = 8;

/// Runs up to this length count as short: most of their pairs are in the window.
pub(super) const LONGEST: usize = 16;

/// Windows pay off if one word of so many on the way is in a short run.
const SPARSE: usize = 4;

/// Appends the near pairs of the runs of at most [`LONGEST`] words, which ascend; or does nothing and says so, if there are too few
/// of them or the radius is too large.
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(super) fn near_in_short_runs(
    words: &[u64],
    runs: &[Run],
    beside: u32,
    radius: u32,
    found: &mut Vec<(u32, u32)>,
) -> bool {
    let short = || runs.iter().filter(|run| run.len() <= LONGEST);
    let (Some(first), Some(last)) = (short().next(), short().next_back()) else { return false };
    let span = first.start as usize..last.end as usize;
    let in_runs: usize = short().map(Run::len).sum();
    if radius > CLEARED || in_runs < span.len() / SPARSE || !runs.is_sorted_by_key(|run| run.start) {
        return false;
    }
    // Behind the last tag come as many as a window reads; what is found there is in no run.
    let mut tags: Vec<u32> =
        words[span.clone()].iter().map(|word| word.rotate_right(beside) as u32).collect();
    tags.resize((span.len() + WINDOW).next_multiple_of(TAGS) + TAGS, 0);
    let runs = Runs { words, runs, first: first.start, radius };
    match radius {
        0 => windows::<0>(&tags, &runs, found),
        1 => windows::<1>(&tags, &runs, found),
        2 => windows::<2>(&tags, &runs, found),
        _ => windows::<CLEARED>(&tags, &runs, found),
    }
    for run in short().filter(|run| run.len() > WINDOW + 1) {
        for a in run.start..run.end - WINDOW as u32 - 1 {
            for b in a + WINDOW as u32 + 1..run.end {
                if (words[a as usize] ^ words[b as usize]).count_ones() <= radius {
                    found.push((a, b));
                }
            }
        }
    }
    true
}

/// What a near pair of tags is held against.
struct Runs<'r> {
    words: &'r [u64],
    runs: &'r [Run],
    /// The place of the first tag.
    first: u32,
    radius: u32,
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn windows<const RADIUS: u32>(tags: &[u32], runs: &Runs<'_>, found: &mut Vec<(u32, u32)>) {
    const REACH: usize = TAGS + WINDOW;
    let mut rest = tags;
    let mut at = 0;
    while let Some(reach) = rest.first_chunk::<REACH>() {
        let (own, _) = reach.as_chunks::<TAGS>();
        let own = load_tags(&own[0]);
        let mut least = _mm256_set1_epi8(-1);
        for distance in 1..=WINDOW {
            if let Some(others) = reach[distance..].first_chunk::<TAGS>() {
                let mut difference = _mm256_xor_si256(own, load_tags(others));
                for _ in 0..RADIUS {
                    let less = _mm256_add_epi32(difference, _mm256_set1_epi32(-1));
                    difference = _mm256_and_si256(difference, less);
                }
                least = _mm256_min_epu32(least, difference);
            }
        }
        let near = mask(_mm256_cmpeq_epi32(least, _mm256_setzero_si256()));
        if near != 0 {
            runs.look_closer(runs.first + at, near, found);
        }
        rest = &rest[TAGS..];
        at += TAGS as u32;
    }
}

impl Runs<'_> {
    /// The near pairs of the words from `start` on that have a one in `near`, with what is in their windows.
    fn look_closer(&self, start: u32, mut near: u32, found: &mut Vec<(u32, u32)>) {
        while near != 0 {
            let a = start + near.trailing_zeros();
            near &= near - 1;
            let window = a as usize + 1..(a as usize + WINDOW + 1).min(self.words.len());
            for b in window {
                if (self.words[a as usize] ^ self.words[b]).count_ones() <= self.radius
                    && self.is_in_one_run(a, b as u32)
                {
                    found.push((a, b as u32));
                }
            }
        }
    }

    /// Whether two places, the smaller first, are in the same short run. Asked last, because runs are searched for.
    fn is_in_one_run(&self, a: u32, b: u32) -> bool {
        let at_or_before = self.runs.partition_point(|run| run.start <= a);
        let run = at_or_before.checked_sub(1).map(|number| self.runs[number]);
        run.is_some_and(|run| b < run.end && run.len() <= LONGEST)
    }
}
