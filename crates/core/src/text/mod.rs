//! How does a document become words?
//!
//! ```text
//! document -> visible text -> normal characters -> tokens -> tokens that count
//!            (markup)        (normalise)          (token)   (stop, stem)
//! ```
//!
//! The visible text is what a person reads, and what reports show. Normal characters hide
//! differences that are invisible or unintended. Tokens are words, or single characters where a
//! script has no spaces between words, so that every language works without a flag.
//!
//! An [`Analyzer`] is built once from [`TextOptions`] and shared by all threads; a [`Scratch`]
//! belongs to one thread and keeps its buffers from document to document.
//!
//! ```
//! use twindex_core::Markup;
//! use twindex_core::text::{Analyzer, Scratch, TextOptions};
//!
//! let analyzer = Analyzer::new(&TextOptions::default())?;
//! let mut tokens = vec![];
//! let text = "Ｃafé in 東京, don't panic";
//! analyzer.tokens(text, Markup::None, &mut Scratch::default(), &mut |token| {
//!     tokens.push(token.to_owned());
//! });
//! assert_eq!(tokens, ["café", "in", "東", "京", "don", "t", "panic"]);
//! # Ok::<(), twindex_core::text::TextError>(())
//! ```

#[cfg(not(all(feature = "html", feature = "languages", feature = "stem")))]
mod absent;
mod blanks;
mod compiled;
#[cfg(feature = "languages")]
mod language;
#[cfg(feature = "html")]
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
use crate::hash::WordHash;
use crate::kernel::words::WordRule;
use crate::kernel::{Kernel, grams};
#[cfg(not(feature = "languages"))]
use absent::language;
#[cfg(not(feature = "html"))]
use absent::markup;
use blanks::SingleBlanks;
use compiled::HTML;
use language::Languages;
use normalise::Stretch;
use stem::Endings;
use stem::known::{Shelf, ShortWord};
use stop::StopWords;
use token::{Assembler, Class, Piece, Shape, Words};

pub use options::{Boilerplate, Han, MarkupPolicy, TextError, TextOptions};
pub use paragraph::paragraphs;
pub use stem::Stem;
pub use stop::StopList;

/// Turns documents into tokens, by fixed options.
///
/// Without the cargo feature `html`, the methods that read a document panic at HTML; see
/// [`check`](Self::check).
///
/// ```
/// use twindex_core::Markup;
/// use twindex_core::text::{Analyzer, Scratch, Stem, StopList, TextOptions};
///
/// let options = TextOptions {
///     stop_words: vec![StopList::En],
///     stem: Stem::English,
///     ..TextOptions::default()
/// };
/// let analyzer = Analyzer::new(&options)?;
/// let mut tokens = vec![];
/// analyzer.tokens("The schools' OPENING", Markup::None, &mut Scratch::default(), &mut |token| {
///     tokens.push(token.to_owned());
/// });
/// assert_eq!(tokens, ["school", "open"]);
/// assert_eq!(analyzer.visible("<p>Red &amp; blue</p>", Markup::Html), "Red & blue");
/// # Ok::<(), twindex_core::text::TextError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Analyzer {
    normalise: bool,
    markup: MarkupPolicy,
    stop_words: StopWords,
    endings: Endings,
    han: Han,
    boilerplate: Boilerplate,
    /// Where stop words or endings depend on the language of a document: then they are here.
    languages: Option<Languages>,
    /// Words whose stems are known.
    known: Shelf,
}

/// Buffers that an [`Analyzer`] fills anew for each document. They grow to the size of the largest
/// one.
#[derive(Debug, Default)]
pub struct Scratch {
    visible: String,
    token: String,
    characters: String,
    ascii: Vec<u8>,
    stretch: Stretch,
    word_ends: Vec<usize>,
    run: String,
}

/// A piece of ASCII of this length is worth a call of the kernel, which costs as much as the words
/// of some 200 bytes.
const WORTH_A_CALL: usize = 256;

/// What the cargo feature `html` is needed by, in messages.
const HTML_DOCUMENT: &str = "an HTML document";

impl Analyzer {
    /// An analyzer with these options, unless they contradict each other or are not compiled in.
    pub fn new(options: &TextOptions) -> Result<Analyzer, TextError> {
        options.check_features()?;
        if !options.normalise {
            if !options.stop_words.is_empty() {
                return Err(TextError::NeedsNormalise { option: "stop_words" });
            }
            if options.stem != Stem::None {
                return Err(TextError::NeedsNormalise { option: "stem" });
            }
        }
        let mut analyzer = Analyzer {
            normalise: options.normalise,
            markup: options.markup,
            han: options.han,
            boilerplate: options.boilerplate,
            languages: Languages::of(&options.stop_words, options.stem),
            ..Analyzer::plain()
        };
        if analyzer.languages.is_none() && !options.stop_words.is_empty() {
            analyzer.stop_words = StopWords::of(&options.stop_words);
        }
        analyzer.endings = Endings::of(options.stem);
        Ok(analyzer)
    }

    /// The analyzer without options: everything counts.
    fn plain() -> Analyzer {
        Analyzer {
            normalise: true,
            markup: MarkupPolicy::Auto,
            stop_words: StopWords::none(),
            endings: Endings::of(Stem::None),
            han: Han::Character,
            boilerplate: Boilerplate::Keep,
            languages: None,
            known: Shelf::default(),
        }
    }

    /// An error if a document that arrives as `markup` cannot be read: HTML needs the cargo feature
    /// `html`. Without it, and without this check, all methods that read a document panic at HTML.
    ///
    /// A recipe with `markup = "none"` reads pages as plain text and needs no feature.
    pub fn check(&self, markup: Markup) -> Result<(), TextError> {
        HTML.require(self.markup.decide(markup) == Markup::Html, HTML_DOCUMENT)
    }

    /// Calls `sink` with every token of the document, in order.
    pub fn tokens(&self, text: &str, markup: Markup, scratch: &mut Scratch, sink: &mut impl FnMut(&str)) {
        let Scratch { visible, token, stretch, run, .. } = scratch;
        let text = self.read(text, markup, visible);
        let buffers = (token, stretch, run);
        if self.languages.is_none() && self.stop_words.is_empty() && self.endings.stay() {
            self.split(text, buffers, |token, _| sink(token));
        } else {
            let (stop_words, endings) = self.left_out_of(text);
            self.split(text, buffers, |token, shape| count(stop_words, endings, token, shape, sink));
        }
    }

    /// Calls `sink` with every token and whether it is known to be a noun.
    pub fn words(
        &self,
        text: &str,
        markup: Markup,
        scratch: &mut Scratch,
        sink: &mut impl FnMut(&str, bool),
    ) {
        let Scratch { visible, token, stretch, run, .. } = scratch;
        let text = self.read(text, markup, visible);
        let (stop_words, endings) = self.left_out_of(text);
        self.split(text, (token, stretch, run), |token, shape| {
            let mut sink = |token: &str| sink(token, shape == Shape::HanNoun);
            count(stop_words, endings, token, shape, &mut sink);
        });
    }

    /// Appends the hash of every token of the document, in order: what [`tokens`](Self::tokens) and
    /// hashing would give, with the long stretches of ASCII done by the kernel where it has the
    /// [rule](Self::word_rule).
    pub fn word_hashes(
        &self,
        kernel: Kernel,
        hash: WordHash,
        text: &str,
        markup: Markup,
        scratch: &mut Scratch,
        hashes: &mut Vec<u64>,
    ) {
        let Some(rule) = self.word_rule(hash) else {
            if self.languages.is_none() && !self.endings.stay() {
                return self.stem_hashes(hash, text, markup, scratch, hashes);
            }
            return self.tokens(text, markup, scratch, &mut |token| hashes.push(hash.hash(token.as_bytes())));
        };
        let Scratch { visible, token, stretch, word_ends, run, .. } = scratch;
        for piece in token::pieces(self.read(text, markup, visible)) {
            match piece {
                Piece::Ascii(text) if text.len() >= WORTH_A_CALL => {
                    let first = hashes.len();
                    word_ends.clear();
                    kernel.words(rule, text.as_bytes(), &[text.len()], hashes, word_ends);
                    self.remove_stop_words(hashes, first, word_ends);
                }
                Piece::Ascii(text) | Piece::Mixed(text) => {
                    let mut sink = |token: &str| hashes.push(hash.hash(token.as_bytes()));
                    let buffers = (&mut *token, &mut *stretch, &mut *run);
                    self.split(text, buffers, |token, shape| {
                        count(&self.stop_words, self.endings, token, shape, &mut sink);
                    });
                }
            }
        }
    }

    /// The same for words that are stemmed, all by the same language.
    fn stem_hashes(
        &self,
        hash: WordHash,
        text: &str,
        markup: Markup,
        scratch: &mut Scratch,
        hashes: &mut Vec<u64>,
    ) {
        let Scratch { visible, token, stretch, run, .. } = scratch;
        let define = |token: &str, shape: Shape| {
            let mut found = None;
            let mut sink = |stem: &str| found = Some(hash.hash(stem.as_bytes()));
            count(&self.stop_words, self.endings, token, shape, &mut sink);
            found
        };
        let text = self.read(text, markup, visible);
        self.known.with(hash, |known| {
            for piece in token::pieces(text) {
                match piece {
                    // Most words are short: they are neither copied nor folded.
                    Piece::Ascii(text) => token::ascii_spans(text, |start, end, _| {
                        let define = |token: &str| define(token, Shape::Word);
                        hashes.extend(match ShortWord::of(text.as_bytes(), start, end) {
                            Some(word) => {
                                known.get_short(word, || define(token::folded(&text[start..end], token)))
                            }
                            None => {
                                let token = token::folded(&text[start..end], token);
                                known.get(token, || define(token))
                            }
                        });
                    }),
                    Piece::Mixed(text) => self.split(text, (token, stretch, run), |token, shape| {
                        // Only words have endings; a Chinese word may look like one of another
                        // shape.
                        let define = || define(token, shape);
                        hashes.extend(if shape == Shape::Word { known.get(token, define) } else { define() });
                    }),
                }
            }
        });
    }

    /// Appends the document to `lines` in ASCII, if the kernel then finds its tokens there by their
    /// [rule](Self::word_rule), but for stop words: it has no markup, and whatever is not ASCII in
    /// it separates words, as dashes, curved quotes and emoji do. Otherwise `lines` stays as it
    /// was.
    pub fn push_plain(&self, text: &str, markup: Markup, lines: &mut Vec<u8>) -> bool {
        if self.markup.decide(markup) != Markup::None {
            return false;
        }
        let first = lines.len();
        lines.extend_from_slice(text.as_bytes());
        let is_plain = text.is_ascii() || normalise::blank_separators(text, &mut lines[first..]);
        if !is_plain {
            lines.truncate(first);
        }
        is_plain
    }

    /// Removes the [default hashes](crate::hash::chunks()) of stop words from `hashes[first..]`, in
    /// which documents end at `ends`.
    pub fn remove_stop_words(&self, hashes: &mut Vec<u64>, first: usize, ends: &mut [usize]) {
        if !self.stop_words.is_empty() {
            self.stop_words.remove_from(hashes, first, ends);
        }
    }

    /// The rule by which the kernel finds the tokens of ASCII and hashes them, if it can: they are
    /// folded and not stemmed, and stop words, which are known by their [default
    /// hash](crate::hash::chunks()), are [removed](Self::remove_stop_words) afterwards.
    pub fn word_rule(&self, hash: WordHash) -> Option<WordRule> {
        let are_plain = self.normalise && self.endings.stay() && self.languages.is_none();
        let are_all_kept = self.stop_words.is_empty() || hash == WordHash::Chunks;
        WordRule::folded(hash).filter(|_| are_plain && are_all_kept)
    }

    /// The stop words and endings of a visible text.
    fn left_out_of(&self, text: &str) -> (&StopWords, Endings) {
        match &self.languages {
            Some(languages) => languages.find(text),
            None => (&self.stop_words, self.endings),
        }
    }

    /// The characters that count, for shingles of characters: markup removed, normalised, each run
    /// of white space one blank, none at the ends.
    pub fn characters<'a>(&self, text: &str, markup: Markup, scratch: &'a mut Scratch) -> &'a str {
        let mut characters = std::mem::take(&mut scratch.characters);
        characters.clear();
        self.stretches(text, markup, scratch, &mut |stretch| characters.push_str(stretch));
        scratch.characters = characters;
        &scratch.characters
    }

    /// Appends the [default hash](crate::hash::chunks()) of each of the
    /// [characters](Self::characters), without putting them together.
    pub fn character_hashes(&self, text: &str, markup: Markup, scratch: &mut Scratch, hashes: &mut Vec<u64>) {
        self.stretches(text, markup, scratch, &mut |stretch| grams::characters(stretch, hashes));
    }

    /// Calls `sink` with the characters that count, in stretches of any length.
    fn stretches(&self, text: &str, markup: Markup, scratch: &mut Scratch, sink: &mut impl FnMut(&str)) {
        let Scratch { visible, token, stretch, ascii, .. } = scratch;
        let mut line = SingleBlanks::new(sink);
        for piece in token::pieces(self.read(text, markup, visible)) {
            match piece {
                Piece::Ascii(text) => line.push_ascii(text, self.normalise, ascii),
                Piece::Mixed(text) if self.normalise => {
                    let mut rest = text;
                    while !rest.is_empty() {
                        token.clear();
                        let (_, behind) = rest.split_at(normalise::push_starters(rest, token));
                        line.push_str(token);
                        let (others, behind) = behind.split_at(normalise::others_length(behind));
                        normalise::walk(others, stretch, &mut |character, class| line.push(character, class));
                        rest = behind;
                    }
                }
                Piece::Mixed(text) => {
                    normalise::walk_raw(text, &mut |character, class| line.push(character, class));
                }
            }
        }
    }

    /// The text that a person sees: markup removed, nothing folded.
    pub fn visible<'a>(&self, text: &'a str, markup: Markup) -> Cow<'a, str> {
        let mut visible = String::new();
        match self.markup.decide(markup) {
            Markup::None | Markup::Features => Cow::Borrowed(text),
            Markup::Html => {
                markup::visible_text(text, self.boilerplate, &mut visible);
                Cow::Owned(visible)
            }
        }
    }

    /// The visible text, in `buffer` unless the document is plain.
    fn read<'a>(&self, text: &'a str, markup: Markup, buffer: &'a mut String) -> &'a str {
        match self.markup.decide(markup) {
            Markup::None | Markup::Features => text,
            Markup::Html => {
                markup::visible_text(text, self.boilerplate, buffer);
                buffer
            }
        }
    }

    /// Splits visible text into tokens.
    fn split(
        &self,
        text: &str,
        (token, stretch, run): (&mut String, &mut Stretch, &mut String),
        mut sink: impl FnMut(&str, Shape),
    ) {
        for piece in token::pieces(text) {
            match piece {
                Piece::Ascii(text) => {
                    token::ascii_tokens(text, self.normalise, token, |token| sink(token, Shape::Word));
                }
                Piece::Mixed(text) if self.han == Han::Word => {
                    let mut words = Words::new(token, run, &mut sink);
                    self.walk(text, stretch, &mut |character, class| words.push(character, class));
                    words.finish();
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
}

/// Gives to `sink` what counts of a token: nothing of a stop word, the stem of a word.
fn count(stop_words: &StopWords, endings: Endings, token: &str, shape: Shape, sink: &mut impl FnMut(&str)) {
    if stop_words.contain(token) {
        return;
    }
    match shape {
        Shape::Word => endings.cut(token, sink),
        Shape::Single | Shape::HanWord | Shape::HanNoun => sink(token),
    }
}
