//! How a segment is searched: exactly, or approximately in less memory.

use std::borrow::Cow;

use crate::kernel::Kernel;
use crate::search::hamming::{HammingSearch, Query, Sink, Want};
use crate::search::multi_index::{Layout, MultiIndex};
use crate::search::psm::{FlipOrder, Psm, Settings, Volatility};

/// Exact or approximate search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accuracy {
    /// Everything within the radius is found.
    #[default]
    Exact,
    /// Probabilistic matching: half of the memory, but matches behind an unlikely flip are missed.
    /// Queries need margins; without them only fingerprints with the same header are found.
    Probable,
}

/// How segments are built.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The radius of most queries.
    pub radius: u32,
    /// Exact or approximate search.
    pub accuracy: Accuracy,
    /// The kernel to use.
    pub kernel: Kernel,
}

/// The time budget in nanoseconds of a query to a large segment, by the model of [`Layout`], if a
/// slower layout saves memory. A growing collection also reads a document per query, which takes
/// ten times as long.
const BUDGET: f64 = 3_000.0;

/// Smaller segments have the fastest layout: there are more of them, and most of the memory is in
/// the large ones.
const LARGE: usize = 1 << 22;

/// Header bits of probabilistic matching below the logarithm of the size: offsets take half a byte
/// per fingerprint.
const FEWER_BITS: u32 = 3;

/// Flips of probabilistic matching: the places that a query looks up besides its own.
const FLIPS: usize = 128;

/// The recall of [`Accuracy::Probable`] for edited documents, as measured by a test of this module.
pub const PROBABLE_RECALL: f64 = 0.99;

impl Plan {
    /// The search over these fingerprints.
    pub(super) fn build(&self, fingerprints: Vec<u64>) -> Index {
        match self.accuracy {
            Accuracy::Exact => {
                let layout = layout(fingerprints.len(), self.radius);
                Index::Exact(Box::new(MultiIndex::with_layout(fingerprints, layout, self.kernel)))
            }
            Accuracy::Probable => {
                let header_bits = Settings::header_bits(fingerprints.len(), FEWER_BITS);
                let (volatility, order) = guesses(header_bits, self.radius);
                let settings = Settings { header_bits, volatility, order, flips: FLIPS };
                Index::Probable(Box::new(Psm::build(&fingerprints, settings, self.kernel)))
            }
        }
    }
}

fn layout(length: usize, radius: u32) -> Layout {
    if length < LARGE { Layout::new(length, radius) } else { Layout::compact(length, radius, BUDGET) }
}

/// The flips are guessed from the query's own margins, the smallest first; nothing is learned from
/// the collection.
fn guesses(header_bits: u32, radius: u32) -> (Volatility, FlipOrder) {
    let volatility = Volatility::sample([]);
    let order = FlipOrder::ranks(&[], &volatility, header_bits, radius, FLIPS);
    (volatility, order)
}

/// The index of a segment.
#[derive(Debug, Clone)]
pub(super) enum Index {
    Exact(Box<MultiIndex>),
    Probable(Box<Psm>),
}

impl Index {
    pub(super) fn fingerprints(&self) -> Cow<'_, [u64]> {
        match self {
            Index::Exact(index) => index.fingerprints(),
            Index::Probable(index) => Cow::Owned(index.fingerprints()),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Index::Exact(index) => index.bytes(),
            Index::Probable(index) => index.bytes(),
        }
    }
}

impl HammingSearch for Index {
    fn len(&self) -> usize {
        match self {
            Index::Exact(index) => index.len(),
            Index::Probable(index) => index.len(),
        }
    }

    fn search_batch(&self, queries: &[Query<'_>], radius: u32, want: Want, sink: &mut Sink<'_>) {
        match self {
            Index::Exact(index) => index.search_batch(queries, radius, want, sink),
            Index::Probable(index) => index.search_batch(queries, radius, want, sink),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Margins;
    use crate::hash::mix;
    use crate::search::psm::calibration::{Calibration, KnownMatch};

    /// Features of a document, and how many of them an edit replaces at most.
    const FEATURES: u64 = 141;
    const EDITS: u64 = 6;

    /// The document of a number, with its first `edited` features replaced.
    fn margins(document: u64, edited: u64) -> Margins {
        let mut sums = [0i32; 64];
        for feature in 0..FEATURES {
            let version = if feature < edited { 1 } else { 0 };
            let hash = mix(mix(document * FEATURES + feature) ^ version);
            let weight = 1 + (mix(hash) % 8) as i32;
            for (bit, sum) in sums.iter_mut().enumerate() {
                *sum += if hash >> bit & 1 == 1 { weight } else { -weight };
            }
        }
        Margins(sums)
    }

    /// The share of edited documents that a plan finds, of those within three bits.
    fn recall(accuracy: Accuracy, documents: u64) -> f64 {
        let stored: Vec<u64> = (0..documents).map(|document| margins(document, 0).simhash().0).collect();
        let plan = Plan { radius: 3, accuracy, kernel: Kernel::best() };
        let index = plan.build(stored.clone());
        assert_eq!(*index.fingerprints(), stored);
        let (mut near, mut found) = (0u32, 0u32);
        for document in (0..documents).step_by(3) {
            let query = margins(document, 1 + document % EDITS);
            let fingerprint = query.simhash();
            if (fingerprint.0 ^ stored[document as usize]).count_ones() > 3 {
                continue;
            }
            near += 1;
            let query = Query { fingerprint, margins: Some(&query) };
            index.search(query, 3, Want::All, &mut |matched| {
                found += u32::from(u64::from(matched.position) == document);
                true
            });
        }
        assert!(near > 1_000, "{near} documents");
        f64::from(found) / f64::from(near)
    }

    #[test]
    fn exact_finds_all_and_probable_finds_what_it_says() {
        assert_eq!(recall(Accuracy::Exact, 20_000), 1.0);
        assert!(recall(Accuracy::Probable, 20_000) >= PROBABLE_RECALL);
    }

    /// The header of a hundred million fingerprints, too many for a test: tests the places of the
    /// flips of true matches instead.
    #[test]
    fn so_does_a_large_collection() {
        let header_bits = Settings::header_bits(100_000_000, FEWER_BITS);
        let (volatility, order) = guesses(header_bits, 3);
        let queries: Vec<(Margins, u64)> = (0..20_000)
            .map(|document| (margins(document, 1 + document % EDITS), margins(document, 0).simhash().0))
            .filter(|(query, stored)| (query.simhash().0 ^ stored).count_ones() <= 3)
            .collect();
        let known = queries.iter().map(|(margins, stored)| KnownMatch { margins, stored: *stored });
        let calibration = Calibration::new(known, &volatility, &order, header_bits, 3, FLIPS);
        let recall = calibration.recall(FLIPS);
        assert!((PROBABLE_RECALL..1.0).contains(&recall), "{recall} of {}", queries.len());
        assert!(calibration.recall(0) < 0.8, "most need a flip");
    }

    #[test]
    fn large_segments_take_little_memory() {
        assert_eq!(layout(LARGE, 3).headers().len(), 2);
        assert_eq!(layout(LARGE - 1, 3).headers().len(), 4);
        let stored: Vec<u64> = (0..1 << 16).map(mix).collect();
        let plan = Plan { radius: 3, accuracy: Accuracy::Probable, kernel: Kernel::best() };
        let bytes = plan.build(stored.clone()).bytes() as f64 / stored.len() as f64;
        assert!(bytes < 13.0, "{bytes} bytes");
    }
}
