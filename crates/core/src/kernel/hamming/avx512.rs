//! x86-64 with AVX-512: lane-wise population count, sixteen tags or eight fingerprints per
//! register, and masks for the ends of runs.

use std::arch::x86_64::*;

use super::prefetch::Prefetcher;
use super::slices::{self, Slices};
use super::{LookUp, Nearness, Run, Survivor};
use crate::kernel::bits::avx512::FourByThree;

/// Fingerprints in a register.
const LANES: usize = 8;

/// Tags in a register.
const TAGS: usize = 16;

/// Registers tested together: the test nearly always fails, so that all of them share one branch.
const TOGETHER: usize = 4;

/// See [`super::Kernel::within_slices`].
#[target_feature(enable = "avx512f,avx512vl,popcnt,bmi1")]
pub(super) fn within_slices(slices: &Slices, query: u64, radius: u32, found: &mut Vec<u32>) {
    slices::within::<FourByThree, 4>(slices, query, radius, found);
}

/// See [`super::Kernel::within`].
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,bmi1")]
pub(super) fn within(words: &[u64], query: u64, radius: u32, found: &mut Vec<u32>) {
    scan(words, query, radius, |place| found.push(place));
}

/// See [`super::Kernel::near_pairs`]. No tags: comparing eight whole words takes as long as
/// comparing sixteen tags and checking the survivors.
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,bmi1")]
pub(super) fn near_pairs(words: &[u64], runs: &[Run], near: &Nearness, found: &mut Vec<(u32, u32)>) {
    for run in runs {
        let mut later = &words[run.start as usize..run.end as usize];
        let mut first = run.start;
        while let Some((&word, rest)) = later.split_first() {
            scan(rest, word, near.radius, |place| {
                if near.is_near(word, rest[place as usize]) {
                    found.push((first, first + 1 + place));
                }
            });
            (later, first) = (rest, first + 1);
        }
    }
}

/// Calls for the place of each word within the radius, ascending.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,bmi1")]
fn scan(words: &[u64], query: u64, radius: u32, mut push: impl FnMut(u32)) {
    let wanted = _mm512_set1_epi64(query.cast_signed());
    let limit = _mm512_set1_epi64(i64::from(radius));
    let (vectors, _) = words.as_chunks::<LANES>();
    let (groups, _) = vectors.as_chunks::<TOGETHER>();
    for (group, first) in groups.iter().zip((0..).step_by(LANES * TOGETHER)) {
        let [a, b, c, d] = group;
        // A distance fits the lowest byte, so the least bytes of lanes are the least lanes.
        let least = _mm512_min_epu8(
            _mm512_min_epu8(distances(a, wanted), distances(b, wanted)),
            _mm512_min_epu8(distances(c, wanted), distances(d, wanted)),
        );
        if _mm512_cmple_epu64_mask(least, limit) != 0 {
            for_each_place(near_of_group(group, wanted, limit), |place| push(first + place));
        }
    }
    let done = groups.len() * LANES * TOGETHER;
    for (part, first) in words[done..].chunks(LANES).zip((done as u32..).step_by(LANES)) {
        let near = _mm512_mask_cmple_epu64_mask(first_words(part.len()), distances(part, wanted), limit);
        for_each_place(near.into(), |place| push(first + place));
    }
}

/// Which words of a group are near. Recomputes the distances: keeping them in registers for this
/// rare case would slow down the common one.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn near_of_group(group: &[[u64; LANES]; TOGETHER], wanted: __m512i, limit: __m512i) -> u32 {
    let mut near = 0;
    for part in group.iter().rev() {
        near = near << LANES | u32::from(_mm512_cmple_epu64_mask(distances(part, wanted), limit));
    }
    near
}

/// The distances of up to a register of words.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn distances(words: &[u64], wanted: __m512i) -> __m512i {
    _mm512_popcnt_epi64(_mm512_xor_si512(load_words(words), wanted))
}

/// See [`super::Kernel::look_up`].
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1")]
pub(super) fn look_up_words(words: &[u64], look_ups: &[LookUp<u64>], survivors: &mut Vec<Survivor>) {
    let mut prefetcher = Prefetcher::new(words, look_ups);
    for (wanted, look_up) in look_ups.iter().zip(0..) {
        prefetcher.prefetch_next();
        let run = &words[wanted.start as usize..wanted.end as usize];
        let word = _mm512_set1_epi64(wanted.word.cast_signed());
        let limit = _mm512_set1_epi64(i64::from(wanted.radius));
        for (part, first) in run.chunks(LANES).zip((wanted.start..).step_by(LANES)) {
            let near = _mm512_mask_cmple_epu64_mask(first_words(part.len()), distances(part, word), limit);
            for_each_place(near.into(), |place| {
                survivors.push(Survivor { look_up, position: first + place });
            });
        }
    }
}

/// See [`super::Kernel::look_up`].
#[target_feature(enable = "avx512f,avx512vpopcntdq,bmi1")]
pub(super) fn look_up_tags(tags: &[u32], look_ups: &[LookUp<u32>], survivors: &mut Vec<Survivor>) {
    let mut prefetcher = Prefetcher::new(tags, look_ups);
    for (wanted, look_up) in look_ups.iter().zip(0..) {
        prefetcher.prefetch_next();
        let run = &tags[wanted.start as usize..wanted.end as usize];
        let tag = _mm512_set1_epi32(wanted.word.cast_signed());
        let limit = _mm512_set1_epi32(wanted.radius.cast_signed());
        for (part, first) in run.chunks(TAGS).zip((wanted.start..).step_by(TAGS)) {
            let distances = _mm512_popcnt_epi32(_mm512_xor_si512(load_tags(part), tag));
            let near = _mm512_mask_cmple_epu32_mask(first_tags(part.len()), distances, limit);
            for_each_place(near.into(), |place| {
                survivors.push(Survivor { look_up, position: first + place })
            });
        }
    }
}

/// Calls for the place of each one, ascending.
#[inline]
#[target_feature(enable = "bmi1")]
fn for_each_place(mut near: u32, mut each: impl FnMut(u32)) {
    while near != 0 {
        each(near.trailing_zeros());
        near &= near - 1;
    }
}

/// The mask of the first lanes; at most all of them.
#[inline]
fn first_words(count: usize) -> __mmask8 {
    !0 >> (LANES - count)
}

/// The mask of the first lanes; at most all of them.
#[inline]
fn first_tags(count: usize) -> __mmask16 {
    !0 >> (TAGS - count)
}

/// Up to a register of words, zeros behind them.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_words(words: &[u64]) -> __m512i {
    // SAFETY: masked lanes are not read; `first_words` would overflow for more words than lanes.
    unsafe { _mm512_maskz_loadu_epi64(first_words(words.len()), words.as_ptr().cast()) }
}

/// Up to a register of tags, zeros behind them.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_tags(tags: &[u32]) -> __m512i {
    // SAFETY: masked lanes are not read; `first_tags` would overflow for more tags than lanes.
    unsafe { _mm512_maskz_loadu_epi32(first_tags(tags.len()), tags.as_ptr().cast()) }
}
