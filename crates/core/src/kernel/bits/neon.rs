//! 64-bit ARM: two words.

use std::arch::aarch64::*;

use super::Bits;

/// Two words. Its functions are inlined, and called only by functions compiled for NEON.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Two(uint64x2_t);

impl Bits for Two {
    type Words = [u64; 2];
    const ZERO: [u64; 2] = [0; 2];

    #[inline(always)]
    fn load(words: &[u64; 2]) -> Two {
        // SAFETY: the reference covers the 16 bytes; see the type for the CPU.
        Two(unsafe { vld1q_u64(words.as_ptr()) })
    }

    #[inline(always)]
    fn store(self) -> [u64; 2] {
        let mut words = [0; 2];
        // SAFETY: the reference covers the 16 bytes; see the type for the CPU.
        unsafe { vst1q_u64(words.as_mut_ptr(), self.0) };
        words
    }

    #[inline(always)]
    fn and(self, other: Two) -> Two {
        // SAFETY: see the type.
        Two(unsafe { vandq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Two) -> Two {
        // SAFETY: see the type.
        Two(unsafe { vorrq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Two) -> Two {
        // SAFETY: see the type.
        Two(unsafe { veorq_u64(self.0, other.0) })
    }
}
