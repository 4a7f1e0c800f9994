//! VOSH, the volatility-ordered set heap: subsets of bits, the likeliest first.
//!
//! Bits are numbered by descending probability p_1 >= p_2 >= ... The subsets of one size form a
//! tree in which every child differs from its parent by moving one bit to the next, less likely
//! one, so that no child is likelier than its parent:
//!
//! ```text
//! root:         {1, 2, .., s}
//! left child:   the last bit moves on by one, if there is a next one
//! right child: from the right, the first gap between neighbours: if exactly one bit is missing
//!               there, the bit before the gap moves into it
//! ```
//!
//! A heap holds the frontier of the trees of all sizes up to h. Removing the likeliest set and
//! inserting its children yields all subsets in order of probability, each once: a set whose last
//! bit stands apart is a left child, any other a right child, of exactly one parent. k sets take
//! O(k log k) time and O(k) space.
//!
//! p(S) is a product over all bits, but sets are only compared with each other: the sum of log(p_j
//! / (1 - p_j)) over the bits of S has the same order. Its negative is the *cost* of a set, kept as
//! an integer: sums are exact, and a child's cost is its parent's with one bit exchanged.
//!
//! Difference from the paper: its Algorithm 2 increments the left child's bit in the line of the
//! right child, a slip that would make the right child equal to its parent.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A subset: its cost, above its ranks (bit r for rank r), above its mask. One number, so that a
/// comparison takes no branch; equally likely subsets are ordered by ranks, so that the order is
/// deterministic.
type Node = Reverse<u128>;

#[inline(always)]
fn node(cost: u64, subset: Subset) -> Node {
    Reverse(u128::from(cost) << u64::BITS | u128::from(subset.ranks) << u32::BITS | u128::from(subset.mask))
}

/// A set of bits in two notations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Subset {
    /// By rank: bit r is the bit of rank r, the likeliest being rank 0.
    pub(super) ranks: u32,
    /// By bit position.
    pub(super) mask: u32,
}

/// Costs have 40 binary places, about 1e-12.
const UNIT: f64 = (1u64 << 40) as f64;

/// The subsets of at least one and at most `largest` bits, as masks, the likeliest first.
#[derive(Debug, Clone, Default)]
pub struct Vosh {
    heap: BinaryHeap<Node>,
    /// The cost of each bit, ascending, and its mask.
    ranked: Vec<(u64, u32)>,
}

impl Vosh {
    /// Restarts with these probabilities, the first being bit 0 of the masks: at most 32 of them.
    /// Probabilities above 1/2 count as 1/2.
    pub fn restart(&mut self, probabilities: &[f64], largest: usize) {
        debug_assert!(probabilities.len() <= u32::BITS as usize);
        self.ranked.clear();
        let masks = (0..u32::BITS).map(|bit| 1 << bit);
        self.ranked.extend(probabilities.iter().map(|p| cost((p / (1.0 - p)).ln())).zip(masks));
        self.ranked.sort_unstable();
        self.push_roots(largest);
    }

    /// Restarts with bits that are already sorted: their log odds, descending, and their masks.
    #[inline(always)]
    pub(super) fn restart_sorted(&mut self, bits: impl Iterator<Item = (f64, u32)>, largest: usize) {
        self.ranked.clear();
        for (odds, mask) in bits {
            self.ranked.push((cost(odds), mask));
        }
        debug_assert!(self.ranked.is_sorted_by_key(|bit| bit.0));
        self.push_roots(largest);
    }

    #[inline(always)]
    fn push_roots(&mut self, largest: usize) {
        self.heap.clear();
        let (mut cost, mut subset) = (0, Subset { ranks: 0, mask: 0 });
        for (&(of_bit, mask), rank) in self.ranked.iter().take(largest).zip(0..) {
            cost += of_bit;
            subset = Subset { ranks: subset.ranks | 1 << rank, mask: subset.mask | mask };
            self.heap.push(node(cost, subset));
        }
    }

    /// The set in which the bit of `rank` is moved to the next rank.
    #[inline(always)]
    fn moved(&self, cost: u64, Subset { ranks, mask }: Subset, rank: u32) -> Node {
        let [(cost_before, mask_before), (cost_behind, mask_behind)] =
            [rank, rank + 1].map(|rank| self.ranked[rank as usize]);
        let subset = Subset { ranks: ranks ^ 0b11 << rank, mask: mask ^ mask_before ^ mask_behind };
        node(cost - cost_before + cost_behind, subset)
    }

    /// The paper's `ProduceChildren`: the left child and the right one.
    #[inline(always)]
    fn children(&self, cost: u64, subset: Subset) -> [Option<Node>; 2] {
        let ranks = subset.ranks;
        let above = ranks.leading_zeros();
        let last = u32::BITS - 1 - above;
        let has_next = (last as usize) + 1 < self.ranked.len();
        // Below the last consecutive bits there is a gap: is it a single place with a bit below it?
        let together = (ranks << above).leading_ones();
        let before = (last + 1).checked_sub(together + 2).filter(|before| ranks >> before & 1 == 1);
        [
            has_next.then(|| self.moved(cost, subset, last)),
            before.map(|before| self.moved(cost, subset, before)),
        ]
    }

    /// The next subset.
    #[inline(always)]
    pub(super) fn next_subset(&mut self) -> Option<Subset> {
        let Reverse(likeliest) = *self.heap.peek()?;
        let subset = Subset { ranks: (likeliest >> u32::BITS) as u32, mask: likeliest as u32 };
        let [left, right] = self.children((likeliest >> u64::BITS) as u64, subset);
        if let Some(mut top) = self.heap.peek_mut() {
            // The left child replaces its parent: one sift-down instead of one down and one up.
            match left {
                Some(child) => *top = child,
                None => {
                    PeekMut::pop(top);
                }
            }
        }
        if let Some(child) = right {
            self.heap.push(child);
        }
        Some(subset)
    }
}

impl Iterator for Vosh {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.next_subset().map(|subset| subset.mask)
    }
}

/// The cost of a bit with these log odds, limited so that the sum over all bits does not overflow.
fn cost(log_odds: f64) -> u64 {
    ((-log_odds * UNIT) as u64).min(u64::MAX / u64::from(u32::BITS))
}

/// The places of the one bits, ascending.
#[inline(always)]
pub(super) fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn subsets(probabilities: &[f64], largest: usize) -> Vec<u32> {
        let mut vosh = Vosh::default();
        vosh.restart(probabilities, largest);
        vosh.collect()
    }

    /// The paper's p(u, S), over all bits.
    fn probability(probabilities: &[f64], subset: u32) -> f64 {
        let factor = |(bit, p): (usize, &f64)| if subset >> bit & 1 == 1 { *p } else { 1.0 - p };
        probabilities.iter().enumerate().map(factor).product()
    }

    proptest! {
        #[test]
        fn every_subset_once_and_never_a_likelier_one_later(
            probabilities in prop::collection::vec(0.001f64..0.499, 0..13),
            largest in 0usize..6,
        ) {
            let found = subsets(&probabilities, largest);
            let all = 1u32..1 << probabilities.len();
            let expected: BTreeSet<u32> = all.filter(|subset| subset.count_ones() as usize <= largest).collect();
            prop_assert_eq!(found.len(), expected.len());
            prop_assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), expected);
            let falling = found.windows(2).all(|pair| {
                probability(&probabilities, pair[0]) >= probability(&probabilities, pair[1]) * (1.0 - 1e-9)
            });
            prop_assert!(falling);
        }
    }

    #[test]
    fn equal_probabilities_have_a_fixed_order() {
        assert_eq!(subsets(&[0.25; 3], 2), [0b001, 0b010, 0b100, 0b011, 0b101, 0b110]);
    }

    #[test]
    fn two_likely_bits_come_before_an_unlikely_one() {
        let found = subsets(&[0.4, 0.01, 0.45, 0.02], 2);
        assert_eq!(found[..3], [0b100, 0b001, 0b101]);
    }

    #[test]
    fn all_subsets_of_many_bits() {
        let probabilities: Vec<f64> = (0..26).map(|bit| 0.4 / f64::from(bit + 1)).collect();
        assert_eq!(subsets(&probabilities, 3).len(), 26 + 325 + 2600);
    }
}
