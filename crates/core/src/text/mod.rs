//! How does a document become words?
//!
//! ```text
//! document -> visible text -> normal characters -> tokens -> tokens that count
//!            (markup)        (normalise)          (token)   (stop, stem)
//! ```
//!
//! The visible text is what a person reads, and what reports show. Normal characters hide differences that nobody
//! sees or means. Tokens are words, or single characters where a script has no spaces between words, so that every
//! language works without a flag.
//!
//! An [`Analyzer`] is built once from [`TextOptions`] and shared by all threads; a [`Scratch`] belongs to one thread
//! and keeps its buffers from document to document.

mod markup;
mod normalise;
mod options;
mod paragraph;
mod stem;
mod stop;
mod token;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::document::Markup;
use normalise::Stretch;
use stem::Endings;
use stop::StopWords;
use token::{Assembler, Class, Piece, Shape};

pub use options::{MarkupPolicy, TextError, TextOptions};
pub use paragraph::paragraphs;
pub use stem::Stem;
pub use stop::StopList;

/// Turns documents into tokens, by fixed options.
#[derive(Debug, Clone)]
pub struct Analyzer {
    normalise: bool,
    markup: MarkupPolicy,
    stop_words: StopWords,
    endings: Endings,
}

/// Buffers that an [`Analyzer`] fills anew for each document. They grow to the size of the largest one.
#[derive(Debug, Default)]
pub struct Scratch {
    visible: String,
    token: String,
    characters: String,
    stretch: Stretch,
}

impl Analyzer {
    /// An analyzer with these options, unless they contradict each other.
    pub fn new(options: &TextOptions) -> Result<Analyzer, TextError> {
        let stop_words = StopWords::of(&options.stop_words);
        let endings = Endings::of(options.stem);
        if !options.normalise {
            if !stop_words.is_empty() {
                return Err(TextError::NeedsNormalise { option: "stop_words" });
            }
            if !endings.stay() {
                return Err(TextError::NeedsNormalise { option: "stem" });
            }
        }
        Ok(Analyzer { normalise: options.normalise, markup: options.markup, stop_words, endings })
    }

    /// Calls `sink` with every token of the document, in order.
    pub fn tokens(&self, text: &str, markup: Markup, scratch: &mut Scratch, sink: &mut impl FnMut(&str)) {
        let Scratch { visible, token, stretch, .. } = scratch;
        let text = self.read(text, markup, visible);
        if self.stop_words.is_empty() && self.endings.stay() {
            self.split(text, token, stretch, |token, _| sink(token));
        } else {
            self.split(text, token, stretch, |token, shape| self.count(token, shape, sink));
        }
    }

    /// The characters that count, for shingles of characters: markup removed, normalised, each run of white space
    /// one blank, none at the ends.
    pub fn characters<'a>(&self, text: &str, markup: Markup, scratch: &'a mut Scratch) -> &'a str {
        let Scratch { visible, characters, stretch, .. } = scratch;
        let text = self.read(text, markup, visible);
        characters.clear();
        let mut blank = false;
        let mut push = |character: char, class| {
            if class == Class::Separator && character.is_whitespace() {
                blank = true;
                return;
            }
            if std::mem::take(&mut blank) && !characters.is_empty() {
                characters.push(' ');
            }
            characters.push(character);
        };
        for piece in token::pieces(text) {
            match piece {
                Piece::Ascii(text) => {
                    for byte in text.bytes() {
                        let byte = if self.normalise { byte.to_ascii_lowercase() } else { byte };
                        // White space is looked for among separators only.
                        push(char::from(byte), Class::Separator);
                    }
                }
                Piece::Mixed(text) => self.walk(text, stretch, &mut push),
            }
        }
        characters
    }

    /// The text that a person sees: markup removed, nothing folded.
    pub fn visible<'a>(&self, text: &'a str, markup: Markup) -> Cow<'a, str> {
        let mut visible = String::new();
        match self.markup.decide(markup) {
            Markup::None => Cow::Borrowed(text),
            Markup::Html => {
                markup::visible_text(text, &mut visible);
                Cow::Owned(visible)
            }
        }
    }

    /// The visible text, in `buffer` unless the document is plain.
    fn read<'a>(&self, text: &'a str, markup: Markup, buffer: &'a mut String) -> &'a str {
        match self.markup.decide(markup) {
            Markup::None => text,
            Markup::Html => {
                markup::visible_text(text, buffer);
                buffer
            }
        }
    }

    /// Splits visible text into tokens.
    fn split(
        &self,
        text: &str,
        token: &mut String,
        stretch: &mut Stretch,
        mut sink: impl FnMut(&str, Shape),
    ) {
        for piece in token::pieces(text) {
            match piece {
                Piece::Ascii(text) => {
                    token::ascii_tokens(text, self.normalise, token, |token| sink(token, Shape::Word));
                }
                Piece::Mixed(text) => {
                    let mut assembler = Assembler::new(token, &mut sink);
                    self.walk(text, stretch, &mut |character, class| assembler.push(character, class));
                    assembler.finish();
                }
            }
        }
    }

    /// Calls `emit` with every character that counts, and its class.
    fn walk(&self, text: &str, stretch: &mut Stretch, emit: &mut impl FnMut(char, Class)) {
        if self.normalise { normalise::walk(text, stretch, emit) } else { normalise::walk_raw(text, emit) }
    }

    /// Gives to `sink` what counts of a token: nothing of a stop word, the stem of a word.
    fn count(&self, token: &str, shape: Shape, sink: &mut impl FnMut(&str)) {
        if self.stop_words.contain(token) {
            return;
        }
        match shape {
            Shape::Word => self.endings.cut(token, sink),
            Shape::Single => sink(token),
        }
    }
}
