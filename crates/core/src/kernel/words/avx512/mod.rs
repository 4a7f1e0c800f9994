//! AVX-512 of Ice Lake, Zen 4 and later.
//!
//! Each step processes many words at once, instead of one word after the other, and only 64-bit
//! masks, one bit for each byte of a window, go through general registers. Three loops over a batch
//! that stays in the L1 cache:
//!
//! ```text
//! tokenise for each window of 61 bytes: word bytes -> mask -> ends and starts -> positions
//! (compress)
//!                                            -> last eight bytes of sixteen words (permute)
//! hash        for each sixteen words:        clear the bytes before their starts, hash the lanes
//! long words for each word of > 8 bytes: fetch the bytes before the last eight, hash those lanes
//! ```
//!
//! No gather: each one costs as much as a whole window.
//!
//! Tried and dropped (Ice Lake, 4 KB of English words): hashing inside the loop over windows (10-15
//! % slower, too few registers); lanes of twelve bytes, so that fewer words are long (4-5 %
//! slower).

mod hash;
mod long;
mod tokenise;

use self::tokenise::{Batch, Reader};
use super::WordRule;

/// See [`super::Kernel::words`].
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn stream(
    rule: WordRule,
    text: &[u8],
    ends: &[usize],
    hashes: &mut Vec<u64>,
    word_ends: &mut Vec<usize>,
) {
    match rule {
        WordRule::Printable => read::<false, true>(text, ends, hashes, word_ends),
        WordRule::Alphanumeric => read::<true, false>(text, ends, hashes, word_ends),
        WordRule::AlphanumericSdbm => read::<true, true>(text, ends, hashes, word_ends),
    }
}

/// The rule of a loop, chosen when it is compiled.
const fn rule<const ALPHANUMERIC: bool, const SDBM: bool>() -> WordRule {
    match (ALPHANUMERIC, SDBM) {
        (true, false) => WordRule::Alphanumeric,
        (true, true) => WordRule::AlphanumericSdbm,
        (false, true) => WordRule::Printable,
        (false, false) => panic!("no rule"),
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,bmi1,bmi2,lzcnt,popcnt"
)]
fn read<const ALPHANUMERIC: bool, const SDBM: bool>(
    text: &[u8],
    ends: &[usize],
    hashes: &mut Vec<u64>,
    word_ends: &mut Vec<usize>,
) {
    let mut batch = Batch::new();
    let mut reader = Reader::new(text);
    let mut ends = ends.iter().copied().peekable();
    while reader.fill::<ALPHANUMERIC>(&mut batch) {
        let first = hashes.len();
        hash::append::<SDBM>(&batch, hashes);
        long::extend::<ALPHANUMERIC, SDBM>(&batch, text, &mut hashes[first..]);
        while let Some(end) = ends.next_if(|&end| end <= reader.position()) {
            word_ends.push(first + batch.words_before(end));
        }
    }
    // The documents of an empty text, which are in no batch.
    word_ends.extend(ends.map(|_| hashes.len()));
}
