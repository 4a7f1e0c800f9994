use std::collections::BTreeSet;

use proptest::prelude::*;

use super::runs::Segments;
use super::*;
use crate::hash::mix;
use crate::search::samples::{all_sets, clustered};
use crate::search::workers::OneThread;

/// Every pair, by comparing everything with everything.
fn naive(values: &[u64], radius: u32) -> Vec<Pair> {
    let mut pairs = vec![];
    for (place, &b) in values.iter().enumerate() {
        let near = values[..place].iter().filter(|&&a| (a ^ b).count_ones() <= radius);
        pairs.extend(near.map(|&a| (a.min(b), a.max(b))));
    }
    pairs.sort_unstable();
    pairs
}

fn join(radius: u32) -> Join<'static> {
    Join { radius, kernel: Kernel::best(), workers: &OneThread, memory: usize::MAX }
}

/// The result of a join, sorted. A pair that is emitted twice is listed twice.
fn found(join: &Join<'_>, values: &[u64]) -> Vec<Pair> {
    let mut pairs = vec![];
    join.run(values, &mut |pair| pairs.push(pair));
    pairs.sort_unstable();
    pairs
}

fn distinct(values: Vec<u64>) -> Vec<u64> {
    values.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn every_set_and_radius_equals_the_definition() {
    for (name, values) in all_sets(1500) {
        let values = distinct(values);
        for radius in 0..=LARGEST_JOIN_RADIUS {
            assert_eq!(found(&join(radius), &values), naive(&values, radius), "{name}, radius {radius}");
        }
    }
}

/// More than one partition, each with runs long enough for further blocks, and every number of
/// chosen blocks.
#[test]
fn nested_tables_equal_the_definition() {
    let values = distinct(clustered(6000));
    for radius in [1, 2, 3, 6] {
        let expected = naive(&values, radius);
        assert!(!expected.is_empty());
        for chosen in 1..=4 {
            let plan = Plan { blocks: radius + chosen, chosen };
            let order = BitOrder::plain(plan.blocks);
            for kernel in Kernel::available() {
                let runs = Runs::new(&order, plan, radius, kernel);
                let mut pairs = vec![];
                for block in 0..=(plan.blocks - plan.chosen) as usize {
                    let mut partitions = Partitions::default();
                    partitions.begin(&order, block, 3, 0..8);
                    values.chunks(1000).for_each(|chunk| partitions.add(chunk, &OneThread));
                    for partition in 0..8 {
                        let segments = partitions.segments(partition);
                        let emit = &mut |pair| pairs.push(pair);
                        runs.join_partition(
                            Segments::Any(&segments),
                            block,
                            3,
                            &mut Scratch::default(),
                            emit,
                        );
                    }
                }
                pairs.sort_unstable();
                assert_eq!(pairs, expected, "{plan:?}, {}", kernel.name());
            }
        }
    }
}

/// Runs that are long because bits are nearly constant: the join recurses into them.
#[test]
fn skewed_bits_equal_the_definition() {
    let values = distinct((0..12_000).map(|i| mix(i) & mix(i + 7_000_000) & 0xfff0_0000_ff00_ffff).collect());
    let few = distinct((0..9_000).map(|i| mix(i) % (1 << 20)).collect());
    for (values, radius) in [(&values, 2), (&few, 1), (&few, 3)] {
        assert_eq!(found(&join(radius), values), naive(values, radius), "radius {radius}");
    }
}

/// Two threads, and the last task first.
struct Backwards;

impl Workers for Backwards {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).rev().for_each(task);
    }
}

#[test]
fn memory_and_workers_change_nothing_not_even_the_order() {
    let values = distinct(clustered(150_000));
    let in_order = |join: Join<'_>| {
        let mut pairs = vec![];
        join.run(&values, &mut |pair| pairs.push(pair));
        pairs
    };
    let expected = in_order(join(3));
    assert_eq!(expected.iter().collect::<BTreeSet<_>>().len(), expected.len());
    assert_eq!(in_order(Join { workers: &Backwards, ..join(3) }), expected);
    let bounded = in_order(Join { memory: values.len() * 8 / 3, ..join(3) });
    assert_eq!(bounded.iter().collect::<BTreeSet<_>>(), expected.iter().collect::<BTreeSet<_>>());
    assert_eq!(bounded.len(), expected.len());
}

/// A source that fails, as a file may.
struct Broken;

impl Source for Broken {
    type Error = &'static str;

    fn read(&mut self, each: &mut dyn FnMut(&[u64])) -> Result<(), &'static str> {
        each(&[1, 2, 3]);
        Err("the disk is gone")
    }
}

#[test]
fn a_source_that_fails_is_an_error() {
    assert_eq!(join(3).run_source(&mut Broken, 6, &mut |_| ()), Err("the disk is gone"));
}

#[test]
fn a_million_equal_fingerprints_are_one() {
    let mut owned: Vec<(u64, u32)> = (0..1_000_000).map(|id| (7, id)).collect();
    owned.extend([(6, 1_000_000), (!7, 1_000_001)]);
    let distinct = Distinct::new(owned);
    assert_eq!(distinct.values(), [6, 7, !7]);
    assert_eq!(found(&join(3), distinct.values()), [(6, 7)]);
    let mut expanded = 0;
    distinct.expand((6, 7), &mut |a, b| {
        assert!(a < 1_000_000 && b == 1_000_000);
        expanded += 1;
    });
    assert_eq!(expanded, 1_000_000);
    assert!(distinct.owners(5).is_empty());
}

proptest! {
    #[test]
    fn collapsed_and_expanded_pairs_are_all_pairs(values in prop::collection::vec(0u64..32, 0..60), radius in 0u32..5) {
        let owned: Vec<(u64, u32)> = values.iter().copied().zip(0..).collect();
        let distinct = Distinct::new(owned.clone());
        let mut pairs = vec![];
        distinct.equal_pairs(&mut |a, b| pairs.push((a, b)));
        join(radius).run(distinct.values(), &mut |pair| distinct.expand(pair, &mut |a, b| pairs.push((a, b))));
        pairs.sort_unstable();
        let mut expected = vec![];
        for &(b, right) in &owned {
            let near = owned[..right as usize].iter().filter(|(a, _)| (a ^ b).count_ones() <= radius);
            expected.extend(near.map(|&(_, left)| (left, right)));
        }
        expected.sort_unstable();
        prop_assert_eq!(pairs, expected);
    }
}
