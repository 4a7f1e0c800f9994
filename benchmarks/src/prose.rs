//! Sentences and paragraphs: words in the shape of a text.

use crate::random::Random;
use crate::vocabulary::{Script, TOPICS, Vocabulary};

/// The subject of a text: it draws words from two topics besides the general language.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    main: u32,
    side: u32,
}

impl Subject {
    /// Draws a subject.
    pub fn draw(random: &mut Random) -> Self {
        Self { main: random.below(TOPICS), side: random.below(TOPICS) }
    }
}

/// Between paragraphs.
pub const PARAGRAPH: &str = "\n\n";

/// Of 256 words, how many come from the main topic, and how many from either topic.
const MAIN_OF_256: u64 = 64;
const TOPICAL_OF_256: u64 = 96;

/// Of 256 words, how many are followed by a comma.
const COMMAS_OF_256: u64 = 20;

/// Appends paragraphs to `text` until it has grown by `length` bytes; the last sentence is
/// completed.
pub fn write(
    vocabulary: &Vocabulary,
    subject: Subject,
    length: usize,
    random: &mut Random,
    text: &mut String,
) {
    let end = text.len() + length;
    loop {
        let sentences = random.between(2, 7);
        for sentence in 0..sentences {
            if sentence > 0 && vocabulary.script == Script::Latin {
                text.push(' ');
            }
            write_sentence(vocabulary, subject, random, text);
            if text.len() >= end {
                return;
            }
        }
        text.push_str(PARAGRAPH);
    }
}

fn write_sentence(vocabulary: &Vocabulary, subject: Subject, random: &mut Random, text: &mut String) {
    let start = text.len();
    let words = random.between(6, 24);
    let (space, comma, stop) = match vocabulary.script {
        Script::Latin => (" ", ",", "."),
        Script::Han => ("", "，", "。"),
    };
    for word in 0..words {
        if word > 0 {
            text.push_str(space);
        }
        // One draw decides the word's source and whether a comma follows.
        let bits = random.bits();
        let source = bits & 255;
        text.push_str(if source < MAIN_OF_256 {
            vocabulary.topical(subject.main, random)
        } else if source < TOPICAL_OF_256 {
            vocabulary.topical(subject.side, random)
        } else {
            vocabulary.general(random)
        });
        if (bits >> 8) & 255 < COMMAS_OF_256 && word + 1 < words {
            text.push_str(comma);
        }
    }
    text.push_str(stop);
    // A word in Latin letters is ASCII, so its first byte is a whole character; in Han there are no
    // capitals.
    if vocabulary.script == Script::Latin {
        text[start..=start].make_ascii_uppercase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn text(script: Script, length: usize) -> String {
        let vocabulary = Vocabulary::new(1, script);
        let mut random = Random::new(1, Purpose::Body, 9);
        let mut text = String::new();
        write(&vocabulary, Subject::draw(&mut random), length, &mut random, &mut text);
        text
    }

    #[test]
    fn a_text_has_paragraphs_sentences_and_the_wanted_length() {
        let text = text(Script::Latin, 5_000);
        assert!((5_000..5_400).contains(&text.len()), "{}", text.len());
        assert!(text.split(PARAGRAPH).count() > 3);
        for paragraph in text.split(PARAGRAPH) {
            assert!(paragraph.ends_with('.'), "{paragraph}");
            assert!(!paragraph.contains("  ") && !paragraph.starts_with(' '), "{paragraph}");
        }
    }

    #[test]
    fn han_text_has_no_spaces() {
        let text = text(Script::Han, 3_000);
        assert!(text.ends_with('。') && text.contains('，') && !text.contains(' '));
    }
}
