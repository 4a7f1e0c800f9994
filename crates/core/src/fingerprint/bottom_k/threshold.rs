//! When is the sketch Jaccard at least t? The only place that decides, and the integer bounds that
//! follow.
//!
//! The decision is `common as f64 / union as f64 >= t`. Filters need it as a number of hashes: the
//! least overlap that passes. Solving for it in real numbers and rounding is off by one where the
//! division rounds, so the solution is corrected with the decision itself. Division rounds
//! monotonically, so there is exactly one least overlap, and every filter that uses it agrees with
//! the naive loop to the last bit.

/// The least sketch Jaccard of a pair. Sketches that share nothing are never a pair, whatever the
/// threshold.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct JaccardThreshold(f64);

impl JaccardThreshold {
    /// Pairs with a sketch Jaccard of at least `threshold`.
    pub fn new(threshold: f64) -> Self {
        JaccardThreshold(threshold)
    }

    /// The number itself.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether sketches of `left` and `right` hashes that share `common` of them are a pair.
    #[inline]
    pub fn accepts(self, common: usize, left: usize, right: usize) -> bool {
        common > 0 && common as f64 / (left + right - common) as f64 >= self.0
    }

    /// The least overlap of a pair of sketches with `left` and `right` hashes; greater than the
    /// smaller size if no such pair can exist.
    pub fn least_common(self, left: usize, right: usize) -> usize {
        let most = left.min(right);
        // J >= t is common >= t (left + right) / (1 + t).
        let guess = (self.0 * (left + right) as f64 / (1.0 + self.0)).ceil();
        let mut least = (guess.max(1.0) as usize).min(most + 1);
        while least > 1 && self.accepts(least - 1, left, right) {
            least -= 1;
        }
        while least <= most && !self.accepts(least, left, right) {
            least += 1;
        }
        least
    }

    /// The least number of its hashes that a sketch of `size` shares with any partner; the bound is
    /// reached by a partner that is a subset.
    pub fn least_shared(self, size: usize) -> usize {
        let guess = (self.0 * size as f64).ceil();
        let mut least = (guess.max(1.0) as usize).min(size + 1);
        while least > 1 && self.accepts(least - 1, size, least - 1) {
            least -= 1;
        }
        while least <= size && !self.accepts(least, size, least) {
            least += 1;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thresholds with and without exact quotients.
    const THRESHOLDS: [f64; 9] = [0.01, 0.1, 0.3, 1.0 / 3.0, 0.35, 0.5, 0.7, 0.9, 1.0];

    #[test]
    fn the_least_overlap_is_the_first_that_is_accepted() {
        for threshold in THRESHOLDS.map(JaccardThreshold::new) {
            for left in 0..70 {
                for right in 0..70 {
                    let first = (0..=left.min(right)).find(|&common| threshold.accepts(common, left, right));
                    let expected = first.unwrap_or(left.min(right) + 1);
                    assert_eq!(threshold.least_common(left, right), expected, "{threshold:?} {left} {right}");
                }
            }
        }
    }

    #[test]
    fn the_least_share_is_that_of_the_best_partner() {
        for threshold in THRESHOLDS.map(JaccardThreshold::new) {
            for size in 1..70 {
                let best = (1..200).map(|partner| threshold.least_common(size, partner));
                let best = best.zip(1..).filter(|&(least, partner)| least <= size.min(partner)).min();
                assert_eq!(threshold.least_shared(size), best.unwrap().0, "{threshold:?} {size}");
            }
        }
    }
}
