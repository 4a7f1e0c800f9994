//! Which bits decide about the pairs of a table, and how many of them may differ.
//!
//! A table reports a pair only if the chosen blocks are its first equal ones: in every earlier
//! block that is not chosen, the pair differs at least once. That leaves less of the radius for
//! other bits. With G = 4, g = 1 and h = 3:
//!
//! ```text
//! chosen certain to differ left to differ sufficient bits
//!   0                             1 2 3  by 3       32 bits of 2 and 3
//!   1       0                       2 3  by 2       the same
//!   2       0 1                       3  by 1       the 16 bits of 3
//! 3 0 1 2 2 by 1 the 16 bits of 2, as 0 and 1 use up the rest
//! ```

use crate::kernel::hamming::Nearness;

use super::runs::Chosen;

/// How many pairs can be compared by sixteen bits in the time of one full comparison: about 0.04 ns
/// and 35 ns, from samples of a join of 2^23 (AMD EPYC, Zen 3) and the expected number of pairs.
/// Half or twice the value makes the same choices there.
const FULL_LOOK: f64 = 1000.0;

/// Bits of a tag's half.
const HALF: u32 = 16;

/// When the pairs that a table may report are near; `masks` are those of the blocks, the first one
/// highest.
pub(super) fn nearness(masks: &[u64], chosen: Chosen, radius: u32) -> Nearness {
    let is_chosen = |block: &usize| chosen.blocks >> block & 1 == 1;
    let earlier: Vec<u64> =
        (0..chosen.last).rev().filter(|block| !is_chosen(block)).map(|block| masks[block]).collect();
    let later: u64 = masks[chosen.last + 1..].iter().sum();
    let choices = (0..=earlier.len()).map(|seen| {
        let bits: u64 = later + earlier[..seen].iter().sum::<u64>();
        let most = radius.saturating_sub((earlier.len() - seen) as u32);
        Nearness { radius, deciding: lowest_ones(bits, Nearness::enough(most)), most }
    });
    let least = choices.min_by(|a, b| cost(a).total_cmp(&cost(b)));
    least.unwrap_or(Nearness { radius, deciding: u64::MAX, most: radius })
}

/// The cost of comparing a pair, in comparisons by sixteen bits.
fn cost(near: &Nearness) -> f64 {
    let bits = near.deciding.count_ones();
    let let_through = match near.most {
        0..=1 => share_within(bits, 1),
        2..=3 => share_within(bits.min(HALF), 1) + share_within(bits.saturating_sub(HALF), 1),
        most => share_within(bits, most),
    };
    f64::from(Nearness::enough(near.most)) / f64::from(HALF) + FULL_LOOK * let_through
}

/// The share of random words of `bits` bits that have at most `most` ones.
fn share_within(bits: u32, most: u32) -> f64 {
    let mut ways = 1.0;
    let mut sum = 0.0;
    for ones in 0..=most.min(bits) {
        sum += ways;
        ways *= f64::from(bits - ones) / f64::from(ones + 1);
    }
    sum / f64::from(bits).exp2()
}

/// The lowest `count` ones of a word.
fn lowest_ones(word: u64, count: u32) -> u64 {
    let mut rest = word;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    word ^ rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::BitOrder;

    fn of_block(last: usize) -> Nearness {
        let order = BitOrder::plain(4);
        let masks: Vec<u64> = (0..4).map(|block| order.mask(block)).collect();
        nearness(&masks, Chosen { blocks: 1 << last, count: 1, last }, 3)
    }

    #[test]
    fn differences_that_are_certain_are_not_looked_for_elsewhere() {
        assert_eq!(of_block(0), Nearness { radius: 3, deciding: 0xffff_ffff, most: 3 });
        assert_eq!(of_block(1), Nearness { radius: 3, deciding: 0xffff_ffff, most: 2 });
        assert_eq!(of_block(2), Nearness { radius: 3, deciding: 0xffff, most: 1 });
        assert_eq!(of_block(3), Nearness { radius: 3, deciding: 0xffff << 16, most: 1 });
    }

    #[test]
    fn the_share_of_words_with_few_ones_is_that_of_all_words() {
        for bits in 0..12 {
            for most in 0..6 {
                let few = (0..1u32 << bits).filter(|word| word.count_ones() <= most).count();
                let share = few as f64 / f64::from(1u32 << bits);
                assert!((share_within(bits, most) - share).abs() < 1e-12, "{bits} bits, {most} ones");
            }
        }
    }

    #[test]
    fn lowest_ones_are_those_that_a_shift_meets_first() {
        assert_eq!(lowest_ones(0b1011_0100, 2), 0b0001_0100);
        assert_eq!(lowest_ones(0b11, 5), 0b11);
        assert_eq!(lowest_ones(u64::MAX, 64), u64::MAX);
    }
}
