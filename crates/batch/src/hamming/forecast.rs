//! What will the pairs of a collection cost?

use serde::Serialize;
use twindex_core::search::join::Plan;

/// Fingerprints that are compared with each other for a forecast: 33 million pairs, a few
/// hundredths of a second.
const SAMPLE: usize = 1 << 13;

/// Nanoseconds to sort a pair, find its ids and write it: an estimate.
const PAIR: f64 = 700.0;

/// Nanoseconds to sort a row with its owner, twice: an estimate.
const ROW: f64 = 150.0;

/// What the pairs of a collection are expected to cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// Fingerprints.
    pub fingerprints: u64,
    /// The bits in which pairs may differ.
    pub radius: u32,
    /// The blocks into which fingerprints are divided.
    pub blocks: u32,
    /// How many of them are equal in the runs of a table.
    pub equal_blocks: u32,
    /// The tables: choices of equal blocks.
    pub tables: u64,
    /// The bits of entropy that a sample has.
    pub entropy_bits: u32,
    /// The pairs that a sample of the fingerprints promises, and at least those of random bits. The
    /// near-duplicates that a sample does not show come on top.
    pub pairs_by_chance: u64,
    /// Expected time after reading.
    pub seconds: f64,
    /// Expected memory.
    pub memory_bytes: u64,
    /// Expected disk.
    pub disk_bytes: u64,
}

/// An even sample of a stream: every n-th fingerprint, n doubled when there are too many.
#[derive(Debug, Clone)]
pub(crate) struct EvenSample {
    taken: Vec<u64>,
    step: u64,
    seen: u64,
}

impl EvenSample {
    pub(crate) fn new() -> Self {
        EvenSample { taken: vec![], step: 1, seen: 0 }
    }

    pub(crate) fn add(&mut self, fingerprint: u64) {
        if self.seen.is_multiple_of(self.step) {
            if self.taken.len() == 2 * SAMPLE {
                let mut number = 0;
                self.taken.retain(|_| {
                    number += 1;
                    number % 2 == 1
                });
                self.step *= 2;
            }
            if self.seen.is_multiple_of(self.step) {
                self.taken.push(fingerprint);
            }
        }
        self.seen += 1;
    }

    /// At most [`SAMPLE`] of them.
    pub(crate) fn values(&self) -> Vec<u64> {
        let step = self.taken.len().div_ceil(SAMPLE).max(1);
        self.taken.iter().step_by(step).copied().collect()
    }
}

/// The probability that two random fingerprints differ in at most `radius` bits.
fn chance(radius: u32) -> f64 {
    let mut choices = 1.0;
    let mut sum = 0.0;
    for bits in 0..=radius.min(u64::BITS) {
        sum += choices;
        choices *= f64::from(u64::BITS - bits) / f64::from(bits + 1);
    }
    sum / 64f64.exp2()
}

impl Forecast {
    /// The cost of all pairs within `radius`; `id_bytes` are all ids.
    pub(crate) fn new(sample: &EvenSample, id_bytes: u64, radius: u32, threads: usize, memory: u64) -> Self {
        let fingerprints = sample.seen;
        let values = sample.values();
        let near = values
            .iter()
            .enumerate()
            .flat_map(|(place, a)| values[..place].iter().filter(move |b| (*a ^ **b).count_ones() <= radius));
        let near = near.count() as f64;
        let pairs = |count: f64| count * (count - 1.0).max(0.0) / 2.0;
        let all = pairs(fingerprints as f64);
        let density = near / pairs(values.len() as f64).max(1.0);
        let pairs_by_chance = (all * density.max(chance(radius))).round();

        let entropy_bits = Plan::entropy(&values);
        let plan = Plan::new(fingerprints as usize, u64::BITS, radius);
        let join = plan.cost(fingerprints as usize, entropy_bits);
        let nanoseconds = join / threads as f64 + fingerprints as f64 * ROW + pairs_by_chance * PAIR;
        // Fingerprints with their owners, fingerprints by number, ids; pairs of fingerprints, of a
        // fingerprint and an owner, and of owners.
        let disk_bytes = fingerprints * (12 + 8) + id_bytes + pairs_by_chance as u64 * (16 + 12 + 8);
        Forecast {
            fingerprints,
            radius,
            blocks: plan.blocks,
            equal_blocks: plan.chosen,
            tables: plan.tables().round() as u64,
            entropy_bits,
            pairs_by_chance: pairs_by_chance as u64,
            seconds: nanoseconds / 1e9,
            memory_bytes: memory.min(disk_bytes + fingerprints * 20),
            disk_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use twindex_core::hash::mix;

    use super::*;

    fn forecast(values: impl Iterator<Item = u64>, radius: u32) -> Forecast {
        let mut sample = EvenSample::new();
        values.for_each(|value| sample.add(value));
        assert!(sample.values().len() <= SAMPLE);
        Forecast::new(&sample, 0, radius, 1, u64::MAX)
    }

    #[test]
    fn random_fingerprints_have_the_pairs_of_chance() {
        assert!((chance(64) - 1.0).abs() < 1e-9 && chance(0) == 64f64.exp2().recip());
        let found = forecast((0..200_000).map(mix), 16);
        // 2e10 pairs, of which 3.9e-5 are within 16 bits.
        assert!((7e5..8.5e5).contains(&(found.pairs_by_chance as f64)), "{found:?}");
        assert_eq!(forecast((0..1000).map(mix), 3).pairs_by_chance, 0);
    }

    #[test]
    fn a_sample_shows_a_template() {
        let found = forecast((0..100_000).map(|i| mix(7) ^ (mix(i) & 0xff)), 8);
        assert!(found.pairs_by_chance > 4_000_000_000, "{found:?}");
        assert!(found.entropy_bits <= 8);
    }

    #[test]
    fn larger_radii_cost_more() {
        let seconds: Vec<f64> =
            (1..=16).map(|radius| forecast((0..50_000).map(mix), radius).seconds).collect();
        assert!(seconds.is_sorted(), "{seconds:?}");
    }
}
