//! The probability that an edit flips a bit of the fingerprint.
//!
//! Bit j of a document's fingerprint is the sign of its margin W_j. An edit changes the margin by
//! some Y; the bit flips if Y has the opposite sign and is larger. The distribution of Y is sampled
//! from pairs of documents:
//!
//! ```text
//! p_j = P(Y > |W_j|) = P(|Y| > |W_j|) / 2, both in units of the document's own mean margin
//! ```
//!
//! Differences from the paper: it samples random pairs of the collection and has weights of unit
//! norm. Here margins are divided by their root mean square, so that long and short documents are
//! comparable. Pairs of near-duplicates may be given instead, which fit the purpose better (fewer
//! flips for the same recall). The caller chooses the pairs.

use thiserror::Error;

use crate::fingerprint::Margins;

/// Steps of the stored distribution.
pub const STEPS: usize = 64;

/// The margin, in units of the root mean square, at which the distribution ends: hardly any margin
/// is larger.
const REACH: f64 = 4.0;

/// The least probability of a flip: subsets need a probability to be ordered by.
const LEAST: f64 = 1e-6;

/// The least decrease of the log odds per step: beyond the sample, larger margins are still safer.
const SLOPE: f64 = 1e-5;

/// The empirical distribution of Y: `survival[i]` is P(|Y| > i * REACH / STEPS) / 2.
#[derive(Debug, Clone, PartialEq)]
pub struct Volatility {
    survival: [f64; STEPS],
    /// log(p / (1 - p)) at each step, by which subsets are ordered. Interpolated between steps.
    odds: [f64; STEPS],
}

/// Stored numbers that are no distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "expected {STEPS} probabilities from 0 to 0.5 that never rise, found something else; sample the volatility again"
)]
pub struct NoDistribution;

impl Volatility {
    /// The distribution over sampled pairs of documents. Without a pair, or if nothing ever
    /// changes, small margins still count as more volatile than large ones.
    pub fn sample<'m>(pairs: impl IntoIterator<Item = (&'m Margins, &'m Margins)>) -> Self {
        let mut counts = [0u64; STEPS];
        let mut total = 0u64;
        for (a, b) in pairs {
            let (scale_a, scale_b) = (scale(a), scale(b));
            for (a, b) in a.0.iter().zip(&b.0) {
                let change = (f64::from(*a) * scale_a - f64::from(*b) * scale_b).abs();
                counts[((change * STEPS as f64 / REACH) as usize).min(STEPS - 1)] += 1;
                total += 1;
            }
        }
        let mut beyond = total;
        let survival = std::array::from_fn(|step| {
            beyond -= counts[step];
            // Samples in the step itself count half.
            (beyond as f64 + counts[step] as f64 / 2.0) / (2 * total.max(1)) as f64
        });
        Volatility::with_odds(survival)
    }

    fn with_odds(survival: [f64; STEPS]) -> Self {
        let odds = std::array::from_fn(|step| {
            let p = survival[step].clamp(LEAST, 0.5 - LEAST);
            (p / (1.0 - p)).ln() - SLOPE * step as f64
        });
        Volatility { survival, odds }
    }

    /// The distribution as stored numbers.
    pub fn parts(&self) -> &[f64; STEPS] {
        &self.survival
    }

    /// The distribution from stored numbers.
    pub fn from_parts(survival: [f64; STEPS]) -> Result<Self, NoDistribution> {
        let is_one = survival.is_sorted_by(|a, b| a >= b) && survival.iter().all(|p| (0.0..=0.5).contains(p));
        if is_one { Ok(Volatility::with_odds(survival)) } else { Err(NoDistribution) }
    }

    /// p_j for every bit of a document.
    pub fn probabilities(&self, margins: &Margins) -> [f64; 64] {
        let scale = scale(margins);
        margins.0.map(|margin| self.probability(f64::from(margin.unsigned_abs()) * scale))
    }

    /// log(p / (1 - p)) for margins of a document, in their order.
    #[inline(always)]
    pub(super) fn log_odds(
        &self,
        document: &Margins,
        margins: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = f64> {
        let scale = scale(document);
        margins.map(move |margin| self.odds(f64::from(margin) * scale))
    }

    fn probability(&self, margin: f64) -> f64 {
        1.0 / (1.0 + (-self.odds(margin)).exp())
    }

    #[inline(always)]
    fn odds(&self, margin: f64) -> f64 {
        let place = margin * (STEPS as f64 / REACH);
        let step = (place as usize).min(STEPS - 2);
        let (here, next) = (self.odds[step], self.odds[step + 1]);
        here + (next - here) * (place - step as f64).min(1.0) - SLOPE * (place - (STEPS - 1) as f64).max(0.0)
    }
}

/// One over the root mean square of the margins.
#[inline(always)]
fn scale(margins: &Margins) -> f64 {
    // Four independent sums, for instruction-level parallelism.
    let mut sums = [0.0; 4];
    for four in margins.0.as_chunks::<4>().0 {
        sums.iter_mut().zip(four).for_each(|(sum, &margin)| *sum += f64::from(margin).powi(2));
    }
    let squares: f64 = sums.iter().sum();
    if squares > 0.0 { (64.0 / squares).sqrt() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    fn margins(seed: u64) -> Margins {
        Margins(std::array::from_fn(|bit| (mix(seed * 64 + bit as u64) % 2001) as i32 - 1000))
    }

    #[test]
    fn smaller_margins_are_more_volatile() {
        let documents: Vec<Margins> = (0..200).map(margins).collect();
        let pairs = documents.windows(2).map(|pair| (&pair[0], &pair[1]));
        for volatility in [Volatility::sample(pairs), Volatility::sample([])] {
            let document = margins(999);
            let p = volatility.probabilities(&document);
            let mut order: Vec<usize> = (0..64).collect();
            order.sort_by_key(|&bit| document.0[bit].abs());
            assert!(order.windows(2).all(|pair| p[pair[0]] >= p[pair[1]]));
            assert!(p.iter().all(|&p| p > 0.0 && p < 0.5));
        }
    }

    #[test]
    fn the_distribution_is_that_of_the_sample() {
        // Two documents whose margins differ by exactly 1 (in units of the root mean square) in
        // every bit.
        let (a, b) = (Margins([100; 64]), Margins(std::array::from_fn(|_| 100)));
        let same = Volatility::sample([(&a, &b)]);
        assert!(same.probability(1.0) < 1e-5, "nothing changes");
        let opposite = Margins([-100; 64]);
        let turned = Volatility::sample([(&a, &opposite)]);
        assert!((turned.probability(1.5) - 0.5).abs() < 1e-3, "every change is 2");
        assert!(turned.probability(2.5) < 1e-3);
    }

    #[test]
    fn stored_numbers_come_back_and_others_are_refused() {
        let documents: Vec<Margins> = (0..20).map(margins).collect();
        let volatility = Volatility::sample(documents.windows(2).map(|pair| (&pair[0], &pair[1])));
        assert_eq!(Volatility::from_parts(*volatility.parts()), Ok(volatility.clone()));
        let mut rising = *volatility.parts();
        rising[STEPS - 1] = 0.4;
        assert_eq!(Volatility::from_parts(rising), Err(NoDistribution));
        assert_eq!(Volatility::from_parts([f64::NAN; STEPS]), Err(NoDistribution));
    }
}
