//! The portable loops. Other kernels compile some of them for their instructions.

use super::BitmapWords;
use crate::hash;

/// Shingles filtered at once before the survivors are appended.
const TOGETHER: usize = 64;

/// See [`Kernel::shingles_up_to`](super::Kernel::shingles_up_to).
///
/// Every hash is written, and the position advances only past a small one. A branch would
/// mispredict for each of these, and discard the products of ten shingles already under way.
#[inline(always)]
pub(super) fn shingles_up_to<const SIZE: usize>(words: &[u64], limit: u64, found: &mut Vec<u64>) {
    let mut rest = words;
    while rest.len() >= SIZE {
        let mut small = [0; TOGETHER];
        let mut count = 0;
        for window in rest.array_windows::<SIZE>().take(TOGETHER) {
            let hash = shingle(window);
            small[count % TOGETHER] = hash;
            count += usize::from(hash <= limit);
        }
        found.extend_from_slice(&small[..count]);
        rest = rest.get(TOGETHER..).unwrap_or_default();
    }
}

/// The hash of a shingle: of a single word, the word's own.
#[inline(always)]
pub(super) fn shingle<const SIZE: usize>(words: &[u64; SIZE]) -> u64 {
    if SIZE == 1 { words[0] } else { hash::shingle(*words) }
}

/// Merge steps between two tests for an early exit.
const ABORT_STRIDE: usize = 16;

/// See [`Kernel::common_at_least`](super::Kernel::common_at_least).
pub(super) fn common_at_least(a: &[u64], b: &[u64], least: usize) -> Option<usize> {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        // What is left of either list bounds what can still be found.
        if count + (a.len() - i).min(b.len() - j) < least {
            return None;
        }
        let (a_end, b_end) = (a.len().min(i + ABORT_STRIDE), b.len().min(j + ABORT_STRIDE));
        while i < a_end && j < b_end {
            // No branch on the comparison: its outcome is a coin toss that no predictor learns.
            let (x, y) = (a[i], b[j]);
            count += usize::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
    }
    (count >= least).then_some(count)
}

/// The article's fast abort, one value after the other: see [`super::common_by_blocks`].
pub(super) fn common_within(a: &[u32], b: &[u32], most_unshared: usize) -> Option<usize> {
    let (mut i, mut j, mut count, mut unshared) = (0, 0, 0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            (i, j, count) = (i + 1, j + 1, count + 1);
            continue;
        }
        if a[i] < b[j] {
            i += 1
        } else {
            j += 1
        }
        unshared += 1;
        if unshared > most_unshared {
            return None;
        }
    }
    within(a.len(), b.len(), count, most_unshared)
}

/// What is left of one list when the other has ended is unshared too.
#[inline(always)]
pub(super) fn within(a: usize, b: usize, count: usize, most_unshared: usize) -> Option<usize> {
    (a + b - 2 * count <= most_unshared).then_some(count)
}

/// See [`Kernel::screen`](super::Kernel::screen).
#[inline(always)]
pub(super) fn screen(query: &BitmapWords, bitmaps: &[BitmapWords], most_missing: u32, passed: &mut Vec<u32>) {
    for (position, bitmap) in bitmaps.iter().enumerate() {
        screen_one(query, bitmap, position, most_missing, passed);
    }
}

/// One bitmap of a screen.
#[inline(always)]
pub(super) fn screen_one(
    query: &BitmapWords,
    bitmap: &BitmapWords,
    position: usize,
    most_missing: u32,
    passed: &mut Vec<u32>,
) {
    let missing: u32 = query.iter().zip(bitmap).map(|(mine, theirs)| (mine & !theirs).count_ones()).sum();
    if missing <= most_missing {
        passed.push(position as u32);
    }
}
