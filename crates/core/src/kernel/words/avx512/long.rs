//! Words of more than eight bytes: about one in ten.
//!
//! Their last eight bytes are already hashed. Words of up to sixteen bytes, which are nearly all,
//! take one more step:
//!
//! ```text
//! list      the numbers of the long words of a batch (compress)
//! collect   for each: its first bytes, and the hash of its last eight
//! combine   sixteen of them side by side
//! put back  for each: its hash
//! ```
//!
//! There is one list for the whole batch, because a loop over the long words among every few would
//! mispredict its end. Longer words are hashed from the start in plain Rust.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::hash::sdbm_of_lanes;
use super::rule;
use super::tokenise::{Batch, Column, GROUP, store};
use crate::hash::SDBM_MULTIPLIER;
use crate::kernel::mix_avx512::mix;

/// Bytes in a chunk: what the lanes have hashed.
const CHUNK: usize = 8;

/// Bytes that fit two chunks.
const TWO: usize = 2 * CHUNK;

/// Lengths compared at once.
const STEP: usize = 32;

/// Words collected at once: few, so that a short text does not pay for clearing the arrays.
const PART: usize = 4 * GROUP;

/// Completes the hashes of long words.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vnni,bmi2,popcnt")]
pub(super) fn extend<const ALPHANUMERIC: bool, const SDBM: bool>(
    batch: &Batch,
    text: &[u8],
    hashes: &mut [u64],
) {
    let mut numbers = [const { MaybeUninit::uninit() }; _];
    let mut long = LongWords { numbers: [0; _], chunks: [0; _], hashes: [0; _] };
    for numbers in list(batch.lengths(), &mut numbers).chunks(PART) {
        let mut count = 0;
        for &number in numbers {
            let word = usize::from(number);
            let text = &text[..=batch.last_byte(word)];
            match first_chunk(text, batch.lengths()[word]) {
                Some(chunk) => {
                    long.numbers[count] = number;
                    long.chunks[count] = chunk;
                    long.hashes[count] = hashes[word];
                    count += 1;
                }
                None => hashes[word] = whole::<ALPHANUMERIC, SDBM>(text),
            }
        }
        long.combine::<ALPHANUMERIC, SDBM>(count);
        for (&number, &hash) in long.numbers.iter().zip(&long.hashes).take(count) {
            hashes[usize::from(number)] = hash;
        }
    }
}

/// The numbers of the long words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn list<'n>(lengths: &[u8], list: &'n mut Column<u16>) -> &'n [u16] {
    const FIRST: [u16; STEP] = {
        let mut numbers = [0; STEP];
        let mut at = 0;
        while at < STEP {
            numbers[at] = at as u16;
            at += 1;
        }
        numbers
    };
    // SAFETY: an array of 64 bytes.
    let mut numbers = unsafe { _mm512_loadu_si512(FIRST.as_ptr().cast()) };
    let mut listed = 0;
    for lengths in lengths.chunks(STEP) {
        let present = !0 >> (STEP - lengths.len());
        // SAFETY: the mask has a bit for each length and no other.
        let lengths = unsafe { _mm256_maskz_loadu_epi8(present, lengths.as_ptr().cast()) };
        let long = _mm256_cmpgt_epu8_mask(lengths, _mm256_set1_epi8(CHUNK as i8));
        // SAFETY: no more are listed than words were seen, and a column has room for a group more
        // than all words, thus for a whole step after the last full one.
        unsafe { store(list, listed, _mm512_maskz_compress_epi16(long, numbers)) };
        listed += long.count_ones() as usize;
        numbers = _mm512_add_epi16(numbers, _mm512_set1_epi16(STEP as i16));
    }
    // SAFETY: `listed` values were stored.
    unsafe { list[..listed].assume_init_ref() }
}

/// The chunk before the last of a word that ends with the text, zero before its start. `None` if
/// the word is longer, or the text too short to be read at once.
#[inline]
fn first_chunk(text: &[u8], length: u8) -> Option<u64> {
    let length = usize::from(length);
    let (bytes, _) = text.last_chunk::<TWO>()?.split_first_chunk()?;
    let others = 8 * TWO.checked_sub(length)?;
    Some(u64::from_le_bytes(*bytes) >> others << others)
}

/// Words of two chunks.
struct LongWords {
    /// Which words of the batch they are.
    numbers: [u16; PART],
    /// Their first chunks.
    chunks: [u64; PART],
    /// The hashes of their last chunks; when combined, theirs.
    hashes: [u64; PART],
}

impl LongWords {
    /// From the hashes of the last chunks and the first chunks to the hashes of the words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vnni")]
    fn combine<const ALPHANUMERIC: bool, const SDBM: bool>(&mut self, count: usize) {
        let (hashes, _) = self.hashes.as_chunks_mut::<GROUP>();
        let (chunks, _) = self.chunks.as_chunks::<GROUP>();
        for (hashes, chunks) in hashes.iter_mut().zip(chunks).take(count.div_ceil(GROUP)) {
            let ([low, high], [low_chunks, high_chunks]) = (load(hashes), load(chunks));
            let [low_chunks, high_chunks] =
                if ALPHANUMERIC { [fold(low_chunks), fold(high_chunks)] } else { [low_chunks, high_chunks] };
            let [low, high] = if SDBM {
                let power = _mm512_set1_epi64(SDBM_MULTIPLIER.wrapping_pow(CHUNK as u32).cast_signed());
                let [low_chunks, high_chunks] = sdbm_of_lanes([low_chunks, high_chunks]);
                [
                    _mm512_add_epi64(low, _mm512_mullo_epi64(low_chunks, power)),
                    _mm512_add_epi64(high, _mm512_mullo_epi64(high_chunks, power)),
                ]
            } else {
                [mix(_mm512_xor_si512(low, low_chunks)), mix(_mm512_xor_si512(high, high_chunks))]
            };
            // SAFETY: sixteen lanes are two vectors.
            unsafe {
                _mm512_storeu_si512(hashes.as_mut_ptr().cast(), low);
                _mm512_storeu_si512(hashes[GROUP / 2..].as_mut_ptr().cast(), high);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(lanes: &[u64; GROUP]) -> [__m512i; 2] {
    // SAFETY: sixteen lanes are two vectors.
    unsafe {
        [_mm512_loadu_si512(lanes.as_ptr().cast()), _mm512_loadu_si512(lanes[GROUP / 2..].as_ptr().cast())]
    }
}

/// Upper case letters become lower case. For word bytes and zeros only: an ASCII byte with bit 0x40
/// is then a letter.
#[inline]
#[target_feature(enable = "avx512f")]
fn fold(lanes: __m512i) -> __m512i {
    /// `a & !b & c` as a truth table.
    const AND_NOT_AND: i32 = 0b0010_0000;
    let not_ascii = _mm512_srli_epi64::<1>(lanes);
    let letters = _mm512_ternarylogic_epi64::<AND_NOT_AND>(lanes, not_ascii, _mm512_set1_epi8(0x40));
    _mm512_or_si512(lanes, _mm512_srli_epi64::<1>(letters))
}

/// The hash of the word that a text ends with, whatever its length.
#[cold]
#[inline(never)]
fn whole<const ALPHANUMERIC: bool, const SDBM: bool>(text: &[u8]) -> u64 {
    let rule = rule::<ALPHANUMERIC, SDBM>();
    let start = text.iter().rposition(|&byte| !rule.is_word(byte)).map_or(0, |separator| separator + 1);
    let word: Vec<u8> = text[start..].iter().map(|&byte| rule.fold(byte)).collect();
    rule.hash().hash(&word)
}
