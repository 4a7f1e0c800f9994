//! VOSH, the volatility-ordered set heap: subsets of bits, the likeliest first.
//!
//! Bits are numbered by falling probability p_1 >= p_2 >= ... The subsets of one size form a tree in which every child changes
//! its parent at one place from a bit to the next, less likely one, so that no child is likelier than its parent:
//!
//! ```text
//! root:         {1, 2, .., s}
//! left child:   the last bit moves on by one, if there is a next one
//! right child:  from the right, the first gap between neighbours: if exactly one bit is left out there, the bit before the
//!               gap moves into it
//! ```
//!
//! A heap holds the frontier of the trees of all sizes up to h; taking the likeliest set and putting its children in gives all
//! subsets in order of probability, each once: a set whose last bit stands apart is a left child, any other a right child,
//! of exactly one parent. Time and space for k sets are k log k and k.
//!
//! p(S) is a product over all bits, but sets are compared only with each other: the sum of log(p_j / (1 - p_j)) over the
//! bits of S has the same order.
//!
//! Difference from the paper: its Algorithm 2 increments the left child's bit in the line of the right child, a slip that
//! would leave the right child equal to its parent.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The largest subset.
pub const LARGEST: usize = 12;

/// A subset by the numbers of its bits, ascending, and how likely it is.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The sum of log odds.
    likelihood: f64,
    size: u8,
    bits: [u8; LARGEST],
}

impl Node {
    fn bits(&self) -> &[u8] {
        &self.bits[..usize::from(self.size)]
    }
}

impl Ord for Node {
    /// Likelier ones are greater; among equally likely ones smaller sets, then lower bits: the order is always the same.
    fn cmp(&self, other: &Self) -> Ordering {
        self.likelihood
            .total_cmp(&other.likelihood)
            .then_with(|| (other.size, other.bits).cmp(&(self.size, self.bits)))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

/// The subsets of at least one and at most `largest` bits, as masks, the likeliest first.
#[derive(Debug, Clone, Default)]
pub struct Vosh {
    heap: BinaryHeap<Node>,
    /// The log odds of each bit, falling, and its place in the mask.
    ranked: Vec<(f64, u8)>,
}

impl Vosh {
    /// Starts over for bits with these probabilities, of which the first is bit 0 of the masks: at most 32 of them, and
    /// subsets of at most [`LARGEST`].
    pub fn restart(&mut self, probabilities: &[f64], largest: usize) {
        debug_assert!(probabilities.len() <= 32 && largest <= LARGEST);
        self.ranked.clear();
        self.ranked.extend(probabilities.iter().zip(0..).map(|(p, bit)| ((p / (1.0 - p)).ln(), bit)));
        self.ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.push_roots(largest);
    }

    /// Starts over for bits that are in order already, by their log odds, falling: [`Vosh::next_ranks`] gives the subsets.
    pub(super) fn restart_sorted(&mut self, odds: impl Iterator<Item = f64>, largest: usize) {
        self.ranked.clear();
        self.ranked.extend(odds.zip(0..));
        debug_assert!(self.ranked.is_sorted_by(|a, b| a.0 >= b.0));
        self.push_roots(largest);
    }

    fn push_roots(&mut self, largest: usize) {
        self.heap.clear();
        for size in 1..=largest.min(self.ranked.len()) {
            let bits = std::array::from_fn(|place| if place < size { place as u8 } else { 0 });
            self.push(size as u8, bits);
        }
    }

    fn push(&mut self, size: u8, bits: [u8; LARGEST]) {
        let likelihood = bits[..usize::from(size)].iter().map(|&bit| self.ranked[usize::from(bit)].0).sum();
        self.heap.push(Node { likelihood, size, bits });
    }

    /// The paper's `ProduceChildren`.
    fn push_children(&mut self, parent: &Node) {
        let last = usize::from(parent.size) - 1;
        if usize::from(parent.bits[last]) + 1 < self.ranked.len() {
            let mut left = parent.bits;
            left[last] += 1;
            self.push(parent.size, left);
        }
        let gap = |place: usize| parent.bits[place + 1] - parent.bits[place];
        if let Some(place) = (0..last).rev().find(|&place| gap(place) >= 2)
            && gap(place) == 2
        {
            let mut right = parent.bits;
            right[place] += 1;
            self.push(parent.size, right);
        }
    }

    /// The next subset by ranks: bit r of the mask is the bit of rank r, the likeliest being rank 0.
    pub(super) fn next_ranks(&mut self) -> Option<u32> {
        let node = self.heap.pop()?;
        self.push_children(&node);
        Some(node.bits().iter().fold(0, |mask, &rank| mask | 1 << rank))
    }
}

impl Iterator for Vosh {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let node = self.heap.pop()?;
        self.push_children(&node);
        Some(node.bits().iter().fold(0, |mask, &rank| mask | 1 << self.ranked[usize::from(rank)].1))
    }
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
