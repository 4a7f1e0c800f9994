//! x86-64 with AVX2: four 64-bit hashes a vector.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{BITMAP_WORDS, BitmapWords, scalar};

/// Hashes of a vector.
const LANES: usize = 4;

/// The portable loop. AVX2 has no 64-bit product: three 32-bit ones and their sums make one, and four shingles side by side
/// would take as many steps as one after the other.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn shingles_up_to<const SIZE: usize>(words: &[u64], limit: u64, found: &mut Vec<u64>) {
    scalar::shingles_up_to::<SIZE>(words, limit, found);
}

/// Blocks of four against blocks of four: every value of one against every value of the other, then past the block whose
/// largest value is the smaller.
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
    // Values of a block that is behind its partner have been counted against everything up to here, and are not again: the
    // rest of the other list is larger than what they were compared with.
    scalar::common_at_least(&a[i..], &b[j..], least.saturating_sub(count)).map(|rest| count + rest)
}

/// Two looks at each bitmap. The first folds both halves of it together, and of the query likewise: a bit of the folded query
/// that the folded bitmap lacks still stands for a hash that is missing, and half of the work settles nearly every pair.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn screen(query: &BitmapWords, bitmaps: &[BitmapWords], most_missing: u32, passed: &mut Vec<u32>) {
    const HALF: usize = BITMAP_WORDS / 2;
    let folded: [u64; HALF] = std::array::from_fn(|word| query[word] | query[word + HALF]);
    for (position, bitmap) in bitmaps.iter().enumerate() {
        let mut missing = 0;
        for word in 0..HALF {
            missing += ones(folded[word] & !(bitmap[word] | bitmap[word + HALF]));
        }
        if missing <= u64::from(most_missing) {
            scalar::screen_one(query, bitmap, position, most_missing, passed);
        }
    }
}

/// The ones of a word, by the instruction. Without it the compiler turns the counts into vector operations, which are more
/// instructions for eight words.
#[inline]
#[target_feature(enable = "popcnt")]
fn ones(word: u64) -> u64 {
    let mut ones = word;
    // SAFETY: the function enables `popcnt`, and the instruction touches nothing but the register and the flags.
    unsafe { asm!("popcnt {0}, {0}", inout(reg) ones, options(pure, nomem, nostack)) };
    ones
}
