//! Every kernel against the definition.

use super::{Kernel, Sums, VoteWeight};
use crate::hash::mix;

/// The definition, spelt out: one bit of one hash at a time.
fn naive(hashes: &[u64], weight: i32, sums: &mut Sums) {
    for hash in hashes {
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if hash >> bit & 1 == 1 { weight } else { -weight };
        }
    }
}

fn signs<S: PartialOrd + Default>(sums: &[S; 64]) -> u64 {
    sums.iter().rev().fold(0, |bits, sum| bits << 1 | u64::from(*sum >= S::default()))
}

fn hashes(count: u64) -> Vec<u64> {
    (0..count).map(|i| if i % 50 == 0 { u64::MAX } else { mix(i) }).collect()
}

#[test]
fn sums_at_every_length() {
    let hashes = hashes(600);
    for kernel in Kernel::available() {
        for length in 0..hashes.len() {
            for weight in [1, -3, 1000] {
                let (mut expected, mut found) = ([7; 64], [7; 64]);
                naive(&hashes[..length], weight, &mut expected);
                kernel.accumulate(&hashes[..length], weight, &mut found);
                assert_eq!(found, expected, "{}, {length} hashes, weight {weight}", kernel.name());
            }
        }
    }
}

#[test]
fn majorities_at_every_length_and_place() {
    for kernel in Kernel::available() {
        for length in 0..400 {
            // Documents of this length, with ties and unanimity among them, and neighbours that
            // must not vote.
            let mut all = vec![u64::MAX; 3];
            let mut ends = vec![3];
            for part in 0..4 {
                all.extend((0..length as u64).map(|i| match part {
                    0 => mix(i),
                    1 => 0,
                    2 => u64::MAX,
                    _ => {
                        if i % 2 == 0 {
                            0x5555_5555_5555_5555
                        } else {
                            0xAAAA_AAAA_0000_FFFF
                        }
                    }
                }));
                ends.push(all.len());
            }
            let mut found = vec![];
            kernel.majorities(&all, &ends, &mut found);
            let mut start = 0;
            for (&end, &found) in ends.iter().zip(&found) {
                let mut sums = [0; 64];
                naive(&all[start..end], 1, &mut sums);
                assert_eq!(found, signs(&sums), "{}, {length} hashes", kernel.name());
                start = end;
            }
        }
    }
}

#[test]
fn many_hashes_carry_into_every_plane() {
    let hashes = hashes(70_000);
    let mut expected = [0; 64];
    naive(&hashes, 1, &mut expected);
    for kernel in Kernel::available() {
        let (mut sums, mut majorities) = ([0; 64], vec![]);
        kernel.accumulate(&hashes, 1, &mut sums);
        kernel.majorities(&hashes, &[hashes.len()], &mut majorities);
        assert_eq!((sums, majorities[0]), (expected, signs(&expected)), "{}", kernel.name());
    }
}

#[test]
fn weights_add_in_order() {
    fn check<W: VoteWeight<Sum: std::fmt::Debug>>(weight: impl Fn(u64) -> W) {
        let hashes = hashes(500);
        let weights: Vec<W> = (0..500).map(weight).collect();
        for kernel in Kernel::available() {
            for length in [0, 1, 17, 500] {
                let mut expected = [W::Sum::default(); 64];
                for (hash, weight) in hashes[..length].iter().zip(&weights) {
                    for (bit, sum) in expected.iter_mut().enumerate() {
                        weight.vote(hash >> bit & 1 == 1, sum);
                    }
                }
                let mut found = [W::Sum::default(); 64];
                kernel.accumulate_weighted(&hashes[..length], &weights[..length], &mut found);
                assert_eq!(found, expected, "{}", kernel.name());
            }
        }
    }
    check(|i| mix(i) as u16);
    // Sums of these differ with the order of their terms.
    check(|i| (mix(i) as u16) as f32 / 7.0);
}

#[test]
fn equal_weights_are_counts() {
    let hashes = hashes(333);
    let (mut counted, mut weighted) = ([0; 64], [0; 64]);
    Kernel::best().accumulate(&hashes, 5, &mut counted);
    Kernel::best().accumulate_weighted(&hashes, &[5u16; 333], &mut weighted);
    assert_eq!(counted.map(i64::from), weighted);
}
