//! What a collection knows of its shingles: how many documents have each.
//!
//! A passage that two documents share says much if nobody else has it, and nothing if it is the template of a site. The
//! table answers which of the two it is, in memory that does not grow with the collection:
//!
//! ```text
//! sample(document)   the SAMPLE smallest of its shingle hashes: the same choice in every document
//! count              cells[hash] += 1 for each of them, one byte a cell, at most 255
//! shift              of a collection with more samples than the cells can tell apart, one hash in 2^shift counts
//! ```
//!
//! Counting is adding, so tables of parts of a collection add up to the table of the whole. A shingle is counted where
//! it belongs to the sample, so it is counted too rarely in documents much longer than those that are compared: what is
//! common among documents of a kind is common here.

use crate::hash;
use crate::kernel::memory;

/// Shingles of a document that are counted.
pub const SAMPLE: usize = 32;

/// A shingle that more documents have is common.
const RARE: u8 = 6;

/// 2^22 cells of one byte: 4 MiB, and told apart up to 65,000 documents before one hash in two is left out.
const CELL_BITS: u32 = 22;

/// The first bytes of a stored table.
const MAGIC: &[u8; 8] = b"twxdf\0\0\x01";

/// Document frequencies of sampled shingles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    documents: u64,
    shift: u32,
    cells: Vec<u8>,
}

impl Statistics {
    /// So many documents can be told apart before some of their hashes are left out.
    pub const FITTING: u64 = (1 << (CELL_BITS - 1)) / SAMPLE as u64;

    /// An empty table for a collection of about so many documents that have samples.
    pub fn new(documents: u64) -> Self {
        // At most one sample for two cells.
        let shift = documents.div_ceil(Self::FITTING).max(1).next_power_of_two().trailing_zeros();
        let mut cells = vec![0; 1 << CELL_BITS];
        memory::make_present(&mut cells);
        Statistics { documents: 0, shift, cells }
    }

    /// How many documents were counted.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Counts a document by the smallest of its shingle hashes, each once.
    pub fn count(&mut self, smallest: impl IntoIterator<Item = u64, IntoIter: Clone>) {
        self.documents += 1;
        let smallest = smallest.into_iter().take(SAMPLE);
        self.announce(smallest.clone());
        for hash in smallest {
            if let Some(cell) = self.cell(hash) {
                self.cells[cell] = self.cells[cell].saturating_add(1);
            }
        }
    }

    /// Says that the counts of all these are asked for next: they lie anywhere, and the memory is slow.
    #[inline]
    pub fn announce(&self, hashes: impl Iterator<Item = u64>) {
        hashes.filter_map(|hash| self.cell(hash)).for_each(|cell| memory::prefetch(&self.cells, cell));
    }

    /// Adds the table of another part of the collection. `false`, and nothing is added, if it was made for a collection
    /// of another size.
    pub fn merge(&mut self, other: &Statistics) -> bool {
        let fits = self.shift == other.shift;
        if fits {
            self.documents += other.documents;
            self.cells.iter_mut().zip(&other.cells).for_each(|(a, &b)| *a = a.saturating_add(b));
        }
        fits
    }

    /// Whether at most a handful of documents have the shingle; `None` if it is not among those that are counted.
    pub fn is_rare(&self, hash: u64) -> Option<bool> {
        self.cell(hash).map(|cell| self.cells[cell] <= RARE)
    }

    /// Whether a document may share the shingle with another one of the collection, and few others: if it is not counted, who knows.
    pub fn may_be_shared_by_few(&self, hash: u64) -> bool {
        self.cell(hash).is_none_or(|cell| (2..=RARE).contains(&self.cells[cell]))
    }

    /// The share of the sampled shingles that two documents have in common which few documents have; `None` if there
    /// are none to look at. The lists ascend, and hold all shingles of a document or its sample: the answer is the same.
    pub fn rare_share(&self, a: &[u64], b: &[u64]) -> Option<f64> {
        // Up to the smaller horizon both samples are complete.
        let horizon = |hashes: &[u64]| hashes.get(SAMPLE - 1).copied().unwrap_or(u64::MAX);
        let horizon = horizon(a).min(horizon(b));
        let (mut rare, mut counted) = (0u32, 0u32);
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() && a[i].max(b[j]) <= horizon {
            if a[i] == b[j]
                && let Some(is_rare) = self.is_rare(a[i])
            {
                counted += 1;
                rare += u32::from(is_rare);
            }
            let (x, y) = (a[i], b[j]);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        (counted > 0).then(|| f64::from(rare) / f64::from(counted))
    }

    /// The table as bytes: a mark with the version, documents, shift, cells.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.documents.to_le_bytes());
        bytes.extend(self.shift.to_le_bytes());
        bytes.extend(&self.cells);
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if it is something else or another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (documents, rest) = rest.split_first_chunk()?;
        let (shift, cells) = rest.split_first_chunk()?;
        let (documents, shift) = (u64::from_le_bytes(*documents), u32::from_le_bytes(*shift));
        let valid = cells.len() == 1 << CELL_BITS && shift < u64::BITS - CELL_BITS;
        valid.then(|| Statistics { documents, shift, cells: cells.to_vec() })
    }

    /// The cell of a shingle, if it is counted.
    fn cell(&self, hash: u64) -> Option<usize> {
        // The smallest hashes of long documents all begin with zeroes.
        let spread = hash::mix(hash);
        let counts = spread.trailing_zeros() >= self.shift;
        counts.then_some((spread >> (u64::BITS - CELL_BITS)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shingle_of_many_documents_is_common() {
        let mut statistics = Statistics::new(100);
        for document in 0..100u64 {
            // 1 is everywhere, 2 in half of them, 1000 + n in one.
            statistics.count([1, 2 + document % 2 * (1000 + document), 5000 + document]);
        }
        assert_eq!([1, 2, 5001].map(|hash| statistics.is_rare(hash)), [Some(false), Some(false), Some(true)]);
        assert_eq!((statistics.is_rare(77), statistics.documents()), (Some(true), 100));
        // Those that everybody has, and those that nobody else has, are shared by few with nobody.
        statistics.count([9_000, 5_000 + 1]);
        assert_eq!(
            [1, 2, 5_001, 9_000].map(|hash| statistics.may_be_shared_by_few(hash)),
            [false, false, true, false]
        );
    }

    #[test]
    fn what_is_rare_is_seen_in_the_samples_as_in_the_whole() {
        let hashes = |range: std::ops::Range<u64>| {
            let mut hashes: Vec<u64> = range.map(hash::mix).collect();
            hashes.sort_unstable();
            hashes
        };
        let (a, b) = (hashes(0..300), hashes(100..450));
        let mut statistics = Statistics::new(20);
        // Half of what they share is everywhere.
        (0..10).for_each(|_| statistics.count(hashes(100..200)));
        let share = statistics.rare_share(&a, &b).unwrap();
        assert!(share > 0.0 && share < 1.0, "{share}");
        assert_eq!(statistics.rare_share(&a[..SAMPLE], &b[..SAMPLE]), Some(share));
        assert_eq!(statistics.rare_share(&a, &hashes(1000..1100)), None);
    }

    #[test]
    fn parts_add_up_to_the_whole_and_survive_being_stored() {
        let (mut whole, mut a, mut b) = (Statistics::new(50), Statistics::new(50), Statistics::new(50));
        for document in 0..50u64 {
            let hashes = [document % 3, document % 7 + 10, document + 100];
            whole.count(hashes);
            if document < 20 { &mut a } else { &mut b }.count(hashes);
        }
        assert!(a.merge(&b));
        assert_eq!(a, whole);
        assert_eq!(Statistics::from_bytes(&a.to_bytes()), Some(whole));
        assert_eq!(Statistics::from_bytes(&a.to_bytes()[..40]), None);
        assert_eq!(Statistics::from_bytes(b"twxdf\0\0\x02"), None);
    }

    #[test]
    fn large_collections_count_fewer_hashes_and_tables_of_other_sizes_do_not_mix() {
        let mut large = Statistics::new(10_000_000);
        assert!(large.shift > 0);
        let counted = (0..10_000u64).filter(|&hash| large.is_rare(hash).is_some()).count();
        let expected = 10_000 >> large.shift;
        assert!(counted > expected / 2 && counted < expected * 2, "{counted} of about {expected}");
        assert!(!large.merge(&Statistics::new(10)));
    }
}
