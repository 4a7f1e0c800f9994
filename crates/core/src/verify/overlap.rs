//! How much two sets share: Jaccard and containment.

use crate::feature::FeatureSet;

/// The sizes of two sets and of what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// |A|
    pub left: usize,
    /// |B|
    pub right: usize,
    /// |A ∩ B|
    pub common: usize,
}

impl Overlap {
    /// Counts exactly.
    pub fn of(a: &FeatureSet, b: &FeatureSet) -> Self {
        Overlap { left: a.len(), right: b.len(), common: common(a.as_slice(), b.as_slice()) }
    }

    /// |A ∩ B| / |A ∪ B|
    pub fn jaccard(self) -> f64 {
        ratio(self.common, self.left + self.right - self.common)
    }

    /// |A ∩ B| / |A|: how much of the left document is in the right one.
    pub fn containment_left(self) -> f64 {
        ratio(self.common, self.left)
    }

    /// |A ∩ B| / |B|: how much of the right document is in the left one.
    pub fn containment_right(self) -> f64 {
        ratio(self.common, self.right)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// How many values two ascending lists of distinct values share.
pub fn common(a: &[u64], b: &[u64]) -> usize {
    common_at_least(a, b, 0).unwrap_or(0)
}

/// How many values two ascending lists of distinct values share; `None` as soon as fewer than
/// `least` are certain.
///
/// Fast abort: the rest of either list bounds what can still be found. The bound is tested once in
/// `ABORT_STRIDE` steps, because a merge step is only a few instructions.
pub fn common_at_least(a: &[u64], b: &[u64], least: usize) -> Option<usize> {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        if count + (a.len() - i).min(b.len() - j) < least {
            return None;
        }
        let (a_end, b_end) = (a.len().min(i + ABORT_STRIDE), b.len().min(j + ABORT_STRIDE));
        while i < a_end && j < b_end {
            let (x, y) = (a[i], b[j]);
            // No branch on the comparison: its outcome is a coin toss that no predictor learns.
            count += usize::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
    }
    (count >= least).then_some(count)
}

/// Merge steps between two tests of the bound.
const ABORT_STRIDE: usize = 32;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equals_set_algebra(a in prop::collection::btree_set(0u64..200, 0..120), b in prop::collection::btree_set(0u64..200, 0..120), least in 0usize..120) {
            let exact = a.intersection(&b).count();
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            prop_assert_eq!(common(&list(&a), &list(&b)), exact);
            prop_assert_eq!(common_at_least(&list(&a), &list(&b), least), (exact >= least).then_some(exact));

            let union = a.union(&b).count();
            let overlap = Overlap::of(&FeatureSet::new(list(&a)), &FeatureSet::new(list(&b)));
            prop_assert_eq!(overlap.jaccard(), if union == 0 { 0.0 } else { exact as f64 / union as f64 });
            prop_assert!(overlap.jaccard() <= overlap.containment_left().min(overlap.containment_right()));
        }
    }

    #[test]
    fn empty_sets_are_similar_to_nothing() {
        let (empty, one) = (FeatureSet::default(), FeatureSet::new(vec![1]));
        for (a, b) in [(&empty, &empty), (&empty, &one), (&one, &empty)] {
            let overlap = Overlap::of(a, b);
            assert_eq!(
                [overlap.jaccard(), overlap.containment_left(), overlap.containment_right()],
                [0.0; 3]
            );
        }
    }
}
