//! The keys of documents that have as many.
//!
//! Keys of bands only meet keys of the same band. So a band is a column with a key for each document, of which nearly all are
//! alone, and no entry has to be made, moved and sorted for those:
//!
//! ```text
//! places   the keys of a document are set, one a column
//! shared   of a column, the keys that come through two [sieves](Sieve) one after the other, with their ranks, sorted
//! ```

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::buckets::Entry;
use crate::sieve::Sieve;

/// Columns of keys.
pub(crate) struct KeyColumns {
    /// Column after column.
    keys: Vec<u64>,
    /// Of the documents.
    ranks: Vec<u32>,
}

impl KeyColumns {
    /// Columns for documents of these ranks, all of which are to be set.
    pub(crate) fn new(columns: usize, ranks: Vec<u32>) -> Self {
        KeyColumns { keys: vec![0; columns * ranks.len()], ranks }
    }

    /// Where the keys of a document are set, by its number among the ranks.
    #[inline]
    pub(crate) fn places(&mut self, number: usize) -> Places<'_> {
        Places { place: number, columns: self }
    }

    /// For each of the first `columns` columns the entries that share their key with another one (and a few that do not), sorted.
    pub(crate) fn shared(&self, columns: usize) -> Vec<Vec<Entry>> {
        let documents = self.ranks.len();
        let column = |number: usize| &self.keys[number * documents..(number + 1) * documents];
        let sieve = || Sieve::new(documents);
        let shared = |sieve: &mut Sieve, number: usize| shared(column(number), &self.ranks, sieve);
        (0..columns).into_par_iter().map_init(sieve, shared).collect()
    }
}

/// The places of a document, one column after another.
pub(crate) struct Places<'a> {
    columns: &'a mut KeyColumns,
    /// In the next column.
    place: usize,
}

impl Places<'_> {
    /// Sets the key of the next column, if there is one more.
    #[inline]
    pub(crate) fn set_next(&mut self, key: u64) {
        if let Some(place) = self.columns.keys.get_mut(self.place) {
            *place = key;
            self.place += self.columns.ranks.len();
        }
    }
}

fn shared(column: &[u64], ranks: &[u32], sieve: &mut Sieve) -> Vec<Entry> {
    sieve.clear();
    column.iter().for_each(|&key| sieve.count(key));
    let entries = column.iter().copied().zip(ranks.iter().copied());
    let mut entries: Vec<Entry> = entries.filter(|&(key, _)| sieve.is_met(key)).collect();
    // Strangers that had a slot in common have different ones when their keys are turned, and few are left to meet others.
    let turned = |key: u64| key.rotate_left(u64::BITS / 2);
    sieve.clear();
    entries.iter().for_each(|&(key, _)| sieve.count(turned(key)));
    entries.retain(|&(key, _)| sieve.is_met(turned(key)));
    entries.sort_unstable();
    entries
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use twindex_core::hash::mix;

    use super::*;

    fn set(columns: &mut KeyColumns, number: usize, keys: &[u64]) {
        let mut places = columns.places(number);
        keys.iter().for_each(|&key| places.set_next(key));
    }

    proptest! {
        /// The buckets of a column are those of sorting everything.
        #[test]
        fn equals_sorting(draws in prop::collection::vec((0u64..300, 0u64..3_000), 1..2_000), hashed in any::<bool>()) {
            let key = |draw: u64| if hashed { mix(draw) } else { draw << 40 };
            // Some ranks have no keys, and the order of documents is another.
            let ranks: Vec<u32> = (0..draws.len() as u32).map(|number| 2 * number).rev().collect();
            let mut columns = KeyColumns::new(3, ranks.clone());
            for (number, &(a, b)) in draws.iter().enumerate() {
                set(&mut columns, number, &[key(a), key(b)]);
            }
            let buckets = |entries: &[Entry]| -> Vec<Entry> {
                entries.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1).flatten().copied().collect()
            };
            let sorted = |draw: fn(&(u64, u64)) -> u64| {
                let mut entries: Vec<Entry> = draws.iter().map(|pair| key(draw(pair))).zip(ranks.clone()).collect();
                entries.sort_unstable();
                entries
            };
            let found = columns.shared(2);
            prop_assert!(found.iter().all(|entries| entries.is_sorted()));
            let found: Vec<Vec<Entry>> = found.iter().map(|entries| buckets(entries)).collect();
            prop_assert_eq!(found, [buckets(&sorted(|pair| pair.0)), buckets(&sorted(|pair| pair.1))]);
        }
    }

    #[test]
    fn keys_that_are_alone_are_nearly_all_dropped() {
        let mut columns = KeyColumns::new(1, (0..10_000).collect());
        (0..10_000).for_each(|number| set(&mut columns, number, &[mix(number as u64)]));
        let left = columns.shared(1)[0].len();
        assert!(left < 300, "{left}");
    }
}
