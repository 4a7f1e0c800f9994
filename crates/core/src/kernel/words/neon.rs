//! 64-bit ARM: 16 bytes are classified at a time. Lanes are hashed by scalar multiplications,
//! because NEON has none of 64 bits.

use std::arch::aarch64::*;

use super::WordRule;
use super::scan::{self, BLOCK};
use crate::hash::mix;

/// Bytes of a vector.
const BYTES: usize = 16;

/// See [`super::Kernel::words`].
#[target_feature(enable = "neon")]
pub(super) fn stream(
    rule: WordRule,
    text: &[u8],
    ends: &[usize],
    hashes: &mut Vec<u64>,
    word_ends: &mut Vec<usize>,
) {
    // Each rule by its name, so that there is a loop for each.
    scan::PIECE.with_borrow_mut(|piece| match rule {
        WordRule::Printable => scan::stream(
            piece,
            WordRule::Printable,
            text,
            ends,
            hashes,
            word_ends,
            |block, copy| classify(block, copy, |bytes| (printable(bytes), bytes)),
            |lanes, spans| scan::hash_one_by_one(lanes, spans, scan::sdbm_lane),
        ),
        WordRule::Alphanumeric => scan::stream(
            piece,
            WordRule::Alphanumeric,
            text,
            ends,
            hashes,
            word_ends,
            |block, copy| classify(block, copy, |bytes| alphanumeric(bytes)),
            |lanes, spans| scan::hash_one_by_one(lanes, spans, mix),
        ),
        WordRule::AlphanumericSdbm => scan::stream(
            piece,
            WordRule::AlphanumericSdbm,
            text,
            ends,
            hashes,
            word_ends,
            |block, copy| classify(block, copy, |bytes| alphanumeric(bytes)),
            |lanes, spans| scan::hash_one_by_one(lanes, spans, scan::sdbm_lane),
        ),
    })
}

/// Copies a block, folded, and returns its mask. `sixteen` gives both for 16 bytes: all bits of
/// each byte that belongs to a word, and the bytes as they are hashed.
///
/// NEON has no movemask. Each byte keeps the bit of its position among eight, and adding neighbours
/// three times packs eight of them into one byte.
#[inline]
#[target_feature(enable = "neon")]
fn classify(
    block: &[u8; BLOCK],
    copy: &mut [u8; BLOCK],
    sixteen: impl Fn(uint8x16_t) -> (uint8x16_t, uint8x16_t),
) -> u64 {
    const PLACES: [u8; BYTES] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: the array has the 16 bytes that are read.
    let places = unsafe { vld1q_u8(PLACES.as_ptr()) };
    let (quarters, _) = block.as_chunks::<BYTES>();
    let (copies, _) = copy.as_chunks_mut::<BYTES>();
    let mut quarter = |number: usize| {
        // SAFETY: the reference covers the 16 bytes that are read.
        let (is_word, folded) = sixteen(unsafe { vld1q_u8(quarters[number].as_ptr()) });
        // SAFETY: the reference covers the 16 bytes that are written.
        unsafe { vst1q_u8(copies[number].as_mut_ptr(), folded) };
        vandq_u8(is_word, places)
    };
    let low = vpaddq_u8(quarter(0), quarter(1));
    let high = vpaddq_u8(quarter(2), quarter(3));
    let all = vpaddq_u8(low, high);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(all, all)))
}

/// Bytes above 32.
#[inline]
#[target_feature(enable = "neon")]
fn printable(bytes: uint8x16_t) -> uint8x16_t {
    vcgtq_u8(bytes, vdupq_n_u8(b' '))
}

/// ASCII letters and digits, and bytes that are not ASCII; and the bytes with letters in lower
/// case.
#[inline]
#[target_feature(enable = "neon")]
fn alphanumeric(bytes: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
    let within =
        |bytes, first: u8, last: u8| vcleq_u8(vsubq_u8(bytes, vdupq_n_u8(first)), vdupq_n_u8(last - first));
    // Upper case becomes lower case, and nothing else becomes a letter.
    let lower = vorrq_u8(bytes, vdupq_n_u8(0x20));
    let letter = within(lower, b'a', b'z');
    let digit = within(bytes, b'0', b'9');
    let is_word = vorrq_u8(vorrq_u8(letter, digit), vcgeq_u8(bytes, vdupq_n_u8(0x80)));
    (is_word, vbslq_u8(letter, lower, bytes))
}
