//! SimHash: 64 weighted votes.
//!
//! ```text
//! W = [0; 64]
//! for each feature with hash h and weight w:
//!     for each bit j:  W[j] += w if bit j of h is 1, else -w
//! fingerprint bit j = W[j] >= 0
//! ```
//!
//! The sums W are the *margins*: a bit whose |W| is small is likely to flip under a small edit.
//!
//! Differences from the papers: they disagree on W = 0. The FPGA paper's worked example and Algorithm 1 of the
//! probabilistic-matching paper give it a 1, other listings a 0; we give it a 1, and the worked example is a test.

use std::fmt;

use crate::kernel::Kernel;

/// A 64-bit SimHash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Simhash(pub u64);

impl Simhash {
    /// In how many bits the two differ.
    #[inline]
    pub fn distance(self, other: Simhash) -> u32 {
        (self.0 ^ other.0).count_ones()
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Simhash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The 64 sums behind a fingerprint, bit 0 first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margins(pub [i32; 64]);

impl Margins {
    /// The fingerprint: the signs.
    pub fn simhash(&self) -> Simhash {
        Simhash(self.0.iter().enumerate().fold(0, |bits, (j, &sum)| bits | (u64::from(sum >= 0) << j)))
    }
}

/// Computes fingerprints with a kernel that is chosen once.
#[derive(Debug, Clone, Copy)]
pub struct Simhasher {
    kernel: Kernel,
}

impl Simhasher {
    /// A hasher that uses `kernel`.
    pub fn new(kernel: Kernel) -> Self {
        Simhasher { kernel }
    }

    /// The margins of a document of equally weighted features, one hash for each occurrence.
    pub fn margins(&self, features: &[u64]) -> Margins {
        let mut sums = [0; 64];
        self.kernel.accumulate(features, 1, &mut sums);
        Margins(sums)
    }

    /// The fingerprints of a batch of documents. Document `i` has the features `features[ends[i - 1]..ends[i]]`.
    pub fn batch(&self, features: &[u64], ends: &[usize], fingerprints: &mut Vec<Simhash>) {
        let mut start = 0;
        for &end in ends {
            fingerprints.push(self.margins(&features[start..end]).simhash());
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::sdbm;

    /// The worked example of the FPGA paper, Figure 3: "A school is a school if it has students and teachers".
    #[test]
    fn the_papers_example() {
        let features: Vec<u64> =
            [b"school".as_slice(), b"school", b"students", b"teachers"].map(sdbm).to_vec();
        let expected_margins = [
            -2, -2, 0, 0, 0, -2, 0, -4, 0, -2, 2, -2, -2, 4, -2, -4, -2, -2, 2, -2, -2, -4, 2, 0, 4, 0, -4,
            -2, -2, 2, -2, 2, -2, 0, -2, 0, 2, -2, -2, -2, -2, -2, 2, 2, -4, 0, -2, 4, -2, -2, -4, -2, 2, 0,
            2, 0, 2, 0, 4, 4, -2, 0, -4, -2,
        ];
        let expected =
            u64::from_str_radix("0011101010100100001000111100010101011000001101010000111111110100", 2);
        for kernel in Kernel::available() {
            let margins = Simhasher::new(kernel).margins(&features);
            let mut printed = margins.0;
            printed.reverse(); // the paper prints the most significant bit first
            assert_eq!(printed, expected_margins);
            assert_eq!(margins.simhash().0, expected.clone().unwrap());
        }
    }

    #[test]
    fn a_batch_equals_its_documents() {
        let hasher = Simhasher::new(Kernel::best());
        let features: Vec<u64> = (0..50).map(crate::hash::mix).collect();
        let mut batch = vec![];
        hasher.batch(&features, &[10, 10, 50], &mut batch);
        let single = [&features[..10], &[], &features[10..]].map(|part| hasher.margins(part).simhash());
        assert_eq!(batch, single);
    }

    #[test]
    fn distance_is_a_metric_on_samples() {
        let sample: Vec<Simhash> = (0..20).map(|i| Simhash(crate::hash::mix(i))).collect();
        for a in &sample {
            assert_eq!(a.distance(*a), 0);
            for b in &sample {
                assert_eq!(a.distance(*b), b.distance(*a));
                for c in &sample {
                    assert!(a.distance(*c) <= a.distance(*b) + b.distance(*c));
                }
            }
        }
    }
}
