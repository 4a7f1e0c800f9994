//! Bit slices: the same bit of 256 fingerprints side by side in one row.
//!
//! Counting the ones of 256 differences one after another takes 256 population counts. In slices,
//! the first bits of all 256 differences are one row (the slice, complemented where the query has a
//! one), and carry-save adders count all 256 at once with a few logic operations per row. Nor are
//! all 64 rows needed: after 24 of them, a random fingerprint is within 3 bits with probability
//! 1.4e-4, so that 28 blocks of 29 are dismissed as a whole:
//!
//! ```text
//! for each four rows a, b, c, d of the first enough(radius):
//!     ones, twos, fours, eights += a ^ query's bit, b ^ .., c ^ .., d ^ ..    (of all 256 lanes)
//! lanes whose counter is at most the radius are compared again, in full
//! ```
//!
//! A row has words of 64 lanes; a kernel processes as many words at once as its vector has
//! (`Bits`).
//!
//! Tried and dropped: 32-bit halves of fingerprints, eight to a vector: half as fast, and no better
//! with sixteen queries in registers.

use crate::kernel::Kernel;
use crate::kernel::bits::Bits;

/// Fingerprints in a block.
pub const LENGTH: usize = 256;

/// Words in a row.
const WORDS: usize = LENGTH / 64;

/// Rows stored together. Radii up to 3 read only these, so that the other half stays out of the
/// caches.
const HALF: usize = 32;

/// A row: one bit of 256 fingerprints, the first lowest.
type Row = [u64; WORDS];

/// Half of the rows of a block.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Half(pub(super) [Row; HALF]);

/// Fingerprints in slices, 256 to a block: row r of a block is bit r of all of them.
#[derive(Debug, Clone, Default)]
pub struct Slices {
    low: Vec<Half>,
    high: Vec<Half>,
    low_only: bool,
}

impl Slices {
    /// Slices for one radius, without the rows that it does not need. (The default has all.)
    pub fn for_radius(radius: u32) -> Self {
        Slices { low_only: enough(radius) <= HALF, ..Slices::default() }
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.low.len()
    }

    /// Removes all blocks.
    pub fn clear(&mut self) {
        self.low.clear();
        self.high.clear();
    }

    /// Adds a block of 256 fingerprints.
    pub fn push(&mut self, fingerprints: &[u64; LENGTH], kernel: Kernel) {
        let mut low = Half([[0; WORDS]; HALF]);
        if self.low_only {
            kernel.slice(fingerprints, &mut low, None);
        } else {
            let mut high = low.clone();
            kernel.slice(fingerprints, &mut low, Some(&mut high));
            self.high.push(high);
        }
        self.low.push(low);
    }

    /// Some lanes of a row: the words `LANES * part..` of it.
    #[inline(always)]
    pub(super) fn lanes<const LANES: usize>(&self, block: usize, row: usize, part: usize) -> &[u64; LANES] {
        let half = if row < HALF { &self.low } else { &self.high };
        &half[block].0[row % HALF].as_chunks::<LANES>().0[part]
    }
}

/// The definition of [`Kernel::slice`].
pub(super) fn slice(fingerprints: &[u64; LENGTH], low: &mut Half, high: Option<&mut Half>) {
    let mut rows: Vec<&mut Row> =
        low.0.iter_mut().chain(high.into_iter().flat_map(|high| &mut high.0)).collect();
    let (parts, _) = fingerprints.as_chunks::<64>();
    for (word, part) in parts.iter().enumerate() {
        let mut square = *part;
        transpose(&mut square);
        rows.iter_mut().zip(square).for_each(|(row, bits)| row[word] = bits);
    }
}

/// Transposes a square of 64 x 64 bits: exchanges halves, then quarters, then eighths.
fn transpose(square: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width > 0 {
        for start in (0..64).step_by(2 * width) {
            for row in start..start + width {
                let exchanged = (square[row] >> width ^ square[row + width]) & mask;
                square[row + width] ^= exchanged;
                square[row] ^= exchanged << width;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// How many rows decide for a radius. One random fingerprint in 7,000 passes, so that one block in
/// 28 is compared in vain, which costs less than further rows. A multiple of four, because four
/// rows are counted at once.
pub const fn enough(radius: u32) -> usize {
    match radius {
        0..=3 => 24,
        4..=7 => 40,
        8..=12 => 56,
        _ => 64,
    }
}

/// See [`super::Kernel::within_slices`].
#[inline(always)]
pub(super) fn within<B: Bits<Words = [u64; LANES]>, const LANES: usize>(
    slices: &Slices,
    query: u64,
    radius: u32,
    found: &mut Vec<u32>,
) {
    // The counters have two, three or four digits.
    match radius {
        0..=3 => search::<B, LANES, 2>(slices, query, radius, found),
        4..=7 => search::<B, LANES, 3>(slices, query, radius, found),
        8..=15 => search::<B, LANES, 4>(slices, query, radius, found),
        // Larger radii are used by a test only.
        _ => found.extend(0..(slices.blocks() * LENGTH) as u32),
    }
}

#[inline(always)]
fn search<B: Bits<Words = [u64; LANES]>, const LANES: usize, const DIGITS: usize>(
    slices: &Slices,
    query: u64,
    radius: u32,
    found: &mut Vec<u32>,
) {
    // The query's bits as words of zeros or ones, so that the inner loop only loads and combines.
    let flips: [u64; 64] = std::array::from_fn(|bit| 0u64.wrapping_sub(query >> bit & 1));
    let (low_flips, high_flips) = flips[..enough(radius)].split_at(HALF.min(enough(radius)));
    let limit = limit(radius);
    for (block, low) in slices.low.iter().enumerate() {
        for part in 0..WORDS / LANES {
            let mut counter = Counter::<B, LANES, DIGITS>::new();
            counter.add(&low.0, part, low_flips);
            if !high_flips.is_empty() {
                counter.add(&slices.high[block].0, part, high_flips);
            }
            let far = greater(&counter.digits, counter.over, &limit);
            if !far.is_full() {
                let first = (block * LENGTH + part * LANES * 64) as u32;
                for_each_zero(far.store(), |lane| found.push(first + lane));
            }
        }
    }
}

/// Calls `each` with the number of every lane that is zero.
#[inline(always)]
pub(super) fn for_each_zero<const LANES: usize>(words: [u64; LANES], mut each: impl FnMut(u32)) {
    for (word, first) in words.into_iter().zip((0..).step_by(64)) {
        let mut zeros = !word;
        while zeros != 0 {
            each(first + zeros.trailing_zeros());
            zeros &= zeros - 1;
        }
    }
}

/// In how many rows each lane differs from the query.
struct Counter<B, const LANES: usize, const DIGITS: usize> {
    digits: [B; DIGITS],
    /// The lanes whose count has more digits.
    over: B,
}

impl<B: Bits<Words = [u64; LANES]>, const LANES: usize, const DIGITS: usize> Counter<B, LANES, DIGITS> {
    #[inline(always)]
    fn new() -> Self {
        let zero = B::load(&B::ZERO);
        Counter { digits: [zero; DIGITS], over: zero }
    }

    /// Counts as many of the rows as there are flips, four at a time.
    #[inline(always)]
    fn add(&mut self, rows: &[Row; HALF], part: usize, flips: &[u64]) {
        let ((rows, _), (flips, _)) = (rows.as_chunks::<4>(), flips.as_chunks::<4>());
        for (rows, flips) in rows.iter().zip(flips) {
            let difference = |row: usize| {
                let words = &rows[row].as_chunks::<LANES>().0[part];
                B::load(words).xor(B::load(&[flips[row]; LANES]))
            };
            let twos_a = add(&mut self.digits[0], difference(0), difference(1));
            let twos_b = add(&mut self.digits[0], difference(2), difference(3));
            let mut carry = add(&mut self.digits[1], twos_a, twos_b);
            for digit in &mut self.digits[2..] {
                (*digit, carry) = (digit.xor(carry), digit.and(carry));
            }
            self.over = self.over.or(carry);
        }
    }
}

/// The lanes whose number is above a [`limit`]; `over` marks numbers with more digits. From the
/// lowest digit up, a lane is above if its digit is, or if the digits are equal and it was above so
/// far.
#[inline(always)]
pub(super) fn greater<B: Bits, const DIGITS: usize>(digits: &[B; DIGITS], over: B, limit: &[B; DIGITS]) -> B {
    let mut greater = B::load(&B::ZERO);
    for (&digit, &zero) in digits.iter().zip(limit) {
        greater = greater.majority(digit, zero);
    }
    greater.or(over)
}

/// All ones for each digit of the radius that is zero, so that comparing takes no branch.
#[inline(always)]
pub(super) fn limit<B: Bits<Words = [u64; LANES]>, const LANES: usize, const DIGITS: usize>(
    radius: u32,
) -> [B; DIGITS] {
    let mut limit = [B::load(&B::ZERO); DIGITS];
    for (place, limit) in limit.iter_mut().enumerate() {
        *limit = B::load(&[u64::from(radius >> place & 1).wrapping_sub(1); LANES]);
    }
    limit
}

/// Adds `a` and `b` to `sum`, bit by bit; returns the carries, which count twice as much.
#[inline(always)]
pub(super) fn add<B: Bits>(sum: &mut B, a: B, b: B) -> B {
    let carry = a.majority(b, *sum);
    *sum = a.parity(b, *sum);
    carry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn row_r_lane_l_is_bit_r_of_fingerprint_l() {
        let fingerprints: [u64; LENGTH] = std::array::from_fn(|i| mix(i as u64));
        for kernel in Kernel::available() {
            let mut slices = Slices::default();
            slices.push(&fingerprints, kernel);
            for (row, words) in slices.low[0].0.iter().chain(&slices.high[0].0).enumerate() {
                for (lane, fingerprint) in fingerprints.iter().enumerate() {
                    assert_eq!(words[lane / 64] >> (lane % 64) & 1, fingerprint >> row & 1);
                }
            }
            let mut low_only = Slices::for_radius(3);
            low_only.push(&fingerprints, kernel);
            assert_eq!(low_only.low[0].0, slices.low[0].0);
            assert!(low_only.high.is_empty() && Slices::for_radius(4).low_only == (enough(4) <= HALF));
            slices.clear();
            assert_eq!(slices.blocks(), 0);
        }
    }

    /// The share of random fingerprints that pass `rows` rows.
    fn passing(rows: u32, radius: u32) -> f64 {
        let binomial =
            |k: u32| (0..k).fold(1.0, |product, i| product * f64::from(rows - i) / f64::from(i + 1));
        (0..=radius.min(rows)).map(binomial).sum::<f64>() / 2f64.powi(rows as i32)
    }

    #[test]
    fn few_random_fingerprints_pass() {
        for radius in 0..=12 {
            let rows = enough(radius) as u32;
            assert!(passing(rows, radius) < 1.0 / 7_000.0, "radius {radius}: {}", passing(rows, radius));
        }
    }
}
