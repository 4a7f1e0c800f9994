//! x86-64 with AVX-512: 64 bytes at a time.
//!
//! ```text
//! backslashes = mask(a byte is a backslash)
//! escapes     = those that are not escaped themselves: in a run of them every other one, from its
//!               first on
//! escaped     = escapes << 1                 a block never begins inside an escape
//! block       = table(block) where escaped
//! text        = compress(block, without escapes)
//! ```
//!
//! A block ends before the first byte that the caller decides on, or before a backslash that is its
//! last byte.

use std::arch::x86_64::*;

use super::{ESCAPED, Unescaped};

/// Bytes in a block.
const BLOCK: usize = 64;

/// Bits with an even place.
const EVEN: u64 = u64::MAX / 3;

/// Goes to the block with the first mark, or to the last block that is not whole.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn to_mark(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
        let [backslashes, quotes, controls] = marks(load(block));
        let marks = backslashes | quotes | controls;
        if marks != 0 {
            return at + marks.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    at
}

/// Goes as far as whole blocks of the string and of the text go.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn unescape(string: &[u8], text: &mut [u8]) -> Unescaped {
    let table = |half: usize| load(ESCAPED[half * BLOCK..].first_chunk().unwrap_or(&[0; BLOCK]));
    let tables = [table(0), table(1)];
    let (mut read, mut written) = (0, 0);
    while let Some(bytes) = string[read..].first_chunk::<BLOCK>()
        && let Some(place) = text[written..].first_chunk_mut::<BLOCK>()
    {
        let block = load(bytes);
        let [backslashes, quotes, controls] = marks(block);
        if backslashes | quotes | controls == 0 {
            store(place, block);
            read += BLOCK;
            written += BLOCK;
            continue;
        }
        let escapes = escapes(backslashes);
        let escaped = escapes << 1;
        let simple = _mm512_permutex2var_epi8(tables[0], block, tables[1]);
        // The table has 128 entries: bytes beyond it are no escapes.
        let others = escaped & (_mm512_testn_epi8_mask(simple, simple) | _mm512_movepi8_mask(block));
        let marks = quotes & !escaped | controls | others >> 1;
        let incomplete = escapes & 1 << (BLOCK - 1);
        let length = (marks | incomplete).trailing_zeros();
        let kept = !escapes & _bzhi_u64(u64::MAX, length);
        let block = _mm512_mask_mov_epi8(block, escaped, simple);
        store(place, _mm512_maskz_compress_epi8(kept, block));
        read += length as usize;
        written += kept.count_ones() as usize;
        if marks != 0 {
            break;
        }
    }
    Unescaped { read, written }
}

/// The backslashes, quotation marks and control characters of a block.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn marks(block: __m512i) -> [u64; 3] {
    let byte = |byte: u8| _mm512_set1_epi8(byte as i8);
    [
        _mm512_cmpeq_epi8_mask(block, byte(b'\\')),
        _mm512_cmpeq_epi8_mask(block, byte(b'"')),
        _mm512_cmplt_epu8_mask(block, byte(b' ')),
    ]
}

/// Of the backslashes of a block, those that begin an escape.
///
/// Adding the first of a run to the run clears it, and sets the bit behind it: so runs that begin
/// at an even place are told from the others.
#[inline(always)]
fn escapes(backslashes: u64) -> u64 {
    let firsts = backslashes & !(backslashes << 1);
    let even_runs = backslashes & !backslashes.wrapping_add(firsts & EVEN);
    even_runs & EVEN | backslashes & !even_runs & !EVEN
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(bytes: &[u8; BLOCK]) -> __m512i {
    // SAFETY: 64 bytes are read from an array of 64.
    unsafe { _mm512_loadu_epi8(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(place: &mut [u8; BLOCK], block: __m512i) {
    // SAFETY: 64 bytes are written to an array of 64.
    unsafe { _mm512_storeu_epi8(place.as_mut_ptr().cast(), block) }
}
