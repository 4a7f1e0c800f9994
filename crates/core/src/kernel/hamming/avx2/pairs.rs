//! The words of a run with each other, by nibbles.
//!
//! A table of sixteen bytes that a shuffle reads answers for 32 words at a time: how many bits of this nibble differ from the
//! query's? Added over the first nibbles of all words, it is the part of the distance that decides for nearly all:
//!
//! ```text
//! plane p = nibble p of 32 words, a byte each
//! for each word:  for each 32 words behind it:
//!     sum = table[its nibble 0][plane 0] + table[its nibble 1][plane 1] + ..       (as many as are enough)
//!     where sum <= radius:  the whole words are compared
//! ```
//!
//! The first table is raised so that a sum beyond the radius has its sign bit set, and one instruction asks for it.
//!
//! Tried and dropped: 32-bit tags, eight to a register, a population count by clearing bits: half as fast (4.5 against 9.4
//! G pairs/s in runs of 128).

use std::arch::x86_64::*;

use super::transpose::{GROUP, HALF_BYTES, byte_planes};
use super::window;
use crate::kernel::hamming::slices::enough;
use crate::kernel::hamming::{Run, scalar};

/// Bits of a nibble.
const NIBBLE: u32 = 4;

/// For each nibble, how many bits each nibble differs from it in; twice, for both halves of a register.
#[repr(align(32))]
struct Differences([[u8; GROUP]; 16]);

static DIFFERENCES: Differences = Differences({
    let mut tables = [[0; GROUP]; 16];
    let mut place = 0;
    while place < 16 * GROUP {
        let (nibble, other) = (place / GROUP, place % 16);
        tables[nibble][place % GROUP] = (nibble ^ other).count_ones() as u8;
        place += 1;
    }
    tables
});

/// See [`crate::kernel::Kernel::near_pairs`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(in crate::kernel::hamming) fn near_pairs(
    words: &[u64],
    runs: &[Run],
    beside: u32,
    radius: u32,
    found: &mut Vec<(u32, u32)>,
) {
    match enough(radius) {
        24 => near::<6>(words, runs, beside, radius, found),
        40 => near::<10>(words, runs, beside, radius, found),
        56 => near::<14>(words, runs, beside, radius, found),
        _ => near::<16>(words, runs, beside, radius, found),
    }
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn near<const PLANES: usize>(
    words: &[u64],
    runs: &[Run],
    beside: u32,
    radius: u32,
    found: &mut Vec<(u32, u32)>,
) {
    // Short runs do not fill registers: they are compared across their bounds, or word by word.
    let short_are_done = window::near_in_short_runs(words, runs, beside, radius, found);
    let (mut rotated, mut groups) = (vec![], vec![]);
    for run in runs {
        if run.len() <= window::LONGEST {
            if !short_are_done {
                scalar::near_pairs(words, std::slice::from_ref(run), radius, found);
            }
            continue;
        }
        // The deciding bits first; filled up to whole groups with words that are never reported.
        rotated.clear();
        rotated
            .extend(words[run.start as usize..run.end as usize].iter().map(|word| word.rotate_right(beside)));
        rotated.resize(run.len().next_multiple_of(GROUP), 0);
        groups.clear();
        for words in rotated.as_chunks::<GROUP>().0 {
            groups.push(planes_of::<PLANES>(words));
        }
        near_groups(&rotated, run, &groups, radius, found);
    }
}

/// The first nibbles of 32 words.
#[inline]
#[target_feature(enable = "avx2")]
fn planes_of<const PLANES: usize>(words: &[u64; GROUP]) -> [[u8; GROUP]; PLANES] {
    let nibble = _mm256_set1_epi8(0xf);
    let mut planes = [[0; GROUP]; PLANES];
    for (half, planes) in planes.chunks_mut(2 * HALF_BYTES).enumerate() {
        let bytes = byte_planes(words, half);
        for (place, plane) in planes.iter_mut().enumerate() {
            let byte = bytes[place / 2];
            let nibbles = if place % 2 == 0 { byte } else { _mm256_srli_epi16::<{ NIBBLE as i32 }>(byte) };
            store(plane, _mm256_and_si256(nibbles, nibble));
        }
    }
    planes
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
#[expect(clippy::needless_range_loop, reason = "with iterators the tables do not stay in registers")]
fn near_groups<const PLANES: usize>(
    rotated: &[u64],
    run: &Run,
    groups: &[[[u8; GROUP]; PLANES]],
    radius: u32,
    found: &mut Vec<(u32, u32)>,
) {
    // What lifts the first sum beyond the radius to the first negative byte.
    let raise = _mm256_set1_epi8((i8::MAX as u32 - radius.min(u64::BITS)) as i8);
    let words = &rotated[..run.len()];
    // Hits are gathered: a call in the innermost loop would send the tables to memory and back.
    let mut hits = vec![(0, 0); groups.len()];
    for (a, &word) in words.iter().enumerate() {
        let mut tables = [_mm256_setzero_si256(); PLANES];
        for plane in 0..PLANES {
            tables[plane] = load(&DIFFERENCES.0[(word >> (NIBBLE * plane as u32)) as usize & 0xf]);
        }
        tables[0] = _mm256_add_epi8(tables[0], raise);
        // Of its own group, those behind it.
        let mut behind = (u32::MAX << (a % GROUP)) << 1;
        let mut count = 0;
        for (group, first) in groups[a / GROUP..].iter().zip((a / GROUP * GROUP..).step_by(GROUP)) {
            let mut sums = _mm256_setzero_si256();
            for plane in 0..PLANES {
                sums = _mm256_add_epi8(sums, _mm256_shuffle_epi8(tables[plane], load(&group[plane])));
            }
            let near = !_mm256_movemask_epi8(sums).cast_unsigned() & behind;
            behind = u32::MAX;
            if near != 0 {
                hits[count] = (first, near);
                count += 1;
            }
        }
        for &(first, mut near) in &hits[..count] {
            while near != 0 {
                let b = first + near.trailing_zeros() as usize;
                near &= near - 1;
                if b < words.len() && (word ^ words[b]).count_ones() <= radius {
                    found.push((run.start + a as u32, run.start + b as u32));
                }
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; GROUP]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(bytes: &mut [u8; GROUP], register: __m256i) {
    // SAFETY: the array has the 32 bytes that are written; the store needs no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), register) }
}
