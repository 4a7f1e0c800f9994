//! Which documents of a pack share shingles, and how many: every pair, without a search that could
//! miss one.
//!
//! ```text
//! postings[shingle] = the documents that have it
//! for each document: common[other] += 1 for every earlier other in the postings of its shingles
//! ```

use rayon::slice::ParallelSliceMut;
use twindex_core::verify::Overlap;

use super::pack::Pack;

/// The posting lists of all shingles, as one sorted list.
pub(super) struct Postings<'a> {
    pack: &'a Pack,
    shingles: Vec<u64>,
    documents: Vec<u32>,
}

impl<'a> Postings<'a> {
    /// The postings of the documents that take part.
    pub(super) fn new(pack: &'a Pack, takes_part: impl Fn(u32) -> bool) -> Self {
        let mut entries: Vec<(u64, u32)> = vec![];
        for (evidence, document) in pack.evidence.iter().zip(0..) {
            if takes_part(document) {
                entries.extend(evidence.features.as_slice().iter().map(|&shingle| (shingle, document)));
            }
        }
        entries.par_sort_unstable();
        let (shingles, documents) = entries.into_iter().unzip();
        Postings { pack, shingles, documents }
    }

    /// A counter for each document, as [`partners`](Self::partners) uses them.
    pub(super) fn counters(&self) -> Vec<u32> {
        vec![0; self.pack.evidence.len()]
    }

    /// The earlier documents that share a shingle with this one, ascending, and their overlaps. The
    /// counters are all zero before and after.
    pub(super) fn partners(&self, document: u32, counters: &mut [u32]) -> Vec<(u32, Overlap)> {
        let features = &self.pack.evidence[document as usize].features;
        let mut others = vec![];
        for &shingle in features.as_slice() {
            for &other in self.of(shingle).iter().take_while(|&&other| other < document) {
                if counters[other as usize] == 0 {
                    others.push(other);
                }
                counters[other as usize] += 1;
            }
        }
        others.sort_unstable();
        let mut overlap = |other: u32| Overlap {
            left: self.pack.evidence[other as usize].features.len(),
            right: features.len(),
            common: std::mem::take(&mut counters[other as usize]) as usize,
        };
        others.into_iter().map(|other| (other, overlap(other))).collect()
    }

    /// The documents that have a shingle, ascending.
    pub(super) fn of(&self, shingle: u64) -> &[u32] {
        let first = self.shingles.partition_point(|&other| other < shingle);
        let count = self.shingles[first..].iter().take_while(|&&other| other == shingle).count();
        &self.documents[first..first + count]
    }
}
