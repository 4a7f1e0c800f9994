//! Plain Rust: blocks of 16 bytes, as two words each.

use super::{ESCAPED, Unescaped, is_mark};

/// How many bytes are searched at once.
const BLOCK: usize = 16;

const ONES: u64 = u64::MAX / 0xff;
const HIGHS: u64 = ONES << 7;

pub(super) fn to_mark(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk() {
        let run = first_mark(block);
        at += run;
        if run < BLOCK {
            return at;
        }
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|&byte| is_mark(byte)).unwrap_or(rest.len())
}

pub(super) fn unescape(string: &[u8], text: &mut [u8]) -> Unescaped {
    let (mut read, mut written) = (0, 0);
    loop {
        // A block is copied before it is searched: what follows the mark is overwritten.
        while let Some(block) = string[read..].first_chunk()
            && let Some(place) = text[written..].first_chunk_mut()
        {
            *place = *block;
            let run = first_mark(block);
            read += run;
            written += run;
            if run < BLOCK {
                break;
            }
        }
        let (Some(&byte), Some(place)) = (string.get(read), text.get_mut(written)) else { break };
        if !is_mark(byte) {
            *place = byte;
            read += 1;
        } else {
            let letter = if byte == b'\\' { string.get(read + 1) } else { None };
            let Some(simple) = letter.map(|&letter| ESCAPED[usize::from(letter)]).filter(|&is| is != 0)
            else {
                break;
            };
            *place = simple;
            read += 2;
        }
        written += 1;
    }
    Unescaped { read, written }
}

/// Where the first mark of a block is; [`BLOCK`] if there is none.
#[inline(always)]
fn first_mark(block: &[u8; BLOCK]) -> usize {
    let word = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&block[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    let (low, high) = (marks(word(0)), marks(word(8)));
    if low != 0 {
        return low.trailing_zeros() as usize / 8;
    }
    if high != 0 { 8 + high.trailing_zeros() as usize / 8 } else { BLOCK }
}

/// The high bit of each byte that is a mark. Borrows make a byte above a mark look like one, so
/// only the lowest is exact.
fn marks(word: u64) -> u64 {
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, b' ') | is(b'"') | is(b'\\')) & HIGHS
}
