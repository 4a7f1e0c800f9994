//! Plain Rust, for any CPU: eight bytes at a time in 64-bit words.

use super::WordRule;
use super::scan::{self, BLOCK};
use crate::hash::mix;

/// Bytes that are classified together.
const LANES: usize = 8;
/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const HIGHS: u64 = 0x8080_8080_8080_8080;
/// Multiplied with one bit in each byte, gathers them in the top byte.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// See [`super::Kernel::words`].
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
            |block, copy| classify(block, copy, alphanumeric),
            |lanes, spans| scan::hash_one_by_one(lanes, spans, mix),
        ),
        WordRule::AlphanumericSdbm => scan::stream(
            piece,
            WordRule::AlphanumericSdbm,
            text,
            ends,
            hashes,
            word_ends,
            |block, copy| classify(block, copy, alphanumeric),
            |lanes, spans| scan::hash_one_by_one(lanes, spans, scan::sdbm_lane),
        ),
    })
}

/// Copies a block, folded, and returns its mask. `eight` gives both for eight bytes: the high bit
/// of each byte that belongs to a word, and the bytes as they are hashed.
#[inline(always)]
fn classify(block: &[u8; BLOCK], copy: &mut [u8; BLOCK], eight: impl Fn(u64) -> (u64, u64)) -> u64 {
    let (lanes, _) = block.as_chunks::<LANES>();
    let (copies, _) = copy.as_chunks_mut::<LANES>();
    lanes.iter().zip(copies).rev().fold(0, |mask, (&bytes, copy)| {
        let (highs, folded) = eight(u64::from_le_bytes(bytes));
        *copy = folded.to_le_bytes();
        mask << LANES | ((highs & HIGHS) >> 7).wrapping_mul(GATHER) >> 56
    })
}

/// Bytes above 32.
#[inline(always)]
fn printable(bytes: u64) -> u64 {
    above(bytes, b' ') | bytes
}

/// ASCII letters and digits, and bytes that are not ASCII; and the bytes with letters in lower
/// case.
#[inline(always)]
fn alphanumeric(bytes: u64) -> (u64, u64) {
    // Upper case becomes lower case, and nothing else becomes a letter.
    let lower = bytes | ONES << 5;
    let letter = above(lower, b'a' - 1) & !above(lower, b'z');
    let digit = above(bytes, b'0' - 1) & !above(bytes, b'9');
    (letter | digit | bytes, bytes | (letter & !bytes & HIGHS) >> 2)
}

/// Sets the high bit of each byte whose lower seven bits are above `limit`: no sum leaves its byte.
#[inline(always)]
fn above(bytes: u64, limit: u8) -> u64 {
    (bytes & !HIGHS) + ONES * u64::from(0x7F - limit)
}
