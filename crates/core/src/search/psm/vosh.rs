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

/// A subset of ranks, and how likely it is.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The sum of log odds.
    likelihood: f64,
    /// Bit r stands for rank r.
    ranks: u32,
}

impl Ord for Node {
    /// Likelier ones are greater; among equally likely ones smaller sets, then lower ranks: the order is always the same.
    fn cmp(&self, other: &Self) -> Ordering {
        self.likelihood
            .total_cmp(&other.likelihood)
            .then_with(|| other.ranks.count_ones().cmp(&self.ranks.count_ones()))
            .then_with(|| self.ranks.reverse_bits().cmp(&other.ranks.reverse_bits()))
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
    /// Starts over for bits with these probabilities, of which the first is bit 0 of the masks: at most 32 of them.
    pub fn restart(&mut self, probabilities: &[f64], largest: usize) {
        debug_assert!(probabilities.len() <= u32::BITS as usize);
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
        for size in 1..=largest.min(self.ranked.len()) as u32 {
            self.push(u32::MAX >> (u32::BITS - size));
        }
    }

    fn push(&mut self, ranks: u32) {
        let likelihood = ones(ranks).map(|rank| self.ranked[rank].0).sum();
        self.heap.push(Node { likelihood, ranks });
    }

    /// The paper's `ProduceChildren`.
    fn push_children(&mut self, parent: u32) {
        let above = parent.leading_zeros();
        let last = u32::BITS - 1 - above;
        if (last as usize) + 1 < self.ranked.len() {
            self.push(parent ^ 0b11 << last);
        }
        // Below the last bits that follow each other there is a gap; is it a single place, and a bit below it?
        let together = (parent << above).leading_ones();
        if let Some(before) = (last + 1).checked_sub(together + 2)
            && parent >> before & 1 == 1
        {
            self.push(parent ^ 0b11 << before);
        }
    }

    /// The next subset by ranks: bit r of the mask is the bit of rank r, the likeliest being rank 0.
    pub(super) fn next_ranks(&mut self) -> Option<u32> {
        let ranks = self.heap.pop()?.ranks;
        self.push_children(ranks);
        Some(ranks)
    }
}

impl Iterator for Vosh {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let ranks = self.next_ranks()?;
        Some(ones(ranks).fold(0, |mask, rank| mask | 1 << self.ranked[rank].1))
    }
}

/// The places of the one bits, ascending.
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
