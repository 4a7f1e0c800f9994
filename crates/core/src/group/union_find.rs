//! Disjoint sets.

/// Disjoint sets of the numbers `0..n`, merged pair by pair.
///
/// ```
/// use twindex_core::group::UnionFind;
///
/// let mut sets = UnionFind::new(5);
/// sets.union(4, 1);
/// sets.union(3, 4);
/// assert_eq!([0, 1, 2, 3, 4].map(|member| sets.root(member)), [0, 1, 2, 1, 1]);
/// ```
#[derive(Debug, Clone)]
pub struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// Every number in a set of its own.
    pub fn new(n: u32) -> Self {
        UnionFind { parent: (0..n).collect() }
    }

    /// The smallest number of the set of `member`.
    pub fn root(&mut self, member: u32) -> u32 {
        let mut at = member;
        while self.parent[at as usize] != at {
            // Path halving: every visited node skips a generation.
            let grandparent = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = grandparent;
            at = grandparent;
        }
        at
    }

    /// Merges the sets of `a` and `b`. The smaller root stays, so that the order of merges does not
    /// matter.
    pub fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equals_naive_relabelling(pairs in prop::collection::vec((0u32..30, 0u32..30), 0..60)) {
            let mut label: Vec<u32> = (0..30).collect();
            let mut sets = UnionFind::new(30);
            for (a, b) in pairs {
                sets.union(a, b);
                let (keep, drop) = (label[a as usize].min(label[b as usize]), label[a as usize].max(label[b as usize]));
                label.iter_mut().filter(|l| **l == drop).for_each(|l| *l = keep);
            }
            let roots: Vec<u32> = (0..30).map(|member| sets.root(member)).collect();
            prop_assert_eq!(roots, label);
        }
    }
}
