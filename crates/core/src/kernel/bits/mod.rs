//! Bitwise logic on several 64-bit words side by side: the vectors of loops that are written once.
//!
//! Arrays of words are not enough: the compiler has been seen to shuffle words of neighbouring rows
//! when it vectorises them, at a higher cost than the logic itself.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;

/// Several 64-bit words side by side.
pub(super) trait Bits: Copy {
    /// The words as stored in memory.
    type Words: AsRef<[u64]> + AsMut<[u64]> + Copy;
    /// All zero.
    const ZERO: Self::Words;

    fn load(words: &Self::Words) -> Self;
    fn store(self) -> Self::Words;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;

    /// A one where at least two of three have one.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b).or(self.xor(b).and(c))
    }

    /// A one where one or three of three have one.
    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// Whether all bits are one.
    #[inline(always)]
    fn is_full(self) -> bool {
        self.store().as_ref().iter().all(|&word| word == u64::MAX)
    }
}

impl Bits for u64 {
    type Words = [u64; 1];
    const ZERO: [u64; 1] = [0];

    #[inline(always)]
    fn load(words: &[u64; 1]) -> u64 {
        words[0]
    }
    #[inline(always)]
    fn store(self) -> [u64; 1] {
        [self]
    }
    #[inline(always)]
    fn and(self, other: u64) -> u64 {
        self & other
    }
    #[inline(always)]
    fn or(self, other: u64) -> u64 {
        self | other
    }
    #[inline(always)]
    fn xor(self, other: u64) -> u64 {
        self ^ other
    }
}
