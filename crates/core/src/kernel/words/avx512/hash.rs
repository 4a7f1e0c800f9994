//! Hashes sixteen words side by side.
//!
//! No vector passes through an adapter of the standard library (`map`, `fold`): those are compiled
//! without AVX-512, and each would be a call that spills all registers.

use std::arch::asm;
use std::arch::x86_64::*;

use super::tokenise::{Batch, GROUP, four_of_each, vector};
use crate::hash::SDBM_MULTIPLIER;
use crate::kernel::mix_avx512::mix;

/// Appends a hash of the last eight bytes of each word.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
pub(super) fn append<const SDBM: bool>(batch: &Batch, hashes: &mut Vec<u64>) {
    hashes.reserve(batch.words.next_multiple_of(GROUP));
    let out = hashes.spare_capacity_mut().as_mut_ptr().cast::<u64>();
    // Within each quarter of a vector; every quarter holds all sixteen lengths.
    let each_four_times = vector(&four_of_each::<0>());
    // Of the last four bytes, the last is there if the length is above 0, the first if it is above
    // 3; likewise for the four before.
    let near_needs = _mm512_set1_epi32(i32::from_le_bytes([3, 2, 1, 0]));
    let far_needs = _mm512_set1_epi32(i32::from_le_bytes([7, 6, 5, 4]));
    for first in (0..batch.words).step_by(GROUP) {
        // SAFETY: the reader padded the columns with one empty group.
        let (near, far) = unsafe {
            let lengths = _mm_loadu_si128(batch.lengths.as_ptr().add(first).cast());
            let lengths = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(lengths), each_four_times);
            let in_near = _mm512_cmpgt_epi8_mask(lengths, near_needs);
            let in_far = _mm512_cmpgt_epi8_mask(lengths, far_needs);
            (
                _mm512_maskz_loadu_epi8(in_near, batch.near.as_ptr().add(first).cast()),
                _mm512_maskz_loadu_epi8(in_far, batch.far.as_ptr().add(first).cast()),
            )
        };
        let [low, high] = if SDBM {
            sdbm(far, near)
        } else {
            // One chunk of `crate::hash::chunks` is no more than this.
            let [low, high] = interleave(far, near);
            [mix(low), mix(high)]
        };
        // SAFETY: room for all groups was reserved.
        unsafe {
            _mm512_storeu_si512(out.add(first).cast(), low);
            _mm512_storeu_si512(out.add(first + GROUP / 2).cast(), high);
        }
    }
    // SAFETY: the groups reach to the last word or beyond, within what was reserved.
    unsafe { hashes.set_len(hashes.len() + batch.words) }
}

/// Low and high halves as 64-bit lanes, in order.
#[inline]
#[target_feature(enable = "avx512f")]
fn interleave(low: __m512i, high: __m512i) -> [__m512i; 2] {
    // Indices from 16 on are the second vector's.
    let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    [_mm512_permutex2var_epi32(low, first, high), _mm512_permutex2var_epi32(low, second, high)]
}

/// The low and the high halves of sixteen 64-bit lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn halves(lanes: [__m512i; 2]) -> [__m512i; 2] {
    let low = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let high = _mm512_add_epi32(low, _mm512_set1_epi32(1));
    let [first, second] = lanes;
    [_mm512_permutex2var_epi32(first, low, second), _mm512_permutex2var_epi32(first, high, second)]
}

/// sdbm of sixteen lanes of eight bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn sdbm_of_lanes(lanes: [__m512i; 2]) -> [__m512i; 2] {
    let [far, near] = halves(lanes);
    sdbm(far, near)
}

/// sdbm of eight bytes, the last four in `near`, in sixteen lanes and without 64-bit
/// multiplications.
///
/// The multiplier is `X + 63` with `X = 2^16`, so two bytes `a, b` make `a (X + 63) + b = t X + s`
/// with `t = a`, `s = 63 a + b`. Pair `k` from the end counts `(X + 63)^2k`, whose four signed
/// digits `d` in base X are constants. So with `E_j = sum over k of s_k d_j(k) + t_k d_(j-1)(k)`,
/// dot products of 16-bit numbers, the hash is `E_0 + E_1 X + E_2 X^2 + E_3 X^3`. E_0 and E_1 stay
/// below 2^31 by a factor of four, whatever the bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn sdbm(far: __m512i, near: __m512i) -> [__m512i; 2] {
    let times = _mm512_set1_epi16(i16::from_le_bytes([(SDBM_MULTIPLIER - (1 << 16)) as u8, 1]));
    let first_byte = _mm512_set1_epi16(0xff);
    let s = [_mm512_maddubs_epi16(far, times), _mm512_maddubs_epi16(near, times)];
    let t = [_mm512_and_si512(far, first_byte), _mm512_and_si512(near, first_byte)];
    let e0 = dot::<0>(s);
    let e1 = add_dot::<1>(dot::<0>(t), s);
    let e2 = add_dot::<2>(dot::<1>(t), s);
    let e3 = add_dot::<3>(dot::<2>(t), s);
    let e1 = _mm512_add_epi32(e1, _mm512_srai_epi32::<16>(e0));
    /// `a ? b : c`, bit by bit, as a truth table.
    const CHOOSE: i32 = 0b1100_1010;
    let low = _mm512_ternarylogic_epi32::<CHOOSE>(_mm512_set1_epi32(0xffff), e0, _mm512_slli_epi32::<16>(e1));
    let high =
        _mm512_add_epi32(_mm512_add_epi32(e2, _mm512_slli_epi32::<16>(e3)), _mm512_srai_epi32::<16>(e1));
    interleave(low, high)
}

/// The dot product of each four pairs with one of their digits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dot<const DIGIT: usize>([far, near]: [__m512i; 2]) -> __m512i {
    let [far_digits, near_digits] = DIGITS[DIGIT];
    let sum = _mm512_madd_epi16(far, _mm512_set1_epi32(far_digits));
    multiply_add(sum, near, _mm512_set1_epi32(near_digits))
}

/// The same, added to a sum.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn add_dot<const DIGIT: usize>(sum: __m512i, [far, near]: [__m512i; 2]) -> __m512i {
    let [far_digits, near_digits] = DIGITS[DIGIT];
    let sum = multiply_add(sum, far, _mm512_set1_epi32(far_digits));
    multiply_add(sum, near, _mm512_set1_epi32(near_digits))
}

/// `sum + a . b`, over pairs of 16-bit numbers. Not the intrinsic, which the compiler splits into a
/// product and a sum: a shorter latency but twice the work, and here only throughput counts.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn multiply_add(mut sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: a register-only instruction of AVX-512 VNNI, which this function is compiled for.
    unsafe {
        asm!(
            "vpdpwssd {sum}, {a}, {b}",
            sum = inout(zmm_reg) sum,
            a = in(zmm_reg) a,
            b = in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// For each digit: those of the two pairs in `far`, then of the two in `near`, two 16-bit numbers
/// per lane.
const DIGITS: [[i32; 2]; 4] = {
    let mut table = [[0; 2]; 4];
    let mut pair = 0;
    let mut power = 1u64;
    while pair < 4 {
        let mut rest = power;
        let mut digit = 0;
        while digit < 4 {
            // Signed: a digit above half of the base borrows from the next.
            let signed = rest as i16;
            rest = rest.wrapping_sub(signed as u64) >> 16;
            // The last pair is the upper half of `near`, the previous one its lower half, then
            // those of `far`.
            table[digit][1 - pair / 2] |= (signed as u16 as i32) << (16 * (1 - pair % 2));
            digit += 1;
        }
        power = power.wrapping_mul(SDBM_MULTIPLIER).wrapping_mul(SDBM_MULTIPLIER);
        pair += 1;
    }
    table
};
