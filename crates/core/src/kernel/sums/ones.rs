//! How many of many 64-bit words have a one at each of the 64 bits?
//!
//! Adding word after word into 64 counters costs 64 additions a word. Carry-save adders put that off: three words of weight
//! one become a sum of weight one and a carry of weight two, with five logic operations for all 64 bits at once. A tree of
//! them turns sixteen words into one word of weight sixteen and remainders that wait for the next sixteen; only that one
//! word is spread into counters:
//!
//! ```text
//! for each block of 16 words:   ones, twos, fours, eights += block;   the carry out has weight 16: count its bits
//! at the end:                   count the bits of ones, twos, fours, eights with their weights
//! ```
//!
//! `LANES` words are added side by side, so that the same code fills a vector register of any width. Zero words change
//! nothing, so the last block is filled up with them. Known as positional population count (after Harley and Seal).

/// Words in a block of one lane.
const BLOCK: usize = 16;

type Lanes<const LANES: usize> = [u64; LANES];

/// Adds to `counts[bit]` how many of `words` have a one at `bit`.
#[inline(always)]
pub(super) fn count<const LANES: usize>(words: &[u64], counts: &mut [i32; 64]) {
    // Whole blocks in lanes; what is left, less than a block of all lanes, one word after another.
    let (lanes, _) = words.as_chunks::<LANES>();
    let (blocks, _) = lanes.as_chunks::<BLOCK>();
    if !blocks.is_empty() {
        count_blocks(blocks.iter(), counts);
    }
    let rest = &words[blocks.len() * BLOCK * LANES..];
    if !rest.is_empty() {
        let (rest, _) = rest.as_chunks::<1>();
        let (blocks, tail) = rest.as_chunks::<BLOCK>();
        let mut last = [[0]; BLOCK];
        last[..tail.len()].copy_from_slice(tail);
        count_blocks(blocks.iter().chain([&last]), counts);
    }
}

#[inline(always)]
fn count_blocks<'b, const LANES: usize>(
    blocks: impl Iterator<Item = &'b [Lanes<LANES>; BLOCK]>,
    counts: &mut [i32; 64],
) {
    let (mut ones, mut twos, mut fours, mut eights) = ([0; LANES], [0; LANES], [0; LANES], [0; LANES]);
    for block in blocks {
        // Pairs of words give carries of weight two, pairs of those of weight four, and so on.
        let mut carries_of_eight = [[0; LANES]; 2];
        for (half, carry) in block.as_chunks::<8>().0.iter().zip(&mut carries_of_eight) {
            let two_a = add(&mut ones, &half[0], &half[1]);
            let two_b = add(&mut ones, &half[2], &half[3]);
            let four_a = add(&mut twos, &two_a, &two_b);
            let two_a = add(&mut ones, &half[4], &half[5]);
            let two_b = add(&mut ones, &half[6], &half[7]);
            let four_b = add(&mut twos, &two_a, &two_b);
            *carry = add(&mut fours, &four_a, &four_b);
        }
        let sixteens = add(&mut eights, &carries_of_eight[0], &carries_of_eight[1]);
        spread(&sixteens, 16, counts);
    }
    for (waiting, weight) in [(&ones, 1), (&twos, 2), (&fours, 4), (&eights, 8)] {
        spread(waiting, weight, counts);
    }
}

/// Adds `a` and `b` to `sum`, bit by bit; returns the carries, which count twice as much.
#[inline(always)]
fn add<const LANES: usize>(sum: &mut Lanes<LANES>, a: &Lanes<LANES>, b: &Lanes<LANES>) -> Lanes<LANES> {
    let mut carry = [0; LANES];
    for lane in 0..LANES {
        let half = a[lane] ^ b[lane];
        carry[lane] = (a[lane] & b[lane]) | (half & sum[lane]);
        sum[lane] ^= half;
    }
    carry
}

/// Adds `weight` to the count of every one bit of every word.
#[inline(always)]
fn spread(words: &[u64], weight: i32, counts: &mut [i32; 64]) {
    for &word in words {
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += (word >> bit & 1) as i32 * weight;
        }
    }
}
