//! x86-64 with AVX2.

use super::{Sums, scalar};

/// One vector of four 64-bit words.
const LANES: usize = 4;

/// The portable loop, compiled for 256-bit vectors.
#[target_feature(enable = "avx2")]
pub(super) fn accumulate(hashes: &[u64], weight: i32, sums: &mut Sums) {
    scalar::accumulate_in_lanes::<LANES>(hashes, weight, sums);
}
