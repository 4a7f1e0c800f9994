//! Faint keys: how documents meet that share little, but something rare.
//!
//! Noise that falls on every line (a scan, a transcription) leaves two copies of a text with a tenth of their shingles in
//! common. Bands that find so little similarity also find half of all pairs of a collection, because common phrases give
//! any two texts as much. What tells the two apart is how rare the shared shingles are:
//!
//! ```text
//! keys(document)  = the SAMPLE smallest of its shingle hashes, each a key by itself: those that few others have, if that is known
//! meet(bucket)    = if more than MOST documents share the key, nobody; else everybody
//! ```
//!
//! The smallest hashes are a sample that is the same for every document, so two documents of similarity J share about
//! J * SAMPLE of them: of the pairs at J = 0.06 six in seven meet, at 0.1 and above nearly all. A phrase that many documents
//! have makes a large bucket and joins nobody, which keeps the work linear: a document meets at most SAMPLE * MOST others.
//!
//! Who knows the [statistics](Statistics) of the collection needs fewer keys: no later term accepts a pair that shares nothing rare, of
//! what is counted, and a shingle that nobody else has brings nobody together. Of 680,000 keys of 125,000 posts a fifth is left. (The
//! first term may lose a pair by that: one of long documents that bands miss, and that shares only what seven to sixteen
//! documents have. There is none in nine labelled collections.)
//!
//! Short documents have no faint keys: a few words in common say nothing about them.

use crate::feature::{SAMPLE, Statistics};
use crate::hash;
use crate::recipe::judgement::{NOISE_LEAST_JACCARD, NOISE_LEAST_RARE, NOISE_LEAST_RATIO, REUSE_CUT};
use crate::search::ROUNDING;
use crate::search::signature::Agreement;

/// Larger buckets join nobody: the phrase is common.
const MOST: usize = 16;

/// Hashes that are gathered before the largest are dropped.
const BUFFER: usize = 8 * SAMPLE;

/// Most bytes of the stored keys: their number, and each of them.
pub(super) const WIDTH: usize = 2 + 8 * SAMPLE;

/// In one bin of so many that either has of its own documents agree that share enough to be read: that is two standard deviations
/// below a tenth of their shingles, and nineteen of twenty scans share more. (Copies are no evidence: a short document repeats
/// one shingle in many bins, and a single one in common looks like many.)
const MOST_BINS_FOR_ONE: u32 = 24;

/// An estimate that lies this many standard deviations below what a term needs means that the term is not satisfied.
const DEVIATIONS: f64 = 3.0;

/// Set in faint keys, and cleared in all others of the same method.
const MARK: u64 = 1;

/// Collects the smallest hashes of a document.
#[derive(Debug, Default)]
pub(super) struct Sample {
    hashes: Vec<u64>,
    /// Hashes from here on are not among the smallest.
    limit: u64,
}

impl Sample {
    /// A new document.
    pub(super) fn begin(&mut self) {
        self.hashes.clear();
        self.limit = u64::MAX;
    }

    /// Adds a shingle of the document.
    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        if hash < self.limit {
            self.hashes.push(hash);
            if self.hashes.len() == BUFFER {
                self.prune();
                self.limit = self.hashes.get(SAMPLE - 1).map_or(u64::MAX, |&last| last);
            }
        }
    }

    /// Appends what is stored of the document.
    pub(super) fn store(&mut self, out: &mut Vec<u8>) {
        self.prune();
        store(&self.hashes, out);
    }

    fn prune(&mut self) {
        hash::sort(&mut self.hashes);
        self.hashes.dedup();
        self.hashes.truncate(SAMPLE);
    }
}

/// Appends what is stored of a document with these hashes, which are distinct and ascend.
#[inline(always)]
pub(super) fn store(hashes: &[u64], out: &mut Vec<u8>) {
    let smallest = &hashes[..hashes.len().min(SAMPLE)];
    out.extend_from_slice(&(smallest.len() as u16).to_le_bytes());
    let start = out.len();
    out.resize(start + size_of_val(smallest), 0);
    for (stored, hash) in out[start..].as_chunks_mut().0.iter_mut().zip(smallest) {
        *stored = hash.to_le_bytes();
    }
}

/// Whether the document has faint keys.
pub(super) fn has_keys(stored: &[u8]) -> bool {
    count(stored) > 0
}

/// How many bytes of `stored` [`store`] wrote.
pub(super) fn length(stored: &[u8]) -> usize {
    2 + 8 * count(stored)
}

fn count(stored: &[u8]) -> usize {
    stored.first_chunk().map_or(0, |&count| usize::from(u16::from_le_bytes(count)).min(SAMPLE))
}

/// Two documents, as far as their fingerprints tell.
pub(super) struct Pair<'a> {
    /// What [`store`] wrote of each.
    pub(super) samples: [&'a [u8]; 2],
    /// Shingles of each.
    pub(super) shingles: [u32; 2],
    pub(super) likeness: Likeness,
}

/// How much two documents have in common.
#[derive(Debug, Clone, Copy)]
pub(super) enum Likeness {
    /// As far as their signatures agree.
    Estimated(Agreement),
    /// This Jaccard similarity, and no more.
    Known(f64),
}

impl Pair<'_> {
    /// Whether a later term of the judgement can accept the two, so that it is worth to read them.
    pub(super) fn is_plausible(&self, statistics: Option<&Statistics>) -> bool {
        if !self.samples.into_iter().all(has_keys) || !self.agrees_enough() {
            return false;
        }
        let may_be_noise = self.may_be_noise();
        let Some(statistics) = statistics else { return true };
        let mut buffers = [[0; SAMPLE]; 2];
        let [a, b] = &mut buffers;
        let rare = statistics.rare_share(fill(a, self.samples[0]), fill(b, self.samples[1]));
        may_be_noise && rare.is_none_or(|rare| rare >= NOISE_LEAST_RARE)
            || rare.is_some_and(|rare| rare > 0.0 && self.may_reach(REUSE_CUT / rare))
    }

    /// Whether the signatures alone do not rule out every later term.
    fn agrees_enough(&self) -> bool {
        self.may_be_noise() || self.may_reach(REUSE_CUT)
    }

    fn may_be_noise(&self) -> bool {
        has_same_length(self.shingles)
            && match self.likeness {
                Likeness::Estimated(agreement) => agreement.own * MOST_BINS_FOR_ONE >= agreement.either,
                Likeness::Known(jaccard) => jaccard >= NOISE_LEAST_JACCARD - ROUNDING,
            }
    }

    /// Whether what they have in common does not rule out this similarity.
    fn may_reach(&self, jaccard: f64) -> bool {
        match self.likeness {
            Likeness::Estimated(agreement) => {
                let bins = f64::from(agreement.either);
                let deviation = (jaccard * (1.0 - jaccard).max(0.0) * bins).sqrt();
                f64::from(agreement.own) >= jaccard * bins - DEVIATIONS * deviation
            }
            Likeness::Known(known) => known >= jaccard - ROUNDING,
        }
    }
}

/// The least Jaccard with which a later term may accept two documents of so many shingles; none if no term can. A text of words
/// enough for reuse has at least `reuse` shingles.
#[inline(always)]
pub(super) fn least_jaccard(shingles: [u32; 2], reuse: u32) -> Option<f64> {
    if has_same_length(shingles) {
        Some(NOISE_LEAST_JACCARD)
    } else {
        (shingles[0].min(shingles[1]) >= reuse).then_some(REUSE_CUT)
    }
}

#[inline(always)]
fn has_same_length([a, b]: [u32; 2]) -> bool {
    f64::from(a.min(b)) >= (NOISE_LEAST_RATIO - ENDS) * f64::from(a.max(b))
}

/// Lengths are told in shingles here and in words there: a shingle has some words more than one.
const ENDS: f64 = 0.01;

/// Marks keys as not faint.
pub(super) fn unmark(keys: &mut [u64]) {
    keys.iter_mut().for_each(|key| *key &= !MARK);
}

/// A key of 63 bits as one that is not faint: above the mark.
#[inline(always)]
pub(super) fn unmarked(key: u64) -> u64 {
    key << 1
}

/// Appends the faint keys; `statistics` are those of the collection that the document is in.
pub(super) fn keys(stored: &[u8], statistics: Option<&Statistics>, keys: &mut Vec<u64>) {
    if let Some(statistics) = statistics {
        statistics.announce(hashes(stored));
    }
    let hashes = hashes(stored)
        .filter(|&hash| statistics.is_none_or(|statistics| statistics.may_be_shared_by_few(hash)));
    // The smallest hashes of long documents all lie at the low end: mixed, they spread over the ranges of keys.
    keys.extend(hashes.map(|hash| hash::mix(hash) | MARK));
}

/// The stored hashes, ascending.
pub(super) fn hashes(stored: &[u8]) -> impl Iterator<Item = u64> + Clone {
    let hashes = stored.get(2..).unwrap_or_default().as_chunks().0;
    hashes.iter().take(count(stored)).map(|&hash| u64::from_le_bytes(hash))
}

/// The stored hashes, in `buffer`.
fn fill<'a>(buffer: &'a mut [u64; SAMPLE], stored: &[u8]) -> &'a [u64] {
    let count = buffer.iter_mut().zip(hashes(stored)).map(|(place, hash)| *place = hash).count();
    &buffer[..count]
}

/// Whether the key is faint and more documents share it than meet by it.
pub(super) fn is_common(key: u64, documents: usize) -> bool {
    key & MARK == MARK && documents > MOST
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::hash::mix;

    fn keys_of(shingles: std::ops::Range<u64>) -> Vec<u64> {
        let shingles: Vec<u64> = shingles.map(|i| mix(i + 1)).collect();
        let (mut stored, mut found) = (vec![], vec![]);
        let mut sample = Sample::default();
        sample.begin();
        shingles.iter().chain(&shingles).for_each(|&hash| sample.add(hash));
        sample.store(&mut stored);
        let smallest: Vec<u64> = BTreeSet::from_iter(shingles).into_iter().take(SAMPLE).collect();
        assert_eq!(hashes(&stored).collect::<Vec<_>>(), smallest);
        assert_eq!(length(&stored), stored.len());
        keys(&stored, None, &mut found);
        assert_eq!(has_keys(&stored), !found.is_empty());
        found
    }

    /// What is stored of a document with these shingles.
    fn sample(range: std::ops::Range<u64>) -> Vec<u8> {
        let (mut stored, mut sample) = (vec![], Sample::default());
        sample.begin();
        range.for_each(|shingle| sample.add(mix(shingle + 1)));
        sample.store(&mut stored);
        stored
    }

    #[test]
    fn documents_that_share_a_tenth_of_their_shingles_meet() {
        let met = (0..200u64)
            .filter(|trial| {
                let start = trial * 10_000;
                // 55 of 300 each: J = 55 / 545.
                let (a, b) = (keys_of(start..start + 300), keys_of(start + 245..start + 545));
                a.iter().any(|key| b.contains(key))
            })
            .count();
        assert!(met >= 190, "{met} of 200 met");
    }

    #[test]
    fn a_pair_is_read_if_a_term_can_accept_it() {
        let (a, b, none) = (sample(0..300), sample(200..500), sample(0..0));
        let agreement = |own| Agreement { all: 126, own, either: 126 };
        let estimated = |own| Likeness::Estimated(agreement(own));
        let pair = |shingles, own| Pair { samples: [&a, &b], shingles, likeness: estimated(own) };
        let rare = Statistics::new(2);
        let mut common = Statistics::new(100);
        (0..10).for_each(|_| common.count(hashes(&a)));
        for (statistics, is_read) in [(None, true), (Some(&rare), true), (Some(&common), false)] {
            assert_eq!(pair([300, 300], 10).is_plausible(statistics), is_read, "noise");
            assert_eq!(pair([300, 900], 19).is_plausible(statistics), is_read, "reuse");
        }
        assert!(!pair([300, 300], 2).is_plausible(None), "strangers");
        assert!(!pair([300, 600], 5).is_plausible(None), "too little for reuse, too different for noise");
        let short = Pair { samples: [&a, &none], shingles: [300, 300], likeness: estimated(60) };
        assert!(!short.is_plausible(None), "too short for either");
        let known =
            |shingles, jaccard| Pair { samples: [&a, &b], shingles, likeness: Likeness::Known(jaccard) };
        assert!(known([100, 100], 0.05).is_plausible(None) && !known([100, 100], 0.04).is_plausible(None));
        assert!(known([100, 180], 0.15).is_plausible(None) && !known([100, 180], 0.14).is_plausible(None));
    }

    /// What brings no pair together that a later term accepts is no key.
    #[test]
    fn where_the_collection_is_known_only_what_few_share_is_a_key() {
        let (a, b) = (sample(0..20), sample(10..30));
        let mut statistics = Statistics::new(20);
        [&a, &b].into_iter().for_each(|stored| statistics.count(hashes(stored)));
        (0..10).for_each(|_| statistics.count((10..15).map(|shingle| mix(shingle + 1))));
        let [of_a, of_b] = [&a, &b].map(|stored| {
            let mut found = vec![];
            keys(stored, Some(&statistics), &mut found);
            found.into_iter().collect::<BTreeSet<_>>()
        });
        // Of the ten that they share, everybody has five.
        assert_eq!((of_a.len(), &of_a), (5, &of_b));
    }

    #[test]
    fn a_document_has_at_most_so_many_keys() {
        assert_eq!([0, 5, 10_000].map(|shingles| keys_of(0..shingles).len()), [0, 5, SAMPLE]);
    }

    #[test]
    fn a_common_phrase_joins_nobody_but_other_keys_may_be_common() {
        let mut keys = vec![7, 8];
        keys_of(0..100).iter().for_each(|&key| assert!(is_common(key, MOST + 1) && !is_common(key, MOST)));
        self::keys(&[0; WIDTH], None, &mut keys);
        unmark(&mut keys);
        assert_eq!(keys.iter().filter(|&&key| is_common(key, MOST + 1)).count(), 0);
    }
}
