//! x86-64 with AVX2: four words side by side.

use super::{VoteWeight, loops};
use crate::kernel::bits::avx2::Four;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count(hashes: &[u64]) -> [i32; 64] {
    loops::count::<Four, 4>(hashes)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn majorities(hashes: &[u64], ends: &[usize], majorities: &mut Vec<u64>) {
    loops::majorities::<Four, 4>(hashes, ends, majorities);
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn accumulate_weighted<W: VoteWeight>(hashes: &[u64], weights: &[W], sums: &mut [W::Sum; 64]) {
    loops::accumulate_weighted(hashes, weights, sums);
}
