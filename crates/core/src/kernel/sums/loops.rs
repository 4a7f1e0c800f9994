//! The loops, written once; each kernel compiles them for its vectors.

use super::VoteWeight;
use super::planes::{FEW, Planes, majority_of_few};
use crate::kernel::bits::Bits;

/// How many hashes have a one at each bit.
#[inline(always)]
pub(super) fn count<B: Bits<Words = [u64; LANES]>, const LANES: usize>(hashes: &[u64]) -> [i32; 64] {
    Planes::of::<B, LANES>(hashes).counts()
}

/// See [`super::Kernel::majorities`].
#[inline(always)]
pub(super) fn majorities<B: Bits<Words = [u64; LANES]>, const LANES: usize>(
    hashes: &[u64],
    ends: &[usize],
    majorities: &mut Vec<u64>,
) {
    let mut start = 0;
    for &end in ends {
        let document = &hashes[start..end];
        let few =
            if document.len() <= FEW { majority_of_few(&hashes[start..], document.len()) } else { None };
        let majority = match few {
            Some(majority) => majority,
            None => Planes::of::<B, LANES>(document).majority(document.len()),
        };
        majorities.push(majority);
        start = end;
    }
}

/// See [`super::Kernel::accumulate_weighted`]. All 64 sums of a hash side by side, so that each sum
/// adds its terms in order.
#[inline(always)]
pub(super) fn accumulate_weighted<W: VoteWeight>(hashes: &[u64], weights: &[W], sums: &mut [W::Sum; 64]) {
    for (hash, weight) in hashes.iter().zip(weights) {
        for (bit, sum) in sums.iter_mut().enumerate() {
            weight.vote(hash >> bit & 1 == 1, sum);
        }
    }
}
