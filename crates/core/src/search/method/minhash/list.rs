//! Short documents: their fingerprint is the list of their shingles.
//!
//! A post of forty words has forty shingles: fewer numbers than a signature has bins, and they tell
//! exactly what a signature estimates. So documents of at most [`LISTED`] distinct shingles keep 32
//! bits of each, and are joined exactly, by a prefix filter:
//!
//! ```text
//! two documents with J >= t share at least t * n of the n shingles of either
//! prefix   so one of any n - t * n + 1 of them, for example of the rarest, if all documents use
//!          the same order
//! ```
//!
//! Rare shingles first make small buckets. A document with too many singletons has no duplicate:
//! most posts end there. Frequencies belong to the collection, so the caller chooses the shingles.
//!
//! A document that may be a duplicate of one that is not listed has a signature, too.
//!
//! Source: S. Chaudhuri, V. Ganti, R. Kaushik, A primitive operator for similarity joins in data
//! cleaning, 2006. Tried and dropped: a signature for every document that is not out by that
//! (nearly half of the posts are not).

use crate::fingerprint::JaccardThreshold;
use crate::kernel::Kernel;

/// A list of more would be several times as long as a signature.
pub(crate) const LISTED: usize = 192;

// Lists are stored with a byte for their length, and whoever joins them counts their shingles in
// bytes.
const _: () = assert!(LISTED < u8::MAX as usize);

/// Below, prefixes are all of a document and hold what every document has.
const LEAST_THRESHOLD: f64 = 0.05;

/// Lists from this length on are sorted when they are made, so that [`Marks`] compare them; sorting
/// shorter ones costs all documents more than it saves the few that are compared.
pub(super) const SORTED: usize = 64;

/// Bytes of a shingle in a list.
const SHINGLE: usize = size_of::<u32>();

/// Which documents are listed, and how they meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lists {
    threshold: JaccardThreshold,
}

impl Lists {
    /// Lists for pairs with a Jaccard of at least `threshold`; none if that is too little.
    pub(super) fn new(threshold: f64) -> Option<Self> {
        (threshold >= LEAST_THRESHOLD).then(|| Lists { threshold: JaccardThreshold::new(threshold) })
    }

    /// Whether a document with `shingles` shingles may be similar enough to one that is not listed.
    pub(super) fn may_meet_longer(self, shingles: usize) -> bool {
        shingles as f64 > self.threshold.value() * LISTED as f64
    }

    /// Prefix length for a document with `shingles` shingles: any subset of this size shares at
    /// least one shingle with every duplicate. Counting repeated shingles only lengthens the
    /// prefix, so it is safe.
    pub(crate) fn prefix(self, shingles: usize) -> usize {
        (shingles + 1).saturating_sub(self.threshold.least_shared(shingles))
    }

    /// Whether a pair of this similarity is one.
    pub(super) fn reaches(self, jaccard: f64) -> bool {
        jaccard >= self.threshold.value()
    }
}

/// The shingles of a document, 32 bits of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List<'a> {
    shingles: &'a [[u8; SHINGLE]],
    /// Whether each is there once, and they ascend.
    is_sorted: bool,
}

/// Most bytes of a list: the number of its shingles, and each of them.
pub(super) const WIDTH: usize = COUNT + LISTED * SHINGLE;

const COUNT: usize = size_of::<u8>();

/// Slots of [`mark`]: of the shingles of a list nearly every one has its own.
const SLOTS: usize = 4096;

/// The number of shingles that are marked at a time: those of a text that does not repeat itself
/// mark more than [`LISTED`] slots.
///
/// Parts of the whole document are looked at, not its beginning alone: to learn that a register
/// header of half a million shingles has more than 192 distinct ones took a seventh of a job on the
/// Linux sources.
pub(super) const MARKED: usize = LISTED + LISTED / 6;

/// Empties the slots of [`mark`].
pub(super) fn clear(slots: &mut Vec<u8>) {
    slots.clear();
    slots.resize(SLOTS, 0);
}

/// Marks the slots of these hashes, and returns how many were not marked before. A document has at
/// least as many distinct shingles as it has marked slots.
pub(super) fn mark(hashes: &[u64], slots: &mut [u8]) -> usize {
    let mut marked = 0;
    for hash in hashes {
        let slot = &mut slots[(hash >> (u64::BITS - SLOTS.ilog2())) as usize];
        marked += usize::from(*slot == 0);
        *slot = 1;
    }
    marked
}

/// Appends the list of shingles with these hashes, of which there are at most [`LISTED`].
#[inline(always)]
pub(super) fn store(hashes: &[u64], out: &mut Vec<u8>) {
    out.push(hashes.len() as u8);
    let start = out.len();
    out.resize(start + hashes.len() * SHINGLE, 0);
    for (stored, hash) in out[start..].as_chunks_mut().0.iter_mut().zip(hashes) {
        // The upper half, so that they are in the order of their hashes.
        *stored = ((hash >> u32::BITS) as u32).to_le_bytes();
    }
}

/// How many bytes of `stored` [`store`] wrote.
pub(super) fn length(stored: &[u8]) -> usize {
    COUNT + stored.first().map_or(0, |&count| usize::from(count) * SHINGLE)
}

impl<'a> List<'a> {
    /// What [`store`] wrote, of hashes that were distinct and ascending or not.
    pub(super) fn new(stored: &'a [u8], is_sorted: bool) -> Self {
        let shingles = stored.get(COUNT..).unwrap_or_default().as_chunks().0;
        List { shingles: &shingles[..shingles.len().min(LISTED)], is_sorted }
    }

    /// How many there are.
    pub(crate) fn len(self) -> usize {
        self.shingles.len()
    }

    /// Each of them.
    #[inline(always)]
    pub(crate) fn shingles(self) -> impl Iterator<Item = u32> + use<'a> {
        self.shingles.iter().map(|&shingle| u32::from_le_bytes(shingle))
    }

    /// Whether each shingle is there once, and they ascend.
    pub(super) fn is_sorted(self) -> bool {
        self.is_sorted
    }

    /// The Jaccard similarity of two documents, or a little more. If a document seems to repeat
    /// itself, two of its shingles may only have the same 32 bits: then one more may be in common.
    pub(super) fn most_jaccard(self, other: List<'_>, kernel: Kernel) -> f64 {
        let mut buffers = [[0; LISTED]; 2];
        let [left, right] = &mut buffers;
        let (left, right) = (self.distinct(left), other.distinct(right));
        let repeats = left.len() < self.len() || right.len() < other.len();
        jaccard(left.len(), right.len(), kernel.common(left, right) + usize::from(repeats))
    }

    /// The distinct shingles, ascending.
    fn distinct(self, buffer: &mut [u64; LISTED]) -> &[u64] {
        let list = &mut buffer[..self.len()];
        list.iter_mut().zip(self.shingles()).for_each(|(place, shingle)| *place = shingle.into());
        if self.is_sorted { list } else { sorted_distinct(list) }
    }
}

/// The Jaccard similarity of two documents with `left` and `right` shingles, of which `common` are
/// shared.
pub(super) fn jaccard(left: usize, right: usize, common: usize) -> f64 {
    let all = (left + right).saturating_sub(common).max(1);
    (common as f64 / all as f64).min(1.0)
}

/// A table of a document's shingles: a look at each of another document's says how many the two
/// have in common.
///
/// A shingle is in the slot of its highest bits or in the one behind it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// 0 where there is none. Empty until a document is marked.
    slots: Vec<u32>,
    /// Those that are not 0.
    marked: Vec<u16>,
}

/// Slots of [`Marks`]: most documents of seventy shingles fit (a test says how many), and their
/// table stays in the first-level cache.
const MARKED_SLOTS: usize = 2048;

impl Marks {
    /// Takes the shingles of a document in place of those before, each once; `false` if they do not
    /// fit.
    pub(crate) fn set(&mut self, list: List<'_>) -> bool {
        self.slots.resize(MARKED_SLOTS + 1, 0);
        self.marked.drain(..).for_each(|slot| self.slots[usize::from(slot)] = 0);
        list.shingles().all(|shingle| {
            let own = marked_slot(shingle);
            let free = [own, own + 1].into_iter().find(|&slot| [0, shingle].contains(&self.slots[slot]));
            // One that looks like an empty slot does not fit either.
            let Some(slot) = free.filter(|_| shingle != 0) else { return false };
            if self.slots[slot] == 0 {
                self.slots[slot] = shingle;
                self.marked.push(slot as u16);
            }
            true
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.marked.len()
    }

    /// How many of the shingles of a list are there, repetitions included. (One of 0 seems to be,
    /// if its slot is empty.)
    #[inline(always)]
    pub(super) fn common(&self, list: List<'_>) -> usize {
        let Some(slots) = self.slots.first_chunk::<{ MARKED_SLOTS + 1 }>() else { return 0 };
        let is_there = |shingle| {
            let slot = marked_slot(shingle);
            (slots[slot] == shingle) | (slots[slot + 1] == shingle)
        };
        list.shingles().map(|shingle| usize::from(is_there(shingle))).sum()
    }
}

#[inline(always)]
fn marked_slot(shingle: u32) -> usize {
    (shingle >> (u32::BITS - MARKED_SLOTS.ilog2())) as usize
}

/// The distinct numbers of a list, ascending.
fn sorted_distinct<T: Ord + Copy>(list: &mut [T]) -> &[T] {
    list.sort_unstable();
    let mut kept = 0;
    for at in 0..list.len() {
        if at == 0 || list[at] != list[kept - 1] {
            list[kept] = list[at];
            kept += 1;
        }
    }
    &list[..kept]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    fn stored(hashes: &[u64]) -> Vec<u8> {
        let mut out = vec![];
        store(hashes, &mut out);
        assert_eq!(length(&out), out.len());
        out
    }

    fn hashes(draws: &[u64]) -> Vec<u64> {
        draws.iter().map(|&draw| mix(draw)).collect()
    }

    fn exact_jaccard(a: &[u64], b: &[u64]) -> f64 {
        let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
        a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
    }

    proptest! {
        /// Those that share enough come through every look, and share one of any prefix.
        #[test]
        fn who_shares_enough_is_seen(
            common in prop::collection::vec(0u64..200, 0..60),
            left in prop::collection::vec(200u64..300, 0..40),
            right in prop::collection::vec(300u64..400, 0..40),
            threshold in 0.3f64..1.0,
        ) {
            let documents = [&left, &right].map(|own| hashes(&[common.as_slice(), own].concat()));
            let bytes = documents.each_ref().map(|document| stored(document));
            let [a, b] = bytes.each_ref().map(|bytes| List::new(bytes, false));
            let exact = exact_jaccard(&documents[0], &documents[1]);
            let found = a.most_jaccard(b, Kernel::best());
            prop_assert!(found >= exact && b.most_jaccard(a, Kernel::Scalar) == found);
            let lists = Lists::new(threshold).unwrap();
            if exact >= threshold && exact > 0.0 {
                prop_assert!(lists.reaches(found));
                for (list, other) in [(&documents[0], &documents[1]), (&documents[1], &documents[0])] {
                    // Whatever is left out of a prefix, it has one that the other has.
                    let set: BTreeSet<u64> = list.iter().copied().collect();
                    let missing = set.iter().filter(|hash| !other.contains(hash)).count();
                    prop_assert!(missing < lists.prefix(set.len()) && lists.prefix(set.len()) <= lists.prefix(list.len()));
                }
            }
            // Repetitions only raise what two seem to have in common.
            let mut marks = Marks::default();
            if marks.set(a) {
                let distinct: BTreeSet<u32> = a.shingles().collect();
                prop_assert_eq!(marks.len(), distinct.len());
                prop_assert!(marks.common(b) as f64 / marks.len().max(1) as f64 >= exact);
            }
            // Whatever was marked before, what two have in common is found.
            let sorted = documents.each_ref().map(|document| {
                let set: BTreeSet<u64> = document.iter().copied().collect();
                stored(&set.into_iter().collect::<Vec<_>>())
            });
            let [a, b] = sorted.each_ref().map(|bytes| List::new(bytes, true));
            let mut marks = Marks::default();
            for (marked, other) in [(a, b), (b, a), (a, a)] {
                if marks.set(marked) {
                    let other_shingles: BTreeSet<u32> = other.shingles().collect();
                    let common = marked.shingles().filter(|shingle| other_shingles.contains(shingle)).count();
                    prop_assert_eq!(marks.common(other), common);
                }
            }
        }
    }

    #[test]
    fn most_documents_can_be_marked() {
        let document = |seed: u64| {
            let mut hashes: Vec<u64> = (0..70).map(|place| mix(seed * 1_000 + place)).collect();
            hashes.sort_unstable();
            stored(&hashes)
        };
        let mut marks = Marks::default();
        let fitting = (0..100).filter(|&seed| marks.set(List::new(&document(seed), true))).count();
        assert!(fitting > 60, "{fitting}");
    }

    #[test]
    fn a_text_that_repeats_itself_is_listed_however_long_it_is() {
        let marked = |hashes: &[u64]| {
            let mut slots = vec![1];
            clear(&mut slots);
            hashes.chunks(MARKED).map(|part| mark(part, &mut slots)).sum::<usize>()
        };
        assert!(marked(&hashes(&(0..MARKED as u64).collect::<Vec<_>>())) > LISTED);
        assert!(marked(&hashes(&(0..LISTED as u64).collect::<Vec<_>>())) <= LISTED);
        assert!(marked(&hashes(&(0..10_000).map(|i| i % 150).collect::<Vec<_>>())) <= 150);
        // New shingles come late.
        let late: Vec<u64> = (0..10_000).map(|i| if i < 9_000 { i % 150 } else { i }).collect();
        assert!(marked(&hashes(&late)) > LISTED);
    }

    #[test]
    fn little_similarity_is_not_for_lists() {
        assert!(Lists::new(0.04).is_none());
        let lists = Lists::new(0.5).unwrap();
        assert!(lists.may_meet_longer(LISTED / 2 + 1) && !lists.may_meet_longer(LISTED / 2));
    }
}
