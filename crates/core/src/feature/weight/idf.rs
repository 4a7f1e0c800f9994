//! Document frequencies of a collection's terms, and the weights that follow from them.
//!
//! ```text
//! count(document)   cells[first(term)] += 1, cells[second(term)] += 1   for each distinct term
//! df(term)          min(cells[first(term)], cells[second(term)])
//! idf(term)         1 + log2((documents + 1) / (df + 1))
//! ```
//!
//! A count-min table: memory does not grow with the vocabulary, and a term that shares both its
//! cells with others counts as more common than it is, never as rarer. Counts add up, so that
//! tables of parts sum to the table of the whole, and threads may count into one table in any
//! order.
//!
//! Logarithms are integers, in 1/256 of a bit: a library function may differ in its last digit
//! between machines, and fingerprints must not.
//!
//! # The file
//!
//! ```text
//! bytes  what
//! 8      "twxidf" 0 1: the mark, and the version of the format
//! 8      documents
//! 8      vocabulary: a hash of everything that decides how terms are made, see Recipe::vocabulary
//! 8      how many cells are not zero
//! ... for each of these, in order: cells after the last one (from 1), its count; as LEB128
//! 8      XXH3 of all bytes before
//! ```
//!
//! Numbers of eight bytes are little-endian.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::hash;

/// 4 million cells of four bytes: with a million terms, most have a cell of their own.
const CELL_BITS: u32 = 22;

/// The memory that a table takes.
pub const FREQUENCY_BYTES: usize = size_of::<u32>() << CELL_BITS;

/// Weights have eight binary places.
const ONE: u32 = 1 << FRACTION_BITS;
const FRACTION_BITS: u32 = 8;

const MARK: &[u8; 8] = b"twxidf\0\x01";
const HEADER: usize = 32;
const CHECKSUM: usize = 8;

/// In how many documents each term occurs, while they are counted. Threads share it.
///
/// ```
/// use twindex_core::feature::FrequencyCounter;
///
/// let (common, rare) = (1, 2);
/// let counter = FrequencyCounter::default();
/// for _ in 0..7 {
///     counter.count(&[common]);
/// }
/// counter.count(&[common, rare]);
/// let frequencies = counter.finish();
/// assert_eq!((frequencies.documents(), frequencies.frequency(common)), (8, 8));
/// assert!(frequencies.idf(rare) > frequencies.idf(common));
/// ```
#[derive(Debug)]
pub struct FrequencyCounter {
    documents: AtomicU64,
    cells: Vec<AtomicU32>,
}

/// The document frequency of each term of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFrequencies {
    documents: u64,
    cells: Vec<u32>,
}

/// Why bytes cannot be used as a table of document frequencies.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrequencyError {
    /// Not a table, or of a newer version.
    #[error("it is no table of document frequencies of this version")]
    NoTable,
    /// The checksum or a number is wrong.
    #[error("the table of document frequencies is damaged")]
    Damaged,
    /// Its terms were made with other options.
    #[error(
        "the table of document frequencies was made with other options of text or features than the \
         recipe has, so that its terms are others"
    )]
    OtherVocabulary,
}

impl Default for FrequencyCounter {
    fn default() -> Self {
        FrequencyCounter {
            documents: AtomicU64::new(0),
            cells: (0..1 << CELL_BITS).map(|_| AtomicU32::new(0)).collect(),
        }
    }
}

impl FrequencyCounter {
    /// Counts a document by its distinct terms.
    pub fn count(&self, distinct: &[u64]) {
        self.documents.fetch_add(1, Ordering::Relaxed);
        for &term in distinct {
            let [first, second] = cells_of(term);
            self.cells[first].fetch_add(1, Ordering::Relaxed);
            if second != first {
                self.cells[second].fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The finished table.
    pub fn finish(self) -> DocumentFrequencies {
        let documents = self.documents.into_inner();
        DocumentFrequencies { documents, cells: self.cells.into_iter().map(AtomicU32::into_inner).collect() }
    }
}

impl DocumentFrequencies {
    /// How many documents were counted.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The document frequency of the term, never underestimated.
    pub fn frequency(&self, term: u64) -> u32 {
        let [first, second] = cells_of(term);
        self.cells[first].min(self.cells[second])
    }

    /// The weight of one occurrence of the term, in 1/256: at least 1.
    pub fn idf(&self, term: u64) -> u16 {
        let rarity = log2(self.documents + 1).saturating_sub(log2(u64::from(self.frequency(term)) + 1));
        // At most 65 times 256.
        (ONE + rarity) as u16
    }

    /// [`idf`](Self::idf) of every term, made ready to be looked up.
    pub(super) fn idfs(&self) -> Idfs {
        let all = log2(self.documents + 1);
        let idf = |&count: &u32| (ONE + all.saturating_sub(log2(u64::from(count) + 1))) as u16;
        Idfs(self.cells.iter().map(idf).collect())
    }

    /// Adds the table of another part of the collection.
    pub fn merge(&mut self, other: &DocumentFrequencies) {
        self.documents += other.documents;
        self.cells.iter_mut().zip(&other.cells).for_each(|(a, &b)| *a = a.saturating_add(b));
    }

    /// The file format, for terms of this vocabulary.
    pub fn to_bytes(&self, vocabulary: u64) -> Vec<u8> {
        let filled = self.cells.iter().filter(|&&count| count > 0).count();
        let mut bytes = MARK.to_vec();
        for number in [self.documents, vocabulary, filled as u64] {
            bytes.extend(number.to_le_bytes());
        }
        let mut next = 0;
        for (cell, &count) in self.cells.iter().enumerate().filter(|(_, count)| **count > 0) {
            push_number(&mut bytes, (cell + 1 - next) as u64);
            push_number(&mut bytes, u64::from(count));
            next = cell + 1;
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote for the same vocabulary.
    pub fn from_bytes(bytes: &[u8], vocabulary: u64) -> Result<Self, FrequencyError> {
        if !bytes.starts_with(MARK) {
            return Err(FrequencyError::NoTable);
        }
        let (body, checksum) = bytes
            .split_last_chunk::<CHECKSUM>()
            .filter(|(body, _)| body.len() >= HEADER)
            .ok_or(FrequencyError::Damaged)?;
        if xxh3_64(body) != u64::from_le_bytes(*checksum) {
            return Err(FrequencyError::Damaged);
        }
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&body[at..at + 8]);
            u64::from_le_bytes(number)
        };
        if number(16) != vocabulary {
            return Err(FrequencyError::OtherVocabulary);
        }
        let mut table = DocumentFrequencies { documents: number(8), cells: vec![0; 1 << CELL_BITS] };
        table.fill(&body[HEADER..], number(24)).ok_or(FrequencyError::Damaged)?;
        Ok(table)
    }

    /// Sets `filled` cells from their list; `None` if the list is malformed.
    fn fill(&mut self, mut list: &[u8], filled: u64) -> Option<()> {
        let mut next = 0u64;
        for _ in 0..filled {
            next = next.checked_add(take_number(&mut list)?)?;
            let count = u32::try_from(take_number(&mut list)?).ok()?;
            *self.cells.get_mut(usize::try_from(next.checked_sub(1)?).ok()?)? = count;
        }
        list.is_empty().then_some(())
    }
}

/// The idf that each cell of a table alone would give.
///
/// A logarithm never descends, so that the smaller of two counts gives the greater of their two
/// idfs: `idf(term) = max(idfs[first(term)], idfs[second(term)])`, from half of the memory.
#[derive(Debug)]
pub(super) struct Idfs(Vec<u16>);

impl Idfs {
    /// The same as [`DocumentFrequencies::idf`].
    #[inline]
    pub(super) fn idf(&self, term: u64) -> u16 {
        let [first, second] = cells_of(term);
        self.0[first].max(self.0[second])
    }
}

/// The two cells of a term.
#[inline]
fn cells_of(term: u64) -> [usize; 2] {
    let spread = hash::mix(term);
    let mask = (1 << CELL_BITS) - 1;
    [(spread >> (u64::BITS - CELL_BITS)) as usize, spread as usize & mask]
}

/// The logarithm to base 2 of a number from 1, in 1/256, by the eight bits after its first.
fn log2(number: u64) -> u32 {
    let zeros = number.leading_zeros();
    // Two shifts, because a number below 256 has fewer than eight further bits.
    let next = number << zeros << 1 >> (u64::BITS - FRACTION_BITS);
    ((u64::BITS - 1 - zeros) << FRACTION_BITS) + FRACTIONS[next as usize]
}

/// 256 log2(1 + n / 256), rounded down.
static FRACTIONS: [u32; 256] = fractions();

const fn fractions() -> [u32; 256] {
    let mut table = [0; 256];
    let mut number = 0;
    while number < table.len() {
        // The binary digits of a logarithm: square, and test whether the value has passed 2.
        let mut value = ((256 + number) as u64) << 22;
        let mut digit = 0;
        while digit < FRACTION_BITS {
            value = ((value as u128 * value as u128) >> 30) as u64;
            table[number] <<= 1;
            if value >= 2 << 30 {
                value >>= 1;
                table[number] |= 1;
            }
            digit += 1;
        }
        number += 1;
    }
    table
}

/// Appends a number, seven bits a byte, the lowest first; all bytes but the last have their eighth
/// bit set.
fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes such a number from the front of a list.
fn take_number(list: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for place in 0..u64::BITS.div_ceil(7) {
        let (&byte, rest) = list.split_first()?;
        *list = rest;
        number |= u64::from(byte & 0x7f).checked_shl(7 * place)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(documents: &[Vec<u64>]) -> DocumentFrequencies {
        let counter = FrequencyCounter::default();
        for document in documents {
            let mut distinct = document.clone();
            distinct.sort_unstable();
            distinct.dedup();
            counter.count(&distinct);
        }
        counter.finish()
    }

    #[test]
    fn logarithms_are_those_of_the_library() {
        for number in (1..5_000).chain((1..64).map(|bit| 1 << bit)).chain([u64::MAX, u64::MAX / 3]) {
            let exact = (number as f64).log2() * f64::from(ONE);
            let off = exact - f64::from(log2(number));
            // Bits after the ninth are ignored: at most 1/256 of the number, hence less than 2/256
            // of a bit.
            assert!((-0.01..2.5).contains(&off), "{number}: {off}");
        }
        assert_eq!([1, 2, 4, 1 << 40].map(log2), [0, 256, 512, 40 * 256]);
    }

    #[test]
    fn a_term_of_every_document_weighs_one_and_an_unseen_term_most() {
        let documents: Vec<Vec<u64>> = (0..1023).map(|number| vec![7, 1000 + number / 2]).collect();
        let table = table(&documents);
        assert_eq!((table.documents(), table.frequency(7), table.frequency(1001)), (1023, 1023, 2));
        assert_eq!((table.idf(7), u32::from(table.idf(5)) / ONE), (256, 11));
        assert!(table.idf(1001) < table.idf(5) && table.idf(1001) > table.idf(7));
        // Without documents every term weighs the same.
        assert_eq!(FrequencyCounter::default().finish().idf(7), 256);
    }

    /// A change here changes fingerprints, or makes existing files unreadable.
    #[test]
    fn golden() {
        let table = table(&[vec![1, 2], vec![2, 3]]);
        assert_eq!([1, 2, 9].map(|term| table.idf(term)), [405, 256, 661]);
        let bytes = table.to_bytes(0x0102_0304_0506_0708);
        assert_eq!(bytes.len(), 32 + 24 + 8);
        assert_eq!(xxh3_64(&bytes), 0xa6e2_aebd_eeeb_4ed7);
    }

    #[test]
    fn damage_and_other_things_are_told_apart() {
        let bytes = table(&[vec![1, 2], vec![2, 3]]).to_bytes(5);
        assert_eq!(DocumentFrequencies::from_bytes(&bytes, 6), Err(FrequencyError::OtherVocabulary));
        assert_eq!(DocumentFrequencies::from_bytes(b"{\"text\":1}", 5), Err(FrequencyError::NoTable));
        for length in MARK.len()..bytes.len() {
            assert_eq!(DocumentFrequencies::from_bytes(&bytes[..length], 5), Err(FrequencyError::Damaged));
        }
        for at in MARK.len()..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(DocumentFrequencies::from_bytes(&damaged, 5), Err(FrequencyError::Damaged));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn never_too_few_and_parts_add_up(documents in prop::collection::vec(prop::collection::vec(0u64..300, 0..40), 0..30), cut in 0usize..30) {
            let whole = table(&documents);
            let idfs = whole.idfs();
            for term in 0..300 {
                prop_assert_eq!(idfs.idf(term), whole.idf(term));
                let exact = documents.iter().filter(|document| document.contains(&term)).count();
                prop_assert!(whole.frequency(term) as usize >= exact);
            }
            let (left, right) = documents.split_at(cut.min(documents.len()));
            let mut sum = table(left);
            sum.merge(&table(right));
            prop_assert_eq!(&sum, &whole);
            prop_assert_eq!(DocumentFrequencies::from_bytes(&whole.to_bytes(1), 1), Ok(whole));
        }
    }
}
