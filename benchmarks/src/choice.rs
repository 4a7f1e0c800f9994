//! Drawing from a weighted set in constant time: Walker's alias method in Vose's form, on integers.
//!
//! Each of the n slots holds its own item and one other (its alias); a draw picks a slot uniformly
//! and then one of the two. One random number serves both picks: its upper half the slot, its lower
//! half the item. Integers, because the thresholds decide every byte of a collection.

use crate::random::Random;

/// A weighted set of the numbers 0..n.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Per slot: below this (of 2^32) the slot's own number is drawn, and otherwise the alias.
    slots: Vec<(u32, u32)>,
}

impl Choice {
    /// Numbers weighted by `weights`; the sum must be above 0.
    pub fn new(weights: &[u64]) -> Self {
        let count = weights.len() as u128;
        let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        assert!(total > 0, "a choice needs a weight above 0");
        // Scaled so that the average slot holds exactly `total`.
        let mut share: Vec<u128> = weights.iter().map(|&weight| u128::from(weight) * count).collect();
        let mut slots = vec![(u32::MAX, 0); weights.len()];
        let (mut poor, mut rich): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&number| share[number] < total);
        while let (Some(&giver), Some(taker)) = (rich.last(), poor.pop()) {
            slots[taker] = (((share[taker] << 32) / total) as u32, giver as u32);
            share[giver] -= total - share[taker];
            if share[giver] < total {
                rich.pop();
                poor.push(giver);
            }
        }
        for &full in &rich {
            slots[full].1 = full as u32;
        }
        Self { slots }
    }

    /// Weights 1/(rank + offset): the law of Zipf with a flattened head.
    pub fn zipf(count: usize, offset: u64) -> Self {
        let weights: Vec<u64> = (0..count as u64).map(|rank| (1 << 40) / (rank + offset)).collect();
        Self::new(&weights)
    }

    /// Draws a number.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> usize {
        let bits = random.bits();
        let slot = (((bits >> 32) * self.slots.len() as u64) >> 32) as usize;
        let (threshold, alias) = self.slots[slot];
        if (bits as u32) < threshold { slot } else { alias as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn draws_follow_the_weights() {
        let weights = [5, 0, 1, 2, 12];
        let choice = Choice::new(&weights);
        let mut random = Random::new(1, Purpose::Plan, 0);
        let mut counts = [0_i64; 5];
        const DRAWS: i64 = 200_000;
        for _ in 0..DRAWS {
            counts[choice.draw(&mut random)] += 1;
        }
        assert_eq!(counts[1], 0);
        for (count, weight) in counts.iter().zip(weights) {
            let expected = DRAWS * weight as i64 / 20;
            // Five standard deviations of a binomial of 200,000 draws are at most 1,118.
            assert!((count - expected).abs() < 1_118, "weight {weight}: {count} of {expected}");
        }
    }
}
