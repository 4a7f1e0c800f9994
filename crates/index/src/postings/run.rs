//! The postings of some fresh documents: sorted entries in memory, and where each bucket of keys
//! begins. Keys are mixed, so buckets are small: without them, binary searches over a full buffer
//! took two thirds of the time of adding short documents.

use std::ops::Range;

use super::{Entry, KEY_BITS, Key, TOGETHER};

/// Mean number of entries in a bucket, as a power of two: a cache line or two.
const BUCKET_BITS: u32 = 3;

/// Sorted entries.
#[derive(Debug)]
pub(crate) struct Run {
    entries: Vec<Entry>,
    /// Where each bucket begins, and the end of the last one.
    starts: Vec<u32>,
    /// The bits of a key below those of its bucket.
    shift: u32,
    /// How many documents they are of.
    documents: usize,
    /// The number after the largest.
    end: u64,
}

impl Run {
    /// The entries of one document; `keys` ascend.
    pub(super) fn new(number: u32, keys: &[Key]) -> Run {
        let entries = keys.iter().map(|&key| (key, number)).collect();
        Run::sorted(entries, 1, u64::from(number) + 1)
    }

    /// The entries of many documents, in any order.
    pub(crate) fn of(mut entries: Vec<Entry>, documents: usize, end: u64) -> Run {
        entries.sort_unstable();
        Run::sorted(entries, documents, end)
    }

    fn sorted(entries: Vec<Entry>, documents: usize, end: u64) -> Run {
        let bits = (entries.len() >> BUCKET_BITS).max(1).ilog2();
        let shift = KEY_BITS - bits;
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (place, &(key, _)) in entries.iter().enumerate() {
            let bucket = (key >> shift) as usize;
            if bucket >= starts.len() {
                starts.resize(bucket + 1, place as u32);
            }
        }
        starts.resize((1 << bits) + 1, entries.len() as u32);
        Run { entries, starts, shift, documents, end }
    }

    /// The entries of two runs, the earlier numbers first.
    pub(super) fn merge(before: &Run, after: &Run) -> Run {
        let mut entries = Vec::with_capacity(before.entries.len() + after.entries.len());
        let mut rest = after.entries.as_slice();
        for &entry in &before.entries {
            let smaller = rest.iter().take_while(|other| **other < entry).count();
            entries.extend_from_slice(&rest[..smaller]);
            rest = &rest[smaller..];
            entries.push(entry);
        }
        entries.extend_from_slice(rest);
        Run::sorted(entries, before.documents + after.documents, after.end)
    }

    /// The same without the numbers before `start`.
    pub(super) fn from(&self, start: u64) -> Run {
        let entries: Vec<Entry> =
            self.entries.iter().filter(|(_, number)| u64::from(*number) >= start).copied().collect();
        let mut numbers: Vec<u32> = entries.iter().map(|&(_, number)| number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Run::sorted(entries, numbers.len(), self.end)
    }

    /// Where the entries of a key are.
    pub(super) fn list(&self, key: Key) -> Range<usize> {
        let Range { start: first, end } = self.bucket(key);
        let bucket = &self.entries[first..end];
        let start = bucket.partition_point(|&(other, _)| other < key);
        let after = start + bucket[start..].partition_point(|&(other, _)| other == key);
        first + start..first + after
    }

    /// Where the bucket of a key is.
    fn bucket(&self, key: Key) -> Range<usize> {
        let bucket = (key >> self.shift) as usize;
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }

    /// Adds how many entries each of at most [`TOGETHER`] keys has.
    pub(super) fn count(&self, keys: &[Key], counts: &mut [usize]) {
        let mut buckets: [Range<usize>; TOGETHER] = Default::default();
        buckets.iter_mut().zip(keys).for_each(|(bucket, &key)| *bucket = self.bucket(key));
        for ((count, &key), bucket) in counts.iter_mut().zip(keys).zip(buckets) {
            *count += self.entries[bucket].iter().filter(|(other, _)| *other == key).count();
        }
    }

    /// All of them.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.entries.as_slice()) + size_of_val(self.starts.as_slice())
    }

    /// How many documents.
    pub(crate) fn documents(&self) -> usize {
        self.documents
    }

    /// The number after the largest.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }
}
