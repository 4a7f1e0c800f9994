//! Clusters: the connected components of the listed pairs.

use std::path::Path;

use twindex_core::group::UnionFind;

use crate::error::Result;
use crate::join::Records;
use crate::work::ScoredPair;

/// Every cluster with at least two members.
pub(crate) struct Clusters {
    /// (first member, member), ascending: the members of a cluster are a run.
    members: Vec<(u32, u32)>,
}

impl Clusters {
    /// The clusters of the pairs in the file at `pairs`, among documents `0..documents`.
    pub(crate) fn of(pairs: &Path, documents: u32) -> Result<Self> {
        let mut sets = UnionFind::new(documents);
        for pair in Records::<ScoredPair>::open(pairs)? {
            let pair = pair?;
            sets.union(pair.left, pair.right);
        }
        let roots: Vec<u32> = (0..documents).map(|document| sets.root(document)).collect();
        let mut in_cluster = vec![false; documents as usize];
        for (document, &root) in (0..).zip(&roots) {
            if document != root {
                in_cluster[root as usize] = true;
                in_cluster[document as usize] = true;
            }
        }
        let mut members: Vec<(u32, u32)> = (0..)
            .zip(roots)
            .filter(|&(document, _): &(u32, u32)| in_cluster[document as usize])
            .map(|(document, root)| (root, document))
            .collect();
        members.sort_unstable();
        Ok(Clusters { members })
    }

    /// The clusters in order of their first member; each is a list of (first member, member).
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        self.members.chunk_by(|a, b| a.0 == b.0)
    }

    /// How many clusters there are.
    pub(crate) fn len(&self) -> u64 {
        self.iter().count() as u64
    }

    /// How many clusters have each size: (size, clusters), ascending.
    pub(crate) fn sizes(&self) -> Vec<(u64, u64)> {
        let mut sizes: Vec<u64> = self.iter().map(|cluster| cluster.len() as u64).collect();
        sizes.sort_unstable();
        sizes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
    }

    /// The `count` largest clusters, the larger first, then in order of their first member.
    pub(crate) fn largest(&self, count: usize) -> Vec<&[(u32, u32)]> {
        let mut clusters: Vec<&[(u32, u32)]> = self.iter().collect();
        clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.len()));
        clusters.truncate(count);
        clusters
    }
}
