//! SIMD, and the only `unsafe` of this crate.
//!
//! One folder for each operation, one file in it for each kind of CPU:
//!
//! | folder | the operation |
//! |---|---|
//! | [`words`] | the hashes of the words of a text |
//! | [`grams`] | the hashes of the characters of a text |
//! | [`json`] | the text of a JSON string |
//! | [`sums`] | simhash: 64 votes over many hashes |
//! | [`hamming`] | which of these fingerprints differ from that one in few bits? |
//! | [`sketch`] | bottom-k: small shingles, overlaps, bitmaps |
//!
//! [`memory`] prefetches cache lines and requests huge pages; [`task`] compiles plain loops for a
//! CPU, and [`flags`] packs their results into bits.
//!
//! A folder's `mod.rs` holds the definition, a plain loop; every kernel gives the same bits and
//! runs the same tests. A [`Kernel`] is chosen once, when the object that uses it is built, and
//! then called for a whole batch or document, so that the choice costs nothing per word.

#![expect(
    unsafe_code,
    reason = "the one place for target features; each block names the check that makes it sound"
)]

mod bits;
pub mod flags;
pub mod grams;
pub mod hamming;
pub mod json;
pub mod memory;
#[cfg(target_arch = "x86_64")]
mod mix_avx2;
#[cfg(target_arch = "x86_64")]
mod mix_avx512;
pub mod sketch;
pub mod sums;
pub mod task;
pub mod words;

/// An implementation of the inner loops, in preferred order.
///
/// A vector kernel is `non_exhaustive`, so that other crates obtain one only from
/// [`available`](Kernel::available) and [`named`](Kernel::named), which test the CPU; this crate
/// constructs one nowhere else. A value therefore proves that functions compiled for its features
/// may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// 512-bit vectors of x86-64, with the permutations and bit operations of Ice Lake and Zen 4.
    ///
    /// Earlier CPUs with AVX-512 (Skylake-X, Cascade Lake: F, BW, DQ, VL and at most VNNI) use
    /// AVX2. Without byte permutations and vector population counts their words and distances would
    /// go the way of AVX2 in any case, and lower clock rates mostly cancel what longer vectors
    /// would gain elsewhere.
    #[cfg(target_arch = "x86_64")]
    #[non_exhaustive]
    Avx512,
    /// 256-bit vectors of x86-64.
    #[cfg(target_arch = "x86_64")]
    #[non_exhaustive]
    Avx2,
    /// 128-bit vectors of 64-bit ARM.
    #[cfg(target_arch = "aarch64")]
    #[non_exhaustive]
    Neon,
    /// Plain Rust: for any CPU.
    Scalar,
}

impl Kernel {
    /// Every kernel that this CPU can run, the best first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        let all = [
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2,
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon,
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
            Kernel::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "avx2",
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => "neon",
            Kernel::Scalar => "scalar",
        }
    }

    /// Tests the CPU. The `target_feature` attributes of a kernel's files may name what is listed
    /// here.
    fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => {
                Kernel::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512vnni")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vpopcntdq")
                    && is_x86_feature_detected!("gfni")
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Kernel::Scalar => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalar_is_always_there_and_names_are_unique() {
        let names: Vec<_> = Kernel::available().map(Kernel::name).collect();
        assert_eq!(names.last(), Some(&"scalar"));
        assert!(names.iter().all(|name| Kernel::named(name).is_some()));
        assert_eq!(Kernel::named("abacus"), None);
    }

    /// An emulator sets the kernel that it was started for; otherwise an unrecognised CPU would
    /// pass all tests without running it.
    #[test]
    fn the_expected_kernel_is_the_best() {
        if let Ok(expected) = std::env::var("TWINDEX_EXPECTED_KERNEL") {
            assert_eq!(Kernel::best().name(), expected);
        }
    }
}
