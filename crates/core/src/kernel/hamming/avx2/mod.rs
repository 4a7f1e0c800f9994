//! x86-64 with AVX2: eight tags or four fingerprints in a register.
//!
//! There is no vector population count. Where the radius is at most three, clearing the lowest one bit as often and asking
//! for zero is shorter than counting (`x & (x - 1)`, two instructions a bit); else the nibbles are looked up and added.

mod pairs;
mod transpose;
mod window;

use std::arch::x86_64::*;

use super::nibbles;
use super::slices::{self, Slices};
use super::{LookUp, Survivor};
use crate::kernel::bits::avx2::Four;

pub(super) use pairs::near_pairs;
pub(super) use transpose::slice;

/// Radii up to this are tested by clearing bits.
const CLEARED: u32 = 3;

/// One register of 64-bit words.
const LANES: usize = 4;

/// Tags in a register.
const TAGS: usize = 8;

/// Registers that are tested together: a test that nearly always fails is worth one branch for all of them.
const TOGETHER: usize = 4;

/// See [`super::Kernel::within_slices`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(super) fn within_slices(slices: &Slices, query: u64, radius: u32, found: &mut Vec<u32>) {
    slices::within::<Four, LANES>(slices, query, radius, found);
}

/// See [`super::Kernel::each_within_slices`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(super) fn each_within_slices(slices: &Slices, queries: &[u64], radius: u32, found: &mut Vec<(u32, u32)>) {
    nibbles::each_within::<Four, LANES>(slices, queries, radius, found);
}

/// See [`super::Kernel::within`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(super) fn within(words: &[u64], query: u64, radius: u32, found: &mut Vec<u32>) {
    let wanted = _mm256_set1_epi64x(query.cast_signed());
    let limit = _mm256_set1_epi64x(i64::from(radius));
    let (groups, _) = words.as_chunks::<{ LANES * TOGETHER }>();
    for (number, group) in groups.iter().enumerate() {
        let (parts, _) = group.as_chunks::<LANES>();
        let mut far = _mm256_set1_epi8(-1);
        for part in parts {
            far = _mm256_and_si256(
                far,
                _mm256_cmpgt_epi64(ones(_mm256_xor_si256(load_words(part), wanted)), limit),
            );
        }
        if _mm256_movemask_epi8(far) != -1 {
            let first = number * LANES * TOGETHER;
            push_near(group, query, radius, first, found);
        }
    }
    let done = groups.len() * LANES * TOGETHER;
    push_near(&words[done..], query, radius, done, found);
}

#[target_feature(enable = "avx2,popcnt,bmi1")]
fn push_near(words: &[u64], query: u64, radius: u32, first: usize, found: &mut Vec<u32>) {
    for (place, word) in words.iter().enumerate() {
        if (word ^ query).count_ones() <= radius {
            found.push((first + place) as u32);
        }
    }
}

/// See [`super::Kernel::look_up`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(super) fn look_up_words(words: &[u64], look_ups: &[LookUp<u64>], survivors: &mut Vec<Survivor>) {
    for (number, wanted) in look_ups.iter().enumerate() {
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

/// See [`super::Kernel::look_up`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(super) fn look_up_tags(tags: &[u32], look_ups: &[LookUp<u32>], survivors: &mut Vec<Survivor>) {
    for (number, wanted) in look_ups.iter().enumerate() {
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

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn look_up_cleared<const RADIUS: u32>(
    tags: &[u32],
    wanted: &LookUp<u32>,
    number: usize,
    survivors: &mut Vec<Survivor>,
) {
    look_up_with(tags, wanted, number, survivors, |difference| {
        let mut rest = difference;
        for _ in 0..RADIUS {
            rest = _mm256_and_si256(rest, _mm256_add_epi32(rest, _mm256_set1_epi32(-1)));
        }
        _mm256_cmpeq_epi32(rest, _mm256_setzero_si256())
    });
}

/// Looks at one run; `is_near` gives ones in the lanes whose difference is near enough.
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
    let tag = _mm256_set1_epi32(wanted.word.cast_signed());
    let near = |part: &[u32; TAGS]| is_near(_mm256_xor_si256(load_tags(part), tag));

    let (groups, rest) = run.as_chunks::<{ TAGS * TOGETHER }>();
    for (group, first) in groups.iter().zip((wanted.start..).step_by(TAGS * TOGETHER)) {
        let (parts, _) = group.as_chunks::<TAGS>();
        let mut any = _mm256_setzero_si256();
        for part in parts {
            any = _mm256_or_si256(any, near(part));
        }
        if _mm256_testz_si256(any, any) == 0 {
            for (part, first) in parts.iter().zip((first..).step_by(TAGS)) {
                push_survivors(mask(near(part)), number, first, survivors);
            }
        }
    }
    // What is left is shorter than a group. The last register may reach beyond the run: its lanes there do not count. Only
    // at the very end of the array there is nothing to read, and words are taken one by one.
    let mut at = end - rest.len();
    while at < end {
        let left = end - at;
        if let Some(part) = tags[at..].first_chunk::<TAGS>() {
            let inside = if left >= TAGS { 0xff } else { (1 << left) - 1 };
            push_survivors(mask(near(part)) & inside, number, at as u32, survivors);
        } else {
            for (tag, position) in tags[at..end].iter().zip(at as u32..) {
                if (tag ^ wanted.word).count_ones() <= wanted.radius {
                    survivors.push(Survivor { look_up: number as u32, position });
                }
            }
        }
        at += TAGS;
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

#[inline]
#[target_feature(enable = "avx2")]
fn mask(lanes: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)).cast_unsigned()
}

/// The number of ones in each byte: two look-ups in a table of sixteen.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(words: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let nibble = _mm256_set1_epi8(0xf);
    let low = _mm256_shuffle_epi8(table, _mm256_and_si256(words, nibble));
    let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(words), nibble));
    _mm256_add_epi8(low, high)
}

/// The number of ones in each 64-bit word.
#[inline]
#[target_feature(enable = "avx2")]
fn ones(words: __m256i) -> __m256i {
    _mm256_sad_epu8(bytes(words), _mm256_setzero_si256())
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_words(words: &[u64; LANES]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_tags(tags: &[u32; TAGS]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(tags.as_ptr().cast()) }
}
