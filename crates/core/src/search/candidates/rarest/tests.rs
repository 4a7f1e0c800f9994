//! Who meets, held against the definition.

use std::collections::BTreeSet;
use std::convert::Infallible;

use super::*;
use crate::hash::mix;
use proptest::prelude::*;

/// Half of a document's shingles are in a duplicate, at least.
fn prefix(shingles: usize) -> usize {
    shingles + 1 - shingles.div_ceil(2).max(1)
}

/// Who meets, and who has keys.
fn joined(documents: &[Vec<u32>], memory: usize) -> (BTreeSet<(u32, u32)>, Vec<bool>) {
    let total = documents.iter().map(Vec::len).sum();
    let gather = |gathered: &mut Gathered| {
        let lists = documents.iter().zip(0..);
        lists.for_each(|(shingles, rank)| gathered.push(rank, shingles.iter().copied()));
        Ok::<(), Infallible>(())
    };
    let rarest = Rarest::new((documents.len(), total), memory, gather, prefix).unwrap();
    let have_keys: Vec<bool> = (0..documents.len()).map(|document| rarest.has_key(document)).collect();
    let mut met = BTreeSet::new();
    rarest
        .meet(|entries| {
            assert!(entries.is_sorted());
            for bucket in entries.chunk_by(|a, b| a.0 == b.0) {
                for (place, &(_, later)) in bucket.iter().enumerate() {
                    assert!(have_keys[later as usize]);
                    met.extend(bucket[..place].iter().map(|&(_, earlier)| (earlier, later)));
                }
            }
            Ok(())
        })
        .unwrap();
    (met, have_keys)
}

fn shingles(draws: &[u64]) -> Vec<u32> {
    draws.iter().map(|&draw| mix(draw) as u32).collect()
}

proptest! {
    /// Whatever else there is, and however they repeat themselves: who shares half of all shingles
    /// meets, whatever the memory.
    #[test]
    fn who_shares_enough_meets(
        draws in prop::collection::vec(prop::collection::vec(0u64..60, 0..30), 0..60),
        others in prop::collection::vec(prop::collection::vec(0u64..2_000, 0..30), 0..60),
        memory in 0usize..2_000,
    ) {
        let documents: Vec<Vec<u32>> = draws.iter().chain(&others).map(|draws| shingles(draws)).collect();
        let (met, have_keys) = joined(&documents, usize::MAX);
        let sets: Vec<BTreeSet<u32>> = documents.iter().map(|list| list.iter().copied().collect()).collect();
        for (later, b) in sets.iter().enumerate() {
            for (earlier, a) in sets[..later].iter().enumerate() {
                let common = a.intersection(b).count();
                if common > 0 && 2 * common >= a.union(b).count() {
                    prop_assert!(met.contains(&(earlier as u32, later as u32)), "{earlier} {later}");
                }
            }
        }
        prop_assert_eq!(joined(&documents, memory), (met, have_keys));
    }
}

/// Of many parts some are gathered at a time.
#[test]
fn nothing_depends_on_the_memory() {
    let document = |rank: u64| (0..20).map(|place| mix(rank / 2 * 16 + place) % 200_000).collect::<Vec<_>>();
    let documents: Vec<Vec<u32>> = (0..20_000).map(|rank| shingles(&document(rank))).collect();
    let (met, have_keys) = joined(&documents, usize::MAX);
    assert!(met.len() > 10_000 && have_keys.contains(&true));
    assert_eq!(joined(&documents, 100_000), (met, have_keys));
}

#[test]
fn rare_shingles_are_keys_and_lonely_documents_have_none() {
    // Ten shingles that all have, eleven of two documents each, and two of their own; and documents
    // of their own.
    let document = |rank: u64| {
        let pair = (0..11).map(|i| 1_000 + rank / 2 * 11 + i);
        (0..10).chain(pair).chain([90_000 + rank, 80_000 + rank]).collect::<Vec<_>>()
    };
    let alone = |rank: u64| (0..23).map(|place| 200_000 + rank * 23 + place).collect::<Vec<_>>();
    let documents: Vec<Vec<u32>> =
        (0..100).map(document).chain((0..100).map(alone)).map(|draws| shingles(&draws)).collect();
    let (met, have_keys) = joined(&documents, usize::MAX);
    assert_eq!(met, (0..50).map(|pair| (2 * pair, 2 * pair + 1)).collect());
    let having = have_keys[100..].iter().filter(|&&has_key| has_key).count();
    assert!(have_keys[..100].iter().all(|&has_key| has_key) && having == 0, "{having}");
}

/// Between two documents with shingles there may be blocks without any.
#[test]
fn documents_may_be_far_from_each_other() {
    let mut documents = vec![vec![]; 50_000];
    for document in [0, 1, 20_000, 20_000 + (1 << BLOCK_BITS), 49_999] {
        documents[document] = shingles(&[1, 2, 3]);
    }
    assert_eq!(joined(&documents, usize::MAX).0.len(), 10);
}
