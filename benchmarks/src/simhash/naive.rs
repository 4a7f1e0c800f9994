//! The definition, in the most obvious form.

use twindex_core::fingerprint::{Margins, Simhash};
use twindex_core::hash::SDBM_MULTIPLIER;
use twindex_core::kernel::words::{self, WordRule};
use twindex_core::text::Analyzer;

use super::documents::Documents;

/// The FPGA paper's fingerprints: bytes up to 32 separate words, sdbm, a vote of one for each bit
/// of each word.
pub(crate) fn fingerprints(documents: &Documents) -> Vec<Simhash> {
    documents.iter().map(fingerprint).collect()
}

#[inline(never)]
pub(crate) fn fingerprint(document: &[u8]) -> Simhash {
    let mut sums = [0; 64];
    let mut hash = 0u64;
    let mut in_word = false;
    for &byte in document {
        if byte > b' ' {
            hash = hash.wrapping_mul(SDBM_MULTIPLIER).wrapping_add(u64::from(byte));
            in_word = true;
        } else if in_word {
            vote(hash, &mut sums);
            (hash, in_word) = (0, false);
        }
    }
    if in_word {
        vote(hash, &mut sums);
    }
    Margins(sums).simhash()
}

#[inline]
pub(crate) fn vote(hash: u64, sums: &mut [i32; 64]) {
    for (bit, sum) in sums.iter_mut().enumerate() {
        *sum += if hash >> bit & 1 == 1 { 1 } else { -1 };
    }
}

/// The fingerprints by our rule, without the stop words of an analyzer.
pub(crate) fn folded(documents: &Documents, analyzer: &Analyzer) -> Vec<Simhash> {
    by_words(documents, WordRule::Alphanumeric, |hashes, ends| analyzer.remove_stop_words(hashes, 0, ends))
}

/// The fingerprints of the same words with the FPGA paper's hash.
pub(crate) fn folded_by_sdbm(documents: &Documents) -> Vec<Simhash> {
    by_words(documents, WordRule::AlphanumericSdbm, |_, _| ())
}

fn by_words(
    documents: &Documents,
    rule: WordRule,
    leave_out: impl Fn(&mut Vec<u64>, &mut [usize]),
) -> Vec<Simhash> {
    let one = |document: &[u8]| {
        let (mut hashes, mut ends) = (vec![], vec![]);
        words::naive(rule, document, &[document.len()], &mut hashes, &mut ends);
        leave_out(&mut hashes, &mut ends);
        let mut sums = [0; 64];
        hashes.iter().for_each(|&hash| vote(hash, &mut sums));
        Margins(sums).simhash()
    };
    documents.iter().map(one).collect()
}
