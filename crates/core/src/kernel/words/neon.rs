//! 64-bit ARM: 16 bytes are classified at a time. Lanes are hashed by the scalar multiplier, because NEON multiplies no
//! 64-bit numbers.

use std::arch::aarch64::*;

use super::WordRule;
use super::scan::{self, BLOCK};

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
    match rule {
        WordRule::Printable => scan::stream(
            WordRule::Printable,
            text,
            ends,
            hashes,
            word_ends,
            |block| classify(block, |bytes| printable(bytes)),
            |lanes| lanes.iter_mut().for_each(|lane| *lane = scan::sdbm_lane(*lane)),
        ),
        WordRule::Alphanumeric => scan::stream(
            WordRule::Alphanumeric,
            text,
            ends,
            hashes,
            word_ends,
            |block| classify(block, |bytes| alphanumeric(bytes)),
            |lanes| lanes.iter_mut().for_each(|lane| *lane = scan::chunk_lane(0, *lane)),
        ),
    }
}

/// The mask of a block, from a function that sets all bits of each byte that belongs to a word.
///
/// NEON has no instruction that gathers one bit of each byte. Each byte keeps the bit of its place among eight, and adding
/// neighbours three times puts eight of them into one byte.
#[inline]
#[target_feature(enable = "neon")]
fn classify(block: &[u8; BLOCK], is_word: impl Fn(uint8x16_t) -> uint8x16_t) -> u64 {
    const PLACES: [u8; BYTES] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: the array has the 16 bytes that are read.
    let places = unsafe { vld1q_u8(PLACES.as_ptr()) };
    let quarter = |bytes: &[u8; BYTES]| {
        // SAFETY: the reference covers the 16 bytes that are read.
        let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
        vandq_u8(is_word(bytes), places)
    };
    let (quarters, _) = block.as_chunks();
    let low = vpaddq_u8(quarter(&quarters[0]), quarter(&quarters[1]));
    let high = vpaddq_u8(quarter(&quarters[2]), quarter(&quarters[3]));
    let all = vpaddq_u8(low, high);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(all, all)))
}

/// Bytes above 32.
#[inline]
#[target_feature(enable = "neon")]
fn printable(bytes: uint8x16_t) -> uint8x16_t {
    vcgtq_u8(bytes, vdupq_n_u8(b' '))
}

/// ASCII letters and digits, and bytes that are not ASCII.
#[inline]
#[target_feature(enable = "neon")]
fn alphanumeric(bytes: uint8x16_t) -> uint8x16_t {
    let within =
        |bytes, first: u8, last: u8| vcleq_u8(vsubq_u8(bytes, vdupq_n_u8(first)), vdupq_n_u8(last - first));
    // Upper case becomes lower case, and nothing else becomes a letter.
    let letter = within(vorrq_u8(bytes, vdupq_n_u8(0x20)), b'a', b'z');
    let digit = within(bytes, b'0', b'9');
    vorrq_u8(vorrq_u8(letter, digit), vcgeq_u8(bytes, vdupq_n_u8(0x80)))
}
