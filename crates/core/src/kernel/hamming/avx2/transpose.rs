//! Transposes the bytes of many words, for nibbles and for bit slices.

use std::arch::x86_64::*;

use crate::kernel::hamming::slices::{Half, LENGTH};

/// Words whose bytes fill a register.
pub(super) const GROUP: usize = 32;

/// Bytes of half a word.
pub(super) const HALF_BYTES: usize = 4;

/// Register `b` holds byte `HALF_BYTES * half + b` of all words, in their order.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn byte_planes(words: &[u64; GROUP], half: usize) -> [__m256i; HALF_BYTES] {
    // The wanted bytes of two words, side by side, from each half of a register.
    let first = (HALF_BYTES * half) as i8;
    let pick = _mm256_add_epi8(
        _mm256_set1_epi8(first),
        _mm256_setr_epi8(
            0, 8, 1, 9, 2, 10, 3, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1, 9, 2, 10, 3, 11, 0, 0, 0, 0, 0, 0, 0,
            0,
        ),
    );
    // Loops, here and below: a closure over registers is not inlined into the functions of arrays.
    let (pairs, _) = words.as_chunks::<2>();
    let mut two = [_mm256_setzero_si256(); 8];
    for (number, register) in two.iter_mut().enumerate() {
        let (low, high) = (load_pair(&pairs[number]), load_pair(&pairs[number + 8]));
        let both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
        *register = _mm256_shuffle_epi8(both, pick);
    }
    let mut four = [_mm256_setzero_si256(); 4];
    for (number, register) in four.iter_mut().enumerate() {
        *register = _mm256_unpacklo_epi16(two[2 * number], two[2 * number + 1]);
    }
    let low = [_mm256_unpacklo_epi32(four[0], four[1]), _mm256_unpacklo_epi32(four[2], four[3])];
    let high = [_mm256_unpackhi_epi32(four[0], four[1]), _mm256_unpackhi_epi32(four[2], four[3])];
    [
        _mm256_unpacklo_epi64(low[0], low[1]),
        _mm256_unpackhi_epi64(low[0], low[1]),
        _mm256_unpacklo_epi64(high[0], high[1]),
        _mm256_unpackhi_epi64(high[0], high[1]),
    ]
}

/// See [`crate::kernel::Kernel::slice`]. Takes a nanosecond for two fingerprints, a tenth of a
/// transposition by halves, then quarters.
#[target_feature(enable = "avx2")]
pub(in crate::kernel::hamming) fn slice(
    fingerprints: &[u64; LENGTH],
    low: &mut Half,
    mut high: Option<&mut Half>,
) {
    let (groups, _) = fingerprints.as_chunks::<GROUP>();
    for (number, group) in groups.iter().enumerate() {
        slice_half(group, 0, number, low);
        if let Some(high) = high.as_deref_mut() {
            slice_half(group, 1, number, high);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn slice_half(group: &[u64; GROUP], half: usize, number: usize, rows: &mut Half) {
    let shift = number % 2 * GROUP;
    let planes = byte_planes(group, half);
    for (byte, plane) in planes.iter().enumerate() {
        let mut plane = *plane;
        // The sign bits are the highest row; doubling brings the next one there.
        for bit in (0..8).rev() {
            let lanes = u64::from(_mm256_movemask_epi8(plane).cast_unsigned());
            let word = &mut rows.0[8 * byte + bit][number / 2];
            *word = *word & !(u64::from(u32::MAX) << shift) | lanes << shift;
            plane = _mm256_add_epi8(plane, plane);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_pair(words: &[u64; 2]) -> __m128i {
    // SAFETY: the array has the 16 bytes that are read; the load needs no alignment.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}
