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
//! Differences from the papers: they disagree on W = 0. The FPGA paper's worked example and
//! Algorithm 1 of the probabilistic-matching paper set the bit, other listings clear it; we set it,
//! and the worked example is a test.

use std::fmt;

use crate::kernel::Kernel;
use crate::kernel::sums::VoteWeight;
use crate::kernel::words::WordRule;

/// A 64-bit SimHash.
///
/// ```
/// use twindex_core::fingerprint::Simhash;
///
/// assert_eq!(Simhash(0b1100).distance(Simhash(0b1010)), 2);
/// assert_eq!(Simhash(0xff).to_string(), "00000000000000ff");
/// ```
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
    /// The margins of weighted sums. Values beyond `i32` saturate: only their sign matters.
    pub fn of_sums(sums: &[i64; 64]) -> Margins {
        Margins(sums.map(|sum| sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32))
    }

    /// The fingerprint: the signs.
    pub fn simhash(&self) -> Simhash {
        signs(&self.0)
    }
}

/// Computes fingerprints with a kernel that is chosen once.
///
/// ```
/// use twindex_core::fingerprint::{Simhasher, signs};
/// use twindex_core::kernel::Kernel;
///
/// let simhasher = Simhasher::new(Kernel::best());
/// let margins = simhasher.margins(&[0b001, 0b011, 0b011]);
/// assert_eq!(margins.0[..3], [3, 1, -3], "votes for bit 0, bit 1 and bit 2");
/// assert_eq!(margins.simhash().0, 0b011);
/// let sums = simhasher.weighted(&[0b001, 0b011], &[5u16, 2]);
/// assert_eq!(signs(&sums).0, 0b001, "the feature without bit 1 weighs more");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Simhasher {
    kernel: Kernel,
}

/// Buffers that a thread reuses from batch to batch.
#[derive(Debug, Default)]
pub struct SimhashScratch {
    ends: Vec<usize>,
    hashes: Vec<u64>,
    word_ends: Vec<usize>,
    fingerprints: Vec<u64>,
}

/// Text is hashed and counted in parts of this size, so that the hashes are counted while in the L2
/// cache. Smaller parts pay for the calls (8 KiB: 10 % slower), larger ones gain nothing.
const PART: usize = 32 << 10;

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

    /// The sums of a document whose features have weights. The fingerprint is their signs:
    /// [`signs`].
    ///
    /// # Panics
    /// If there are not as many weights as features.
    pub fn weighted<W: VoteWeight>(&self, features: &[u64], weights: &[W]) -> [W::Sum; 64] {
        let mut sums = [W::Sum::default(); 64];
        self.kernel.accumulate_weighted(features, weights, &mut sums);
        sums
    }

    /// The fingerprints of a batch of documents. Document `i` has the features
    /// `features[ends[i - 1]..ends[i]]`.
    pub fn batch(
        &self,
        features: &[u64],
        ends: &[usize],
        scratch: &mut SimhashScratch,
        fingerprints: &mut Vec<Simhash>,
    ) {
        scratch.fingerprints.clear();
        self.kernel.majorities(features, ends, &mut scratch.fingerprints);
        fingerprints.extend(scratch.fingerprints.iter().map(|&bits| Simhash(bits)));
    }

    /// The fingerprints of a batch of texts whose features are their words. Document `i` is
    /// `text[ends[i - 1]..ends[i]]`. Documents separated by a byte that belongs to no word, as
    /// lines are, cost no call each.
    pub fn texts(
        &self,
        rule: WordRule,
        text: &[u8],
        ends: &[usize],
        scratch: &mut SimhashScratch,
        fingerprints: &mut Vec<Simhash>,
    ) {
        let mut start = 0;
        let mut rest = ends;
        while let Some(&first) = rest.first() {
            let whole = rest.iter().take_while(|&&end| end - start <= PART).count();
            if whole == 0 {
                let margins = self.text_margins(rule, &text[start..first], scratch);
                fingerprints.push(margins.simhash());
                start = first;
                rest = &rest[1..];
                continue;
            }
            let (documents, after) = rest.split_at(whole);
            let end = documents[whole - 1];
            scratch.ends.clear();
            scratch.ends.extend(documents.iter().map(|end| end - start));
            self.hash_words(rule, &text[start..end], scratch);
            let SimhashScratch { hashes, word_ends, fingerprints: bits, .. } = scratch;
            bits.clear();
            self.kernel.majorities(hashes, word_ends, bits);
            fingerprints.extend(bits.iter().map(|&bits| Simhash(bits)));
            start = end;
            rest = after;
        }
    }

    /// The margins of a text whose features are its words.
    pub fn text_margins(&self, rule: WordRule, text: &[u8], scratch: &mut SimhashScratch) -> Margins {
        let mut sums = [0; 64];
        let mut start = 0;
        while start < text.len() {
            // A part ends between words.
            let mark = text.len().min(start + PART);
            let word = text[mark..].iter().position(|&byte| !rule.is_word(byte));
            let end = word.map_or(text.len(), |length| mark + length);
            scratch.ends.clear();
            scratch.ends.push(end - start);
            self.hash_words(rule, &text[start..end], scratch);
            self.kernel.accumulate(&scratch.hashes, 1, &mut sums);
            start = end;
        }
        Margins(sums)
    }

    /// Fills the scratch with the hashes of the words of documents that end at `scratch.ends`.
    fn hash_words(&self, rule: WordRule, text: &[u8], scratch: &mut SimhashScratch) {
        scratch.hashes.clear();
        scratch.word_ends.clear();
        self.kernel.words(rule, text, &scratch.ends, &mut scratch.hashes, &mut scratch.word_ends);
    }
}

/// The fingerprint of weighted sums: 1 where a sum is not negative.
pub fn signs<S: PartialOrd + Default>(sums: &[S; 64]) -> Simhash {
    let bits = sums.iter().enumerate();
    Simhash(bits.fold(0, |bits, (j, sum)| bits | (u64::from(*sum >= S::default()) << j)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::sdbm;

    /// The worked example of the FPGA paper, Figure 3: "A school is a school if it has students and
    /// teachers".
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
        hasher.batch(&features, &[10, 10, 50], &mut SimhashScratch::default(), &mut batch);
        let single = [&features[..10], &[], &features[10..]].map(|part| hasher.margins(part).simhash());
        assert_eq!(batch, single);
    }

    /// Short texts and texts of many parts, with words at part boundaries.
    #[test]
    fn texts_equal_their_words() {
        let lengths = [0, 1, 5, 40, 300, 5_000, PART - 1, PART, PART + 1, 3 * PART + 7, 20, 2 * PART];
        for rule in WordRule::ALL {
            let (mut text, mut ends) = (vec![], vec![]);
            for length in lengths {
                let letter = |i: usize| match crate::hash::mix((length + i) as u64) % 6 {
                    0 => b' ',
                    other => b'a' + (other * 4 + (i % 3) as u64) as u8,
                };
                text.extend((0..length).map(letter));
                text.push(b'\n');
                ends.push(text.len());
            }
            let (mut words, mut word_ends) = (vec![], vec![]);
            crate::kernel::words::naive(rule, &text, &ends, &mut words, &mut word_ends);
            for kernel in Kernel::available() {
                let hasher = Simhasher::new(kernel);
                let mut scratch = SimhashScratch::default();
                let mut found = vec![];
                hasher.texts(rule, &text, &ends, &mut scratch, &mut found);
                let (mut start, mut word) = (0, 0);
                for ((&end, &word_end), found) in ends.iter().zip(&word_ends).zip(found) {
                    let expected = hasher.margins(&words[word..word_end]);
                    assert_eq!(hasher.text_margins(rule, &text[start..end], &mut scratch), expected);
                    assert_eq!(found, expected.simhash(), "{}, {} bytes", kernel.name(), end - start);
                    (start, word) = (end, word_end);
                }
            }
        }
    }

    #[test]
    fn equal_weights_are_margins() {
        let hasher = Simhasher::new(Kernel::best());
        let features: Vec<u64> = (0..50).map(crate::hash::mix).collect();
        let margins = hasher.margins(&features);
        assert_eq!(hasher.weighted(&features, &[1u16; 50]), margins.0.map(i64::from));
        assert_eq!(signs(&hasher.weighted(&features, &[0.5f32; 50])), margins.simhash());
        assert_eq!(Margins::of_sums(&margins.0.map(i64::from)), margins);
        let far = Margins::of_sums(&std::array::from_fn(|bit| if bit == 0 { i64::MIN } else { i64::MAX }));
        assert_eq!((far.0[0], far.0[1], far.simhash().0), (i32::MIN, i32::MAX, u64::MAX - 1));
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
