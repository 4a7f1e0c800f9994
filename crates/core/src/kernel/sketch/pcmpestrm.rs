//! The article's block skip with the string instruction of SSE4.2.
//!
//! `pcmpestrm` compares every 16-bit element of one vector with every one of another. Four 32-bit
//! hashes are eight such elements: if the blocks share no element, they share no hash, and four
//! hashes are skipped at once. Otherwise the hashes are compared one by one.
//!
//! Differences from the article: its listing declares the bound under one name and tests it under
//! another, and does not test it again after the blocks. Here the result always equals that of the
//! loop without blocks.

use std::arch::x86_64::*;

use super::scalar;

/// 32-bit hashes of a block, and their 16-bit elements.
const BLOCK: usize = 4;
const ELEMENTS: i32 = 8;

/// See [`super::common_by_blocks`].
#[target_feature(enable = "sse4.2")]
pub(super) fn common(a: &[u32], b: &[u32], most_unshared: usize) -> Option<usize> {
    const ANY_EQUAL: i32 = _SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_ANY | _SIDD_BIT_MASK;
    let (mut i, mut j, mut count, mut unshared) = (0, 0, 0, 0);
    while i + BLOCK <= a.len() && j + BLOCK <= b.len() {
        // SAFETY: four values from `i` and `j` on are inside the lists: the condition of the loop.
        let (x, y) =
            unsafe { (_mm_loadu_si128(a.as_ptr().add(i).cast()), _mm_loadu_si128(b.as_ptr().add(j).cast())) };
        if _mm_cvtsi128_si64(_mm_cmpestrm::<ANY_EQUAL>(x, ELEMENTS, y, ELEMENTS)) == 0 {
            if a[i + BLOCK - 1] < b[j + BLOCK - 1] {
                i += BLOCK
            } else {
                j += BLOCK
            }
            unshared += BLOCK;
        } else {
            for _ in 0..BLOCK {
                if a[i] == b[j] {
                    (i, j, count) = (i + 1, j + 1, count + 1);
                    continue;
                }
                if a[i] < b[j] {
                    i += 1
                } else {
                    j += 1
                }
                unshared += 1;
            }
        }
        if unshared > most_unshared {
            return None;
        }
    }
    let rest = scalar::common_within(&a[i..], &b[j..], usize::MAX).unwrap_or(0);
    scalar::within(a.len(), b.len(), count + rest, most_unshared)
}
