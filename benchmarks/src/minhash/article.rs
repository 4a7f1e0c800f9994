//! The four constructions of the article, as printed and corrected.
//!
//! | variant | shingles | the N smallest |
//! |---|---|---|
//! | naive | words copied, then hashed three by three | collect, sort |
//! | pipeline + sort | three running hashes | collect, sort |
//! | pipeline + set + heap | three running hashes | heap, guarded by a set |
//! | pipeline + table + heap | three running hashes | heap, guarded by an open table |
//!
//! *Printed* keeps the listing's slips wherever the program still ends: `c >> 16` instead of
//! `c >> 8`, which merges two products into one; running hashes that start at zero (the listing
//! leaves them unset), so that the first K - 1 shingles are partial; an empty shingle if the text
//! begins with a delimiter. In both, the heap, which the listing never fills, starts with N largest
//! values, and a hash that equals the mark of an empty slot is stored separately. *Corrected* is
//! [`twindex_core::fingerprint::article`].

use std::collections::{BTreeSet, BinaryHeap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use twindex_core::fingerprint::article::{article_sketch, is_alphanumeric, step};

/// Words of a shingle, and hashes of a sketch, as in the article's evaluation.
pub(super) const K: usize = 3;
pub(super) const N: usize = 128;

const OFFSET_BASIS: u32 = 2_166_136_261;
const PRIME: u32 = 16_777_619;

/// One bit for each code unit, as in the article.
pub(super) struct Alphanumeric(Vec<u64>);

impl Alphanumeric {
    pub(super) fn new() -> Self {
        let word = |first: u32| {
            (0..64).fold(0, |word, bit| word | u64::from(is_alphanumeric((first + bit) as u16)) << bit)
        };
        Alphanumeric((0..1 << 10).map(|index| word(index * 64)).collect())
    }

    #[inline(always)]
    fn has(&self, unit: u16) -> bool {
        self.0[usize::from(unit >> 6)] >> (unit & 63) & 1 == 1
    }
}

/// Extends the hash by one code unit: as printed, or corrected.
#[inline(always)]
fn update<const PRINTED: bool>(hash: u32, unit: u16) -> u32 {
    if PRINTED {
        // The high byte is ignored: two products become one by PRIME squared, as in the article's
        // assembly.
        (hash ^ u32::from(unit & 0xff)).wrapping_mul(PRIME).wrapping_mul(PRIME)
    } else {
        step(hash, unit)
    }
}

/// The first variant: words are copied, every shingle is hashed from its start, everything is
/// sorted.
pub(super) fn naive<const PRINTED: bool>(table: &Alphanumeric, text: &[u16]) -> Vec<u32> {
    let words: Vec<Vec<u16>> =
        text.split(|&unit| !table.has(unit)).filter(|word| !word.is_empty()).map(<[u16]>::to_vec).collect();
    let mut sort = Sort::default();
    for shingle in words.windows(K) {
        sort.collect(
            shingle.iter().flatten().fold(OFFSET_BASIS, |hash, &unit| update::<PRINTED>(hash, unit)),
        );
    }
    sort.finish()
}

/// The other three: K running hashes, and a collector.
pub(super) fn pipeline<const PRINTED: bool, C: Collector>(table: &Alphanumeric, text: &[u16]) -> Vec<u32> {
    let mut collector = C::default();
    let mut running = if PRINTED { [0; K] } else { [OFFSET_BASIS; K] };
    let mut words = 0;
    let mut at = 0;
    if !PRINTED {
        at = text.iter().position(|&unit| table.has(unit)).unwrap_or(text.len());
    }
    while at < text.len() {
        while at < text.len() && table.has(text[at]) {
            for hash in &mut running {
                *hash = update::<PRINTED>(*hash, text[at]);
            }
            at += 1;
        }
        words += 1;
        if PRINTED || words >= K {
            collector.collect(running[0]);
        }
        running.copy_within(1.., 0);
        running[K - 1] = OFFSET_BASIS;
        while at < text.len() && !table.has(text[at]) {
            at += 1;
        }
    }
    collector.finish()
}

/// Chooses the N smallest distinct hashes.
pub(super) trait Collector: Default {
    fn collect(&mut self, hash: u32);
    fn finish(self) -> Vec<u32>;
}

/// Everything, sorted at the end.
#[derive(Default)]
pub(super) struct Sort(Vec<u32>);

impl Collector for Sort {
    #[inline(always)]
    fn collect(&mut self, hash: u32) {
        self.0.push(hash);
    }

    fn finish(mut self) -> Vec<u32> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0.truncate(N);
        self.0
    }
}

/// A heap of the N smallest, guarded by a set.
pub(super) struct SetHeap {
    heap: BinaryHeap<u32>,
    set: HashSet<u32, BuildHasherDefault<Spread>>,
}

impl Default for SetHeap {
    fn default() -> Self {
        SetHeap { heap: BinaryHeap::from(vec![u32::MAX; N]), set: HashSet::default() }
    }
}

impl Collector for SetHeap {
    #[inline(always)]
    fn collect(&mut self, hash: u32) {
        if self.heap.peek().is_some_and(|&largest| hash < largest) && self.set.insert(hash) {
            if let Some(largest) = self.heap.pop() {
                self.set.remove(&largest);
            }
            self.heap.push(hash);
        }
    }

    fn finish(self) -> Vec<u32> {
        without_seeds(self.heap)
    }
}

/// A heap of the N smallest, guarded by an open-addressing table of 4N slots that is rebuilt only
/// when half full.
pub(super) struct TableHeap {
    heap: BinaryHeap<u32>,
    slots: [u32; 4 * N],
    used: usize,
    has_zero: bool,
}

/// Marks an empty slot. A hash of that value is stored separately.
const EMPTY: u32 = 0;

impl Default for TableHeap {
    fn default() -> Self {
        TableHeap {
            heap: BinaryHeap::from(vec![u32::MAX; N]),
            slots: [EMPTY; 4 * N],
            used: 0,
            has_zero: false,
        }
    }
}

impl TableHeap {
    /// False if it was already there.
    #[inline(always)]
    fn insert(&mut self, hash: u32) -> bool {
        if hash == EMPTY {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        // The smallest hashes differ in their low bits.
        let mut slot = hash as usize % self.slots.len();
        while self.slots[slot] != EMPTY {
            if self.slots[slot] == hash {
                return false;
            }
            slot = (slot + 1) % self.slots.len();
        }
        self.slots[slot] = hash;
        self.used += 1;
        true
    }
}

impl Collector for TableHeap {
    #[inline(always)]
    fn collect(&mut self, hash: u32) {
        if self.heap.peek().is_some_and(|&largest| hash < largest) && self.insert(hash) {
            self.heap.pop();
            self.heap.push(hash);
            if self.used >= 2 * N {
                self.slots.fill(EMPTY);
                self.used = 0;
                let kept: Vec<u32> = self.heap.iter().copied().filter(|&hash| hash != u32::MAX).collect();
                kept.into_iter().for_each(|hash| {
                    self.insert(hash);
                });
            }
        }
    }

    fn finish(self) -> Vec<u32> {
        without_seeds(self.heap)
    }
}

/// Removes the values that the heap was seeded with. (A shingle with the largest hash is lost with
/// them: one in four billion, and only in a text of fewer than N shingles.)
fn without_seeds(heap: BinaryHeap<u32>) -> Vec<u32> {
    let mut hashes = heap.into_sorted_vec();
    hashes.retain(|&hash| hash != u32::MAX);
    hashes
}

/// A multiplicative hasher: the values are hashes already.
#[derive(Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// The expected result of a pipeline: a plain loop over the words.
pub(super) fn expected<const PRINTED: bool>(text: &[u16]) -> Vec<u32> {
    if !PRINTED {
        return article_sketch::<K>(text, N);
    }
    let mut words: Vec<&[u16]> =
        text.split(|&unit| !is_alphanumeric(unit)).filter(|word| !word.is_empty()).collect();
    if text.first().is_some_and(|&unit| !is_alphanumeric(unit)) {
        words.insert(0, &[]);
    }
    let shingle = |end: usize| {
        let start = if end < K { 0 } else { OFFSET_BASIS };
        let first = (end + 1).saturating_sub(K);
        words[first..=end].iter().copied().flatten().fold(start, |hash, &unit| update::<true>(hash, unit))
    };
    (0..words.len()).map(shingle).collect::<BTreeSet<_>>().into_iter().take(N).collect()
}

/// The expected result of the printed naive variant: its loop has no partial shingles.
pub(super) fn expected_naive_printed(text: &[u16]) -> Vec<u32> {
    let words: Vec<&[u16]> =
        text.split(|&unit| !is_alphanumeric(unit)).filter(|word| !word.is_empty()).collect();
    let shingles = words.windows(K).map(|shingle| {
        shingle.iter().copied().flatten().fold(OFFSET_BASIS, |hash, &unit| update::<true>(hash, unit))
    });
    shingles.collect::<BTreeSet<_>>().into_iter().take(N).collect()
}
