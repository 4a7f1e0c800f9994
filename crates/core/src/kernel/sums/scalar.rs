//! Plain Rust, for any CPU: one word at a time.

use super::{VoteWeight, loops};

pub(super) fn count(hashes: &[u64]) -> [i32; 64] {
    loops::count::<u64, 1>(hashes)
}

pub(super) fn majorities(hashes: &[u64], ends: &[usize], majorities: &mut Vec<u64>) {
    loops::majorities::<u64, 1>(hashes, ends, majorities);
}

pub(super) fn accumulate_weighted<W: VoteWeight>(hashes: &[u64], weights: &[W], sums: &mut [W::Sum; 64]) {
    loops::accumulate_weighted(hashes, weights, sums);
}
