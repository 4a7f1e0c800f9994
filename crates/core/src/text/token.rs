//! Where does a token begin and end?
//!
//! A token is a maximal run of letters, digits and combining marks, except that each character of a
//! script written without spaces is a token of its own, together with the marks that follow it. A
//! mark without a letter before it belongs to no token. Everything else separates: `don't` is `don`
//! and `t`.

mod ascii;
mod class;
mod han;
mod piece;

pub(super) use ascii::{folded, spans as ascii_spans, tokens as ascii_tokens};
pub(super) use class::{Class, class_of};
pub(super) use han::Words;
pub(super) use piece::{Piece, pieces};

/// Puts characters together to tokens.
pub(super) struct Assembler<'a, Sink> {
    token: &'a mut String,
    /// Whether the token so far is a character of an unspaced script, which only marks may join.
    single: bool,
    sink: Sink,
}

impl<'a, Sink: FnMut(&str, Shape)> Assembler<'a, Sink> {
    /// An assembler that builds each token in `token` and gives it to `sink`.
    pub(super) fn new(token: &'a mut String, sink: Sink) -> Self {
        token.clear();
        Assembler { token, single: false, sink }
    }

    /// Takes the next character of the text.
    #[inline]
    pub(super) fn push(&mut self, character: char, class: Class) {
        match class {
            Class::Word => {
                if self.single {
                    self.finish();
                }
                self.token.push(character);
            }
            Class::Single => {
                self.finish();
                self.token.push(character);
                self.single = true;
            }
            Class::Mark if self.token.is_empty() => {}
            Class::Mark => self.token.push(character),
            Class::Separator => self.finish(),
        }
    }

    /// Ends the token, if there is one.
    #[inline]
    pub(super) fn finish(&mut self) {
        if !self.token.is_empty() {
            let shape = if self.single { Shape::Single } else { Shape::Word };
            (self.sink)(self.token, shape);
            self.token.clear();
            self.single = false;
        }
    }
}

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A run of letters and digits.
    Word,
    /// One character of a script written without spaces.
    Single,
    /// A Chinese word that is no noun.
    HanWord,
    /// A Chinese noun.
    HanNoun,
}
