use proptest::prelude::*;

use super::*;
use crate::fingerprint::{Margins, Simhash};
use crate::hash::mix;
use crate::search::Scan;
use crate::search::samples::{all_sets, clustered, matches};

#[test]
fn every_set_and_radius_equals_the_scan() {
    for (name, stored) in all_sets(1200) {
        let scan = Scan::new(stored.clone(), Kernel::best());
        let queries: Vec<Simhash> = stored.iter().step_by(23).map(|&bits| Simhash(bits)).collect();
        for built_for in [0, 3, 5, 6, 8, 12] {
            let index = MultiIndex::build(stored.clone(), built_for, Kernel::best());
            for radius in 0..=LARGEST_RADIUS {
                let expected = matches(&scan, &queries, radius);
                assert_eq!(
                    matches(&index, &queries, radius),
                    expected,
                    "{name}, built for {built_for}, {radius} bits"
                );
            }
        }
    }
}

/// The layouts that large collections get, forced on a small one.
#[test]
fn layouts_of_large_collections_equal_the_scan() {
    let stored = clustered(1500);
    let queries: Vec<Simhash> = stored.iter().step_by(7).map(|&bits| Simhash(bits)).collect();
    let scan = Scan::new(stored.clone(), Kernel::best());
    for (bits, words) in [
        ([16, 16, 16, 16].as_slice(), false),
        (&[20, 20, 20], false),
        (&[14, 13], false),
        (&[20, 15, 15, 14], true),
    ] {
        for kernel in Kernel::available() {
            let index =
                MultiIndex::with_layout(stored.clone(), Layout::of(bits.iter().copied(), words), kernel);
            for radius in [0, 1, 2, 3, 4, 6] {
                assert_eq!(
                    matches(&index, &queries, radius),
                    matches(&scan, &queries, radius),
                    "{bits:?} {radius}"
                );
            }
        }
    }
}

/// Buckets that fit into their lines, and buckets that do not.
#[test]
fn lines_equal_the_scan() {
    for (name, stored) in all_sets(1200) {
        let queries: Vec<Simhash> = stored.iter().step_by(11).map(|&bits| Simhash(bits)).collect();
        let scan = Scan::new(stored.clone(), Kernel::best());
        for kernel in Kernel::available() {
            let layout = Layout::of([7, 20, 20], false);
            let mut index = MultiIndex::with_layout(stored.clone(), layout, kernel);
            let Tables::Tags(tables, _) = &mut index.tables else { panic!("a layout of tags") };
            tables[0].add_lines();
            for radius in 0..=6 {
                assert_eq!(
                    matches(&index, &queries, radius),
                    matches(&scan, &queries, radius),
                    "{name}, {radius} bits"
                );
            }
        }
    }
}

#[test]
fn lines_are_made_where_buckets_fit_into_them() {
    let has_lines = |length: usize, bits: &[u32]| {
        let stored = (0..length as u64).map(mix).collect();
        let layout = Layout::of(bits.iter().copied(), false);
        let mut index = MultiIndex::with_layout(stored, layout, Kernel::best());
        let without = index.bytes();
        index.add_lines(3);
        index.bytes() > without
    };
    assert!(has_lines(1 << 10, &[7, 20, 20]) && has_lines(11 << 7, &[7, 20, 20]));
    assert!(!has_lines(1 << 11, &[7, 20, 20]), "too many for a line");
    assert!(!has_lines(1 << 9, &[7, 20, 20]), "too few for the memory");
    assert!(!has_lines(1 << 10, &[16; 4]), "no table is looked up more than once");
}

/// More than one step of the build, and a batch that is sorted by header.
#[test]
fn a_large_sorted_batch_equals_small_ones() {
    let stored = clustered(300_000);
    let index = MultiIndex::build(stored.clone(), 3, Kernel::best());
    let queries: Vec<Simhash> = stored.iter().step_by(60).map(|&bits| Simhash(bits)).collect();
    assert!(queries.len() > LEAST_SORTED);
    let together = matches(&index, &queries, 3);
    let apart: Vec<Vec<usize>> = queries.chunks(50).flat_map(|part| matches(&index, part, 3)).collect();
    assert_eq!(together, apart);
    let scan = Scan::new(stored, Kernel::best());
    assert_eq!(matches(&scan, &queries[..64], 3), together[..64]);
}

/// How many counted matches each query gets, if every fifth position is refused.
fn firsts(index: &MultiIndex, queries: &[Query<'_>], radius: u32, refused: u32) -> Vec<usize> {
    let mut counts = vec![0; queries.len()];
    index.search_batch(queries, radius, Want::First, &mut |query, found| {
        assert!(found.distance <= radius);
        counts[query] += usize::from(found.position % 5 != refused);
        found.position % 5 != refused
    });
    counts
}

#[test]
fn first_finds_one_match_that_counts_where_there_is_one() {
    let stored = clustered(2000);
    let margins: Vec<Margins> =
        (0..100).map(|i| Margins(std::array::from_fn(|bit| mix(i * 64 + bit as u64) as i32 % 100))).collect();
    for built_for in [3, 8] {
        let index = MultiIndex::build(stored.clone(), built_for, Kernel::best());
        for radius in [0, 2, 3, 5, 8] {
            let fingerprints: Vec<Simhash> =
                stored.iter().step_by(20).map(|&bits| Simhash(bits ^ 1)).collect();
            for with_margins in [false, true] {
                let queries: Vec<Query<'_>> = fingerprints
                    .iter()
                    .zip(&margins)
                    .map(|(&fingerprint, margins)| Query {
                        fingerprint,
                        margins: with_margins.then_some(margins),
                    })
                    .collect();
                let all = matches(&index, &fingerprints, radius);
                let expected: Vec<usize> = all
                    .iter()
                    .map(|found| usize::from(found.iter().any(|position| position % 5 != 0)))
                    .collect();
                assert!(expected.contains(&1) && expected.contains(&0) || radius != 3);
                assert_eq!(
                    firsts(&index, &queries, radius, 0),
                    expected,
                    "radius {radius}, margins {with_margins}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn random_small_sets_equal_the_scan(
        stored in prop::collection::vec(0u64..64, 0..40),
        query in 0u64..64,
        radius in 0u32..=LARGEST_RADIUS,
        built_for in 0u32..=LARGEST_RADIUS,
    ) {
        let index = MultiIndex::build(stored.clone(), built_for, Kernel::best());
        let scan = Scan::new(stored, Kernel::best());
        prop_assert_eq!(matches(&index, &[Simhash(query)], radius), matches(&scan, &[Simhash(query)], radius));
    }
}

#[test]
#[should_panic = "a radius of 13 was asked for"]
fn a_radius_beyond_the_largest_is_refused() {
    matches(&MultiIndex::build(vec![1], 3, Kernel::best()), &[Simhash(1)], 13);
}
