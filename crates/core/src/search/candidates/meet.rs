//! Who meets whom under one key?

use crate::search::method::sampled::PROBE;

/// A key with a document that has it: its rank, or another number that says which document comes
/// first.
pub type Entry = (u64, u32);

/// A candidate pair: two documents by their rank, the later one first. Edges sort by the later
/// document, so that a document's candidates stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The document of higher rank.
    pub later: u32,
    /// The document of lower rank: it may be the witness of the other.
    pub earlier: u32,
}

/// Calls `sink` with the candidate pairs of sorted `entries`, bucket by bucket; returns how many
/// pairs the limit left out.
///
/// With a `limit`, a document meets only the first `limit` documents of its bucket: work stays
/// linear in *hot* buckets, which hold a large part of the collection because of a shared template.
/// A pair that is more alike than the template makes all documents shares other, smaller buckets.
/// `pairs` has no limit, `dedup` has that of the recipe.
///
/// If `probes`, the lowest bit of a key tells entries that probe from those that are stored, and
/// only a probe meets the stored ones of its bucket.
pub fn meet(entries: &[Entry], limit: Option<usize>, probes: bool, sink: &mut impl FnMut(Edge)) -> u64 {
    debug_assert!(entries.is_sorted());
    let limit = limit.unwrap_or(usize::MAX);
    let mut left_out = 0;
    if probes {
        for bucket in entries.chunk_by(|a, b| a.0 | PROBE == b.0 | PROBE) {
            let (stored, probing) = bucket.split_at(bucket.partition_point(|entry| entry.0 & PROBE == 0));
            for &(_, probe) in probing {
                for &(_, found) in stored.iter().take(limit).filter(|(_, found)| *found != probe) {
                    sink(Edge { later: probe.max(found), earlier: probe.min(found) });
                }
                left_out += stored.len().saturating_sub(limit) as u64;
            }
        }
        return left_out;
    }
    for bucket in entries.chunk_by(|a, b| a.0 == b.0) {
        for (position, &(_, later)) in bucket.iter().enumerate().skip(1) {
            for &(_, earlier) in &bucket[..position.min(limit)] {
                // A document that has the same key twice does not meet itself.
                if earlier != later {
                    sink(Edge { later, earlier });
                }
            }
            left_out += position.saturating_sub(limit) as u64;
        }
    }
    left_out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn edges(entries: &[(u64, u32)], limit: Option<usize>) -> (BTreeSet<Edge>, u64) {
        let mut found = BTreeSet::new();
        let mut entries = entries.to_vec();
        entries.sort_unstable();
        let left_out = meet(&entries, limit, false, &mut |edge| {
            found.insert(edge);
        });
        (found, left_out)
    }

    proptest! {
        #[test]
        fn without_a_limit_all_pairs_of_a_bucket(entries in prop::collection::vec((0u64..6, 0u32..12), 0..40)) {
            let mut expected = BTreeSet::new();
            for (key, later) in &entries {
                for (other, earlier) in &entries {
                    if key == other && earlier < later {
                        expected.insert(Edge { later: *later, earlier: *earlier });
                    }
                }
            }
            prop_assert_eq!(edges(&entries, None), (expected, 0));
        }
    }

    #[test]
    fn a_limit_keeps_the_first_documents_of_the_bucket() {
        let entries: Vec<(u64, u32)> = (0..5).map(|rank| (9, rank)).collect();
        let (found, left_out) = edges(&entries, Some(1));
        assert_eq!(found.into_iter().map(|edge| edge.earlier).collect::<Vec<_>>(), [0, 0, 0, 0]);
        assert_eq!(left_out, 1 + 2 + 3);
    }
}
