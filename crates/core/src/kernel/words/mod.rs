//! From the bytes of a text to the hashes of its words, in order.
//!
//! A [`WordRule`] says which bytes belong to words, how they are folded and how a word is hashed;
//! [`naive`] is the definition, and every kernel gives the same hashes:
//!
//! ```text
//! for each maximal run of word bytes of a document:  push(hash(fold(run)))
//! ```
//!
//! One call ([`Kernel::words`]) reads many documents, because for short ones the call would cost
//! more than the words. Where documents are separated by a byte that belongs to no word, as lines
//! are, the kernels read straight across them and only record the number of words at each end.
//!
//! # For a new kernel
//!
//! A kernel is one function `stream(rule, text, ends, hashes, word_ends)` with the meaning of
//! [`naive`], called only when no word spans an end (`is_stream`). It must not read outside `text`.
//! Every kernel runs the suite in `tests.rs`. Kernels that cannot compress vectors share `scan.rs`
//! and differ in how they classify bytes and hash lanes.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod places;
mod scalar;
mod scan;
#[cfg(test)]
mod tests;

use super::Kernel;
use crate::hash::WordHash;

/// Which bytes make words, and how a word is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordRule {
    /// The FPGA paper's: bytes up to 32 separate, nothing is folded, words are hashed by
    /// [sdbm](crate::hash::sdbm()).
    Printable,
    /// Ours: ASCII letters and digits and all bytes from 128 on make words, ASCII letters are
    /// folded to lower case, words are hashed by [chunks](crate::hash::chunks()), the default of
    /// [`WordHash`].
    ///
    /// Equal to the tokens of [`text`](crate::text) if the text is ASCII, or its other characters
    /// are letters that normalisation does not change.
    Alphanumeric,
    /// The words of [`Alphanumeric`](Self::Alphanumeric) with the hash of
    /// [`Printable`](Self::Printable): what a recipe with the FPGA paper's hash makes of any text.
    /// Of words in lower case with blanks between them, which the paper starts from, both make the
    /// same.
    AlphanumericSdbm,
}

impl WordRule {
    /// Every rule.
    pub const ALL: [WordRule; 3] = [WordRule::Printable, WordRule::Alphanumeric, WordRule::AlphanumericSdbm];

    /// The rule for folded words of letters and digits with this hash, if there is one.
    pub fn folded(hash: WordHash) -> Option<WordRule> {
        match hash {
            WordHash::Chunks => Some(WordRule::Alphanumeric),
            WordHash::Sdbm => Some(WordRule::AlphanumericSdbm),
            WordHash::Xxh3 | WordHash::Fnv1a | WordHash::Murmur3 => None,
        }
    }

    /// Whether the byte belongs to a word.
    #[inline]
    pub fn is_word(self, byte: u8) -> bool {
        match self {
            WordRule::Printable => byte > b' ',
            WordRule::Alphanumeric | WordRule::AlphanumericSdbm => {
                byte.is_ascii_alphanumeric() || !byte.is_ascii()
            }
        }
    }

    /// The byte as it is hashed.
    #[inline]
    pub fn fold(self, byte: u8) -> u8 {
        match self {
            WordRule::Printable => byte,
            WordRule::Alphanumeric | WordRule::AlphanumericSdbm => byte.to_ascii_lowercase(),
        }
    }

    /// The hash of a folded word.
    pub fn hash(self) -> WordHash {
        match self {
            WordRule::Printable | WordRule::AlphanumericSdbm => WordHash::Sdbm,
            WordRule::Alphanumeric => WordHash::Chunks,
        }
    }
}

impl Kernel {
    /// Appends the hashes of the words of some documents to `hashes`, and for each document the
    /// number of hashes up to its end to `word_ends`.
    ///
    /// Document `i` is `text[ends[i - 1]..ends[i]]`. Ends must not descend nor lie outside `text`;
    /// documents may be empty; what follows the last end is not read.
    ///
    /// Fast for short documents only if no word touches the next document, because a separator is
    /// the last byte of one or the first of the other.
    ///
    /// # Panics
    /// If ends descend or lie outside `text`.
    pub fn words(
        self,
        rule: WordRule,
        text: &[u8],
        ends: &[usize],
        hashes: &mut Vec<u64>,
        word_ends: &mut Vec<usize>,
    ) {
        let Some(&last) = ends.last() else { return };
        assert!(ends.is_sorted() && last <= text.len(), "documents lie one after the other inside the text");
        let text = &text[..last];
        if is_stream(rule, text, ends) {
            return self.stream(rule, text, ends, hashes, word_ends);
        }
        let mut start = 0;
        for &end in ends {
            let document = &text[start..end];
            self.stream(rule, document, &[document.len()], hashes, word_ends);
            start = end;
        }
    }

    fn stream(
        self,
        rule: WordRule,
        text: &[u8],
        ends: &[usize],
        hashes: &mut Vec<u64>,
        word_ends: &mut Vec<usize>,
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx512 => unsafe { avx512::stream(rule, text, ends, hashes, word_ends) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Avx2 => unsafe { avx2::stream(rule, text, ends, hashes, word_ends) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has the features.
            Kernel::Neon => unsafe { neon::stream(rule, text, ends, hashes, word_ends) },
            Kernel::Scalar => scalar::stream(rule, text, ends, hashes, word_ends),
        }
    }
}

/// Whether no word spans an end: at each end, the byte before or behind it is a separator.
fn is_stream(rule: WordRule, text: &[u8], ends: &[usize]) -> bool {
    let separates = |at: usize| text.get(at).is_none_or(|&byte| !rule.is_word(byte));
    ends.iter().all(|&end| end == 0 || separates(end - 1) || separates(end))
}

/// The definition: one byte after the other, one word after the other.
pub fn naive(rule: WordRule, text: &[u8], ends: &[usize], hashes: &mut Vec<u64>, word_ends: &mut Vec<usize>) {
    let mut start = 0;
    for &end in ends {
        for run in text[start..end].split(|&byte| !rule.is_word(byte)).filter(|run| !run.is_empty()) {
            let word: Vec<u8> = run.iter().map(|&byte| rule.fold(byte)).collect();
            hashes.push(rule.hash().hash(&word));
        }
        word_ends.push(hashes.len());
        start = end;
    }
}
