//! The rule's answer in words.

use crate::feature::Unit;
use crate::recipe::{Measure, Rule};
use crate::verify::Scores;

/// Whether two documents are duplicates, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) duplicates: bool,
    pub(super) words: String,
}

/// What is known of the two documents.
pub(super) struct Case<'a> {
    /// Whether the texts are the same, byte for byte.
    pub(super) equal: bool,
    /// Whether the left and the right text have features.
    pub(super) has_features: [bool; 2],
    pub(super) names: [&'a str; 2],
    pub(super) unit: Unit,
    pub(super) rule: Rule,
    pub(super) scores: Scores,
}

impl Case<'_> {
    pub(super) fn verdict(&self) -> Verdict {
        let unit = match self.unit {
            Unit::Word => "words",
            Unit::Character => "characters",
        };
        let Rule { measure, threshold } = self.rule;
        let (name, value) = (measure.name(), self.scores.of(measure));
        let no = |words: String| Verdict { duplicates: false, words: format!("not duplicates: {words}") };
        let yes = |words: String| Verdict { duplicates: true, words: format!("duplicates: {words}") };
        match self.has_features {
            _ if self.equal => yes("the texts are equal, byte for byte".to_owned()),
            [false, false] => no(format!("neither has {unit}, and they are not equal")),
            [false, true] => no(format!("{} has no {unit}", self.names[0])),
            [true, false] => no(format!("{} has no {unit}", self.names[1])),
            // Even at a threshold of 0 something must be in common.
            _ if value == 0.0 => no(format!("{name} 0, nothing in common")),
            _ if value >= threshold && measure == Measure::Judgement => {
                yes(format!("{name} {value} >= {threshold} ({})", self.scores.judgement.term.name()))
            }
            _ if value >= threshold => yes(format!("{name} {value} >= {threshold}")),
            _ => no(format!("{name} {value} < {threshold}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::recipe::Measure;
    use crate::verify::Judgement;

    use super::*;

    fn words(equal: bool, has_features: [bool; 2], jaccard: f64, threshold: f64) -> String {
        let case = Case {
            equal,
            has_features,
            names: ["a.txt", "b.txt"],
            unit: Unit::Word,
            rule: Rule { measure: Measure::Jaccard, threshold },
            scores: Scores {
                jaccard,
                containment_left: 0.0,
                containment_right: 0.0,
                cosine: 0.0,
                judgement: Judgement::shared(jaccard),
            },
        };
        let verdict = case.verdict();
        assert_eq!(verdict.duplicates, verdict.words.starts_with("duplicates"));
        verdict.words
    }

    #[test]
    fn every_case_has_its_words() {
        assert_eq!(words(false, [true; 2], 0.62, 0.5), "duplicates: jaccard 0.62 >= 0.5");
        assert_eq!(words(false, [true; 2], 0.5, 0.5), "duplicates: jaccard 0.5 >= 0.5");
        assert_eq!(words(false, [true; 2], 0.499999, 0.5), "not duplicates: jaccard 0.499999 < 0.5");
        assert_eq!(words(false, [true; 2], 0.0, 0.0), "not duplicates: jaccard 0, nothing in common");
        assert_eq!(words(true, [false; 2], 0.0, 0.5), "duplicates: the texts are equal, byte for byte");
        assert_eq!(
            words(false, [false; 2], 0.0, 0.0),
            "not duplicates: neither has words, and they are not equal"
        );
        assert_eq!(words(false, [true, false], 0.0, 0.5), "not duplicates: b.txt has no words");
    }
}
