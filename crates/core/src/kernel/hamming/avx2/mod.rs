//! x86-64 with AVX2: eight tags or four fingerprints in a register.
//!
//! There is no vector population count. For a radius of at most three, clearing the lowest set bit
//! and testing for zero is shorter than counting (`tags`); otherwise the counts of nibbles are
//! looked up and added.

mod lines;
mod look_up;
mod pairs;
mod tags;
mod transpose;
mod window;

use std::arch::x86_64::*;

use super::nibbles;
use super::slices::{self, Slices};
use crate::kernel::bits::avx2::Four;

pub(super) use lines::look_up_lines;
pub(super) use look_up::{look_up_tags, look_up_words};
pub(super) use pairs::near_pairs;
pub(super) use transpose::slice;

/// Radii up to this are tested by clearing bits.
const CLEARED: u32 = tags::MOST;

/// One register of 64-bit words.
const LANES: usize = 4;

/// Tags in a register.
const TAGS: usize = 8;

/// Registers tested together: the test nearly always fails, so that all of them share one branch.
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
