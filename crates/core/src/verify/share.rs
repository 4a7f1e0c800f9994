//! A share between 0 and 1, compared exactly with ratios of counts.
//!
//! `part / whole >= 0.9` is decided by `part * 10^9 >= 900_000_000 * whole`, in integers: the
//! result does not depend on how a quotient is rounded or printed.

/// The least share of a whole, in billionths. A recipe's decimals are exact up to the ninth.
///
/// ```
/// use twindex_core::verify::Share;
///
/// let share = Share::new(0.9);
/// assert!(share.is_reached(9, 10) && !share.is_reached(89, 100));
/// assert_eq!(share.least_part(15), 14);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u64);

const BILLION: u64 = 1_000_000_000;

impl Share {
    /// The share nearest to `value`, which is between 0 and 1.
    pub fn new(value: f64) -> Self {
        Share((value.clamp(0.0, 1.0) * BILLION as f64).round() as u64)
    }

    /// Whether `part` of `whole` is at least this share. An empty whole only reaches a share of 0.
    pub fn is_reached(self, part: usize, whole: usize) -> bool {
        self.0 == 0 || whole > 0 && part as u128 * u128::from(BILLION) >= u128::from(self.0) * whole as u128
    }

    /// The least part of `whole` that reaches the share.
    pub fn least_part(self, whole: usize) -> usize {
        (u128::from(self.0) * whole as u128).div_ceil(u128::from(BILLION)) as usize
    }

    /// The least overlap of two sets of `sum` elements together whose Jaccard reaches the share:
    /// c / (sum - c) >= t is c >= t sum / (1 + t).
    pub fn least_overlap(self, sum: usize) -> usize {
        (u128::from(self.0) * sum as u128).div_ceil(u128::from(BILLION + self.0)) as usize
    }

    /// The number of decimals needed to write the share, at least two.
    pub(super) fn decimals(self) -> u32 {
        let mut decimals = 9;
        let mut rest = self.0;
        while decimals > 2 && rest.is_multiple_of(10) {
            rest /= 10;
            decimals -= 1;
        }
        decimals
    }
}

/// `part / whole` with at most that many decimals, rounded down, so that a value below a share is
/// never written like the share.
pub(super) fn rounded_down(part: usize, whole: usize, decimals: u32) -> String {
    let scale = 10u128.pow(decimals);
    let scaled = (part as u128 * scale).checked_div(whole as u128).unwrap_or(0);
    let (integer, fraction) = (scaled / scale, scaled % scale);
    let digits = format!("{fraction:0width$}", width = decimals as usize);
    match digits.trim_end_matches('0') {
        "" => integer.to_string(),
        digits => format!("{integer}.{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_least_part_and_the_least_overlap_are_least(
            billionths in 0u64..=BILLION,
            left in 1usize..5_000,
            right in 1usize..5_000,
        ) {
            let share = Share(billionths);
            let least = share.least_part(left);
            prop_assert!(share.is_reached(least, left) && (least == 0 || !share.is_reached(least - 1, left)));
            let least = share.least_overlap(left + right);
            let is_reached = |common: usize| share.is_reached(common, left + right - common);
            prop_assert!(is_reached(least) && (least == 0 || !is_reached(least - 1)));
        }

        /// A value that does not reach a share is written as a smaller number than the share.
        #[test]
        fn a_value_below_a_share_is_written_below_it(part in 0usize..2_000, whole in 1usize..2_000, percent in 0u32..=100) {
            let share = Share::new(f64::from(percent) / 100.0);
            let written: f64 = rounded_down(part, whole, share.decimals()).parse().unwrap();
            prop_assert_eq!(share.is_reached(part, whole), written >= f64::from(percent) / 100.0);
        }
    }

    #[test]
    fn decimals_are_those_of_the_recipe() {
        for (value, decimals) in [(0.5, 2), (0.9, 2), (1.0, 2), (0.875, 3), (0.0001, 4)] {
            assert_eq!(Share::new(value).decimals(), decimals, "{value}");
        }
    }

    #[test]
    fn shares_are_written_as_people_write_them() {
        let written = [(1, 1), (1, 2), (2, 3), (0, 5), (999, 1_000), (0, 0)]
            .map(|(part, whole)| rounded_down(part, whole, 2));
        assert_eq!(written, ["1", "0.5", "0.66", "0", "0.99", "0"]);
    }
}
