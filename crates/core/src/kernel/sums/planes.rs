//! Counts, for each of the 64 bits, how many of many 64-bit words have it set.
//!
//! Adding word after word into 64 counters costs 64 additions a word. Here the counters are
//! transposed: plane `p` is a word that holds bit `p` of all 64 counts. A carry-save adder takes
//! two words and a plane and returns the new plane and a carry for the next one, in five logic
//! operations for all 64 counts. A tree of fifteen adders adds sixteen words, and only one carry of
//! weight sixteen goes on to the higher planes:
//!
//! ```text
//! for each block of 16 words:  planes 0 to 3 += block;  the carry ripples through planes 4, 5, ...
//! ```
//!
//! A vector holds several words ([`Bits`]), whose counts are added at the end. The last block is
//! padded with zeros. Known as positional population count (after Harley and Seal).
//!
//! The majority needs no counters: whether a count reaches a limit is decided plane by plane, like
//! a comparison of numbers bit by bit.

use crate::kernel::bits::Bits;

/// Words in a block of one lane.
const BLOCK: usize = 16;
/// The planes that a block fills; its carry has the weight of the next one.
const TREE: usize = 4;
/// The planes above: enough for 2^32 words.
const HIGHER: usize = 28;

/// 64 counts, plane by plane.
#[derive(Debug, Clone)]
pub(super) struct Planes {
    planes: [u64; TREE + HIGHER],
    /// The planes that may hold ones.
    depth: usize,
}

impl Planes {
    /// The counts of `words`, in vectors of `LANES` words.
    #[inline(always)]
    pub(super) fn of<B: Bits<Words = [u64; LANES]>, const LANES: usize>(words: &[u64]) -> Self {
        let mut tree = [B::load(&B::ZERO); TREE];
        let mut higher = [B::load(&B::ZERO); HIGHER];
        let (vectors, rest) = words.as_chunks::<LANES>();
        let (blocks, vectors) = vectors.as_chunks::<BLOCK>();
        let last = (!vectors.is_empty() || !rest.is_empty()).then(|| {
            let mut last = [B::ZERO; BLOCK];
            last[..vectors.len()].copy_from_slice(vectors);
            last[vectors.len()][..rest.len()].copy_from_slice(rest);
            last
        });
        let mut count = 0;
        // No closures here: they would not be compiled for the kernel's vectors.
        for block in blocks.iter().chain(&last) {
            let mut carry = add_block(&mut tree, block);
            // As many planes as the number of blocks has bits: their carry out is zero.
            count += 1;
            for plane in higher.iter_mut().take(bits(count)) {
                (*plane, carry) = (plane.xor(carry), plane.and(carry));
            }
        }
        let depth = TREE + bits(count);
        let mut lanes = [B::ZERO; TREE + HIGHER];
        for (lanes, plane) in lanes.iter_mut().zip(tree.iter().chain(&higher[..depth - TREE])) {
            *lanes = plane.store();
        }
        // Adding the lanes multiplies the counts by up to the number of lanes.
        let mut planes =
            Planes { planes: [0; TREE + HIGHER], depth: (depth + bits(LANES - 1)).min(TREE + HIGHER) };
        for lane in 0..LANES {
            let mut carry = 0;
            for (plane, lanes) in planes.planes[..planes.depth].iter_mut().zip(&lanes) {
                let before = carry;
                carry = adder(plane, lanes[lane], before);
            }
        }
        planes
    }

    /// The word with a one where at least half of `total` words had one.
    #[inline(always)]
    pub(super) fn majority(&self, total: usize) -> u64 {
        reaches(total.div_ceil(2), self.planes[..self.depth].iter().copied())
    }

    /// The counts one by one, bit 0 first.
    #[inline(always)]
    pub(super) fn counts(&self) -> [i32; 64] {
        let mut counts = [0; 64];
        for (bit, plane) in self.planes[..self.depth].iter().enumerate() {
            for (place, count) in counts.iter_mut().enumerate() {
                *count += ((plane >> place & 1) as i32) << bit;
            }
        }
        counts
    }
}

/// The most words that [`majority_of_few`] takes.
pub(super) const FEW: usize = 64;

/// [`Planes::majority`] of the first `total` words, at most [`FEW`], if enough words follow to fill
/// the last eight. For short documents, for which setting up planes would take longer than
/// counting.
#[inline(always)]
pub(super) fn majority_of_few(words: &[u64], total: usize) -> Option<u64> {
    const EIGHT: usize = BLOCK / 2;
    /// The planes of counts up to 64 above those of eight words.
    const ABOVE: usize = 4;
    let mut tree = [0; TREE];
    let mut above = [0; ABOVE];
    for (number, eight) in
        words.get(..total.next_multiple_of(EIGHT))?.as_chunks::<EIGHT>().0.iter().enumerate()
    {
        // Words of the next document do not vote.
        let left = total - number * EIGHT;
        let mut carry = add_eight(&mut tree, &std::array::from_fn(|i| [if i < left { eight[i] } else { 0 }]));
        for plane in &mut above {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }
    let [ones, twos, fours, _] = tree;
    Some(reaches(total.div_ceil(2), [ones, twos, fours].into_iter().chain(above)))
}

/// Adds sixteen words to the planes of the tree; returns the carries of weight sixteen.
#[inline(always)]
fn add_block<B: Bits>(tree: &mut [B; TREE], block: &[B::Words; BLOCK]) -> B {
    let (halves, _) = block.as_chunks::<{ BLOCK / 2 }>();
    let first = add_eight(tree, &halves[0]);
    let second = add_eight(tree, &halves[1]);
    adder(&mut tree[3], first, second)
}

/// Adds eight words to the lower planes of the tree; returns the carries of weight eight.
#[inline(always)]
fn add_eight<B: Bits>(tree: &mut [B; TREE], words: &[B::Words; BLOCK / 2]) -> B {
    let [ones, twos, fours, _] = tree;
    let two_a = adder(ones, B::load(&words[0]), B::load(&words[1]));
    let two_b = adder(ones, B::load(&words[2]), B::load(&words[3]));
    let four_a = adder(twos, two_a, two_b);
    let two_a = adder(ones, B::load(&words[4]), B::load(&words[5]));
    let two_b = adder(ones, B::load(&words[6]), B::load(&words[7]));
    let four_b = adder(twos, two_a, two_b);
    adder(fours, four_a, four_b)
}

/// Adds `a` and `b` to `sum`, bit by bit; returns the carries, which count twice as much.
#[inline(always)]
fn adder<B: Bits>(sum: &mut B, a: B, b: B) -> B {
    let half = a.xor(b);
    let carry = a.and(b).or(half.and(*sum));
    *sum = sum.xor(half);
    carry
}

/// The word with a one where the count in the planes is at least `least`.
#[inline(always)]
fn reaches(least: usize, planes: impl IntoIterator<Item = u64>) -> u64 {
    planes.into_iter().enumerate().fold(u64::MAX, |reached, (bit, plane)| {
        // A one in the limit requires a one in the count; at a zero, a one in the count exceeds the
        // limit.
        let required = 0u64.wrapping_sub((least >> bit & 1) as u64);
        (reached & plane) | ((reached | plane) & !required)
    })
}

/// How many bits the number has.
#[inline(always)]
fn bits(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()) as usize
}
