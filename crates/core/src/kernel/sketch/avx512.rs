//! x86-64 with AVX-512: eight shingles a vector.
//!
//! The AVX2 kernel compares lists: blocks of eight would compare every value with eight others
//! instead of four, on the one port for such comparisons. It also screens bitmaps, one nibble of 32
//! bitmaps per instruction.

use std::arch::x86_64::*;

use super::scalar;
use crate::hash::{SHINGLE_MULTIPLIER, SHINGLE_ROTATION};
use crate::kernel::mix_avx512::mix;

/// Hashes of a vector.
const LANES: usize = 8;

/// Eight shingles at a time, one per lane. Those below the limit are moved together and appended.
#[target_feature(enable = "avx512f,avx512dq,bmi1,popcnt")]
pub(super) fn shingles_up_to<const SIZE: usize>(words: &[u64], limit: u64, found: &mut Vec<u64>) {
    let most = _mm512_set1_epi64(limit.cast_signed());
    let shingles = (words.len() + 1).saturating_sub(SIZE);
    let in_vectors = shingles - shingles % LANES;
    for first in (0..in_vectors).step_by(LANES) {
        // SAFETY: the last of eight shingles from `first` on ends inside `words`.
        let hashes = unsafe { shingles_at::<SIZE>(words.as_ptr().add(first)) };
        let small = _mm512_cmple_epu64_mask(hashes, most);
        if small != 0 {
            found.reserve(LANES);
            // In a register first: compressing into memory takes Zen 4 a hundred cycles.
            let together = _mm512_maskz_compress_epi64(small, hashes);
            // SAFETY: room for eight was reserved and is written; as many as the mask has ones are
            // kept.
            unsafe {
                _mm512_storeu_si512(found.as_mut_ptr().add(found.len()).cast(), together);
                found.set_len(found.len() + small.count_ones() as usize);
            }
        }
    }
    scalar::shingles_up_to::<SIZE>(&words[in_vectors..], limit, found);
}

/// [`crate::hash::shingle`] of the eight shingles that begin at these words; for size 1, the word
/// itself.
///
/// # Safety
/// `SIZE + 7` words can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn shingles_at<const SIZE: usize>(words: *const u64) -> __m512i {
    // SAFETY: eight words from `place` on, and `place` is less than `SIZE`.
    let load = |place: usize| unsafe { _mm512_loadu_si512(words.add(place).cast()) };
    if SIZE == 1 {
        return load(0);
    }
    let multiplier = _mm512_set1_epi64(SHINGLE_MULTIPLIER.cast_signed());
    let mut state = _mm512_setzero_si512();
    for place in 0..SIZE {
        let turned = _mm512_rol_epi64::<{ SHINGLE_ROTATION as i32 }>(state);
        state = _mm512_mullo_epi64(_mm512_xor_si512(turned, load(place)), multiplier);
    }
    mix(_mm512_xor_si512(state, _mm512_set1_epi64(SIZE as i64)))
}
