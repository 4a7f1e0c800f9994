//! Which of these words differ from a query in few bits?
//!
//! Six operations, each defined in `scalar`, with the same results from every kernel:
//!
//! - [`Kernel::within`]: one query against an array.
//! - [`Kernel::look_up`]: many queries, each against its own short run of an array (a bucket). One
//!   call per block of look-ups, because a call for each bucket of eight would cost as much as the
//!   bucket.
//! - [`Kernel::look_up_lines`]: the same where a bucket has a cache line of its own.
//! - [`Kernel::near_pairs`]: the words of each run with each other.
//! - [`Kernel::within_slices`]: one query against bit slices (see [`slices`]), 256 fingerprints in
//!   a few dozen operations.
//! - [`Kernel::each_within_slices`]: many queries against them, in a third of the operations.
//!
//! Words are 64-bit fingerprints, or 32-bit tags: the part of a fingerprint that rejects nearly
//! everything outside the radius at half the memory traffic.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lines;
mod nibbles;
mod prefetch;
mod scalar;
pub mod slices;

use super::Kernel;
use slices::{Half, LENGTH, Slices};

pub use lines::{Line, LineLookUp};

/// A run of an array, and what is looked for in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookUp<W> {
    /// Where the run begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// The word that is looked for.
    pub word: W,
    /// In how many bits a word of the run may differ from it.
    pub radius: u32,
}

/// A word of a run that is near enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Survivor {
    /// The number of the look-up in its block.
    pub look_up: u32,
    /// The place of the word in the array.
    pub position: u32,
}

/// Neighbouring words that are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first.
    pub start: u32,
    /// Behind the last.
    pub end: u32,
}

impl Run {
    /// How many words.
    #[inline(always)]
    #[expect(clippy::len_without_is_empty, reason = "there is no caller")]
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// When two words of a run are near.
///
/// They differ in at most `radius` bits, and in at most `most` of the `deciding` ones. Where a
/// wanted pair is known to have some differences elsewhere, fewer are left for these bits, and
/// fewer bits decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nearness {
    /// In how many bits the words may differ.
    pub radius: u32,
    /// The bits compared first: some that distinguish the words of a run.
    pub deciding: u64,
    /// In how many of them the words may differ.
    pub most: u32,
}

impl Nearness {
    /// How many deciding bits let so few random pairs through that testing more would take longer.
    /// Half a tag tests whether at most one of its sixteen bits differs; of at most three
    /// differences, one half has at most one.
    pub const fn enough(most: u32) -> u32 {
        match most {
            0..=1 => 16,
            2..=3 => 32,
            _ => slices::enough(most) as u32,
        }
    }

    /// Whether two words are near.
    #[inline(always)]
    pub fn is_near(&self, a: u64, b: u64) -> bool {
        let difference = a ^ b;
        difference.count_ones() <= self.radius && (difference & self.deciding).count_ones() <= self.most
    }
}

/// What runs are made of: 64-bit fingerprints, or 32-bit tags.
pub trait Word: Copy + Eq + std::ops::BitXor<Output = Self> + Send + Sync + private::Sealed {
    /// The number of one bits.
    fn ones(self) -> u32;

    /// See [`Kernel::look_up`].
    #[doc(hidden)]
    fn look_up(kernel: Kernel, words: &[Self], look_ups: &[LookUp<Self>], survivors: &mut Vec<Survivor>);
}

mod private {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

impl Word for u32 {
    #[inline(always)]
    fn ones(self) -> u32 {
        self.count_ones()
    }

    fn look_up(kernel: Kernel, words: &[u32], look_ups: &[LookUp<u32>], survivors: &mut Vec<Survivor>) {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::look_up_tags(words, look_ups, survivors) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has AVX2.
            Kernel::Avx2 => unsafe { avx2::look_up_tags(words, look_ups, survivors) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => scalar::look_up(words, look_ups, survivors),
            Kernel::Scalar => scalar::look_up(words, look_ups, survivors),
        }
    }
}

impl Word for u64 {
    #[inline(always)]
    fn ones(self) -> u32 {
        self.count_ones()
    }

    fn look_up(kernel: Kernel, words: &[u64], look_ups: &[LookUp<u64>], survivors: &mut Vec<Survivor>) {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::look_up_words(words, look_ups, survivors) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::look_up_words(words, look_ups, survivors) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => scalar::look_up(words, look_ups, survivors),
            Kernel::Scalar => scalar::look_up(words, look_ups, survivors),
        }
    }
}

impl Kernel {
    /// Appends the places of all `words` that differ from `query` in at most `radius` bits,
    /// ascending.
    ///
    /// At most 2^32 words.
    pub fn within(self, words: &[u64], query: u64, radius: u32, found: &mut Vec<u32>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::within(words, query, radius, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has AVX2.
            Kernel::Avx2 => unsafe { avx2::within(words, query, radius, found) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => scalar::within(words, query, radius, found),
            Kernel::Scalar => scalar::within(words, query, radius, found),
        }
    }

    /// Appends, for every look-up in order, the words of its run within its radius, ascending.
    ///
    /// Panics if a run reaches beyond `words`.
    #[inline]
    pub fn look_up<W: Word>(self, words: &[W], look_ups: &[LookUp<W>], survivors: &mut Vec<Survivor>) {
        W::look_up(self, words, look_ups, survivors);
    }

    /// Appends the near pairs of words of each run, as places, the smaller first; in no particular
    /// order.
    ///
    /// Runs do not overlap. Panics if one reaches beyond `words`.
    pub fn near_pairs(self, words: &[u64], runs: &[Run], near: &Nearness, found: &mut Vec<(u32, u32)>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::near_pairs(words, runs, near, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has AVX2.
            Kernel::Avx2 => unsafe { avx2::near_pairs(words, runs, near, found) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => scalar::near_pairs(words, runs, near, found),
            Kernel::Scalar => scalar::near_pairs(words, runs, near, found),
        }
    }

    /// Appends the places of all fingerprints in `slices` that *may* be within `radius` bits of
    /// `query`: all that are, and a few others, because only [`slices::enough`] slices are
    /// compared. The same for every kernel.
    pub fn within_slices(self, slices: &Slices, query: u64, radius: u32, found: &mut Vec<u32>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::within_slices(slices, query, radius, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has AVX2.
            Kernel::Avx2 => unsafe { avx2::within_slices(slices, query, radius, found) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => slices::within::<super::bits::neon::Two, 2>(slices, query, radius, found),
            Kernel::Scalar => slices::within::<u64, 1>(slices, query, radius, found),
        }
    }

    /// The same for many queries: appends the number of the query and the place of every
    /// fingerprint that may be near. In no particular order, except that the places of one query
    /// ascend.
    pub fn each_within_slices(
        self,
        slices: &Slices,
        queries: &[u64],
        radius: u32,
        found: &mut Vec<(u32, u32)>,
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: both exist only where the CPU has AVX2.
            Kernel::Avx512 | Kernel::Avx2 => unsafe {
                avx2::each_within_slices(slices, queries, radius, found)
            },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => nibbles::each_within::<super::bits::neon::Two, 2>(slices, queries, radius, found),
            Kernel::Scalar => nibbles::each_within::<u64, 1>(slices, queries, radius, found),
        }
    }

    /// The rows of a block: row r is bit r of all fingerprints. The upper half only if `high` is
    /// given.
    fn slice(self, fingerprints: &[u64; LENGTH], low: &mut Half, high: Option<&mut Half>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: both exist only where the CPU has AVX2.
            Kernel::Avx512 | Kernel::Avx2 => unsafe { avx2::slice(fingerprints, low, high) },
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => slices::slice(fingerprints, low, high),
            Kernel::Scalar => slices::slice(fingerprints, low, high),
        }
    }
}

#[cfg(test)]
mod tests;
