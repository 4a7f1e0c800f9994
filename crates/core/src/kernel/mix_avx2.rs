//! Multiplication and mixing in 64-bit lanes, for every operation whose hashes end with them.
//!
//! Several vectors go through each step together. A single one waits for every product, and the CPU
//! does not see far enough ahead to overlap it with the next: four side by side take two thirds of
//! the time.

use std::arch::x86_64::*;

use crate::hash::MIX_MULTIPLIERS;

/// The low halves of 64-bit products, for which AVX2 has no instruction: low times low, plus both
/// cross products in the upper half.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn multiply<const VECTORS: usize>(values: [__m256i; VECTORS], factor: u64) -> [__m256i; VECTORS] {
    let swapped = _mm256_set1_epi64x(factor.rotate_left(32).cast_signed());
    let factor = _mm256_set1_epi64x(factor.cast_signed());
    let upper = _mm256_set1_epi64x(!0xFFFF_FFFF);
    let mut crossed = values;
    for value in &mut crossed {
        *value = _mm256_mullo_epi32(*value, swapped);
    }
    let mut products = values;
    for value in &mut products {
        *value = _mm256_mul_epu32(*value, factor);
    }
    for (product, &crossed) in products.iter_mut().zip(&crossed) {
        *product = _mm256_add_epi64(*product, _mm256_slli_epi64::<32>(crossed));
    }
    for (product, crossed) in products.iter_mut().zip(crossed) {
        *product = _mm256_add_epi64(*product, _mm256_and_si256(crossed, upper));
    }
    products
}

/// [`crate::hash::mix`] of every lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn mix<const VECTORS: usize>(values: [__m256i; VECTORS]) -> [__m256i; VECTORS] {
    let values = multiply(shift_in::<30, VECTORS>(values), MIX_MULTIPLIERS[0]);
    let values = multiply(shift_in::<27, VECTORS>(values), MIX_MULTIPLIERS[1]);
    shift_in::<31, VECTORS>(values)
}

/// Every lane, xor itself shifted.
#[inline]
#[target_feature(enable = "avx2")]
fn shift_in<const BITS: i32, const VECTORS: usize>(mut values: [__m256i; VECTORS]) -> [__m256i; VECTORS] {
    for value in &mut values {
        *value = _mm256_xor_si256(*value, _mm256_srli_epi64::<BITS>(*value));
    }
    values
}
