//! Many queries against bit slices: the partial distances of four query bits are precomputed.
//!
//! Four rows of a block and four bits of a query determine what these bits add to the distances of
//! all 256 fingerprints. There are only sixteen such sums, and with many queries each is worth
//! computing once:
//!
//! ```text
//! for each block:
//!     for each four rows r, each value v of four bits:
//!         sums[r][v] = in how many of the rows each lane differs from v
//!     for each query:  distance = sums[0][its first four bits] + sums[1][the next four] + ..
//! ```
//!
//! Sums have two binary digits, each a row of 256 lanes. A query adds six of them for 24 rows, a
//! quarter of the operations that the rows themselves would take (see [`slices`]). Distances beyond
//! three need no digits: a carry out of the second digit is too far. A sum of four is counted as
//! three, which is too far as well if there is any other difference; if there is none, one random
//! fingerprint in three million is compared in vain.

use super::slices::{self, Slices};
use crate::kernel::bits::Bits;

/// The largest radius that two digits can represent.
const LARGEST: u32 = 3;

/// Rows that are taken together, and the number of values of as many bits.
const ROWS: usize = 4;
const VALUES: usize = 1 << ROWS;

/// How many groups of four rows decide.
const FOURS: usize = slices::enough(LARGEST) / ROWS;

/// Ones and twos of a sum.
type Digits<const LANES: usize> = [[u64; LANES]; 2];

/// Sums of one block. Aligned, so that no load crosses a cache line.
#[repr(align(64))]
struct Sums<const LANES: usize>([[Digits<LANES>; VALUES]; FOURS]);

/// With fewer queries the sums do not pay off.
const FEW: usize = 8;

/// See [`super::Kernel::each_within_slices`].
#[inline(always)]
pub(super) fn each_within<B: Bits<Words = [u64; LANES]>, const LANES: usize>(
    slices: &Slices,
    queries: &[u64],
    radius: u32,
    found: &mut Vec<(u32, u32)>,
) {
    if radius > LARGEST || queries.len() < FEW {
        let mut places = vec![];
        for (&query, number) in queries.iter().zip(0..) {
            slices::within::<B, LANES>(slices, query, radius, &mut places);
            found.extend(places.drain(..).map(|place| (number, place)));
        }
        return;
    }
    match radius {
        0 => each_by_sums::<B, LANES, 0>(slices, queries, found),
        1 => each_by_sums::<B, LANES, 1>(slices, queries, found),
        2 => each_by_sums::<B, LANES, 2>(slices, queries, found),
        _ => each_by_sums::<B, LANES, LARGEST>(slices, queries, found),
    }
}

#[inline(always)]
fn each_by_sums<B: Bits<Words = [u64; LANES]>, const LANES: usize, const RADIUS: u32>(
    slices: &Slices,
    queries: &[u64],
    found: &mut Vec<(u32, u32)>,
) {
    let mut sums = Sums([[[[0; LANES]; 2]; VALUES]; FOURS]);
    for block in 0..slices.blocks() {
        for (part, first) in
            (0..slices::LENGTH / 64 / LANES).zip((block * slices::LENGTH..).step_by(64 * LANES))
        {
            fill::<B, LANES>(&mut sums, slices, block, part);
            for (&query, number) in queries.iter().zip(0..) {
                let far = beyond::<B, LANES, RADIUS>(&sums, query);
                if !far.is_full() {
                    slices::for_each_zero(far.store(), |lane| found.push((number, first as u32 + lane)));
                }
            }
        }
    }
}

/// Computes the sums of a part of a block, pair of rows by pair of rows.
#[inline(always)]
fn fill<B: Bits<Words = [u64; LANES]>, const LANES: usize>(
    sums: &mut Sums<LANES>,
    slices: &Slices,
    block: usize,
    part: usize,
) {
    for (four, sums) in sums.0.iter_mut().enumerate() {
        let mut rows = [B::load(&B::ZERO); ROWS];
        for (place, row) in rows.iter_mut().enumerate() {
            *row = B::load(slices.lanes(block, ROWS * four + place, part));
        }
        let (low, high) = (pair(rows[0], rows[1]), pair(rows[2], rows[3]));
        for (value, digits) in sums.iter_mut().enumerate() {
            let ((one, two), (other_one, other_two)) = (low[value % 4], high[value / 4]);
            // Four differences count as three.
            let ones = one.xor(other_one).or(two.and(other_two));
            let twos = two.or(other_two).or(one.and(other_one));
            *digits = [ones.store(), twos.store()];
        }
    }
}

/// For each value of two bits: the lanes that differ from it in one of two rows, and in both.
#[inline(always)]
fn pair<B: Bits<Words = [u64; LANES]>, const LANES: usize>(a: B, b: B) -> [(B, B); 4] {
    let ones = B::load(&[u64::MAX; LANES]);
    let (not_a, not_b) = (a.xor(ones), b.xor(ones));
    let (unequal, equal) = (a.xor(b), not_a.xor(b));
    [(unequal, a.and(b)), (equal, not_a.and(b)), (equal, a.and(not_b)), (unequal, not_a.and(not_b))]
}

/// The lanes whose sum is greater than the radius.
#[inline(always)]
fn beyond<B: Bits<Words = [u64; LANES]>, const LANES: usize, const RADIUS: u32>(
    sums: &Sums<LANES>,
    query: u64,
) -> B {
    let [ones, twos] = of_query(sums, 0, query);
    let (mut ones, mut twos, mut over) = (B::load(ones), B::load(twos), B::load(&B::ZERO));
    // Two at a time, as an adder takes. The last one is added alone.
    for four in (1..FOURS - 1).step_by(2) {
        let ([one, two], [other_one, other_two]) =
            (of_query(sums, four, query), of_query(sums, four + 1, query));
        let carry = slices::add(&mut ones, B::load(one), B::load(other_one));
        let more = slices::add(&mut twos, B::load(two), B::load(other_two));
        let still_more = twos.and(carry);
        twos = twos.xor(carry);
        over = over.or(more).or(still_more);
    }
    let [one, two] = of_query(sums, FOURS - 1, query);
    let one = B::load(one);
    let carry = ones.and(one);
    ones = ones.xor(one);
    let more = slices::add(&mut twos, B::load(two), carry);
    let over = over.or(more);
    // Whatever is not over is at most three.
    if RADIUS == LARGEST { over } else { slices::greater(&[ones, twos], over, &slices::limit(RADIUS)) }
}

/// What four bits of a query add.
#[inline(always)]
fn of_query<const LANES: usize>(sums: &Sums<LANES>, four: usize, query: u64) -> &Digits<LANES> {
    &sums.0[four][(query >> (ROWS * four)) as usize % VALUES]
}

// The sums are added as the first, pairs, and the last.
const _: () = assert!(FOURS.is_multiple_of(2));
