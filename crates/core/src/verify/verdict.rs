//! The measurements of two documents, and what the rule decides, in words.

use super::overlap::Overlap;
use super::share::{Share, rounded_down};
use crate::recipe::{Measure, Rule};

/// One of two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first one.
    Left,
    /// The second one.
    Right,
}

/// All measurements that a rule may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Their features, and how many they share.
    pub overlap: Overlap,
    /// The cosine of the unit counts.
    pub cosine: f64,
    /// The texts are equal, byte for byte.
    pub equal: bool,
    /// Both are short and have the same words, but not the same symbols.
    pub only_symbols_differ: bool,
}

impl Measured {
    /// Two texts that are equal, byte for byte.
    pub const EQUAL: Measured = Measured {
        overlap: Overlap { left: 1, right: 1, common: 1 },
        cosine: 1.0,
        equal: true,
        only_symbols_differ: false,
    };

    /// The same pair seen from the other side.
    #[must_use]
    pub fn swapped(self) -> Measured {
        let Overlap { left, right, common } = self.overlap;
        Measured { overlap: Overlap { left: right, right: left, common }, ..self }
    }

    /// The measures as they are written in results.
    pub fn scores(self) -> Scores {
        let overlap = self.overlap;
        Scores {
            jaccard: rounded(overlap.jaccard()),
            containment_left: rounded(overlap.containment_left()),
            containment_right: rounded(overlap.containment_right()),
            cosine: rounded(self.cosine),
        }
    }
}

/// Every measure of a pair, rounded to six decimals, for results. No decision uses them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// |A ∩ B| / |A ∪ B| of the shingles.
    pub jaccard: f64,
    /// |A ∩ B| / |A|
    pub containment_left: f64,
    /// |A ∩ B| / |B|
    pub containment_right: f64,
    /// Cosine of the unit counts.
    pub cosine: f64,
}

impl Scores {
    /// The value of one measure. Containment is that of the document that is contained more.
    pub fn of(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Jaccard => self.jaccard,
            Measure::Containment => self.containment_left.max(self.containment_right),
            Measure::Cosine => self.cosine,
        }
    }
}

/// Scores have six decimals: enough to distinguish any two pairs of documents of a million
/// shingles.
fn rounded(value: f64) -> f64 {
    const DECIMALS: f64 = 1e6;
    (value * DECIMALS).round() / DECIMALS
}

/// The decision of a rule on two documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// What was measured.
    pub measured: Measured,
    rule: Rule,
}

impl Verdict {
    /// The verdict of a rule.
    pub fn new(rule: Rule, measured: Measured) -> Self {
        Verdict { measured, rule }
    }

    /// Whether the documents are duplicates: the measure is at least the threshold, and above 0.
    pub fn is_accepted(&self) -> bool {
        let Measured { overlap, cosine, equal, .. } = self.measured;
        let threshold = Share::new(self.rule.threshold);
        equal
            || match self.rule.measure {
                Measure::Cosine => cosine > 0.0 && cosine >= self.rule.threshold,
                Measure::Jaccard | Measure::Containment => {
                    let (part, whole) = self.counts();
                    overlap.common > 0 && threshold.is_reached(part, whole)
                }
            }
    }

    /// Whether the document on `side` may be removed on account of the other.
    pub fn may_go(&self, side: Side) -> bool {
        self.measured.equal
            || self.is_accepted()
                && !self.measured.only_symbols_differ
                && self.is_covered(side)
                && !self.loses_much(side)
    }

    /// Whether enough of the document on `side` is in the other.
    fn is_covered(&self, side: Side) -> bool {
        Share::new(self.rule.coverage).is_reached(self.measured.overlap.common, self.features(side))
    }

    /// Whether the part of the document on `side` that is missing in the other exceeds `most_lost`.
    fn loses_much(&self, side: Side) -> bool {
        let missing = self.features(side) - self.measured.overlap.common;
        self.rule.most_lost > 0 && missing > self.rule.most_lost as usize
    }

    /// The reason of the decision: `jaccard 0.76 >= 0.5`.
    pub fn reason(&self) -> String {
        let Measured { overlap, cosine, equal, .. } = self.measured;
        if equal {
            return "equal text".to_owned();
        }
        let Rule { measure, threshold, .. } = self.rule;
        let name = measure.name();
        let decimals = Share::new(threshold).decimals();
        let value = match measure {
            Measure::Cosine => {
                const BILLION: usize = 1_000_000_000;
                rounded_down((cosine * BILLION as f64).floor() as usize, BILLION, decimals)
            }
            Measure::Jaccard | Measure::Containment => {
                let (part, whole) = self.counts();
                rounded_down(part, whole, decimals)
            }
        };
        match (self.is_accepted(), overlap.common) {
            (true, _) => format!("{name} {value} >= {threshold}"),
            (false, 0) => "nothing in common".to_owned(),
            (false, _) => format!("{name} {value} < {threshold}"),
        }
    }

    /// The same, with the coverage of the document on `side`:
    /// `jaccard 0.76 >= 0.5, 0.93 of it is in the witness`.
    pub fn removal_reason(&self, side: Side) -> String {
        let reason = self.reason();
        if self.measured.equal || !self.is_accepted() {
            return reason;
        }
        if self.measured.only_symbols_differ {
            return format!("{reason}, but the symbols differ: both stay");
        }
        let (common, features) = (self.measured.overlap.common, self.features(side));
        let covered = rounded_down(common, features, Share::new(self.rule.coverage).decimals());
        if common == features {
            format!("{reason}, all of it is in the witness")
        } else if self.may_go(side) {
            format!("{reason}, {covered} of it is in the witness")
        } else if self.is_covered(side) {
            let missing = features - common;
            format!("{reason}, but {missing} of its {features} features are not in the other: it stays")
        } else {
            format!("{reason}, but only {covered} of it is in the other: it stays")
        }
    }

    fn features(&self, side: Side) -> usize {
        match side {
            Side::Left => self.measured.overlap.left,
            Side::Right => self.measured.overlap.right,
        }
    }

    /// The set measure as part and whole. Containment is that of the document that is contained
    /// more.
    fn counts(&self) -> (usize, usize) {
        let Overlap { left, right, common } = self.measured.overlap;
        match self.rule.measure {
            Measure::Containment => (common, left.min(right)),
            Measure::Jaccard | Measure::Cosine => (common, left + right - common),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rule: Rule, overlap: [usize; 3]) -> Verdict {
        let [left, right, common] = overlap;
        let overlap = Overlap { left, right, common };
        Verdict::new(rule, Measured { overlap, cosine: 0.8, equal: false, only_symbols_differ: false })
    }

    #[test]
    fn the_threshold_means_what_it_says() {
        let rule = Rule::default();
        assert!(verdict(rule, [3, 3, 2]).is_accepted(), "2 of 4");
        assert!(!verdict(rule, [1_000_000, 1_000_000, 666_666]).is_accepted(), "one below half of the union");
        assert!(
            !verdict(Rule { threshold: 0.0, ..rule }, [3, 3, 0]).is_accepted(),
            "something must be shared"
        );
        let contained = Rule { measure: Measure::Containment, threshold: 0.9, ..rule };
        assert!(
            verdict(contained, [10, 1_000, 9]).is_accepted()
                && !verdict(contained, [10, 1_000, 8]).is_accepted()
        );
        let cosine = Rule { measure: Measure::Cosine, threshold: 0.8, ..rule };
        assert!(verdict(cosine, [10, 10, 0]).is_accepted());
    }

    #[test]
    fn the_contained_may_go_and_the_container_may_not() {
        let contained = verdict(Rule::default(), [9, 17, 9]);
        assert_eq!([Side::Left, Side::Right].map(|side| contained.may_go(side)), [true, false]);
        let unbounded = verdict(Rule { coverage: 0.0, ..Rule::default() }, [9, 17, 9]);
        assert!(unbounded.may_go(Side::Right));
        let rejected = verdict(Rule::default(), [9, 19, 9]);
        assert!(
            !rejected.may_go(Side::Left),
            "all of it is there, but the rule does not call them duplicates"
        );
    }

    #[test]
    fn of_a_long_document_no_more_than_a_paragraph_is_lost() {
        let long = verdict(Rule::default(), [10_000, 10_000, 9_850]);
        assert!(long.may_go(Side::Left));
        let longer = verdict(Rule::default(), [10_000, 10_000, 9_849]);
        assert!(!longer.may_go(Side::Left));
        assert_eq!(
            longer.removal_reason(Side::Left),
            "jaccard 0.97 >= 0.5, but 151 of its 10000 features are not in the other: it stays"
        );
        assert!(
            verdict(Rule { most_lost: 0, ..Rule::default() }, [10_000, 10_000, 9_500]).may_go(Side::Left)
        );
    }

    #[test]
    fn reasons_read_as_a_person_would_say_them() {
        let near = verdict(Rule::default(), [100, 115, 93]);
        assert_eq!(near.reason(), "jaccard 0.76 >= 0.5");
        assert_eq!(near.removal_reason(Side::Left), "jaccard 0.76 >= 0.5, 0.93 of it is in the witness");
        assert_eq!(
            near.removal_reason(Side::Right),
            "jaccard 0.76 >= 0.5, but only 0.8 of it is in the other: it stays"
        );
        let mut cosine =
            verdict(Rule { measure: Measure::Cosine, threshold: 0.8, ..Rule::default() }, [9, 9, 1]);
        cosine.measured.cosine = 0.799_999_97;
        assert_eq!(cosine.reason(), "cosine 0.79 < 0.8");
        let part = verdict(Rule::default(), [9, 17, 9]);
        assert_eq!(part.removal_reason(Side::Left), "jaccard 0.52 >= 0.5, all of it is in the witness");
        assert_eq!(verdict(Rule::default(), [100, 100, 66]).reason(), "jaccard 0.49 < 0.5");
        assert_eq!(verdict(Rule::default(), [5, 5, 0]).removal_reason(Side::Left), "nothing in common");
        let mut symbols = verdict(Rule::default(), [1, 1, 1]);
        symbols.measured.only_symbols_differ = true;
        assert!(symbols.is_accepted() && !symbols.may_go(Side::Left) && !symbols.may_go(Side::Right));
        assert_eq!(symbols.removal_reason(Side::Left), "jaccard 1 >= 0.5, but the symbols differ: both stay");
        assert_eq!(Verdict::new(Rule::default(), Measured::EQUAL).removal_reason(Side::Left), "equal text");
    }
}
