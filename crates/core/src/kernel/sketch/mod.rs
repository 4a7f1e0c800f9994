//! Sketches: which shingles of a document are small, how much two sketches share, and which pairs
//! their bitmaps rule out.
//!
//! | operation | the definition |
//! |---|---|
//! | [`Kernel::shingles_up_to`] | the hash of every window of words, if it is at most a limit |
//! | [`Kernel::common`] | the size of the intersection of two ascending lists |
//! | [`Kernel::screen`] | popcount(a AND NOT b) of one bitmap against a [block](ScreenBlock) |
//!
//! # For a new kernel
//!
//! Three functions with the signatures of `scalar.rs`, and a line in each `match` below. `tests.rs`
//! compares every available kernel with the definitions. The portable loops already use NEON, which
//! is part of every aarch64 target.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
#[cfg(target_arch = "x86_64")]
mod pcmpestrm;
mod scalar;
#[cfg(test)]
mod tests;

pub use block::ScreenBlock;

use super::Kernel;

/// The words of a sketch's bitmap: 512 bits, one cache line.
pub const BITMAP_WORDS: usize = 8;

/// A sketch's bitmap.
pub type BitmapWords = [u64; BITMAP_WORDS];

impl Kernel {
    /// Appends, in order, the hash of every shingle of `SIZE` consecutive words that is at most
    /// `limit`.
    pub fn shingles_up_to<const SIZE: usize>(self, words: &[u64], limit: u64, found: &mut Vec<u64>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::shingles_up_to::<SIZE>(words, limit, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx2 => unsafe { avx2::shingles_up_to::<SIZE>(words, limit, found) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => scalar::shingles_up_to::<SIZE>(words, limit, found),
            Kernel::Scalar => scalar::shingles_up_to::<SIZE>(words, limit, found),
        }
    }

    /// How many values two ascending lists of distinct values share.
    pub fn common(self, a: &[u64], b: &[u64]) -> usize {
        self.common_at_least(a, b, 0).unwrap_or(0)
    }

    /// How many values two ascending lists of distinct values share; `None` if fewer than `least`.
    /// Kernels differ in how early they notice that.
    pub fn common_at_least(self, a: &[u64], b: &[u64], least: usize) -> Option<usize> {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features, including
            // AVX2.
            Kernel::Avx512 => unsafe { avx2::common_at_least(a, b, least) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::common_at_least(a, b, least) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => scalar::common_at_least(a, b, least),
            Kernel::Scalar => scalar::common_at_least(a, b, least),
        }
    }

    /// Appends the position of every bitmap of the block that lacks at most `most_missing` bits of
    /// `query`.
    pub fn screen(self, query: &BitmapWords, block: &ScreenBlock, most_missing: u32, passed: &mut Vec<u32>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: both exist only where the CPU has AVX2.
            Kernel::Avx512 | Kernel::Avx2 => unsafe { avx2::screen(query, block, most_missing, passed) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => scalar::screen(query, block.bitmaps(), most_missing, passed),
            Kernel::Scalar => scalar::screen(query, block.bitmaps(), most_missing, passed),
        }
    }
}

/// The article's block skip over 32-bit sketches: how many values two ascending lists share, or
/// `None` if more than `most_unshared` values of both lists together are in one only. Without
/// SSE4.2, the scalar loop gives the same result.
pub fn common_by_blocks(a: &[u32], b: &[u32], most_unshared: usize) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("sse4.2") {
        // SAFETY: the CPU was tested just now.
        return unsafe { pcmpestrm::common(a, b, most_unshared) };
    }
    scalar::common_within(a, b, most_unshared)
}
