//! Plain Rust, for any CPU.

use super::{WordRule, naive};

/// See [`super::Kernel::words`].
pub(super) fn stream(
    rule: WordRule,
    text: &[u8],
    ends: &[usize],
    hashes: &mut Vec<u64>,
    word_ends: &mut Vec<usize>,
) {
    naive(rule, text, ends, hashes, word_ends);
}
