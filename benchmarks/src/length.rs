//! Document lengths: lognormal, as web pages and news are, without a logarithm.
//!
//! The number of set bits among 128 random ones is binomial, close enough to normal; 2 to that
//! power, in steps of a sixteenth of an octave, is lognormal. A pinned table replaces `exp2`, whose
//! last digit differs between platforms.

use crate::random::Random;

/// The median length in bytes. With the spread below the mean is near 3.5 KB, and near 4 KB with
/// the site's template.
const MEDIAN: u64 = 2_100;

/// The spread: one set bit more or less than the expected 64 is this many sixteenths of an octave.
/// 128 bits deviate by 5.66, so a standard deviation is 5.66 * 4 / 16 = 1.4 octaves, a factor of
/// 2.7.
const STEPS_PER_BIT: i64 = 4;

/// The shortest document (a few words have no meaningful similarity) ...
const SHORTEST: u64 = 160;

/// ... and the longest: one page in ten thousand would otherwise be a book.
const LONGEST: u64 = 400_000;

/// 2^(k/16) in units of 2^-16.
const SIXTEENTHS: [u64; 16] = [
    65_536, 68_438, 71_468, 74_632, 77_936, 81_386, 84_990, 88_752, 92_682, 96_785, 101_070, 105_545,
    110_218, 115_098, 120_194, 125_515,
];

/// Draws a length in bytes.
pub fn draw(random: &mut Random) -> usize {
    let bits = i64::from(random.bits().count_ones() + random.bits().count_ones()) - 64;
    let steps = bits * STEPS_PER_BIT + i64::from(random.below(STEPS_PER_BIT as u32));
    let mantissa = MEDIAN * SIXTEENTHS[steps.rem_euclid(16) as usize];
    let octaves = steps.div_euclid(16);
    let length = if octaves >= 0 { mantissa << octaves.min(20) } else { mantissa >> (-octaves).min(20) };
    (length >> 16).clamp(SHORTEST, LONGEST) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn the_mean_is_near_three_and_a_half_thousand_and_the_median_well_below() {
        let mut random = Random::new(1, Purpose::Body, 0);
        let mut lengths: Vec<usize> = (0..50_000).map(|_| draw(&mut random)).collect();
        lengths.sort_unstable();
        let mean = lengths.iter().sum::<usize>() / lengths.len();
        let median = lengths[lengths.len() / 2];
        assert!((3_200..3_900).contains(&mean), "mean {mean}");
        assert!((2_000..2_400).contains(&median), "median {median}");
        assert!(lengths[0] < 200 && lengths[lengths.len() - 1] > 60_000);
    }

    #[test]
    fn the_table_is_a_geometric_series() {
        for (step, &value) in SIXTEENTHS.iter().enumerate() {
            let exact = 65_536.0 * (step as f64 / 16.0).exp2();
            assert!((value as f64 - exact).abs() < 1.0, "step {step}: {value} for {exact}");
        }
    }
}
