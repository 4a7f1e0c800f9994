use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::hash::{self, mix};

fn shingles_naive<const SIZE: usize>(words: &[u64], limit: u64) -> Vec<u64> {
    let hash = |window: &[u64]| if SIZE == 1 { window[0] } else { hash::shingle(window.iter().copied()) };
    words.windows(SIZE).map(hash).filter(|&hash| hash <= limit).collect()
}

fn check_shingles<const SIZE: usize>() {
    let words: Vec<u64> = (0..70).map(|i| if i % 9 == 0 { u64::MAX - i } else { mix(i) }).collect();
    for kernel in Kernel::available() {
        for length in 0..words.len() {
            for limit in [0, u64::MAX / 7, u64::MAX / 2, u64::MAX] {
                let mut found = vec![1];
                kernel.shingles_up_to::<SIZE>(&words[..length], limit, &mut found);
                let expected = shingles_naive::<SIZE>(&words[..length], limit);
                assert_eq!(found[1..], expected, "{}, {SIZE} of {length}, {limit}", kernel.name());
            }
        }
    }
}

#[test]
fn small_shingles_of_every_length_and_size() {
    check_shingles::<1>();
    check_shingles::<2>();
    check_shingles::<3>();
    check_shingles::<4>();
    check_shingles::<5>();
    check_shingles::<6>();
    check_shingles::<7>();
    check_shingles::<8>();
}

/// Lists that share much: values from a small range, or from the whole.
fn list() -> impl Strategy<Value = BTreeSet<u64>> {
    let small = prop::collection::btree_set(0u64..80, 0..70);
    let large = prop::collection::btree_set((0u64..80).prop_map(mix), 0..70);
    prop_oneof![small, large]
}

proptest! {
    #[test]
    fn the_overlap_is_that_of_set_algebra(a in list(), b in list(), least in 0usize..70) {
        let exact = a.intersection(&b).count();
        let (a, b): (Vec<u64>, Vec<u64>) = (a.into_iter().collect(), b.into_iter().collect());
        for kernel in Kernel::available() {
            prop_assert_eq!(kernel.common(&a, &b), exact, "{}", kernel.name());
            prop_assert_eq!(kernel.common_at_least(&a, &b, least), (exact >= least).then_some(exact), "{}", kernel.name());
        }
    }

    #[test]
    fn blocks_give_the_answer_of_single_steps(
        a in prop::collection::btree_set(prop_oneof![0u32..90, 0x10000u32..0x10050, any::<u32>()], 0..70),
        b in prop::collection::btree_set(prop_oneof![0u32..90, 0x10000u32..0x10050, any::<u32>()], 0..70),
        most_unshared in 0usize..140,
    ) {
        let exact = a.intersection(&b).count();
        let expected = (a.len() + b.len() - 2 * exact <= most_unshared).then_some(exact);
        let (a, b): (Vec<u32>, Vec<u32>) = (a.into_iter().collect(), b.into_iter().collect());
        prop_assert_eq!(common_by_blocks(&a, &b, most_unshared), expected);
        prop_assert_eq!(scalar::common_within(&a, &b, most_unshared), expected);
    }

    #[test]
    fn the_screen_counts_missing_bits(
        query in prop::array::uniform8(any::<u64>()),
        masks in prop::collection::vec(prop::array::uniform8(any::<u64>()), 0..=70),
        most in prop_oneof![0u32..300, 0u32..600],
    ) {
        // Half of the bitmaps have nearly all bits of the query.
        let bitmaps: Vec<BitmapWords> = masks.iter().enumerate().map(|(i, mask)| {
            if i % 2 == 0 { *mask } else { std::array::from_fn(|word| query[word] & !(mask[word] & mask[(word + 1) % 8])) }
        }).collect();
        let missing = |bitmap: &BitmapWords| (0..512).filter(|bit| {
            let bit_of = |words: &BitmapWords| words[bit / 64] >> (bit % 64) & 1 == 1;
            bit_of(&query) && !bit_of(bitmap)
        }).count() as u32;
        let expected: Vec<u32> = (0u32..).zip(&bitmaps).filter(|(_, bitmap)| missing(bitmap) <= most).map(|(i, _)| i).collect();
        let block = ScreenBlock::new(&bitmaps);
        for kernel in Kernel::available() {
            let mut passed = vec![];
            kernel.screen(&query, &block, most, &mut passed);
            prop_assert_eq!(&passed, &expected, "{}", kernel.name());
        }
    }
}

/// A full block, and a query whose every bit is missing somewhere: sums beyond a byte.
#[test]
fn a_full_block_and_sums_beyond_a_byte() {
    let query = [u64::MAX; BITMAP_WORDS];
    let bitmaps: Vec<BitmapWords> = (0..ScreenBlock::LENGTH)
        .map(|position| std::array::from_fn(|word| if word < position % 9 { u64::MAX } else { 0 }))
        .collect();
    let block = ScreenBlock::new(&bitmaps);
    for most in [0, 63, 64, 254, 255, 256, 257, 511, 512] {
        let expected: Vec<u32> = (0..ScreenBlock::LENGTH as u32)
            .filter(|position| 64 * (BITMAP_WORDS as u32 - (position % 9).min(BITMAP_WORDS as u32)) <= most)
            .collect();
        for kernel in Kernel::available() {
            let mut passed = vec![];
            kernel.screen(&query, &block, most, &mut passed);
            assert_eq!(passed, expected, "{}, at most {most}", kernel.name());
        }
    }
}
