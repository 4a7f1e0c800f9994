//! The 64 votes of simhash over many hashes.
//!
//! ```text
//! for each hash h:  for each bit j:  sums[j] += weight if bit j of h is 1, else -weight
//! ```

#[cfg(target_arch = "x86_64")]
mod avx2;
mod ones;
mod scalar;

use super::Kernel;

/// The 64 signed sums of simhash, bit 0 first.
pub type Sums = [i32; 64];

impl Kernel {
    /// Adds `weight` to each sum where the hash has a 1 and subtracts it where it has a 0, for every hash.
    pub fn accumulate(self, hashes: &[u64], weight: i32, sums: &mut Sums) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::Avx2` is non-exhaustive, so that other crates get it from `available` and `named` only, which
            // ask the CPU; this crate makes it nowhere else.
            Kernel::Avx2 => unsafe { avx2::accumulate(hashes, weight, sums) },
            Kernel::Scalar => scalar::accumulate(hashes, weight, sums),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// The definition, spelt out: one bit of one hash at a time.
    fn naive(hashes: &[u64], weight: i32, sums: &mut Sums) {
        for hash in hashes {
            for (bit, sum) in sums.iter_mut().enumerate() {
                *sum += if hash >> bit & 1 == 1 { weight } else { -weight };
            }
        }
    }

    #[test]
    fn every_kernel_equals_the_definition_at_every_length() {
        let hashes: Vec<u64> = (0..600).map(|i| if i % 50 == 0 { u64::MAX } else { mix(i) }).collect();
        for kernel in Kernel::available() {
            for length in 0..hashes.len() {
                for weight in [1, -3, 1000] {
                    let (mut expected, mut found) = ([7; 64], [7; 64]);
                    naive(&hashes[..length], weight, &mut expected);
                    kernel.accumulate(&hashes[..length], weight, &mut found);
                    assert_eq!(found, expected, "{}, {length} hashes, weight {weight}", kernel.name());
                }
            }
        }
    }
}
