//! Precision and recall as a parameter moves.
//!
//! ```text
//! sort pairs from the most similar to the least
//! walk down: found += 1, right += 1 if the pair is right
//!     at each step of the parameter: precision = right / found, recall = right / all right
//! ```

use serde::Serialize;

/// One setting of the parameter and what it gives.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The threshold or the distance.
    pub at: f64,
    /// The share of right pairs among those found; `None` if nothing is found.
    pub precision: Option<f64>,
    /// The share of the right pairs that are found.
    pub recall: f64,
}

impl Point {
    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        let precision = self.precision.unwrap_or(0.0);
        let sum = precision + self.recall;
        if sum > 0.0 { 2.0 * precision * self.recall / sum } else { 0.0 }
    }
}

/// A curve from the strictest setting to the loosest.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Curve {
    /// The settings.
    pub points: Vec<Point>,
    /// Where precision and recall are equal, if they meet.
    pub crossing: Option<Point>,
    /// The setting with the largest F1; of several, the middle one, which is the furthest from
    /// doing worse.
    pub best: Option<Point>,
}

/// A pair to be counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// How strict the parameter may be and still find the pair: finding it needs `strictness >=
    /// at`.
    pub(crate) strictness: f64,
    pub(crate) is_right: bool,
}

impl Curve {
    /// The curve through `settings`, the strictest first. `missed` right pairs are found by no
    /// setting.
    pub(crate) fn new(
        mut pairs: Vec<Counted>,
        missed: usize,
        settings: impl IntoIterator<Item = f64>,
    ) -> Curve {
        pairs.sort_by(|a, b| b.strictness.total_cmp(&a.strictness));
        let all_right = (missed + pairs.iter().filter(|pair| pair.is_right).count()) as f64;
        let (mut next, mut found, mut right) = (0, 0.0, 0.0);
        let mut points = Vec::new();
        for at in settings {
            while let Some(pair) = pairs.get(next).filter(|pair| pair.strictness >= at) {
                found += 1.0;
                right += f64::from(u8::from(pair.is_right));
                next += 1;
            }
            points.push(Point {
                at,
                precision: (found > 0.0).then(|| right / found),
                recall: if all_right > 0.0 { right / all_right } else { 0.0 },
            });
        }
        Curve { crossing: crossing(&points), best: best(&points), points }
    }

    /// A distance is strict when it is small: such a curve is made with negative settings and
    /// turned round here.
    pub(crate) fn negate(&mut self) {
        let points = self.points.iter_mut().chain(&mut self.crossing).chain(&mut self.best);
        points.for_each(|point| point.at = -point.at);
    }
}

/// The first place where recall reaches precision, on straight lines between the settings.
fn crossing(points: &[Point]) -> Option<Point> {
    let gap = |point: &Point| point.precision.unwrap_or(1.0) - point.recall;
    points.windows(2).find_map(|pair| {
        let [before, after] = [pair[0], pair[1]];
        let (high, low) = (gap(&before), gap(&after));
        if high < 0.0 || low > 0.0 || high == low {
            return None;
        }
        let part = high / (high - low);
        let between = |from: f64, to: f64| from + part * (to - from);
        Some(Point {
            at: between(before.at, after.at),
            precision: Some(between(before.precision.unwrap_or(1.0), after.precision.unwrap_or(1.0))),
            recall: between(before.recall, after.recall),
        })
    })
}

/// F1 values that differ by less are equal.
const EQUAL_F1: f64 = 1e-9;

fn best(points: &[Point]) -> Option<Point> {
    let most = points.iter().map(Point::f1).fold(0.0, f64::max);
    let plateau: Vec<&Point> =
        points.iter().filter(|point| most > 0.0 && most - point.f1() < EQUAL_F1).collect();
    plateau.get(plateau.len() / 2).map(|&&point| point)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair(strictness: f64, is_right: bool) -> Counted {
        Counted { strictness, is_right }
    }

    #[test]
    fn a_clean_cut_is_found_in_the_middle() {
        let pairs = vec![pair(0.9, true), pair(0.8, true), pair(0.2, false)];
        let curve = Curve::new(pairs, 0, (0..=10).rev().map(|tenth| f64::from(tenth) / 10.0));
        let best = curve.best.unwrap();
        assert_eq!((best.f1(), best.at), (1.0, 0.5));
        assert_eq!(curve.points[0], Point { at: 1.0, precision: None, recall: 0.0 });
        assert_eq!(curve.points[10].precision, Some(2.0 / 3.0));
    }

    #[test]
    fn precision_and_recall_cross_between_settings() {
        let points = [(1.0, None, 0.0), (0.0, Some(0.5), 1.0)].map(|(at, precision, recall)| Point {
            at,
            precision,
            recall,
        });
        let crossing = crossing(&points).unwrap();
        assert!((crossing.precision.unwrap() - crossing.recall).abs() < 1e-12);
        assert!((crossing.at - 1.0 / 3.0).abs() < 1e-12, "{crossing:?}");
    }

    #[test]
    fn what_no_setting_finds_lowers_recall() {
        let curve = Curve::new(vec![pair(0.5, true)], 3, [0.5]);
        assert_eq!(curve.points[0].recall, 0.25);
    }

    proptest! {
        #[test]
        fn every_point_equals_counting(
            pairs in prop::collection::vec((0u8..20, any::<bool>()), 0..50), at in 0u8..20,
        ) {
            let pairs: Vec<Counted> =
                pairs.into_iter().map(|(strictness, is_right)| pair(f64::from(strictness), is_right)).collect();
            let count = |keep: &dyn Fn(&Counted) -> bool| pairs.iter().filter(|pair| keep(pair)).count() as f64;
            let found = count(&|pair| pair.strictness >= f64::from(at));
            let right = count(&|pair| pair.strictness >= f64::from(at) && pair.is_right);
            let all = count(&|pair| pair.is_right);
            let settings = (at..20).rev().map(f64::from);
            let last = *Curve::new(pairs.clone(), 0, settings).points.last().unwrap();
            prop_assert_eq!(last.precision, (found > 0.0).then(|| right / found));
            prop_assert_eq!(last.recall, if all > 0.0 { right / all } else { 0.0 });
        }
    }
}
