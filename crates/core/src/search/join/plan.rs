//! The number of blocks, and how many of them must be equal.
//!
//! With G blocks and a radius of h, two near fingerprints agree in at least g = G - h blocks and
//! are compared in the table of one of the C(G, g) choices. A larger g makes shorter runs and more
//! tables. The model has two costs: sorting a fingerprint into a table, and comparing a pair.

/// Nanoseconds to move a fingerprint into the run of a table: a counting sort in the cache. This
/// and the next were measured on uniform fingerprints; only their ratio matters.
const SORT: f64 = 7.0;

/// Nanoseconds to compare a pair of a run.
const COMPARE: f64 = 0.08;

/// The most chosen blocks: more have never been best for less than 2^32 fingerprints.
const MOST_CHOSEN: u32 = 4;

/// Blocks, and how many of them a table chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The number of blocks G.
    pub blocks: u32,
    /// The number of equal blocks g.
    pub chosen: u32,
}

impl Plan {
    /// The plan with the least work for `length` fingerprints with `bits` bits of entropy.
    pub fn new(length: usize, bits: u32, radius: u32) -> Self {
        let plans = (1..=MOST_CHOSEN).map(|chosen| Plan { blocks: radius + chosen, chosen });
        let best = plans.min_by(|a, b| a.cost(length, bits).total_cmp(&b.cost(length, bits)));
        best.unwrap_or(Plan { blocks: radius + 1, chosen: 1 })
    }

    /// Nanoseconds, by the model.
    pub fn cost(&self, length: usize, bits: u32) -> f64 {
        let length = length as f64;
        let equal_bits = f64::from(bits * self.chosen) / f64::from(self.blocks);
        let pairs = length * length / 2.0 / equal_bits.exp2();
        self.tables() * (length * SORT + pairs * COMPARE)
    }

    /// The bits of entropy of a sample, at most 64: nearly constant bits distinguish nothing, and
    /// make runs longer. Bits count one by one, so that correlated ones count too much.
    pub fn entropy(sample: &[u64]) -> u32 {
        if sample.is_empty() {
            return u64::BITS;
        }
        let entropy = |bit: u32| {
            let ones = sample.iter().filter(|&value| value >> bit & 1 == 1).count() as f64;
            let share = ones / sample.len() as f64;
            -(share * share + (1.0 - share) * (1.0 - share)).log2()
        };
        (0..u64::BITS).map(entropy).sum::<f64>().round() as u32
    }

    /// C(G, g).
    pub fn tables(&self) -> f64 {
        let factor = |i: u32| f64::from(self.blocks - i) / f64::from(i + 1);
        (0..self.chosen).map(factor).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_collections_choose_more_blocks() {
        assert_eq!(Plan::new(1 << 20, 64, 3), Plan { blocks: 4, chosen: 1 });
        assert_eq!(Plan::new(1 << 23, 64, 3), Plan { blocks: 4, chosen: 1 });
        assert_eq!(Plan::new(1 << 25, 64, 3), Plan { blocks: 5, chosen: 2 });
        assert_eq!(Plan::new(1 << 27, 64, 3), Plan { blocks: 5, chosen: 2 });
        assert_eq!(Plan { blocks: 5, chosen: 2 }.tables(), 10.0);
        assert!(Plan::new(1 << 20, 64, 12).chosen > 1);
        assert_eq!(Plan::new(0, 64, 0), Plan { blocks: 1, chosen: 1 });
    }

    #[test]
    fn constant_bits_have_no_entropy() {
        let sample: Vec<u64> = (0..4000).map(crate::hash::mix).collect();
        assert_eq!(Plan::entropy(&sample), 64);
        let half: Vec<u64> = sample.iter().map(|value| value | 0xffff_ffff).collect();
        assert_eq!(Plan::entropy(&half), 32);
        assert_eq!(Plan::entropy(&[]), 64);
    }
}
