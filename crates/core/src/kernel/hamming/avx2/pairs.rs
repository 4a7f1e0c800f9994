//! All pairs of words in a run: by tags (see `tags`) if few of the deciding bits may differ, else
//! by nibbles.
//!
//! One shuffle looks up, for 32 words at a time, in how many bits a nibble differs from the
//! query's. The sum over the first nibbles of all words is the part of the distance that decides
//! nearly always:
//!
//! ```text
//! plane p = nibble p of 32 words, a byte each
//! for each word:  for each 32 words:
//!     sum = table[its nibble 0][plane 0] + table[its nibble 1][plane 1] + ..   (`PLANES` terms)
//! if any sum <= most:  where it is, the whole words are compared
//! ```
//!
//! Sums start so high that one beyond the limit has its sign bit set. The signs of all groups are
//! combined, and one instruction tests them.
//!
//! Tried and dropped, as no faster: planes kept in registers for a loop over words; bytes instead
//! of nibbles, of which two must be equal.

use std::arch::x86_64::*;

use super::transpose::{GROUP, HALF_BYTES, byte_planes};
use super::{tags, window};
use crate::kernel::hamming::{Nearness, Run, scalar};

/// Runs of up to `SHORT` words are compared one by one: half of a group would be empty.
const SHORT: usize = GROUP / 2;

/// Bits of a nibble.
const NIBBLE: u32 = 4;

const TEN_NIBBLES: u32 = 10 * NIBBLE;
const FOURTEEN_NIBBLES: u32 = 14 * NIBBLE;

/// For each pair of nibbles, in how many bits they differ; twice, for both halves of a register.
#[repr(align(32))]
struct Differences([[u8; GROUP]; 16]);

static DIFFERENCES: Differences = Differences({
    let mut tables = [[0; GROUP]; 16];
    let mut place = 0;
    while place < 16 * GROUP {
        let (nibble, other) = (place / GROUP, place % 16);
        tables[nibble][place % GROUP] = (nibble ^ other).count_ones() as u8;
        place += 1;
    }
    tables
});

/// For each word of a group: all bits of the bytes up to its own, so that only later words count as
/// near.
static UP_TO: [[u8; GROUP]; GROUP] = {
    let mut up_to = [[0; GROUP]; GROUP];
    let mut place = 0;
    while place < GROUP * GROUP {
        let (word, other) = (place / GROUP, place % GROUP);
        up_to[word][other] = if other <= word { u8::MAX } else { 0 };
        place += 1;
    }
    up_to
};

/// The first nibbles of 32 words, one plane each. Aligned, so that no load crosses a cache line.
#[repr(align(64))]
struct Group<const PLANES: usize>([[u8; GROUP]; PLANES]);

/// See [`crate::kernel::Kernel::near_pairs`].
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
pub(in crate::kernel::hamming) fn near_pairs(
    words: &[u64],
    runs: &[Run],
    near: &Nearness,
    found: &mut Vec<(u32, u32)>,
) {
    match (near.most, near.deciding.count_ones()) {
        (..=tags::MOST_OF_ONE, _) => by_tags::<1>(words, runs, near, found),
        (..=tags::MOST, _) => by_tags::<2>(words, runs, near, found),
        (_, ..=TEN_NIBBLES) => by_nibbles::<10>(words, runs, near, found),
        (_, ..=FOURTEEN_NIBBLES) => by_nibbles::<14>(words, runs, near, found),
        _ => by_nibbles::<16>(words, runs, near, found),
    }
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
fn by_tags<const HALVES: usize>(words: &[u64], runs: &[Run], near: &Nearness, found: &mut Vec<(u32, u32)>) {
    // All tags first: a vector load of bytes just written in pieces misses store forwarding.
    let end = runs.iter().map(|run| run.end as usize).max().unwrap_or(0);
    let tags = tags::take::<HALVES>(&words[..end], near.deciding);
    // Short runs do not fill registers: they are compared across their bounds, or word by word.
    let short_are_done = window::near_in_short_runs::<HALVES>(words, runs, &tags, near, found);
    for run in runs {
        if run.len() > window::LONGEST {
            tags::near_in_run::<HALVES>(words, run, &tags[HALVES * run.start as usize..], near, found);
        } else if !short_are_done {
            scalar::near_pairs(words, std::slice::from_ref(run), near, found);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
fn by_nibbles<const PLANES: usize>(
    words: &[u64],
    runs: &[Run],
    near: &Nearness,
    found: &mut Vec<(u32, u32)>,
) {
    let (mut deciding, mut groups) = (vec![], vec![]);
    for run in runs {
        if run.len() <= SHORT {
            scalar::near_pairs(words, std::slice::from_ref(run), near, found);
            continue;
        }
        // Padded to whole groups with words that are never reported. Loops, because closures of
        // this function are not inlined into vector code.
        let words = &words[run.start as usize..run.end as usize];
        deciding.clear();
        deciding.resize(run.len().next_multiple_of(GROUP), 0);
        for (bits, &word) in deciding.iter_mut().zip(words) {
            *bits = _pext_u64(word, near.deciding);
        }
        groups.clear();
        for words in deciding.as_chunks::<GROUP>().0 {
            groups.push(planes_of::<PLANES>(words));
        }
        near_in_run::<PLANES>(words, &deciding, &groups, near, |a, b| {
            found.push((run.start + a.min(b), run.start + a.max(b)));
        });
    }
}

/// Puts the first nibbles of 32 words side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn planes_of<const PLANES: usize>(words: &[u64; GROUP]) -> Group<PLANES> {
    let nibble = _mm256_set1_epi8(0xf);
    let mut planes = [[0; GROUP]; PLANES];
    for (half, planes) in planes.chunks_mut(2 * HALF_BYTES).enumerate() {
        let bytes = byte_planes(words, half);
        for (place, plane) in planes.iter_mut().enumerate() {
            let byte = bytes[place / 2];
            let nibbles = if place % 2 == 0 { byte } else { _mm256_srli_epi16::<{ NIBBLE as i32 }>(byte) };
            store(plane, _mm256_and_si256(nibbles, nibble));
        }
    }
    Group(planes)
}

/// The tables of a word's nibbles, the first one raised so that sums beyond `most` are negative.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(clippy::needless_range_loop, reason = "with iterators the tables do not stay in registers")]
fn tables_of<const PLANES: usize>(word: u64, most: u32) -> [__m256i; PLANES] {
    let mut tables = [_mm256_setzero_si256(); PLANES];
    for plane in 0..PLANES {
        tables[plane] = load(&DIFFERENCES.0[(word >> (NIBBLE * plane as u32)) as usize & 0xf]);
    }
    let raise = i8::MAX - most.min(u64::BITS) as i8;
    tables[0] = _mm256_add_epi8(tables[0], _mm256_set1_epi8(raise));
    tables
}

/// For each word of a group a byte that is negative if it is far.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(clippy::needless_range_loop, reason = "with iterators the tables do not stay in registers")]
fn far<const PLANES: usize>(tables: &[__m256i; PLANES], group: &Group<PLANES>) -> __m256i {
    let mut sums = _mm256_setzero_si256();
    for plane in 0..PLANES {
        sums = _mm256_add_epi8(sums, _mm256_shuffle_epi8(tables[plane], load(&group.0[plane])));
    }
    sums
}

/// Compares each word with the later ones of its own group, and with the whole groups behind that.
/// The words behind the last whole group, which seldom fill one, are compared with all others
/// instead.
#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn near_in_run<const PLANES: usize>(
    words: &[u64],
    deciding: &[u64],
    groups: &[Group<PLANES>],
    near: &Nearness,
    mut push: impl FnMut(u32, u32),
) {
    let whole = words.len() / GROUP;
    for (a, &bits) in deciding[..words.len()].iter().enumerate() {
        let tables = tables_of::<PLANES>(bits, near.most);
        let own = a / GROUP;
        let others = if own < whole { own + 1..whole } else { 0..whole };
        let mut all_far = _mm256_or_si256(far(&tables, &groups[own]), load(&UP_TO[a % GROUP]));
        for group in &groups[others.clone()] {
            all_far = _mm256_and_si256(all_far, far(&tables, group));
        }
        if _mm256_movemask_epi8(all_far) != -1 {
            for group in std::iter::once(own).chain(others) {
                let far = far_of_group(bits, &groups[group], near.most);
                near_of_group(words, a, group * GROUP, !far, near, |b| push(a as u32, b as u32));
            }
        }
    }
}

/// Which words of a group are far. Outside the loop, and with tables of its own, so that those of
/// the loop stay in registers.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn far_of_group<const PLANES: usize>(bits: u64, group: &Group<PLANES>, most: u32) -> u32 {
    _mm256_movemask_epi8(far(&tables_of::<PLANES>(bits, most), group)).cast_unsigned()
}

/// Reports each word that is near to word `a`, of those set in `places` (counted from `first`), and
/// that is behind `a` if it is in the same group.
fn near_of_group(
    words: &[u64],
    a: usize,
    first: usize,
    mut places: u32,
    near: &Nearness,
    mut push: impl FnMut(usize),
) {
    while places != 0 {
        let b = first + places.trailing_zeros() as usize;
        places &= places - 1;
        let is_behind = a < first || a >= first + GROUP || a < b;
        if is_behind && b < words.len() && near.is_near(words[a], words[b]) {
            push(b);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; GROUP]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(bytes: &mut [u8; GROUP], register: __m256i) {
    // SAFETY: the array has the 32 bytes that are written; the store needs no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), register) }
}
