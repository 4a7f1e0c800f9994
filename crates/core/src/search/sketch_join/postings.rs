//! The inverted index of prefixes: posting lists of the hashes.
//!
//! Postings are sorted by hash (spread over the whole range by an odd factor, a bijection), and a
//! directory over the upper bits of the spread hash leads to a cell of a few postings in one step.
//! They are counted into their cells, and each cell is sorted, without further memory.

/// One sketch that has a hash in its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Posting {
    /// The spread hash.
    key: u64,
    /// How many hashes the sketch has.
    pub(super) size: u16,
    /// The position of the hash in the sketch's order.
    pub(super) position: u16,
    /// The document of the sketch.
    pub(super) document: u32,
}

impl Posting {
    pub(super) fn new(hash: u64, size: usize, position: usize, document: usize) -> Self {
        Posting { key: spread(hash), size: size as u16, position: position as u16, document: document as u32 }
    }
}

/// Postings, sorted by hash, then size, position and document.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    all: Vec<Posting>,
    /// The end of each cell.
    ends: Vec<usize>,
    /// The shift from a spread hash to its cell.
    shift: u32,
}

/// Postings of a cell on average.
const CELL: usize = 4;

impl Postings {
    /// Sorts the postings that `each` passes to its argument, at most `most` of them; it is called
    /// twice and must pass the same ones both times.
    pub(super) fn new(most: usize, mut each: impl FnMut(&mut dyn FnMut(Posting))) -> Self {
        // At least two cells, because a shift by 64 bits is not defined.
        let cells = (most / CELL).max(2).next_power_of_two();
        let shift = u64::BITS - cells.ilog2();
        let cell = |posting: &Posting| (posting.key >> shift) as usize;
        let mut ends = vec![0usize; cells];
        each(&mut |posting| ends[cell(&posting)] += 1);
        let mut total = 0;
        for end in &mut ends {
            // For now the start of the cell; filling moves it to its end.
            total += std::mem::replace(end, total);
        }
        let mut all = vec![Posting::default(); total];
        each(&mut |posting| {
            let place = &mut ends[cell(&posting)];
            all[*place] = posting;
            *place += 1;
        });
        let mut start = 0;
        for &end in &ends {
            all[start..end].sort_unstable();
            start = end;
        }
        Postings { all, ends, shift }
    }

    /// The postings of a hash.
    #[inline]
    pub(super) fn of(&self, hash: u64) -> &[Posting] {
        let key = spread(hash);
        let cell = (key >> self.shift) as usize;
        let Some(&end) = self.ends.get(cell) else { return &[] };
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] };
        let cell = &self.all[start..end];
        // A cell is short unless a hash in it is hot.
        let first = run_start(cell, key);
        let length = run_length(&cell[first..], |posting| posting.key == key);
        &cell[first..first + length]
    }

    /// How many bytes all of it takes.
    pub(super) fn bytes(&self) -> usize {
        self.all.len() * size_of::<Posting>() + self.ends.len() * size_of::<usize>()
    }
}

fn run_start(cell: &[Posting], key: u64) -> usize {
    run_length(cell, |posting| posting.key < key)
}

/// The length of the run at the beginning that has the property, if there is no other. Galloping
/// search: a short run costs little, a long one a logarithm.
#[inline]
pub(super) fn run_length(postings: &[Posting], has: impl Fn(&Posting) -> bool) -> usize {
    let mut reach = 1;
    while reach <= postings.len() && has(&postings[reach - 1]) {
        reach *= 2;
    }
    let known = reach / 2;
    known + postings[known..postings.len().min(reach)].partition_point(has)
}

/// A bijection that moves the low bits of a hash, in which the hashes of sketches differ, to the
/// top.
#[inline]
fn spread(hash: u64) -> u64 {
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_hash_finds_its_postings(
            entries in prop::collection::btree_set((0u64..30, 1u16..5, 0u16..4, 0u32..50), 0..300),
        ) {
            let list: Vec<Posting> = entries
                .iter()
                .map(|&(hash, size, position, document)| {
                    Posting::new(hash, usize::from(size), usize::from(position), document as usize)
                })
                .collect();
            let postings = Postings::new(list.len(), |sink| list.iter().rev().for_each(|&posting| sink(posting)));
            let mut expected: BTreeMap<u64, Vec<Posting>> = BTreeMap::new();
            entries.iter().zip(&list).for_each(|(entry, &posting)| expected.entry(entry.0).or_default().push(posting));
            for hash in 0..31 {
                prop_assert_eq!(postings.of(hash), expected.get(&hash).map_or(&[][..], |list| list));
            }
        }

        #[test]
        fn a_run_is_as_long_as_it_is(length in 0usize..100, run in 0usize..100) {
            let run = run.min(length);
            let postings: Vec<Posting> = (0..length).map(|i| Posting::new(1, usize::from(i >= run), 0, 0)).collect();
            prop_assert_eq!(run_length(&postings, |posting| posting.size == 0), run);
        }
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        assert!(Postings::default().of(7).is_empty());
        assert!(Postings::new(0, |_| ()).of(7).is_empty());
    }
}
