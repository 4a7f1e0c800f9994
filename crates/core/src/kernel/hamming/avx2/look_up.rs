//! Runs of tags and of words.
//!
//! Runs are short and of any length, so a loop that ends with the run would mispredict for nearly
//! every one. Tags are therefore compared in steps of four registers; the last ones are aligned
//! with the end of the run and may overlap others.

use std::arch::x86_64::*;

use super::tags::beyond_one;
use super::{CLEARED, LANES, TAGS, TOGETHER, bytes, load_words, mask, ones};
use crate::kernel::hamming::prefetch::Prefetcher;
use crate::kernel::hamming::{LookUp, Survivor};

/// See [`crate::kernel::Kernel::look_up`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(in crate::kernel::hamming) fn look_up_words(
    words: &[u64],
    look_ups: &[LookUp<u64>],
    survivors: &mut Vec<Survivor>,
) {
    let mut prefetcher = Prefetcher::new(words, look_ups);
    for (number, wanted) in look_ups.iter().enumerate() {
        prefetcher.prefetch_next();
        let run = &words[wanted.start as usize..wanted.end as usize];
        let word = _mm256_set1_epi64x(wanted.word.cast_signed());
        let limit = _mm256_set1_epi64x(i64::from(wanted.radius));
        let (parts, rest) = run.as_chunks::<LANES>();
        for (part, first) in parts.iter().zip((wanted.start..).step_by(LANES)) {
            let counts = ones(_mm256_xor_si256(load_words(part), word));
            let far = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(counts, limit)));
            push_survivors(!far as u32 & 0xf, number, first, survivors);
        }
        let first = wanted.end - rest.len() as u32;
        for (word, position) in rest.iter().zip(first..) {
            if (word ^ wanted.word).count_ones() <= wanted.radius {
                survivors.push(Survivor { look_up: number as u32, position });
            }
        }
    }
}

/// See [`crate::kernel::Kernel::look_up`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(in crate::kernel::hamming) fn look_up_tags(
    tags: &[u32],
    look_ups: &[LookUp<u32>],
    survivors: &mut Vec<Survivor>,
) {
    let mut prefetcher = Prefetcher::new(tags, look_ups);
    for (number, wanted) in look_ups.iter().enumerate() {
        prefetcher.prefetch_next();
        match wanted.radius {
            0 => look_up_cleared::<0>(tags, wanted, number, survivors),
            1 => look_up_cleared::<1>(tags, wanted, number, survivors),
            2 => look_up_cleared::<2>(tags, wanted, number, survivors),
            CLEARED => look_up_cleared::<CLEARED>(tags, wanted, number, survivors),
            radius => {
                let limit = _mm256_set1_epi32(radius.min(32).cast_signed());
                look_up_with(tags, wanted, number, survivors, |difference| {
                    let pairs = _mm256_maddubs_epi16(bytes(difference), _mm256_set1_epi8(1));
                    let counts = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
                    _mm256_xor_si256(_mm256_cmpgt_epi32(counts, limit), _mm256_set1_epi8(-1))
                });
            }
        }
    }
}

/// Compares one run by clearing bits: of whole tags if they may differ in at most one bit, else of
/// their halves (see `tags`).
#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn look_up_cleared<const RADIUS: u32>(
    tags: &[u32],
    wanted: &LookUp<u32>,
    number: usize,
    survivors: &mut Vec<Survivor>,
) {
    let (start, end) = (wanted.start as usize, wanted.end as usize);
    let run = &tags[start..end];
    // The last register of the run. If the run is shorter than a register, it reaches beyond the
    // run.
    let last = end.saturating_sub(TAGS).max(start);
    if last + TAGS > tags.len() {
        return push_near::<RADIUS>(run, wanted, number, wanted.start, survivors);
    }
    let tag = _mm256_set1_epi32(wanted.word.cast_signed());
    let (steps, rest) = run.as_chunks::<{ TAGS * TOGETHER }>();
    let mut first = wanted.start;
    for step in steps {
        let (parts, _) = step.as_chunks::<TAGS>();
        let registers =
            [load_tags(&parts[0]), load_tags(&parts[1]), load_tags(&parts[2]), load_tags(&parts[3])];
        if may_be_near::<RADIUS>(registers, tag) {
            push_near::<RADIUS>(step, wanted, number, first, survivors);
        }
        first += step.len() as u32;
    }
    if !rest.is_empty() {
        let mut registers = [_mm256_setzero_si256(); TOGETHER];
        for (part, register) in registers.iter_mut().enumerate() {
            let place = (end - rest.len() + part * TAGS).min(last);
            // SAFETY: `last` and the seven tags behind it are in the array (checked above), and
            // `place` is no later.
            *register = unsafe { _mm256_loadu_si256(tags.as_ptr().add(place).cast()) };
        }
        if may_be_near::<RADIUS>(registers, tag) {
            push_near::<RADIUS>(rest, wanted, number, first, survivors);
        }
    }
}

/// Whether a tag may be within the radius; never false if one is.
#[inline]
#[target_feature(enable = "avx2")]
fn may_be_near<const RADIUS: u32>(registers: [__m256i; TOGETHER], tag: __m256i) -> bool {
    let mut least = _mm256_set1_epi8(-1);
    for tags in registers {
        least = if RADIUS > 1 {
            _mm256_min_epu16(least, beyond_one(tags, tag))
        } else {
            let difference = _mm256_xor_si256(tags, tag);
            let cleared = _mm256_and_si256(difference, _mm256_add_epi32(difference, _mm256_set1_epi32(-1)));
            _mm256_min_epu32(least, if RADIUS == 1 { cleared } else { difference })
        };
    }
    let zero = _mm256_setzero_si256();
    let near = if RADIUS > 1 { _mm256_cmpeq_epi16(least, zero) } else { _mm256_cmpeq_epi32(least, zero) };
    _mm256_movemask_epi8(near) != 0
}

/// Appends the tags of a run, or of a part that begins at `first`, that are within the radius.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn push_near<const RADIUS: u32>(
    run: &[u32],
    wanted: &LookUp<u32>,
    number: usize,
    mut first: u32,
    survivors: &mut Vec<Survivor>,
) {
    let tag = _mm256_set1_epi32(wanted.word.cast_signed());
    let (parts, rest) = run.as_chunks::<TAGS>();
    for part in parts {
        let mut left = _mm256_xor_si256(load_tags(part), tag);
        for _ in 0..RADIUS {
            left = _mm256_and_si256(left, _mm256_add_epi32(left, _mm256_set1_epi32(-1)));
        }
        let near = mask(_mm256_cmpeq_epi32(left, _mm256_setzero_si256()));
        push_survivors(near, number, first, survivors);
        first += TAGS as u32;
    }
    push_one_by_one(rest, wanted, number, first, survivors);
}

#[inline]
#[target_feature(enable = "popcnt")]
fn push_one_by_one(
    run: &[u32],
    wanted: &LookUp<u32>,
    number: usize,
    first: u32,
    survivors: &mut Vec<Survivor>,
) {
    for (tag, position) in run.iter().zip(first..) {
        if (tag ^ wanted.word).count_ones() <= wanted.radius {
            survivors.push(Survivor { look_up: number as u32, position });
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_tags(tags: &[u32; TAGS]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(tags.as_ptr().cast()) }
}

/// Compares one run; `is_near` sets the lanes whose difference is small enough.
#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn look_up_with(
    tags: &[u32],
    wanted: &LookUp<u32>,
    number: usize,
    survivors: &mut Vec<Survivor>,
    is_near: impl Fn(__m256i) -> __m256i,
) {
    let (start, end) = (wanted.start as usize, wanted.end as usize);
    let run = &tags[start..end];
    // The last register of the run. If the run is shorter than a register, it reaches beyond the
    // run.
    let last = end.saturating_sub(TAGS).max(start);
    if last + TAGS > tags.len() {
        return push_one_by_one(run, wanted, number, wanted.start, survivors);
    }
    let tag = _mm256_set1_epi32(wanted.word.cast_signed());
    for first in (start..end).step_by(TAGS * TOGETHER) {
        let mut near = [_mm256_setzero_si256(); TOGETHER];
        for (part, near) in near.iter_mut().enumerate() {
            let place = (first + part * TAGS).min(last);
            // SAFETY: `last` and the seven tags behind it are in the array (checked above), and
            // `place` is no later.
            let tags = unsafe { _mm256_loadu_si256(tags.as_ptr().add(place).cast()) };
            *near = is_near(_mm256_xor_si256(tags, tag));
        }
        let any = _mm256_or_si256(_mm256_or_si256(near[0], near[1]), _mm256_or_si256(near[2], near[3]));
        if _mm256_testz_si256(any, any) == 0 {
            for (part, near) in near.into_iter().enumerate() {
                let wanted = first + part * TAGS;
                let place = wanted.min(last);
                // Only the tags behind the previous register and inside the run.
                let behind = 0xff_u32.checked_shl((wanted - place) as u32).unwrap_or(0);
                let inside = 0xff_u32.checked_shr((place + TAGS).saturating_sub(end) as u32).unwrap_or(0);
                push_survivors(mask(near) & behind & inside, number, place as u32, survivors);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn push_survivors(mut near: u32, number: usize, first: u32, survivors: &mut Vec<Survivor>) {
    while near != 0 {
        survivors.push(Survivor { look_up: number as u32, position: first + near.trailing_zeros() });
        near &= near - 1;
    }
}
