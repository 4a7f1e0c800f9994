//! Assigns the bits of fingerprints to blocks.
//!
//! Blocks of neighbouring bits serve uniform fingerprints. Real ones have bits that are nearly
//! constant: a block of them distinguishes nothing, and its table is one large bucket. So bits are
//! assigned by their entropy, measured on a sample: the strongest first, each to the block with the
//! least so far. Fingerprints are then permuted once, so that blocks are neighbouring bits again,
//! and only matches are permuted back.

use std::ops::Range;

/// A permutation of the 64 bits, and the blocks of the permuted fingerprint.
#[derive(Debug, Clone)]
pub struct BitOrder {
    /// The block boundaries, from the highest bit down: block `b` has the bits
    /// `starts[b]..starts[b - 1]` of a permuted fingerprint. So ascending fingerprints are ordered
    /// by the first block.
    starts: Vec<u32>,
    /// What each byte of a fingerprint contributes to the permuted one; `None` if nothing is
    /// permuted.
    forward: Option<Box<[[u64; 256]; 8]>>,
    backward: Option<Box<[[u64; 256]; 8]>>,
}

/// Fingerprints sampled to weigh the bits.
const SAMPLE: usize = 1 << 14;

/// A bit with this share of ones, or of zeros, counts as balanced. If all bits are, none is moved.
const EVEN: f64 = 0.4;

impl BitOrder {
    /// Neighbouring bits in `blocks` nearly equal blocks.
    pub fn plain(blocks: u32) -> Self {
        let starts = (1..=blocks).map(|block| u64::BITS - u64::BITS * block / blocks).collect();
        BitOrder { starts, forward: None, backward: None }
    }

    /// Blocks of about equal entropy, for a collection like `fingerprints`.
    pub fn balanced(blocks: u32, fingerprints: &[u64]) -> Self {
        let plain = BitOrder::plain(blocks);
        let shares = shares_of_ones(fingerprints);
        if shares.iter().all(|share| (EVEN..=1.0 - EVEN).contains(share)) {
            return plain;
        }
        // The collision entropy of a bit: minus the logarithm of the probability that two
        // fingerprints agree in it.
        let weight = |bit: usize| -(shares[bit].powi(2) + (1.0 - shares[bit]).powi(2)).log2();
        let mut strongest: Vec<usize> = (0..64).collect();
        strongest.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
        let mut dealt: Vec<(f64, Vec<usize>)> = vec![(0.0, vec![]); blocks as usize];
        for bit in strongest {
            let has_room =
                |block: &(usize, &mut (f64, Vec<usize>))| block.1.1.len() < plain.bits(block.0).len();
            let least = dealt.iter_mut().enumerate().filter(has_room).min_by(|a, b| a.1.0.total_cmp(&b.1.0));
            if let Some((_, (sum, bits))) = least {
                *sum += weight(bit);
                bits.push(bit);
            }
        }
        // The last block has the lowest bits.
        let source: Vec<usize> = dealt.into_iter().rev().flat_map(|(_, bits)| bits).collect();
        let mut target = [0; 64];
        source.iter().enumerate().for_each(|(to, &from)| target[from] = to);
        let table = |place: &dyn Fn(usize) -> usize| {
            let byte = |byte: usize, value: usize| {
                let ones = (0..8).filter(|bit| value >> bit & 1 == 1);
                ones.fold(0, |word, bit| word | 1 << place(8 * byte + bit))
            };
            Box::new(std::array::from_fn(|number| std::array::from_fn(|value| byte(number, value))))
        };
        BitOrder {
            starts: plain.starts,
            forward: Some(table(&|bit| target[bit])),
            backward: Some(table(&|bit| source[bit])),
        }
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.starts.len()
    }

    /// The bits of a block in a permuted fingerprint.
    pub fn bits(&self, block: usize) -> Range<u32> {
        let end = if block == 0 { u64::BITS } else { self.starts[block - 1] };
        self.starts[block]..end
    }

    /// The block's bits of a permuted fingerprint.
    pub fn mask(&self, block: usize) -> u64 {
        let bits = self.bits(block);
        u64::MAX.checked_shr(u64::BITS - bits.len() as u32).unwrap_or(0) << bits.start
    }

    /// Whether fingerprints are not permuted.
    pub fn is_plain(&self) -> bool {
        self.forward.is_none()
    }

    /// Permutes a fingerprint.
    #[inline]
    pub fn permute(&self, fingerprint: u64) -> u64 {
        apply(self.forward.as_deref(), fingerprint)
    }

    /// Undoes [`BitOrder::permute`].
    #[inline]
    pub fn restore(&self, permuted: u64) -> u64 {
        apply(self.backward.as_deref(), permuted)
    }
}

#[inline]
fn apply(table: Option<&[[u64; 256]; 8]>, word: u64) -> u64 {
    let Some(table) = table else { return word };
    let bytes = word.to_le_bytes();
    bytes.iter().zip(table).fold(0, |permuted, (&byte, values)| permuted | values[byte as usize])
}

fn shares_of_ones(fingerprints: &[u64]) -> [f64; 64] {
    let mut ones = [0u32; 64];
    let mut looked_at = 0;
    for fingerprint in fingerprints.iter().step_by((fingerprints.len() / SAMPLE).max(1)) {
        ones.iter_mut().enumerate().for_each(|(bit, ones)| *ones += (fingerprint >> bit & 1) as u32);
        looked_at += 1;
    }
    // A small sample says little: `ASSUMED` fingerprints with balanced bits are added to it.
    const ASSUMED: f64 = 16.0;
    ones.map(|ones| (f64::from(ones) + ASSUMED / 2.0) / (f64::from(looked_at) + ASSUMED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn blocks_cover_the_fingerprint() {
        for blocks in 1..=64 {
            let order = BitOrder::plain(blocks);
            let masks: Vec<u64> = (0..order.blocks()).map(|block| order.mask(block)).collect();
            assert_eq!(masks.iter().fold(0, |all, mask| all | mask), u64::MAX);
            assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), 64);
        }
    }

    #[test]
    fn constant_bits_are_spread_over_the_blocks() {
        // The low 32 bits are constant: half of the bits of every block.
        let fingerprints: Vec<u64> = (0..5000).map(|i| mix(i) & !0xffff_ffff).collect();
        let order = BitOrder::balanced(4, &fingerprints);
        assert!(!order.is_plain());
        for block in 0..4 {
            let constant = order.restore(order.mask(block)) & 0xffff_ffff;
            assert_eq!(constant.count_ones(), 8, "block {block}");
        }
        for &fingerprint in &fingerprints {
            assert_eq!(order.restore(order.permute(fingerprint)), fingerprint);
        }
        assert!(BitOrder::balanced(4, &(0..5000).map(mix).collect::<Vec<_>>()).is_plain());
    }

    #[test]
    fn distances_survive_the_permutation() {
        let fingerprints: Vec<u64> = (0..300).map(|i| mix(i) & mix(i + 1)).collect();
        let order = BitOrder::balanced(5, &fingerprints);
        for pair in fingerprints.windows(2) {
            let distance = (order.permute(pair[0]) ^ order.permute(pair[1])).count_ones();
            assert_eq!(distance, (pair[0] ^ pair[1]).count_ones());
        }
    }
}
