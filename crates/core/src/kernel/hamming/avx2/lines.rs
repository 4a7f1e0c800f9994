//! Lines: two registers of tags each, the last lane of which is no tag.

use std::arch::x86_64::*;

use super::tags::beyond_one;
use crate::kernel::hamming::Survivor;
use crate::kernel::hamming::lines::{Line, LineLookUp, prefetch_ahead, push_near};

/// See [`crate::kernel::Kernel::look_up_lines`].
#[target_feature(enable = "avx2,popcnt,bmi1")]
pub(in crate::kernel::hamming) fn look_up_lines(
    lines: &[Line],
    look_ups: &[LineLookUp],
    survivors: &mut Vec<Survivor>,
) {
    for (number, wanted) in look_ups.iter().enumerate() {
        prefetch_ahead(lines, look_ups, number);
        let line = &lines[wanted.line as usize];
        if wanted.radius > super::CLEARED || may_be_near(line, wanted.tag) {
            push_near_of(line, wanted, number, survivors);
        }
    }
}

/// Whether a tag may be within three bits; never false if one is. One half of such a tag differs in
/// at most one bit.
#[inline]
#[target_feature(enable = "avx2")]
fn may_be_near(line: &Line, tag: u32) -> bool {
    let tag = _mm256_set1_epi32(tag.cast_signed());
    let registers: *const __m256i = std::ptr::from_ref(line).cast();
    // SAFETY: a line has 64 bytes and begins at a multiple of them.
    let (low, high) = unsafe { (_mm256_load_si256(registers), _mm256_load_si256(registers.add(1))) };
    let least = _mm256_min_epu16(beyond_one(low, tag), beyond_one(high, tag));
    _mm256_movemask_epi8(_mm256_cmpeq_epi16(least, _mm256_setzero_si256())) != 0
}

#[cold]
#[inline(never)]
#[target_feature(enable = "popcnt")]
fn push_near_of(line: &Line, wanted: &LineLookUp, number: usize, survivors: &mut Vec<Survivor>) {
    push_near(line, wanted, number, survivors);
}
