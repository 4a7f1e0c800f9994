//! Plain Rust, for any CPU: eight bytes at a time in 64-bit words.

use super::WordRule;
use super::scan::{self, BLOCK};

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
    match rule {
        WordRule::Printable => scan::stream(
            WordRule::Printable,
            text,
            ends,
            hashes,
            word_ends,
            |block| classify(block, printable),
            |lanes| lanes.iter_mut().for_each(|lane| *lane = scan::sdbm_lane(*lane)),
        ),
        WordRule::Alphanumeric => scan::stream(
            WordRule::Alphanumeric,
            text,
            ends,
            hashes,
            word_ends,
            |block| classify(block, alphanumeric),
            |lanes| lanes.iter_mut().for_each(|lane| *lane = scan::chunk_lane(0, *lane)),
        ),
    }
}

/// The mask of a block, from a function that sets the high bit of each byte that belongs to a word.
#[inline(always)]
fn classify(block: &[u8; BLOCK], highs: impl Fn(u64) -> u64) -> u64 {
    let (lanes, _) = block.as_chunks::<LANES>();
    lanes.iter().rev().fold(0, |mask, &bytes| {
        let highs = highs(u64::from_le_bytes(bytes)) & HIGHS;
        mask << LANES | (highs >> 7).wrapping_mul(GATHER) >> 56
    })
}

/// Bytes above 32.
#[inline(always)]
fn printable(bytes: u64) -> u64 {
    above(bytes, b' ') | bytes
}

/// ASCII letters and digits, and bytes that are not ASCII.
#[inline(always)]
fn alphanumeric(bytes: u64) -> u64 {
    // Upper case becomes lower case, and nothing else becomes a letter.
    let lower = bytes | ONES << 5;
    let letter = above(lower, b'a' - 1) & !above(lower, b'z');
    let digit = above(bytes, b'0' - 1) & !above(bytes, b'9');
    letter | digit | bytes
}

/// Sets the high bit of each byte whose lower seven bits are above `limit`: no sum leaves its byte.
#[inline(always)]
fn above(bytes: u64, limit: u8) -> u64 {
    (bytes & !HIGHS) + ONES * u64::from(0x7F - limit)
}
