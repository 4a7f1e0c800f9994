//! The words of an artificial language, by rank, with their topics.
//!
//! Two languages: one written with spaces in Latin letters, made of syllables, and one written
//! without spaces in Han characters. The frequent words are short, as in every real language.
//! Frequencies follow the law of Zipf.

use std::collections::HashSet;

use crate::choice::Choice;
use crate::random::{Purpose, Random};

/// How a language is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Words between spaces.
    Latin,
    /// Characters without spaces.
    Han,
}

/// A language: its words and how often each is used, in general and by topic.
#[derive(Debug)]
pub struct Vocabulary {
    /// How it is written.
    pub script: Script,
    letters: String,
    /// The end of each word in `letters`.
    ends: Vec<u32>,
    general: Choice,
    topics: Vec<Vec<u32>>,
    in_topic: Choice,
}

/// Tens of thousands, as a large newspaper uses in a year.
const WORDS: usize = 40_000;

/// Flattens the head of the law of Zipf: without it the first word would be a tenth of all text.
const ZIPF_OFFSET: u64 = 4;

/// Topics, and the words that are typical for each.
pub const TOPICS: u32 = 96;
const WORDS_OF_A_TOPIC: usize = 400;

/// The words below this rank are the "the" and "of": they belong to no topic.
const FIRST_TOPICAL_RANK: u32 = 150;

impl Vocabulary {
    /// The language of `seed` in one script.
    pub fn new(seed: u64, script: Script) -> Self {
        let mut random = Random::new(seed, Purpose::Vocabulary, script as u64);
        let mut known = HashSet::new();
        let mut letters = String::new();
        let mut ends = vec![0];
        let characters = han_characters(&mut random);
        let frequency = Choice::zipf(characters.len(), 40);
        while ends.len() <= WORDS {
            let rank = ends.len();
            let word = match script {
                Script::Latin => latin_word(&mut random, rank),
                Script::Han => han_word(&mut random, rank, &characters, &frequency),
            };
            if known.insert(word.clone()) {
                letters.push_str(&word);
                ends.push(letters.len() as u32);
            }
        }
        let topics = (0..TOPICS)
            .map(|_| {
                let topical = || random.between(FIRST_TOPICAL_RANK, WORDS as u32 - 1);
                std::iter::repeat_with(topical).take(WORDS_OF_A_TOPIC).collect()
            })
            .collect();
        let general = Choice::zipf(WORDS, ZIPF_OFFSET);
        Self { script, letters, ends, general, topics, in_topic: Choice::zipf(WORDS_OF_A_TOPIC, 8) }
    }

    /// A word as any text uses it.
    #[inline]
    pub fn general(&self, random: &mut Random) -> &str {
        self.word(self.general.draw(random))
    }

    /// A word that is typical for a topic.
    #[inline]
    pub fn topical(&self, topic: u32, random: &mut Random) -> &str {
        self.word(self.topics[topic as usize][self.in_topic.draw(random)] as usize)
    }

    #[inline]
    fn word(&self, rank: usize) -> &str {
        &self.letters[self.ends[rank] as usize..self.ends[rank + 1] as usize]
    }
}

const ONSETS: [&str; 24] = [
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "br", "cl", "dr", "gr", "pl",
    "sh", "st", "th", "tr",
];
const NUCLEI: [&str; 10] = ["a", "e", "i", "o", "u", "a", "e", "ea", "io", "ou"];
const CODAS: [&str; 20] =
    ["", "", "", "", "", "", "", "", "", "", "n", "r", "s", "t", "l", "d", "m", "nd", "st", "ng"];

/// One word in fifty is a number, as in news.
const NUMBERS_PER_MILLE: u32 = 20;

fn latin_word(random: &mut Random, rank: usize) -> String {
    if rank > 50 && random.chance(NUMBERS_PER_MILLE) {
        return random.between(2, 2_100).to_string();
    }
    let (fewest, most) = match rank {
        0..40 => (1, 1),
        40..800 => (1, 2),
        800..4_000 => (2, 2),
        _ => (2, 3),
    };
    let mut word = String::new();
    for _ in 0..random.between(fewest, most) {
        for parts in [ONSETS.as_slice(), &NUCLEI, &CODAS] {
            word.push_str(parts[random.below(parts.len() as u32) as usize]);
        }
    }
    word
}

/// About as many characters as a newspaper reader knows.
const CHARACTERS: usize = 3_500;

/// The first and last character of the block "CJK Unified Ideographs" as Unicode 1.1 filled it.
const HAN: (u32, u32) = (0x4e00, 0x9fa5);

fn han_characters(random: &mut Random) -> Vec<char> {
    let mut known = HashSet::new();
    let mut characters = Vec::with_capacity(CHARACTERS);
    while characters.len() < CHARACTERS {
        let drawn = char::from_u32(random.between(HAN.0, HAN.1));
        if let Some(character) = drawn.filter(|&character| known.insert(character)) {
            characters.push(character);
        }
    }
    characters
}

fn han_word(random: &mut Random, rank: usize, characters: &[char], frequency: &Choice) -> String {
    let length = match rank {
        0..60 => 1,
        60..20_000 => 2,
        _ => random.between(2, 4),
    };
    (0..length).map(|_| characters[frequency.draw(random)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinct_and_in_their_script() {
        for script in [Script::Latin, Script::Han] {
            let vocabulary = Vocabulary::new(1, script);
            let words: HashSet<&str> = (0..WORDS).map(|rank| vocabulary.word(rank)).collect();
            assert_eq!(words.len(), WORDS);
            assert!(words.iter().all(|word| !word.is_empty()));
            let han = words.iter().all(|word| word.chars().all(|c| (HAN.0..=HAN.1).contains(&(c as u32))));
            assert_eq!(han, script == Script::Han);
        }
    }

    #[test]
    fn frequent_words_are_frequent() {
        let vocabulary = Vocabulary::new(1, Script::Latin);
        let mut random = Random::new(1, Purpose::Body, 0);
        let first = vocabulary.word(0);
        let uses = (0..100_000).filter(|_| vocabulary.general(&mut random) == first).count();
        // 1/4 of the harmonic sum from 4 to 40,003, which is 9.34: 2.7 %.
        assert!((2_300..3_100).contains(&uses), "{uses}");
    }
}
