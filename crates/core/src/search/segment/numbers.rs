//! Ascending numbers, nearly all consecutive.
//!
//! Documents are numbered in order, so that the numbers of a segment are a few runs: two numbers
//! per run, instead of four bytes per document. Removed documents split runs; if the runs would
//! take more memory than a list, a list is stored.

/// Ascending, distinct numbers, accessed by position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    length: usize,
    held: Held,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    Runs(Vec<Run>),
    List(Vec<u32>),
}

/// Consecutive numbers from a position up to the next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    position: u32,
    number: u32,
}

impl Numbers {
    /// Panics if the numbers do not ascend.
    pub fn new(numbers: Vec<u32>) -> Self {
        assert!(numbers.is_sorted_by(|a, b| a < b), "numbers ascend");
        let begins = |position: usize| position == 0 || numbers[position] != numbers[position - 1] + 1;
        let starts = (0..numbers.len()).filter(|&position| begins(position));
        // At most as many runs as take the memory of the list; beyond, the list is smaller.
        let most = numbers.len() * size_of::<u32>() / size_of::<Run>();
        let run = |position: usize| Run { position: position as u32, number: numbers[position] };
        let runs: Vec<Run> = starts.take(most + 1).map(run).collect();
        let length = numbers.len();
        let held = if runs.len() <= most { Held::Runs(runs) } else { Held::List(numbers) };
        Numbers { length, held }
    }

    /// The number at a position.
    pub fn at(&self, position: u32) -> u32 {
        match &self.held {
            Held::List(list) => list[position as usize],
            Held::Runs(runs) => {
                let run = runs[runs.partition_point(|run| run.position <= position) - 1];
                run.number + (position - run.position)
            }
        }
    }

    /// Whether a number is among them.
    pub fn contains(&self, number: u32) -> bool {
        match &self.held {
            Held::List(list) => list.binary_search(&number).is_ok(),
            Held::Runs(runs) => {
                let after = runs.partition_point(|run| run.number <= number);
                let end = runs.get(after).map_or(self.length, |run| run.position as usize);
                after > 0 && {
                    let run = runs[after - 1];
                    ((number - run.number) as usize) < end - run.position as usize
                }
            }
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (runs, list) = match &self.held {
            Held::Runs(runs) => (runs.as_slice(), [].as_slice()),
            Held::List(list) => ([].as_slice(), list.as_slice()),
        };
        let ends = runs.iter().skip(1).map(|run| run.position).chain([self.length as u32]);
        let neighbours =
            runs.iter().zip(ends).flat_map(|(run, end)| run.number..run.number + (end - run.position));
        neighbours.chain(list.iter().copied())
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        match &self.held {
            Held::Runs(runs) => size_of_val(runs.as_slice()),
            Held::List(list) => size_of_val(list.as_slice()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Ranges with missing numbers: few, so that runs are long, or many.
    fn sets() -> impl Strategy<Value = BTreeSet<u32>> {
        let range = (0u32..400, 0u32..200);
        let ranges = prop::collection::vec(range, 0..4);
        (ranges, prop::collection::btree_set(0u32..600, 0..200), any::<bool>()).prop_map(
            |(ranges, others, missing)| {
                let all: BTreeSet<u32> =
                    ranges.into_iter().flat_map(|(start, length)| start..start + length).collect();
                if missing { all.difference(&others).copied().collect() } else { others }
            },
        )
    }

    proptest! {
        #[test]
        fn packed_numbers_are_the_list(set in sets()) {
            let list: Vec<u32> = set.iter().copied().collect();
            let numbers = Numbers::new(list.clone());
            prop_assert_eq!(numbers.len(), list.len());
            prop_assert_eq!(numbers.iter().collect::<Vec<_>>(), list.clone());
            for (position, number) in list.iter().enumerate() {
                prop_assert_eq!(numbers.at(position as u32), *number);
            }
            for number in 0..610 {
                prop_assert_eq!(numbers.contains(number), set.contains(&number));
            }
            prop_assert!(numbers.bytes() <= 4 * list.len());
        }
    }

    #[test]
    fn neighbours_take_next_to_nothing() {
        let numbers =
            Numbers::new((5..100_000).chain(200_000..u32::MAX - 4_294_000_000).chain([u32::MAX]).collect());
        assert_eq!((numbers.bytes(), numbers.at(99_994), numbers.at(99_995)), (24, 99_999, 200_000));
        assert!(numbers.contains(u32::MAX) && !numbers.contains(u32::MAX - 1));
        let every_other = Numbers::new((0..1_000).map(|number| 2 * number).collect());
        assert_eq!(every_other.bytes(), 4_000);
    }

    #[test]
    #[should_panic = "numbers ascend"]
    fn numbers_out_of_order_are_refused() {
        Numbers::new(vec![2, 1]);
    }
}
