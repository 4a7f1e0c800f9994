//! White space in the units of characters.

use super::token::Class;

/// Passes a text on in which each run of white space is one blank, and none is at the ends.
pub(super) struct SingleBlanks<'a, Sink> {
    /// Whether white space was the last.
    blank: bool,
    /// Whether anything came before.
    begun: bool,
    sink: &'a mut Sink,
}

impl<'a, Sink: FnMut(&str)> SingleBlanks<'a, Sink> {
    pub(super) fn new(sink: &'a mut Sink) -> Self {
        SingleBlanks { blank: false, begun: false, sink }
    }

    #[inline]
    pub(super) fn push_blank(&mut self) {
        self.blank = true;
    }

    #[inline]
    pub(super) fn push(&mut self, character: char, class: Class) {
        if class == Class::Separator && character.is_whitespace() {
            self.push_blank();
        } else {
            self.push_str(character.encode_utf8(&mut [0; 4]));
        }
    }

    /// Passes text without white space on.
    #[inline]
    pub(super) fn push_str(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.blank) && self.begun {
            (self.sink)(" ");
        }
        self.begun = true;
        (self.sink)(text);
    }
}
