//! Tags: sixteen of the deciding bits of a word, or twice sixteen.
//!
//! If two words differ in at most one of sixteen bits, clearing the lowest set bit of the
//! difference leaves zero (`x & (x - 1)`). If they differ in at most three of 32 bits, that holds
//! for at least one half. So the same four instructions on 16-bit lanes filter candidates:
//!
//! ```text
//! for each register of tags:                                     (16 words, or 8 of two halves)
//!     with each register behind it:  each of its tags, repeated
//!         difference = tags ^ tag;   least = min(least, difference & (difference - 1))
//!     with itself:  the register that begins d tags later, for each d
//! words with a lane of zero are compared in full with those behind them
//! ```
//!
//! Tried and dropped, at half the speed: tags of 32 bits cleared three times; nibbles looked up and
//! added.

use std::arch::x86_64::*;

use crate::kernel::hamming::{Nearness, Run};

/// The largest number of differing deciding bits that tags of two halves can test.
pub(super) const MOST: u32 = 3;

/// The same for tags of one half.
pub(super) const MOST_OF_ONE: u32 = 1;

/// Halves in a register.
pub(super) const HALVES_TOGETHER: usize = 16;

/// Tags compared with a register before the next one is loaded.
const TAGS_TOGETHER: usize = 4;

/// The tags of words, then two registers of zeros, because windows begin up to the last tag.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn take<const HALVES: usize>(words: &[u64], deciding: u64) -> Vec<u16> {
    let mut tags = vec![0; words.len() * HALVES + 2 * HALVES_TOGETHER];
    let shift = deciding.trailing_zeros();
    let mask = deciding.checked_shr(shift).unwrap_or(0);
    let places = tags.as_chunks_mut::<HALVES>().0.iter_mut().zip(words);
    if mask & mask.wrapping_add(1) == 0 {
        // Contiguous bits, as in blocks: vectorised.
        for (tag, &word) in places {
            *tag = halves(word.checked_shr(shift).unwrap_or(0) & mask);
        }
    } else {
        for (tag, &word) in places {
            *tag = halves(_pext_u64(word, deciding));
        }
    }
    tags
}

/// The halves of a tag.
#[inline(always)]
fn halves<const HALVES: usize>(bits: u64) -> [u16; HALVES] {
    let mut halves = [0; HALVES];
    for (half, number) in halves.iter_mut().zip(0..) {
        *half = (bits >> (16 * number)) as u16;
    }
    halves
}

/// The differences without the lowest set bit of each lane: zero if at most one bit differs.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn beyond_one(a: __m256i, b: __m256i) -> __m256i {
    let difference = _mm256_xor_si256(a, b);
    _mm256_and_si256(difference, _mm256_add_epi16(difference, _mm256_set1_epi16(-1)))
}

/// Which of the tags of a register have a lane of zero.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn near_places<const HALVES: usize>(lanes: __m256i) -> u32 {
    let zero = _mm256_cmpeq_epi16(lanes, _mm256_setzero_si256());
    let bytes = _mm256_movemask_epi8(zero).cast_unsigned();
    if HALVES == 1 { _pext_u32(bytes, 0x5555_5555) } else { _pext_u32(bytes | bytes >> 2, 0x1111_1111) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(tags: &[u16; HALVES_TOGETHER]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(tags.as_ptr().cast()) }
}

/// Appends the near pairs of a run; `tags` are those of its words, and more.
#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
pub(super) fn near_in_run<const HALVES: usize>(
    words: &[u64],
    run: &Run,
    tags: &[u16],
    near: &Nearness,
    found: &mut Vec<(u32, u32)>,
) {
    let words = &words[run.start as usize..run.end as usize];
    let registers =
        &tags.as_chunks::<HALVES_TOGETHER>().0[..(HALVES * words.len()).div_ceil(HALVES_TOGETHER)];
    for (number, own) in registers.iter().enumerate() {
        let first = number * HALVES_TOGETHER / HALVES;
        let mut places = near_in_register::<HALVES>(&tags[number * HALVES_TOGETHER..]);
        for part in (0..HALVES_TOGETHER / HALVES).step_by(TAGS_TOGETHER) {
            places |= near_behind::<HALVES>(own, part, &registers[number + 1..]) << part;
        }
        while places != 0 {
            let a = first + places.trailing_zeros() as usize;
            places &= places - 1;
            look_closer::<HALVES>(words, tags, a, near, |b| {
                found.push((run.start + a as u32, run.start + b as u32));
            });
        }
    }
}

/// Which tags of the first register may be near to one that begins less than a register later.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn near_in_register<const HALVES: usize>(tags: &[u16]) -> u32 {
    let mut least = _mm256_set1_epi8(-1);
    if let Some(window) = tags.first_chunk::<{ 2 * HALVES_TOGETHER }>() {
        let own = load(&window.as_chunks().0[0]);
        for distance in 1..HALVES_TOGETHER / HALVES {
            if let Some(others) = window[HALVES * distance..].first_chunk() {
                least = _mm256_min_epu16(least, beyond_one(own, load(others)));
            }
        }
    }
    near_places::<HALVES>(least)
}

/// Which of `TAGS_TOGETHER` tags of a register, from `part` on, may be near to one in later
/// registers.
#[inline]
#[target_feature(enable = "avx2")]
fn near_behind<const HALVES: usize>(
    own: &[u16; HALVES_TOGETHER],
    part: usize,
    others: &[[u16; HALVES_TOGETHER]],
) -> u32 {
    let mut tags = [_mm256_setzero_si256(); TAGS_TOGETHER];
    for (number, tag) in tags.iter_mut().enumerate() {
        *tag = repeated::<HALVES>(own, part + number);
    }
    let mut least = [_mm256_set1_epi8(-1); TAGS_TOGETHER];
    for others in others {
        let others = load(others);
        for (least, tag) in least.iter_mut().zip(tags) {
            *least = _mm256_min_epu16(*least, beyond_one(tag, others));
        }
    }
    let mut places = 0;
    for (number, least) in least.into_iter().enumerate() {
        let zero = _mm256_cmpeq_epi16(least, _mm256_setzero_si256());
        places |= u32::from(_mm256_movemask_epi8(zero) != 0) << number;
    }
    places
}

/// A register filled with one tag.
#[inline]
#[target_feature(enable = "avx2")]
fn repeated<const HALVES: usize>(tags: &[u16], place: usize) -> __m256i {
    if HALVES == 1 {
        return _mm256_set1_epi16(tags[place].cast_signed());
    }
    let halves = u32::from(tags[2 * place]) | u32::from(tags[2 * place + 1]) << 16;
    _mm256_set1_epi32(halves.cast_signed())
}

/// Reports each word behind word `a` that is near to it. Outside the loop, because it is seldom
/// called.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
fn look_closer<const HALVES: usize>(
    words: &[u64],
    tags: &[u16],
    a: usize,
    near: &Nearness,
    mut push: impl FnMut(usize),
) {
    let tag = repeated::<HALVES>(tags, a);
    let behind = &tags[HALVES * (a + 1)..];
    for first in (a + 1..words.len()).step_by(HALVES_TOGETHER / HALVES) {
        let Some(others) = behind[HALVES * (first - a - 1)..].first_chunk() else { return };
        let mut places = near_places::<HALVES>(beyond_one(tag, load(others)));
        while places != 0 {
            let b = first + places.trailing_zeros() as usize;
            places &= places - 1;
            if b < words.len() && near.is_near(words[a], words[b]) {
                push(b);
            }
        }
    }
}
