//! Mixing in eight lanes, for every operation whose hashes end with it.

use std::arch::x86_64::*;

use crate::hash::MIX_MULTIPLIERS;

/// [`crate::hash::mix`], eight times.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn mix(value: __m512i) -> __m512i {
    const FIRST: i64 = MIX_MULTIPLIERS[0].cast_signed();
    const SECOND: i64 = MIX_MULTIPLIERS[1].cast_signed();
    let value = _mm512_xor_si512(value, _mm512_srli_epi64::<30>(value));
    let value = _mm512_mullo_epi64(value, _mm512_set1_epi64(FIRST));
    let value = _mm512_xor_si512(value, _mm512_srli_epi64::<27>(value));
    let value = _mm512_mullo_epi64(value, _mm512_set1_epi64(SECOND));
    _mm512_xor_si512(value, _mm512_srli_epi64::<31>(value))
}
