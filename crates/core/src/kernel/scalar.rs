//! The portable loops. Other kernels compile the same code for wider vectors.

use super::Sums;

/// See [`super::Kernel::accumulate`].
///
/// Counts the ones first and turns counts into sums at the end: `sum += weight * (2 * ones - hashes)`. The count of one
/// bit over many hashes is a shift, a mask and an addition, which the compiler makes into vector code.
#[inline(always)]
pub(super) fn accumulate(hashes: &[u64], weight: i32, sums: &mut Sums) {
    let mut ones = [0i32; 64];
    for &hash in hashes {
        for (bit, count) in ones.iter_mut().enumerate() {
            *count += (hash >> bit & 1) as i32;
        }
    }
    let total = hashes.len() as i32;
    for (sum, ones) in sums.iter_mut().zip(ones) {
        *sum += weight * (2 * ones - total);
    }
}
