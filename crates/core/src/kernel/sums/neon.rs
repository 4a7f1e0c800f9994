//! 64-bit ARM: two words side by side.

use super::{VoteWeight, loops};
use crate::kernel::bits::neon::Two;

#[target_feature(enable = "neon")]
pub(super) fn count(hashes: &[u64]) -> [i32; 64] {
    loops::count::<Two, 2>(hashes)
}

#[target_feature(enable = "neon")]
pub(super) fn majorities(hashes: &[u64], ends: &[usize], majorities: &mut Vec<u64>) {
    loops::majorities::<Two, 2>(hashes, ends, majorities);
}

#[target_feature(enable = "neon")]
pub(super) fn accumulate_weighted<W: VoteWeight>(hashes: &[u64], weights: &[W], sums: &mut [W::Sum; 64]) {
    loops::accumulate_weighted(hashes, weights, sums);
}
