//! The rule's answer in words, with the names of two documents.

use crate::feature::Unit;
use crate::verify::Verdict;

/// The facts about the two documents.
pub(super) struct Case<'a> {
    /// Whether the left and the right text have features.
    pub(super) has_features: [bool; 2],
    pub(super) names: [&'a str; 2],
    pub(super) unit: Unit,
    pub(super) verdict: Verdict,
}

impl Case<'_> {
    /// Whether a job would call them duplicates: a text without words is a duplicate of nothing.
    pub(super) fn are_duplicates(&self) -> bool {
        self.has_features == [true; 2] && self.verdict.is_accepted()
    }

    /// The answer and its reason.
    pub(super) fn words(&self) -> String {
        let unit = match self.unit {
            Unit::Word => "words",
            Unit::Character => "characters",
        };
        match self.has_features {
            _ if self.are_duplicates() && self.verdict.measured.equal => {
                "duplicates: the texts are equal, byte for byte".to_owned()
            }
            _ if self.are_duplicates() => format!("duplicates: {}", self.verdict.reason()),
            [true, true] => format!("not duplicates: {}", self.verdict.reason()),
            [false, false] if self.verdict.measured.equal => {
                format!("not duplicates: the texts are equal, but have no {unit}")
            }
            [false, false] => format!("not duplicates: neither has {unit}"),
            [false, true] => format!("not duplicates: {} has no {unit}", self.names[0]),
            [true, false] => format!("not duplicates: {} has no {unit}", self.names[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Rule;
    use crate::verify::{Measured, Overlap};

    fn words(equal: bool, has_features: [bool; 2], common: usize) -> String {
        let overlap = Overlap { left: 100, right: 100, common };
        let measured = Measured { overlap, equal, cosine: 0.0, only_symbols_differ: false };
        let verdict = Verdict::new(Rule::default(), measured);
        let case = Case { has_features, names: ["a.txt", "b.txt"], unit: Unit::Word, verdict };
        assert_eq!(case.are_duplicates(), case.words().starts_with("duplicates"));
        case.words()
    }

    #[test]
    fn every_case_has_its_words() {
        assert_eq!(words(false, [true; 2], 80), "duplicates: jaccard 0.66 >= 0.5");
        assert_eq!(words(false, [true; 2], 66), "not duplicates: jaccard 0.49 < 0.5");
        assert_eq!(words(false, [true; 2], 0), "not duplicates: nothing in common");
        assert_eq!(words(true, [true; 2], 100), "duplicates: the texts are equal, byte for byte");
        assert_eq!(words(true, [false; 2], 0), "not duplicates: the texts are equal, but have no words");
        assert_eq!(words(false, [false; 2], 0), "not duplicates: neither has words");
        assert_eq!(words(false, [true, false], 0), "not duplicates: b.txt has no words");
    }
}
