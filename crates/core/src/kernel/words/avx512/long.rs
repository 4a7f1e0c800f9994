//! Words of more than eight bytes: about every tenth.
//!
//! Their last eight bytes are hashed already, so up to sixteen bytes take one step more, word by word: there are too few to
//! fill lanes. Still longer words begin anew, in plain Rust.

use std::arch::x86_64::*;

use super::super::scan::{chunk_lane, sdbm_lane};
use super::rule;
use super::tokenise::Batch;
use crate::hash::SDBM_MULTIPLIER;

/// Bytes in a chunk: what the lanes have hashed.
const CHUNK: usize = 8;

/// Bytes that fit two chunks.
const TWO: usize = 2 * CHUNK;

/// Lengths compared at once.
const STEP: usize = 64;

/// Brings the hashes of long words to their end.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2")]
pub(super) fn extend<const ALPHANUMERIC: bool>(batch: &Batch, text: &[u8], hashes: &mut [u64]) {
    let chunk = _mm512_set1_epi8(CHUNK as i8);
    for (first, lengths) in (0..).step_by(STEP).zip(batch.lengths().chunks(STEP)) {
        let present = !0 >> (STEP - lengths.len());
        // SAFETY: the mask has a bit for each length and no other.
        let column = unsafe { _mm512_maskz_loadu_epi8(present, lengths.as_ptr().cast()) };
        let mut long = _mm512_cmpgt_epu8_mask(column, chunk);
        while long != 0 {
            let lane = long.trailing_zeros() as usize;
            long &= long - 1;
            let word = first + lane;
            let (length, last) = (usize::from(lengths[lane]), batch.last_byte(word));
            // The chunk before the last, with bytes of other words if this one is shorter than two chunks.
            let before =
                (last + 1).checked_sub(TWO).filter(|_| length <= TWO).and_then(|at| text[at..].first_chunk());
            hashes[word] = match before {
                Some(&bytes) => {
                    let others = 8 * (TWO - length) as u32;
                    two_chunks::<ALPHANUMERIC>(hashes[word], u64::from_le_bytes(bytes) >> others << others)
                }
                None => whole::<ALPHANUMERIC>(&text[..=last]),
            };
        }
    }
}

/// The hash of a word of two chunks, from the hash of the last and the bytes of the first.
#[inline]
fn two_chunks<const ALPHANUMERIC: bool>(last: u64, first: u64) -> u64 {
    if ALPHANUMERIC {
        chunk_lane(last, first)
    } else {
        const POWER: u64 = SDBM_MULTIPLIER.wrapping_pow(CHUNK as u32);
        sdbm_lane(first).wrapping_mul(POWER).wrapping_add(last)
    }
}

/// The hash of the word that a text ends with, whatever its length.
#[cold]
fn whole<const ALPHANUMERIC: bool>(text: &[u8]) -> u64 {
    let rule = rule::<ALPHANUMERIC>();
    let start = text.iter().rposition(|&byte| !rule.is_word(byte)).map_or(0, |separator| separator + 1);
    let word: Vec<u8> = text[start..].iter().map(|&byte| rule.fold(byte)).collect();
    rule.hash().hash(&word)
}
