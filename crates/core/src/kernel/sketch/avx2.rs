//! x86-64 with AVX2: four 64-bit hashes a vector.

use std::arch::x86_64::*;

use super::{BitmapWords, ScreenBlock, block, scalar};
use crate::hash::{SHINGLE_MULTIPLIER, SHINGLE_ROTATION};
use crate::kernel::mix_avx2::{mix, multiply};

/// Hashes of a vector.
const LANES: usize = 4;

/// Vectors of shingles that are hashed side by side.
const VECTORS: usize = 4;

/// Sixteen shingles at a time, one per lane. Those below the limit are moved together, and
/// overwrite the rest.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn shingles_up_to<const SIZE: usize>(words: &[u64], limit: u64, found: &mut Vec<u64>) {
    const TOGETHER: usize = VECTORS * LANES;
    let sign = _mm256_set1_epi64x(i64::MIN);
    let most = _mm256_set1_epi64x((limit ^ 1 << 63).cast_signed());
    let shingles = (words.len() + 1).saturating_sub(SIZE);
    let in_vectors = shingles - shingles % TOGETHER;
    for first in (0..in_vectors).step_by(TOGETHER) {
        // SAFETY: the last of sixteen shingles from `first` on is inside the words, with all of its
        // `SIZE` words.
        let hashes = unsafe { shingles_at::<SIZE>(words.as_ptr().add(first)) };
        found.reserve(TOGETHER);
        for hashes in hashes {
            let is_large = _mm256_cmpgt_epi64(_mm256_xor_si256(hashes, sign), most);
            let small = !_mm256_movemask_pd(_mm256_castsi256_pd(is_large)) as usize % TO_FRONT.len();
            // SAFETY: a row has the 32 bytes that are read.
            let to_front = unsafe { _mm256_loadu_si256(TO_FRONT[small].as_ptr().cast()) };
            let together = _mm256_permutevar8x32_epi32(hashes, to_front);
            // SAFETY: room for all sixteen was reserved; each vector writes four, and keeps as many
            // as the mask has ones.
            unsafe {
                _mm256_storeu_si256(found.as_mut_ptr().add(found.len()).cast(), together);
                found.set_len(found.len() + small.count_ones() as usize);
            }
        }
    }
    scalar::shingles_up_to::<SIZE>(&words[in_vectors..], limit, found);
}

/// For each mask of four lanes, the halves of those that have a one, in order.
static TO_FRONT: [[u32; 2 * LANES]; 1 << LANES] = {
    let mut table = [[0; 2 * LANES]; 1 << LANES];
    let mut mask = 0;
    while mask < table.len() {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                table[mask][2 * count] = 2 * lane as u32;
                table[mask][2 * count + 1] = 2 * lane as u32 + 1;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// [`crate::hash::shingle`] of the sixteen shingles that begin with these words; of a single word,
/// the word itself.
///
/// # Safety
/// `SIZE + 15` words can be read.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn shingles_at<const SIZE: usize>(words: *const u64) -> [__m256i; VECTORS] {
    let mut state = [_mm256_setzero_si256(); VECTORS];
    for place in 0..SIZE {
        for (vector, state) in state.iter_mut().enumerate() {
            // SAFETY: four words from here on; `place` is less than `SIZE`, and the last vector
            // begins with word 12.
            let next = unsafe { _mm256_loadu_si256(words.add(place + vector * LANES).cast()) };
            let turned = _mm256_or_si256(
                _mm256_slli_epi64::<{ SHINGLE_ROTATION as i32 }>(*state),
                _mm256_srli_epi64::<{ 64 - SHINGLE_ROTATION as i32 }>(*state),
            );
            *state = _mm256_xor_si256(turned, next);
        }
        if SIZE == 1 {
            return state;
        }
        state = multiply(state, SHINGLE_MULTIPLIER);
    }
    for state in &mut state {
        *state = _mm256_xor_si256(*state, _mm256_set1_epi64x(SIZE as i64));
    }
    mix(state)
}

/// Blocks of four against blocks of four: all values against all values, then past the block whose
/// largest value is smaller.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn common_at_least(a: &[u64], b: &[u64], least: usize) -> Option<usize> {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i + LANES <= a.len() && j + LANES <= b.len() {
        if count + (a.len() - i).min(b.len() - j) < least {
            return None;
        }
        // SAFETY: four values from `i` and `j` on are inside the lists: the condition of the loop.
        let (x, y) = unsafe {
            (_mm256_loadu_si256(a.as_ptr().add(i).cast()), _mm256_loadu_si256(b.as_ptr().add(j).cast()))
        };
        let equal = _mm256_or_si256(
            _mm256_or_si256(
                _mm256_cmpeq_epi64(x, y),
                _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64::<0b00_11_10_01>(y)),
            ),
            _mm256_or_si256(
                _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64::<0b01_00_11_10>(y)),
                _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64::<0b10_01_00_11>(y)),
            ),
        );
        count += _mm256_movemask_pd(_mm256_castsi256_pd(equal)).count_ones() as usize;
        let (x_last, y_last) = (a[i + LANES - 1], b[j + LANES - 1]);
        i += if x_last <= y_last { LANES } else { 0 };
        j += if y_last <= x_last { LANES } else { 0 };
    }
    // Values of a skipped block were compared with everything up to here and are not counted again:
    // the rest of the other list is larger.
    scalar::common_at_least(&a[i..], &b[j..], least.saturating_sub(count)).map(|rest| count + rest)
}

/// Two tests for each bitmap: of its folded nibbles, 32 bitmaps per vector, and if it passes, of
/// the whole. See [`ScreenBlock`](super::ScreenBlock).
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn screen(query: &BitmapWords, block: &ScreenBlock, most_missing: u32, passed: &mut Vec<u32>) {
    /// Sums that are in registers at the same time.
    const VECTORS: usize = 8;
    /// Bitmaps of a vector.
    const WIDTH: usize = 32;
    const TOGETHER: usize = VECTORS * WIDTH;
    const { assert!(ScreenBlock::LENGTH == TOGETHER) };

    // Sums saturate at 255; with a limit that high, the whole bitmap decides.
    let most = _mm256_set1_epi8(most_missing.min(u32::from(u8::MAX)) as u8 as i8);
    let mut sums = [_mm256_setzero_si256(); VECTORS];
    for (row, nibble) in block.rows().iter().zip(block::nibbles(query)) {
        // SAFETY: a table has the 16 bytes that are read.
        let table = unsafe { _mm_loadu_si128(MISSING[usize::from(nibble)].as_ptr().cast()) };
        let table = _mm256_broadcastsi128_si256(table);
        let (vectors, _) = row.as_chunks::<WIDTH>();
        for (sum, values) in sums.iter_mut().zip(vectors) {
            // SAFETY: the reference covers the 32 bytes that are read.
            let values = unsafe { _mm256_loadu_si256(values.as_ptr().cast()) };
            *sum = _mm256_adds_epu8(*sum, _mm256_shuffle_epi8(table, values));
        }
    }
    let bitmaps = block.bitmaps();
    for (sum, first) in sums.into_iter().zip((0..bitmaps.len()).step_by(WIDTH)) {
        let is_small = _mm256_cmpeq_epi8(_mm256_min_epu8(sum, most), sum);
        let mut small = _mm256_movemask_epi8(is_small) as u32;
        while small != 0 {
            let position = first + small.trailing_zeros() as usize;
            small &= small - 1;
            if let Some(bitmap) = bitmaps.get(position) {
                scalar::screen_one(query, bitmap, position, most_missing, passed);
            }
        }
    }
}

/// For each nibble of a query and each nibble of a bitmap, how many of the query's bits are
/// missing.
static MISSING: [[u8; 16]; 16] = {
    let mut tables = [[0; 16]; 16];
    let mut pair = 0;
    while pair < 256 {
        let (mine, theirs) = (pair / 16, pair % 16);
        tables[mine][theirs] = (mine & !theirs).count_ones() as u8;
        pair += 1;
    }
    tables
};
