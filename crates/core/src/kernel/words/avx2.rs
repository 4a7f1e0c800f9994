//! x86-64 with AVX2: 32 bytes are classified, and four lanes are hashed at a time.

use std::arch::x86_64::*;

use super::WordRule;
use super::scan::{self, BLOCK};
use crate::hash::{MIX_MULTIPLIERS, SDBM_MULTIPLIER};

/// Lanes of a vector.
const LANES: usize = 4;

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
    match rule {
        WordRule::Printable => scan::stream(
            WordRule::Printable,
            text,
            ends,
            hashes,
            word_ends,
            |block| classify(block, |bytes| printable(bytes)),
            |lanes| hash(lanes, |lanes| sdbm(lanes), scan::sdbm_lane),
        ),
        WordRule::Alphanumeric => scan::stream(
            WordRule::Alphanumeric,
            text,
            ends,
            hashes,
            word_ends,
            |block| classify(block, |bytes| alphanumeric(bytes)),
            |lanes| hash(lanes, |lanes| chunks(lanes), |lane| scan::chunk_lane(0, lane)),
        ),
    }
}

/// The mask of a block, from a function that sets the high bit of each byte that belongs to a word.
#[inline]
#[target_feature(enable = "avx2")]
fn classify(block: &[u8; BLOCK], highs: impl Fn(__m256i) -> __m256i) -> u64 {
    let half = |bytes: &[u8; BLOCK / 2]| {
        // SAFETY: the reference covers the 32 bytes that are read.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        opaque(_mm256_movemask_epi8(highs(bytes)) as u32)
    };
    let (halves, _) = block.as_chunks();
    half(&halves[0]) | half(&halves[1]) << 32
}

/// The same number. The compiler knows that a mask is a vector of bits, and would take it apart bit by bit to combine the
/// halves of a block (LLVM 21: 60 insertions of a byte for each block, half of the speed).
#[inline(always)]
fn opaque(mut mask: u32) -> u64 {
    // SAFETY: a comment, no instruction.
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

/// ASCII letters and digits, and bytes that are not ASCII.
#[inline]
#[target_feature(enable = "avx2")]
fn alphanumeric(bytes: __m256i) -> __m256i {
    let within = |bytes, first: u8, last: u8| {
        let offset = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first as i8));
        _mm256_cmpeq_epi8(_mm256_min_epu8(offset, _mm256_set1_epi8((last - first) as i8)), offset)
    };
    // Upper case becomes lower case, and nothing else becomes a letter.
    let letter = within(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), b'a', b'z');
    let digit = within(bytes, b'0', b'9');
    _mm256_or_si256(_mm256_or_si256(letter, digit), bytes)
}

/// Hashes four lanes at a time, and the last ones one by one.
#[inline]
#[target_feature(enable = "avx2")]
fn hash(lanes: &mut [u64], four: impl Fn(__m256i) -> __m256i, one: impl Fn(u64) -> u64) {
    let (vectors, rest) = lanes.as_chunks_mut::<LANES>();
    for vector in vectors {
        let vector: *mut __m256i = vector.as_mut_ptr().cast();
        // SAFETY: the reference covers the 32 bytes that are read and written.
        unsafe { _mm256_storeu_si256(vector, four(_mm256_loadu_si256(vector))) };
    }
    rest.iter_mut().for_each(|lane| *lane = one(*lane));
}

/// [`mix`](crate::hash::mix()) of four lanes, folded. In words, ASCII bytes are letters or digits, which have the bit of lower
/// case already; bytes that are not ASCII are negative.
#[inline]
#[target_feature(enable = "avx2")]
fn chunks(lanes: __m256i) -> __m256i {
    let ascii = _mm256_cmpgt_epi8(lanes, _mm256_setzero_si256());
    let lanes = _mm256_or_si256(lanes, _mm256_and_si256(ascii, _mm256_set1_epi8(0x20)));
    let lanes = _mm256_xor_si256(lanes, _mm256_srli_epi64(lanes, 30));
    let lanes = multiply(lanes, MIX_MULTIPLIERS[0]);
    let lanes = _mm256_xor_si256(lanes, _mm256_srli_epi64(lanes, 27));
    let lanes = multiply(lanes, MIX_MULTIPLIERS[1]);
    _mm256_xor_si256(lanes, _mm256_srli_epi64(lanes, 31))
}

/// [`scan::sdbm_lane`] of four lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn sdbm(lanes: __m256i) -> __m256i {
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
    _mm256_add_epi64(multiply(front, SQUARE.wrapping_mul(SQUARE)), back)
}

/// The lower halves of the products, which AVX2 has no instruction for.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply(lanes: __m256i, factor: u64) -> __m256i {
    let low = _mm256_set1_epi64x((factor & 0xFFFF_FFFF) as i64);
    let high = _mm256_set1_epi64x((factor >> 32) as i64);
    let middle = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64::<32>(lanes), low),
        _mm256_mul_epu32(lanes, high),
    );
    _mm256_add_epi64(_mm256_mul_epu32(lanes, low), _mm256_slli_epi64::<32>(middle))
}
