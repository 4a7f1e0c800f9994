//! The bitmap of a sketch: 512 bits that bound an overlap from above without reading the sketches.
//!
//! Bit `place(h)` is set for every hash h. A bit of A's bitmap that B's lacks belongs to at least
//! one hash of A that is not in B, and distinct bits belong to distinct hashes, so
//!
//! ```text
//! |A ∩ B| <= |A| - popcount(a AND NOT b)
//! ```
//!
//! Two unrelated sketches of 128 set about 113 bits each and share a fifth of them: the bound is
//! near 40, and a Jaccard of 0.5 needs 86. So 64 bytes rule out nearly every unrelated pair, and no
//! related pair is ever lost.

use crate::kernel::sketch::{BITMAP_WORDS, BitmapWords};

/// Bits of a bitmap: four for each hash of the usual sketch of 128.
const BITS: usize = BITMAP_WORDS * u64::BITS as usize;

/// The bitmap of one sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(64))]
pub struct Bitmap(pub BitmapWords);

impl Bitmap {
    /// The bitmap of a sketch's hashes.
    pub fn new(hashes: &[u64]) -> Self {
        let mut words = [0; BITMAP_WORDS];
        for &hash in hashes {
            let bit = place(hash);
            words[bit / 64] |= 1 << (bit % 64);
        }
        Bitmap(words)
    }

    /// How many bits are set here and not in `other`: at least that many hashes of this sketch are
    /// not in the other.
    #[inline]
    pub fn missing_in(&self, other: &Bitmap) -> usize {
        let words = self.0.iter().zip(&other.0);
        words.map(|(mine, theirs)| (mine & !theirs).count_ones() as usize).sum()
    }
}

/// The bit of a hash. A sketch has the smallest of many hashes, whose high bits are alike; the
/// product spreads the low ones.
#[inline]
fn place(hash: u64) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    const SHIFT: u32 = u64::BITS - BITS.ilog2();
    (hash.wrapping_mul(SPREAD) >> SHIFT) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    proptest! {
        #[test]
        fn the_bound_is_never_below_the_overlap(
            a in prop::collection::btree_set(0u64..3_000, 0..400),
            b in prop::collection::btree_set(0u64..3_000, 0..400),
        ) {
            let overlap = a.intersection(&b).count();
            let bitmap = |set: &std::collections::BTreeSet<u64>| Bitmap::new(&set.iter().copied().collect::<Vec<_>>());
            prop_assert!(a.len() - bitmap(&a).missing_in(&bitmap(&b)) >= overlap);
            prop_assert!(b.len() - bitmap(&b).missing_in(&bitmap(&a)) >= overlap);
        }
    }

    /// The bound of unrelated sketches is low; otherwise the screen would be correct but useless.
    #[test]
    fn small_hashes_are_spread() {
        let sketch = |start: u64| {
            let mut hashes: Vec<u64> = (start..start + 5_000).map(mix).collect();
            hashes.sort_unstable();
            Bitmap::new(&hashes[..128])
        };
        let bounds: Vec<usize> =
            (0..100).map(|i| 128 - sketch(i * 10_000).missing_in(&sketch(i * 10_000 + 5_000))).collect();
        assert!(bounds.iter().all(|&bound| bound < 86), "{bounds:?}");
    }
}
