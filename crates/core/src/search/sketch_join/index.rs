//! The query form: one sketch against a collection.

use super::frequency::HashFrequencies;
use super::postings::{Posting, Postings, run_length};
use super::prefix::{PrefixHash, SINGLETON, SketchPrefix};
use crate::fingerprint::{Bitmap, JaccardThreshold, Sketches, common_hashes};

/// Finds every sketch of a collection whose sketch Jaccard with a given one is at least the
/// threshold.
#[derive(Debug)]
pub struct SketchIndex<'s> {
    sketches: &'s Sketches,
    bitmaps: Vec<Bitmap>,
    prefix: SketchPrefix,
    frequencies: HashFrequencies,
    postings: Postings,
}

/// A matching sketch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SketchMatch {
    /// Its number in the collection.
    pub document: u32,
    /// The sketch Jaccard.
    pub jaccard: f64,
}

/// Buffers of a searching thread; made by [`SketchIndex::scratch`].
#[derive(Debug, Default)]
pub struct SearchScratch {
    order: Vec<u32>,
    prefix: Vec<PrefixHash>,
    /// The least overlap of a pair for each size of the other sketch, for a query of `least_for`
    /// hashes.
    least: Vec<u16>,
    least_for: Option<usize>,
    /// For each document the last query of which it was a candidate.
    seen_by: Vec<u32>,
    query: u32,
}

/// Which hashes of a prefix get a posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexed {
    /// Every one: a query may have any hash.
    All,
    /// Those that occur in another sketch: enough for a join of the collection with itself.
    Shared,
}

impl<'s> SketchIndex<'s> {
    /// The index of a collection.
    pub fn new(sketches: &'s Sketches, threshold: f64) -> Self {
        SketchIndex::with(sketches, threshold, Indexed::All)
    }

    pub(super) fn with(sketches: &'s Sketches, threshold: f64, indexed: Indexed) -> Self {
        let prefix = SketchPrefix::new(threshold);
        let mut frequencies = HashFrequencies::with_slots(sketches.hashes().min(MOST_SLOTS));
        sketches.iter().for_each(|hashes| frequencies.add(hashes.iter().copied()));
        let most = sketches.iter().map(|hashes| prefix.length(hashes.len())).sum();
        let (mut order, mut keys) = (vec![], vec![]);
        let postings = Postings::new(most, |sink| {
            for (document, hashes) in sketches.iter().enumerate() {
                prefix.of(hashes, &frequencies, &mut order, &mut keys);
                for (position, key) in keys.iter().enumerate() {
                    if indexed == Indexed::All || key.frequency != SINGLETON {
                        sink(Posting::new(key.hash, hashes.len(), position, document));
                    }
                }
            }
        });
        let bitmaps = sketches.iter().map(Bitmap::new).collect();
        SketchIndex { sketches, bitmaps, prefix, frequencies, postings }
    }

    /// The collection.
    pub fn sketches(&self) -> &'s Sketches {
        self.sketches
    }

    /// How many bytes the index takes besides the sketches.
    pub fn bytes(&self) -> usize {
        self.bitmaps.len() * size_of::<Bitmap>() + self.frequencies.bytes() + self.postings.bytes()
    }

    /// Buffers for a thread.
    pub fn scratch(&self) -> SearchScratch {
        SearchScratch { seen_by: vec![0; self.sketches.len()], ..SearchScratch::default() }
    }

    /// Appends every sketch of the collection that is similar enough to the given ascending,
    /// distinct hashes, by document.
    pub fn search(&self, hashes: &[u64], scratch: &mut SearchScratch, found: &mut Vec<SketchMatch>) {
        self.search_before(self.sketches.len() as u32, hashes, &Bitmap::new(hashes), scratch, found);
    }

    /// Likewise among the documents before `end`, for the sketch of one of them.
    pub(super) fn search_earlier(&self, end: u32, scratch: &mut SearchScratch, found: &mut Vec<SketchMatch>) {
        let document = end as usize;
        self.search_before(end, self.sketches.get(document), &self.bitmaps[document], scratch, found);
    }

    fn search_before(
        &self,
        end: u32,
        hashes: &[u64],
        bitmap: &Bitmap,
        scratch: &mut SearchScratch,
        found: &mut Vec<SketchMatch>,
    ) {
        scratch.begin(self.prefix.threshold, hashes.len());
        let SearchScratch { order, prefix, least, seen_by, query, .. } = scratch;
        self.prefix.of(hashes, &self.frequencies, order, prefix);
        let first = found.len();
        for (position, key) in prefix.iter().enumerate() {
            let left = hashes.len() - position;
            for_each_plausible(self.postings.of(key.hash), least, left, |posting, least| {
                let document = posting.document as usize;
                // The first shared hash decides about positions, so that each document is checked
                // only once.
                if posting.document >= end || seen_by[document] == *query {
                    return;
                }
                seen_by[document] = *query;
                // The screen: a lower bound on the hashes that are not shared.
                if hashes.len() - bitmap.missing_in(&self.bitmaps[document]) < least {
                    return;
                }
                let other = self.sketches.get(document);
                let common = common_hashes(hashes, other);
                if common >= least {
                    let union = hashes.len() + other.len() - common;
                    found.push(SketchMatch {
                        document: posting.document,
                        jaccard: common as f64 / union as f64,
                    });
                }
            });
        }
        found[first..].sort_unstable_by_key(|found| found.document);
    }
}

/// The most counters (256 MB): more cost more than the better order saves.
const MOST_SLOTS: usize = 1 << 27;

/// Shorter runs of postings are scanned; longer ones are skipped through by size.
const SHORT_RUN: usize = 16;

/// Calls `sink` with every posting whose sketch can still share enough with a query that has `left`
/// hashes from the shared one on, and with the least overlap. `least` is indexed by the size of the
/// sketch.
#[inline]
fn for_each_plausible(run: &[Posting], least: &[u16], left: usize, mut sink: impl FnMut(&Posting, usize)) {
    let least_of = |size: u16| least.get(usize::from(size)).copied().unwrap_or(u16::MAX);
    // Both sketches must have enough hashes from the shared one on.
    let can = |posting: &Posting, least: u16| {
        usize::from(least) <= left && least <= posting.size - posting.position
    };
    if run.len() <= SHORT_RUN {
        for posting in run {
            let least = least_of(posting.size);
            if can(posting, least) {
                sink(posting, usize::from(least));
            }
        }
        return;
    }
    let mut rest = run;
    while let Some(first) = rest.first() {
        let (of_size, larger) = rest.split_at(run_length(rest, |posting| posting.size == first.size));
        let least = least_of(first.size);
        // Positions ascend, so that the plausible postings are a run too.
        for posting in &of_size[..run_length(of_size, |posting| can(posting, least))] {
            sink(posting, usize::from(least));
        }
        rest = larger;
    }
}

impl SearchScratch {
    /// A new query of `size` hashes.
    fn begin(&mut self, threshold: JaccardThreshold, size: usize) {
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            // Query numbers wrap around after four billion queries.
            self.seen_by.fill(0);
            self.query = 1;
        }
        if self.least_for != Some(size) {
            // The largest partner contains the whole query.
            let largest = (size as f64 / threshold.value()).ceil() as usize + 1;
            let least = |other| threshold.least_common(size, other).min(usize::from(u16::MAX)) as u16;
            self.least.clear();
            self.least.extend((0..=largest.min(usize::from(u16::MAX))).map(least));
            self.least_for = Some(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::pairs::tests::families;
    use super::*;

    fn naive(sketches: &Sketches, hashes: &[u64], threshold: f64) -> Vec<SketchMatch> {
        let threshold = JaccardThreshold::new(threshold);
        let mut found = vec![];
        for (document, other) in (0u32..).zip(sketches.iter()) {
            let common = common_hashes(hashes, other);
            if threshold.accepts(common, hashes.len(), other.len()) {
                let union = hashes.len() + other.len() - common;
                found.push(SketchMatch { document, jaccard: common as f64 / union as f64 });
            }
        }
        found
    }

    proptest! {
        #[test]
        fn a_query_finds_what_comparing_with_everything_finds(
            sketches in families(),
            query in prop::collection::btree_set(0u64..300, 0..60),
            threshold in prop::sample::select(vec![0.05, 0.35, 0.5, 2.0 / 3.0, 0.8, 1.0]),
        ) {
            let index = SketchIndex::new(&sketches, threshold);
            let mut scratch = index.scratch();
            let strange: Vec<u64> = query.into_iter().collect();
            for hashes in sketches.iter().chain([strange.as_slice()]) {
                let mut found = vec![];
                index.search(hashes, &mut scratch, &mut found);
                prop_assert_eq!(found, naive(&sketches, hashes, threshold));
            }
        }
    }

    #[test]
    fn queries_are_counted_past_the_end_of_their_numbers() {
        let mut sketches = Sketches::default();
        sketches.push(&[1, 2, 3]);
        let index = SketchIndex::new(&sketches, 0.5);
        let mut scratch = SearchScratch { query: u32::MAX - 1, ..index.scratch() };
        for _ in 0..3 {
            let mut found = vec![];
            index.search(&[1, 2, 3], &mut scratch, &mut found);
            assert_eq!(found, [SketchMatch { document: 0, jaccard: 1.0 }]);
        }
    }
}
