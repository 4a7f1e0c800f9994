//! Chinese cut into words with their part of speech.
//!
//! Characters are put together as usual, except that a run of Han characters waits until it ends
//! and is then cut by jieba: the most probable way through its dictionary, and a hidden Markov
//! model for names that the dictionary lacks. Everything else, kana too, is left to the
//! [`Assembler`].
//!
//! jieba adds logarithms of probabilities in floating point. They come from the same dictionary
//! everywhere, so that words are the same everywhere but for two ways through a run that are
//! equally probable to the last bit.

#[cfg(feature = "zh")]
use std::sync::LazyLock;

use icu_properties::CodePointMapData;
use icu_properties::props::Script;
#[cfg(feature = "zh")]
use jieba_rs::Jieba;

use super::{Assembler, Class, Shape};

/// The dictionary is unpacked at the first use, which takes a tenth of a second.
#[cfg(feature = "zh")]
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// A longer run is cut here first: no sentence is as long, and the work for a run needs memory for
/// all of it.
const LONGEST_RUN: usize = 4 << 10;

/// The tags of nouns begin so: common ones, names of people, places and organisations, and others.
#[cfg(feature = "zh")]
const NOUN: char = 'n';

/// Puts characters together to tokens, Han characters to words.
pub(in crate::text) struct Words<'a, Sink> {
    others: Assembler<'a, Sink>,
    run: &'a mut String,
}

impl<'a, Sink: FnMut(&str, Shape)> Words<'a, Sink> {
    /// Builds tokens in `token` and runs of Han characters in `run`, and gives tokens to `sink`.
    pub(in crate::text) fn new(token: &'a mut String, run: &'a mut String, sink: Sink) -> Self {
        run.clear();
        Words { others: Assembler::new(token, sink), run }
    }

    /// Takes the next character of the text.
    pub(in crate::text) fn push(&mut self, character: char, class: Class) {
        if class == Class::Single && is_han(character) {
            self.others.finish();
            if self.run.len() >= LONGEST_RUN {
                self.cut();
            }
            self.run.push(character);
        } else if class == Class::Mark && !self.run.is_empty() {
            // Nobody writes marks on Chinese; the dictionary knows none.
        } else {
            self.cut();
            self.others.push(character, class);
        }
    }

    /// Ends the last token.
    pub(in crate::text) fn finish(&mut self) {
        self.cut();
        self.others.finish();
    }

    /// Gives the words of the run away.
    fn cut(&mut self) {
        if self.run.is_empty() {
            return;
        }
        each_word(self.run, |word, is_noun| {
            (self.others.sink)(word, if is_noun { Shape::HanNoun } else { Shape::HanWord });
        });
        self.run.clear();
    }
}

/// Calls `sink` with every word of a run and whether it is a noun.
#[cfg(feature = "zh")]
fn each_word(run: &str, mut sink: impl FnMut(&str, bool)) {
    for tagged in JIEBA.tag(run, true) {
        sink(tagged.word, tagged.tag.starts_with(NOUN));
    }
}

/// Never called: [`Analyzer::new`](crate::text::Analyzer::new) refuses `han = "word"`.
#[cfg(not(feature = "zh"))]
fn each_word(_run: &str, _sink: impl FnMut(&str, bool)) {
    unreachable!("the dictionary of Chinese words is not compiled in")
}

fn is_han(character: char) -> bool {
    CodePointMapData::<Script>::new().get(character) == Script::Han
}
