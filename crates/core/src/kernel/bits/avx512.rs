//! x86-64 with AVX-512: four words, any logic of three of them by one instruction.
//!
//! Not eight words: Intel's CPUs have three ports for 256-bit vectors and two for 512-bit ones.

use std::arch::x86_64::*;

use super::Bits;
use super::avx2::Four;

/// Four words. Its functions are inlined, and called only by functions compiled for AVX-512.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct FourByThree(Four);

impl Bits for FourByThree {
    type Words = [u64; 4];
    const ZERO: [u64; 4] = Four::ZERO;

    #[inline(always)]
    fn load(words: &[u64; 4]) -> Self {
        Self(Four::load(words))
    }

    #[inline(always)]
    fn store(self) -> [u64; 4] {
        self.0.store()
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        const MAJORITY: i32 = 0b1110_1000;
        // SAFETY: see the type.
        Self(Four(unsafe { _mm256_ternarylogic_epi64::<MAJORITY>(self.0.0, b.0.0, c.0.0) }))
    }

    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        const PARITY: i32 = 0b1001_0110;
        // SAFETY: see the type.
        Self(Four(unsafe { _mm256_ternarylogic_epi64::<PARITY>(self.0.0, b.0.0, c.0.0) }))
    }
}
