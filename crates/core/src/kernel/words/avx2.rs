//! x86-64 with AVX2: 32 bytes are classified, and four lanes are in a vector.

use std::arch::x86_64::*;

use super::WordRule;
use super::scan::{self, BLOCK, GROUP, LANE, Span};
use crate::hash::SDBM_MULTIPLIER;
use crate::kernel::mix_avx2::{mix, multiply};

/// Lanes of a vector.
const LANES: usize = 4;
/// Vectors of a group.
const VECTORS: usize = GROUP / LANES;

/// The number eight in each byte of a lane: takes the first byte of the second lane.
const EIGHTH: i64 = 0x0808_0808_0808_0808;

/// See [`super::Kernel::words`].
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
            |lanes, spans| hash(lanes, spans, |lanes| sdbm(lanes)),
        ),
        WordRule::Alphanumeric => scan::stream(
            piece,
            WordRule::Alphanumeric,
            text,
            ends,
            hashes,
            word_ends,
            |block, copy| classify(block, copy, |bytes| alphanumeric(bytes)),
            |lanes, spans| hash(lanes, spans, |lanes| mix(lanes)),
        ),
        WordRule::AlphanumericSdbm => scan::stream(
            piece,
            WordRule::AlphanumericSdbm,
            text,
            ends,
            hashes,
            word_ends,
            |block, copy| classify(block, copy, |bytes| alphanumeric(bytes)),
            |lanes, spans| hash(lanes, spans, |lanes| sdbm(lanes)),
        ),
    })
}

/// Copies a block, folded, and returns its mask. `half` gives both for 32 bytes: the high bit of
/// each byte that belongs to a word, and the bytes as they are hashed.
#[inline]
#[target_feature(enable = "avx2")]
fn classify(
    block: &[u8; BLOCK],
    copy: &mut [u8; BLOCK],
    half: impl Fn(__m256i) -> (__m256i, __m256i),
) -> u64 {
    let half = |bytes: &[u8; BLOCK / 2], copy: &mut [u8; BLOCK / 2]| {
        // SAFETY: the reference covers the 32 bytes that are read.
        let (highs, folded) = half(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) });
        // SAFETY: the reference covers the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(copy.as_mut_ptr().cast(), folded) };
        opaque(_mm256_movemask_epi8(highs) as u32)
    };
    let (halves, _) = block.as_chunks();
    let (copies, _) = copy.as_chunks_mut();
    half(&halves[0], &mut copies[0]) | half(&halves[1], &mut copies[1]) << 32
}

/// The same number, opaque to the compiler, which knows that a mask is a vector of bits and would
/// combine the halves of a block bit by bit (LLVM 21: 60 byte insertions per block, half the
/// speed).
#[inline(always)]
fn opaque(mut mask: u32) -> u64 {
    // SAFETY: the assembly is a comment without an instruction.
    unsafe {
        std::arch::asm!("/* {0:e} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    u64::from(mask)
}

/// Bytes above 32.
#[inline]
#[target_feature(enable = "avx2")]
fn printable(bytes: __m256i) -> __m256i {
    let first = _mm256_set1_epi8(b' ' as i8 + 1);
    _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, first), bytes)
}

/// ASCII letters and digits, and bytes that are not ASCII; and the bytes with letters in lower
/// case.
#[inline]
#[target_feature(enable = "avx2")]
fn alphanumeric(bytes: __m256i) -> (__m256i, __m256i) {
    let within = |bytes, first: u8, last: u8| {
        let offset = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first as i8));
        _mm256_cmpeq_epi8(_mm256_min_epu8(offset, _mm256_set1_epi8((last - first) as i8)), offset)
    };
    // Upper case becomes lower case, and nothing else becomes a letter.
    let case = _mm256_set1_epi8(0x20);
    let letter = within(_mm256_or_si256(bytes, case), b'a', b'z');
    let digit = within(bytes, b'0', b'9');
    let highs = _mm256_or_si256(_mm256_or_si256(letter, digit), bytes);
    (highs, _mm256_or_si256(bytes, _mm256_and_si256(letter, case)))
}

/// Clears the bytes before the words of sixteen lanes and hashes them, four vectors side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn hash(
    lanes: &mut [u64; GROUP],
    spans: &[Span; GROUP],
    hash: impl Fn([__m256i; VECTORS]) -> [__m256i; VECTORS],
) -> u64 {
    let (vectors, _) = lanes.as_chunks_mut::<LANES>();
    let mut values = [_mm256_setzero_si256(); VECTORS];
    let mut long = 0;
    let (halves, _) = spans.as_chunks::<{ 2 * LANES }>();
    for (half, spans) in halves.iter().enumerate() {
        // SAFETY: the reference covers the 32 bytes that are read.
        let spans = unsafe { _mm256_loadu_si256(spans.as_ptr().cast()) };
        let starts = _mm256_and_si256(spans, _mm256_set1_epi32(0xFFFF));
        let lengths = _mm256_sub_epi32(_mm256_srli_epi32::<16>(spans), starts);
        let lane = _mm256_set1_epi32(LANE as i32);
        let is_long = _mm256_castsi256_ps(_mm256_cmpgt_epi32(lengths, lane));
        long |= opaque(_mm256_movemask_ps(is_long) as u32) << (2 * LANES * half);
        let lengths = _mm256_min_epi32(lengths, lane);
        let (low, high) = (_mm256_castsi256_si128(lengths), _mm256_extracti128_si256::<1>(lengths));
        values[2 * half] = clear_before(&vectors[2 * half], _mm256_cvtepu32_epi64(low));
        values[2 * half + 1] = clear_before(&vectors[2 * half + 1], _mm256_cvtepu32_epi64(high));
    }
    for (vector, value) in vectors.iter_mut().zip(hash(values)) {
        // SAFETY: the reference covers the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(vector.as_mut_ptr().cast(), value) };
    }
    long
}

/// Four lanes, cleared except for their last `lengths` bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn clear_before(lanes: &[u64; LANES], lengths: __m256i) -> __m256i {
    // In each byte of a lane its length, against the place of the byte from the end.
    let spread = _mm256_set_epi64x(EIGHTH, 0, EIGHTH, 0);
    let from_end = _mm256_set1_epi64x(i64::from_le_bytes([7, 6, 5, 4, 3, 2, 1, 0]));
    let is_word = _mm256_cmpgt_epi8(_mm256_shuffle_epi8(lengths, spread), from_end);
    // SAFETY: the reference covers the 32 bytes that are read.
    _mm256_and_si256(is_word, unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) })
}

/// Four times [`scan::sdbm_lane`] of four lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn sdbm(mut lanes: [__m256i; VECTORS]) -> [__m256i; VECTORS] {
    for lanes in &mut lanes {
        *lanes = sdbm_lanes(*lanes);
    }
    lanes
}

/// [`scan::sdbm_lane`] of four lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn sdbm_lanes(lanes: __m256i) -> __m256i {
    const SQUARE: u64 = SDBM_MULTIPLIER * SDBM_MULTIPLIER;
    // Pairs of bytes xy as 63 x + y and x, both of 16 bits: 65599 x + y = 65536 x + (63 x + y).
    let low = _mm256_maddubs_epi16(lanes, _mm256_set1_epi16(0x013F));
    let high = _mm256_and_si256(lanes, _mm256_set1_epi16(0x00FF));
    let even = _mm256_blend_epi16::<0b1010_1010>(low, _mm256_slli_epi32::<16>(high));
    let odd = _mm256_blend_epi16::<0b1010_1010>(_mm256_srli_epi32::<16>(low), high);
    // 65599^2 = 2^32 + a smaller number.
    let square = _mm256_set1_epi64x((SQUARE & 0xFFFF_FFFF) as i64);
    let upper = _mm256_set1_epi64x(!0xFFFF_FFFF);
    let front = _mm256_add_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(even, square), _mm256_slli_epi64::<32>(even)),
        _mm256_andnot_si256(upper, odd),
    );
    let back = _mm256_add_epi64(
        _mm256_add_epi64(
            _mm256_mul_epu32(_mm256_srli_epi64::<32>(even), square),
            _mm256_and_si256(even, upper),
        ),
        _mm256_srli_epi64::<32>(odd),
    );
    let [front] = multiply([front], SQUARE.wrapping_mul(SQUARE));
    _mm256_add_epi64(front, back)
}
