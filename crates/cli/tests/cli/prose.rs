//! Texts that look like English or Chinese: words of unequal frequency in sentences.

use crate::random::Random;

/// A text as the list of its units: words, or single Han characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Prose {
    pub(crate) units: Vec<String>,
    script: Script,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Script {
    English,
    Chinese,
}

/// Units of a sentence.
const SENTENCE: usize = 14;

impl Prose {
    pub(crate) fn new(script: Script, units: usize, random: &mut Random) -> Prose {
        Prose { units: (0..units).map(|_| unit(script, random)).collect(), script }
    }

    /// The same text with every `rarity`th unit (on average, and at least one) replaced.
    pub(crate) fn edited(&self, rarity: usize, random: &mut Random) -> Prose {
        let mut edited = self.clone();
        for _ in 0..(self.units.len() / rarity).max(1) {
            let place = random.below(edited.units.len());
            edited.units[place] = unit(self.script, random);
        }
        edited
    }

    /// A text that shares every second sentence with this one: alike to the eye, and no duplicate.
    pub(crate) fn rival(&self, random: &mut Random) -> Prose {
        let fresh = Prose::new(self.script, self.units.len(), random);
        let sentences = self.units.chunks(SENTENCE).zip(fresh.units.chunks(SENTENCE)).enumerate();
        let units = sentences.flat_map(|(number, (own, other))| if number % 2 == 0 { own } else { other });
        Prose { units: units.cloned().collect(), script: self.script }
    }
}

impl std::fmt::Display for Prose {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (blank, stop) = match self.script {
            Script::English => (" ", ". "),
            Script::Chinese => ("", "。"),
        };
        let sentences: Vec<String> = self.units.chunks(SENTENCE).map(|units| units.join(blank)).collect();
        write!(formatter, "{}{}", sentences.join(stop), stop.trim_end())
    }
}

const COMMON: [&str; 20] = [
    "the", "of", "and", "a", "to", "in", "is", "was", "that", "for", "on", "with", "as", "by", "at", "from",
    "his", "it", "an", "were",
];

fn unit(script: Script, random: &mut Random) -> String {
    match script {
        Script::English if random.one_in(3) => COMMON[random.below(COMMON.len())].to_owned(),
        Script::English => {
            // Of letters: if a few syllables made every word, all texts would be spelt alike, as in
            // no language.
            let letters = 4 + random.below(5);
            (0..letters).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
        }
        // Some 1,500 characters of the common range.
        Script::Chinese => char::from_u32(0x4e00 + 13 * random.below(1_500) as u32).unwrap().to_string(),
    }
}
