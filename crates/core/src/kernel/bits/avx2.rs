//! x86-64 with AVX2: four words.

use std::arch::x86_64::*;

use super::Bits;

/// Four words. Its functions are inlined, and called only by functions compiled for AVX2.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Four(pub(super) __m256i);

impl Bits for Four {
    type Words = [u64; 4];
    const ZERO: [u64; 4] = [0; 4];

    #[inline(always)]
    fn load(words: &[u64; 4]) -> Four {
        // SAFETY: the reference covers the 32 bytes; see the type for the CPU.
        Four(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self) -> [u64; 4] {
        let mut words = [0; 4];
        // SAFETY: the reference covers the 32 bytes; see the type for the CPU.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        words
    }

    #[inline(always)]
    fn and(self, other: Four) -> Four {
        // SAFETY: see the type.
        Four(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Four) -> Four {
        // SAFETY: see the type.
        Four(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Four) -> Four {
        // SAFETY: see the type.
        Four(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn is_full(self) -> bool {
        // SAFETY: see the type.
        unsafe { _mm256_testc_si256(self.0, _mm256_set1_epi8(-1)) == 1 }
    }
}
