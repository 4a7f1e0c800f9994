//! The portable loops. Other kernels compile the same code for wider vectors.

use super::{Sums, ones};

/// See [`super::Kernel::accumulate`].
pub(super) fn accumulate(hashes: &[u64], weight: i32, sums: &mut Sums) {
    accumulate_in_lanes::<1>(hashes, weight, sums);
}

/// Counts the ones first and turns counts into sums at the end: `sum += weight * (2 * ones - hashes)`.
#[inline(always)]
pub(super) fn accumulate_in_lanes<const LANES: usize>(hashes: &[u64], weight: i32, sums: &mut Sums) {
    let mut counts = [0; 64];
    ones::count::<LANES>(hashes, &mut counts);
    let total = hashes.len() as i32;
    for (sum, ones) in sums.iter_mut().zip(counts) {
        *sum += weight * (2 * ones - total);
    }
}
