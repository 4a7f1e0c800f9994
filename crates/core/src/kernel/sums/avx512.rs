//! x86-64 with AVX-512: bits transposed by Galois field instructions.
//!
//! Eight hashes are a matrix of 8 x 64 bits. Transposed, each byte holds one bit of all eight, and
//! a population count of bytes advances all 64 counters:
//!
//! ```text
//! for each eight hashes:
//!     permute    byte j of every hash into 64-bit lane j: eight squares of 8 x 8 bits
//!     affine     each square, as a matrix, times the vectors 1, 2, 4 ... 128: its columns
//!     counts += population count of each byte
//! ```
//!
//! The majority of a short document is then one comparison of 64 bytes. Measured at 0.31 cycles per
//! hash on Ice Lake, a fifth of adding each hash to 64 bytes under its mask.

use std::arch::x86_64::*;

use super::{VoteWeight, loops};

/// Hashes transposed at once.
const GROUP: usize = 8;

/// Hashes whose counts fit a byte.
const PART: usize = u8::MAX as usize / GROUP * GROUP;

/// Byte `8 j + i` is byte `j` of hash `i`.
const BYTES_ROUND: [u8; 64] = {
    let mut indices = [0; 64];
    let mut at = 0;
    while at < indices.len() {
        indices[at] = (at % GROUP * 8 + at / GROUP) as u8;
        at += 1;
    }
    indices
};

/// Byte `b` is a vector with the single bit `b`: its product with a matrix is column `b`. The order
/// of the bits in it does not matter.
const COLUMNS: u64 = 0x8040_2010_0804_0201;

/// Counts of 32 bits in a vector.
const QUARTER: usize = 16;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512bitalg,gfni")]
pub(super) fn count(hashes: &[u64]) -> [i32; 64] {
    let mut counts = [0; 64];
    for (out, quarter) in counts.as_chunks_mut::<QUARTER>().0.iter_mut().zip(count_long(hashes)) {
        // SAFETY: sixteen counts are a vector.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), quarter) };
    }
    counts
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512bitalg,gfni")]
pub(super) fn majorities(hashes: &[u64], ends: &[usize], majorities: &mut Vec<u64>) {
    let mut start = 0;
    for &end in ends {
        let document = &hashes[start..end];
        let half = document.len().div_ceil(2);
        majorities.push(if document.len() <= PART {
            _mm512_cmpge_epu8_mask(count_bytes(document), _mm512_set1_epi8(half as i8))
        } else {
            let half = _mm512_set1_epi32(half as i32);
            let [a, b, c, d] = count_long(document);
            [d, c, b, a]
                .into_iter()
                .fold(0, |bits, quarter| bits << QUARTER | u64::from(_mm512_cmpge_epu32_mask(quarter, half)))
        });
        start = end;
    }
}

/// The portable loop: weights differ, so that there is nothing to count.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn accumulate_weighted<W: VoteWeight>(hashes: &[u64], weights: &[W], sums: &mut [W::Sum; 64]) {
    loops::accumulate_weighted(hashes, weights, sums);
}

/// For each bit, how many of the hashes have it: sixteen bits in each vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512bitalg,gfni")]
fn count_long(hashes: &[u64]) -> [__m512i; 4] {
    let mut counts = [_mm512_setzero_si512(); 4];
    for part in hashes.chunks(PART) {
        let bytes = count_bytes(part);
        let quarters = [
            _mm512_castsi512_si128(bytes),
            _mm512_extracti32x4_epi32::<1>(bytes),
            _mm512_extracti32x4_epi32::<2>(bytes),
            _mm512_extracti32x4_epi32::<3>(bytes),
        ];
        for (count, quarter) in counts.iter_mut().zip(quarters) {
            *count = _mm512_add_epi32(*count, _mm512_cvtepu8_epi32(quarter));
        }
    }
    counts
}

/// For each bit, how many of the hashes have it: at most [`PART`] of them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512bitalg,gfni")]
fn count_bytes(hashes: &[u64]) -> __m512i {
    debug_assert!(hashes.len() <= PART, "counters of a byte");
    let mut counts = _mm512_setzero_si512();
    let (groups, rest) = hashes.as_chunks::<GROUP>();
    for group in groups {
        // SAFETY: a group is a whole vector.
        let group = unsafe { _mm512_loadu_si512(group.as_ptr().cast()) };
        counts = _mm512_add_epi8(counts, ones_of_each_bit(group));
    }
    if !rest.is_empty() {
        // SAFETY: the mask has a bit for each remaining hash. The zeros of the other lanes add
        // nothing.
        let group = unsafe { _mm512_maskz_loadu_epi64((1 << rest.len()) - 1, rest.as_ptr().cast()) };
        counts = _mm512_add_epi8(counts, ones_of_each_bit(group));
    }
    counts
}

/// Of eight hashes, how many have each bit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,gfni")]
fn ones_of_each_bit(hashes: __m512i) -> __m512i {
    // SAFETY: an array of 64 bytes.
    let bytes_round = unsafe { _mm512_loadu_si512(BYTES_ROUND.as_ptr().cast()) };
    let squares = _mm512_permutexvar_epi8(bytes_round, hashes);
    let bits_round = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(COLUMNS.cast_signed()), squares);
    #[cfg(test)]
    let bits_round = _mm512_xor_si512(bits_round, fault_of_emulator());
    _mm512_popcnt_epi8(bits_round)
}

/// Zero on a CPU. Bochs 2.7, in which `cargo xtask emulate` runs the tests, complements every
/// product; a product with zero shows what has to be undone.
#[cfg(test)]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn fault_of_emulator() -> __m512i {
    let nothing = std::hint::black_box(_mm512_setzero_si512());
    _mm512_gf2p8affine_epi64_epi8::<0>(nothing, nothing)
}

#[cfg(test)]
mod tests {
    use super::{BYTES_ROUND, COLUMNS, GROUP};
    use crate::hash::mix;

    /// The instruction as Intel defines it, for one lane: bit `i` of the product of byte `x` is the
    /// parity of `x` and byte `7 - i` of the matrix. Runs on every CPU, so that permutation and
    /// vectors are checked by more than an emulator.
    fn affine(bytes: u64, matrix: u64) -> u64 {
        let product = |x: u8| {
            let bit = |i: usize| ((x & matrix.to_le_bytes()[7 - i]).count_ones() as u8 & 1) << i;
            (0..8).map(bit).sum()
        };
        u64::from_le_bytes(bytes.to_le_bytes().map(product))
    }

    #[test]
    fn eight_hashes_turned_round_by_the_definition() {
        for seed in 0..100 {
            let hashes: [u64; GROUP] = std::array::from_fn(|i| mix(seed * 8 + i as u64));
            let bytes = hashes.map(u64::to_le_bytes);
            let squares = BYTES_ROUND.map(|index| bytes.as_flattened()[usize::from(index)]);
            let counts: Vec<u32> = (squares.as_chunks().0.iter())
                .flat_map(|square| affine(COLUMNS, u64::from_le_bytes(*square)).to_le_bytes())
                .map(u8::count_ones)
                .collect();
            let expected: Vec<u32> =
                (0..64).map(|bit| hashes.iter().map(|hash| (hash >> bit & 1) as u32).sum()).collect();
            assert_eq!(counts, expected);
        }
    }
}
