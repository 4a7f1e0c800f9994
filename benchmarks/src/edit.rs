//! The edits of copies: the kinds of change that real copies show, in graded strengths.

use crate::prose::PARAGRAPH;
use crate::random::Random;
use crate::vocabulary::{Script, Vocabulary};

/// How strongly a planted copy was edited. The share is that of the changed words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// The same text.
    Exact,
    /// 1 % of the words.
    Touched,
    /// 3 % of the words.
    Light,
    /// 6 % of the words.
    Moderate,
    /// 12 % of the words: near 0.5, where a rule may decide either way.
    Heavy,
    /// 25 % of the words: no longer a duplicate.
    Rewritten,
    /// Paragraphs change places, and 1 % of the words.
    Moved,
    /// The same article on another site, under that site's template.
    Resited,
    /// A variant of one template: runs of words are replaced.
    Variant,
}

impl Strength {
    /// Every strength, in the order of tables.
    pub const ALL: [Self; 9] = [
        Self::Exact,
        Self::Touched,
        Self::Light,
        Self::Moderate,
        Self::Heavy,
        Self::Rewritten,
        Self::Moved,
        Self::Resited,
        Self::Variant,
    ];

    /// The name that the truth file uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Touched => "touched",
            Self::Light => "light",
            Self::Moderate => "moderate",
            Self::Heavy => "heavy",
            Self::Rewritten => "rewritten",
            Self::Moved => "moved",
            Self::Resited => "resited",
            Self::Variant => "variant",
        }
    }

    /// The strength of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strength| strength.name() == name)
    }

    /// Draws the strength of a copy in a web collection: a quarter exact, the rest spread evenly.
    pub fn draw(random: &mut Random) -> Self {
        match random.below(28) {
            0..7 => Self::Exact,
            drawn => Self::ALL[1 + (drawn as usize - 7) / 3],
        }
    }

    fn changed_words_per_mille(self) -> u32 {
        match self {
            Self::Exact | Self::Resited | Self::Variant => 0,
            Self::Touched | Self::Moved => 10,
            Self::Light => 30,
            Self::Moderate => 60,
            Self::Heavy => 120,
            Self::Rewritten => 250,
        }
    }
}

/// Appends `original`, edited, to `copy`.
pub fn edit(
    original: &str,
    strength: Strength,
    vocabulary: &Vocabulary,
    random: &mut Random,
    copy: &mut String,
) {
    let rate = strength.changed_words_per_mille();
    if rate == 0 {
        copy.push_str(original);
        return;
    }
    let mut paragraphs: Vec<&str> = original.split(PARAGRAPH).collect();
    if strength == Strength::Moved {
        for _ in 0..2 {
            let places = [(); 2].map(|()| random.below(paragraphs.len() as u32) as usize);
            paragraphs.swap(places[0], places[1]);
        }
    }
    for (position, paragraph) in paragraphs.iter().enumerate() {
        if position > 0 {
            copy.push_str(PARAGRAPH);
        }
        match vocabulary.script {
            Script::Latin => edit_words(paragraph, rate, vocabulary, random, copy),
            Script::Han => edit_characters(paragraph, rate, vocabulary, random, copy),
        }
    }
}

fn edit_words(paragraph: &str, rate: u32, vocabulary: &Vocabulary, random: &mut Random, copy: &mut String) {
    let mut space = "";
    let mut push = |copy: &mut String, parts: [&str; 2]| {
        copy.push_str(space);
        parts.iter().for_each(|part| copy.push_str(part));
        space = " ";
    };
    for word in paragraph.split(' ') {
        if !random.chance(rate) {
            push(copy, [word, ""]);
            continue;
        }
        let mark = word.trim_start_matches(|character: char| character.is_ascii_alphanumeric());
        match random.below(4) {
            0 => {} // The word disappears, with its mark: sentences merge as they do in careless editing.
            1 => {
                push(copy, [word, ""]);
                push(copy, [vocabulary.general(random), ""]);
            }
            _ => push(copy, [vocabulary.general(random), mark]),
        }
    }
}

fn edit_characters(
    paragraph: &str,
    rate: u32,
    vocabulary: &Vocabulary,
    random: &mut Random,
    copy: &mut String,
) {
    for character in paragraph.chars() {
        if !random.chance(rate) {
            copy.push(character);
            continue;
        }
        match random.below(4) {
            0 => {}
            1 => {
                copy.push(character);
                copy.push_str(vocabulary.general(random));
            }
            _ => copy.push_str(vocabulary.general(random)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jaccard;
    use crate::prose::{self, Subject};
    use crate::random::Purpose;

    #[test]
    fn stronger_edits_leave_less_in_common() {
        for script in [Script::Latin, Script::Han] {
            let vocabulary = Vocabulary::new(1, script);
            let mut random = Random::new(1, Purpose::Body, 4);
            let mut original = String::new();
            prose::write(&vocabulary, Subject::draw(&mut random), 40_000, &mut random, &mut original);
            let mut jaccards = Strength::ALL.map(|strength| {
                let mut copy = String::new();
                edit(&original, strength, &vocabulary, &mut random, &mut copy);
                (strength, jaccard::of(&original, &copy))
            });
            assert_eq!(jaccards[0].1, 1.0);
            // With a share p of changed words, s = (1-p)^3 of the shingles survive, and J =
            // s/(2-s). Han punctuation is no word but may be hit, so that those texts lose a little
            // less.
            for (strength, jaccard) in &mut jaccards[1..6] {
                let survivors = (1.0 - f64::from(strength.changed_words_per_mille()) / 1000.0).powi(3);
                let expected = survivors / (2.0 - survivors);
                assert!((*jaccard - expected).abs() < 0.06, "{}: {jaccard} of {expected}", strength.name());
            }
            assert!(jaccards[1..6].is_sorted_by(|left, right| left.1 > right.1));
        }
    }

    #[test]
    fn names_are_read_back() {
        for strength in Strength::ALL {
            assert_eq!(Strength::of_name(strength.name()), Some(strength));
        }
        assert_eq!(Strength::of_name("gone"), None);
    }
}
