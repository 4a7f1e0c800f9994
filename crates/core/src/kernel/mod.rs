//! SIMD, and the only `unsafe` of this crate.
//!
//! The scalar version of each function is its definition; every other kernel gives the same bits and runs the same tests.
//! A [`Kernel`] is chosen once, when the object that uses it is built, and then called for a whole batch or document, so
//! that the choice costs nothing per word.

#![expect(
    unsafe_code,
    reason = "the one place for target features; each block names the check that makes it sound"
)]

mod ones;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// The 64 signed sums of simhash, bit 0 first.
pub type Sums = [i32; 64];

/// An implementation of the inner loops, in preferred order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// 256-bit vectors. Only this crate can name it, after it has asked the CPU.
    #[cfg(target_arch = "x86_64")]
    #[non_exhaustive]
    Avx2,
    /// Plain Rust: the definition.
    Scalar,
}

impl Kernel {
    /// Every kernel that this CPU can run, the best first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        let all = [
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2,
            Kernel::Scalar,
        ];
        all.into_iter().filter(|kernel| kernel.is_available())
    }

    /// The best kernel of this CPU.
    pub fn best() -> Kernel {
        Kernel::available().next().unwrap_or(Kernel::Scalar)
    }

    /// The kernel of that name, if this CPU can run it.
    pub fn named(name: &str) -> Option<Kernel> {
        Kernel::available().find(|kernel| kernel.name() == name)
    }

    /// The name by which a user forces this kernel.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "avx2",
            Kernel::Scalar => "scalar",
        }
    }

    fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => x86_64::avx2_is_available(),
            Kernel::Scalar => true,
        }
    }

    /// Adds `weight` to each sum where the hash has a 1 and subtracts it where it has a 0, for every hash.
    pub fn accumulate(self, hashes: &[u64], weight: i32, sums: &mut Sums) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::Avx2` is non-exhaustive, so that other crates get it from `available` and `named` only, which
            // ask the CPU; this crate makes it nowhere else.
            Kernel::Avx2 => unsafe { x86_64::accumulate_avx2(hashes, weight, sums) },
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

    #[test]
    fn scalar_is_always_there_and_names_are_unique() {
        let names: Vec<_> = Kernel::available().map(Kernel::name).collect();
        assert_eq!(names.last(), Some(&"scalar"));
        assert!(names.iter().all(|name| Kernel::named(name).is_some()));
        assert_eq!(Kernel::named("abacus"), None);
    }
}
