//! The 64 votes of simhash over many hashes.
//!
//! ```text
//! for each hash h:  for each bit j:  sums[j] += weight if bit j of h is 1, else -weight
//! ```
//!
//! With equal weights a sum is `weight * (2 * ones - hashes)`, so that counting ones is enough, and
//! a bit of the fingerprint (`sum >= 0`) is set if at least half of the hashes have it: see
//! `planes.rs`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod loops;
#[cfg(target_arch = "aarch64")]
mod neon;
mod planes;
mod scalar;
#[cfg(test)]
mod tests;

use super::Kernel;

/// The 64 signed sums of simhash, bit 0 first.
pub type Sums = [i32; 64];

/// The weight of a feature, and the sums that hold many of them.
pub trait VoteWeight: Copy {
    /// A sum of votes.
    type Sum: Copy + Default + PartialOrd;

    /// Adds the weight to the sum, or subtracts it.
    fn vote(self, is_for: bool, sum: &mut Self::Sum);
}

impl VoteWeight for u16 {
    type Sum = i64;

    #[inline(always)]
    fn vote(self, is_for: bool, sum: &mut i64) {
        let weight = i64::from(self);
        *sum += if is_for { weight } else { -weight };
    }
}

/// Each sum adds its terms in the order of the features, so that the result is the same on every
/// CPU.
impl VoteWeight for f32 {
    type Sum = f32;

    #[inline(always)]
    fn vote(self, is_for: bool, sum: &mut f32) {
        *sum += if is_for { self } else { -self };
    }
}

impl Kernel {
    /// Adds `weight` to each sum where the hash has a 1 and subtracts it where it has a 0, for
    /// every hash.
    pub fn accumulate(self, hashes: &[u64], weight: i32, sums: &mut Sums) {
        let ones = match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::count(hashes) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx2 => unsafe { avx2::count(hashes) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Neon => unsafe { neon::count(hashes) },
            Kernel::Scalar => scalar::count(hashes),
        };
        let total = hashes.len() as i32;
        for (sum, ones) in sums.iter_mut().zip(ones) {
            *sum += weight * (2 * ones - total);
        }
    }

    /// Appends for each document the word whose bits are set where at least half of its hashes have
    /// a one: the fingerprint of equally weighted features. Document `i` has the hashes
    /// `hashes[ends[i - 1]..ends[i]]`.
    pub fn majorities(self, hashes: &[u64], ends: &[usize], majorities: &mut Vec<u64>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::majorities(hashes, ends, majorities) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx2 => unsafe { avx2::majorities(hashes, ends, majorities) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Neon => unsafe { neon::majorities(hashes, ends, majorities) },
            Kernel::Scalar => scalar::majorities(hashes, ends, majorities),
        }
    }

    /// Adds the weight of each hash to each sum where the hash has a 1 and subtracts it where it
    /// has a 0.
    ///
    /// # Panics
    /// If there are not as many weights as hashes.
    pub fn accumulate_weighted<W: VoteWeight>(self, hashes: &[u64], weights: &[W], sums: &mut [W::Sum; 64]) {
        assert_eq!(hashes.len(), weights.len(), "a weight for each hash");
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::accumulate_weighted(hashes, weights, sums) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx2 => unsafe { avx2::accumulate_weighted(hashes, weights, sums) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Neon => unsafe { neon::accumulate_weighted(hashes, weights, sums) },
            Kernel::Scalar => scalar::accumulate_weighted(hashes, weights, sums),
        }
    }
}
