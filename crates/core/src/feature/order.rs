//! The order of a document's words: a chain of words that two documents have in the same order.
//!
//! Who copies, copies in order; who writes on the same matter uses the same words in an order of his own. Words that
//! occur once have one place, so the longest chain that two documents have in common is the longest ascending run among
//! the places of the words that occur once in both (the idea behind patience sorting and its use in comparing files):
//!
//! ```text
//! places = for each word that occurs once in A and once in B, by its place in A: its place in B
//! chain  = length of the longest ascending subsequence of places, in O(n log n)
//! ```

/// The units that occur once in a document, with their places, by ascending hash.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SingleUnits(Vec<(u64, u32)>);

impl SingleUnits {
    /// Of a sequence of units.
    pub fn new(units: &[u64]) -> Self {
        let mut places: Vec<(u64, u32)> = units.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let single = places.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() == 1);
        SingleUnits(single.map(|run| run[0]).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many bytes they take on the heap.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(u64, u32)>()
    }

    /// The length of the longest chain of single units that both documents have in the same order.
    pub fn chain(&self, other: &SingleUnits) -> usize {
        let (a, b) = (&self.0, &other.0);
        let (mut i, mut j) = (0, 0);
        let mut places: Vec<(u32, u32)> = vec![];
        while i < a.len() && j < b.len() {
            let (left, right) = (a[i].0, b[j].0);
            if left == right {
                places.push((a[i].1, b[j].1));
            }
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        places.sort_unstable();
        // ends[n]: the smallest end of an ascending run of n + 1 places.
        let mut ends: Vec<u32> = vec![];
        for (_, place) in places {
            let at = ends.partition_point(|&end| end < place);
            if at == ends.len() {
                ends.push(place);
            } else {
                ends[at] = place;
            }
        }
        ends.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By trying every subset of the common single units.
    fn longest(a: &[u64], b: &[u64]) -> usize {
        let place = |units: &[u64], unit| {
            (units.iter().filter(|&&u| u == unit).count() == 1)
                .then(|| units.iter().position(|&u| u == unit))
                .flatten()
        };
        let places: Vec<usize> =
            a.iter().filter(|&&unit| place(a, unit).is_some()).filter_map(|&unit| place(b, unit)).collect();
        (0..1u32 << places.len())
            .map(|chosen| {
                (0..places.len()).filter(|i| chosen >> i & 1 == 1).map(|i| places[i]).collect::<Vec<_>>()
            })
            .filter(|chain| chain.is_sorted())
            .map(|chain| chain.len())
            .max()
            .unwrap_or(0)
    }

    proptest! {
        #[test]
        fn equals_the_longest_of_all_chains(
            a in prop::collection::vec(0u64..10, 0..14),
            b in prop::collection::vec(0u64..10, 0..14),
        ) {
            let (x, y) = (SingleUnits::new(&a), SingleUnits::new(&b));
            prop_assert_eq!(x.chain(&y), longest(&a, &b));
            prop_assert_eq!(y.chain(&x), longest(&a, &b));
        }
    }
}
