use proptest::prelude::*;

use super::*;
use crate::search::samples::{all_sets, matches};

#[test]
fn batches_and_buffers_equal_the_definition() {
    for (name, stored) in all_sets(1500) {
        for kernel in Kernel::available() {
            let scan = Scan::new(stored.clone(), kernel);
            let mut buffer = Buffer::new(kernel);
            stored.iter().for_each(|&fingerprint| buffer.push(fingerprint));
            let simhashes: Vec<Simhash> = stored.iter().copied().map(Simhash).collect();
            let queries: Vec<Simhash> = simhashes.iter().copied().step_by(31).collect();
            for radius in [0, 1, 3, 6, 7, 12, 20] {
                let expected: Vec<Vec<usize>> =
                    queries.iter().map(|&query| within(&simhashes, query, radius)).collect();
                assert_eq!(matches(&scan, &queries, radius), expected, "{name}, radius {radius}, a batch");
                assert_eq!(matches(&buffer, &queries, radius), expected, "{name}, radius {radius}, buffer");
                let single: Vec<Vec<usize>> =
                    queries.iter().flat_map(|&query| matches(&scan, &[query], radius)).collect();
                assert_eq!(single, expected, "{name}, radius {radius}, single queries");
            }
        }
    }
}

proptest! {
    #[test]
    fn first_gives_one_match_that_counts(length in 1usize..900, batch in 1usize..40, refused in 0u32..900) {
        let scan = Scan::new(vec![7; length], Kernel::best());
        let queries = vec![Query::from(Simhash(6)); batch];
        let mut counts = vec![0; batch];
        scan.search_batch(&queries, 1, Want::First, &mut |query, found| {
            counts[query] += u32::from(found.position != refused);
            found.position != refused
        });
        let expected = u32::from(length > 1 || refused != 0);
        prop_assert_eq!(counts, vec![expected; batch]);
    }
}

#[test]
fn a_buffer_gives_back_what_it_holds() {
    let mut buffer = Buffer::new(Kernel::best());
    (0..600).for_each(|fingerprint| buffer.push(fingerprint));
    assert_eq!(buffer.fingerprints().len(), 600);
    assert_eq!(buffer.take(), (0..600).collect::<Vec<u64>>());
    assert!(buffer.is_empty());
    assert_eq!(matches(&buffer, &[Simhash(3)], 12), [[]]);
}
