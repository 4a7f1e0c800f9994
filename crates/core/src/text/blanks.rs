//! White space in the units of characters.

use super::token::Class;

const BLANK: u8 = b' ';

/// ASCII as it counts: white space is a blank, letters are lower case.
static FOLDED: [u8; 256] = table(true);
/// ASCII with white space replaced by blanks.
static AS_IT_IS: [u8; 256] = table(false);

const fn table(fold: bool) -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let character = byte as u8 as char;
        table[byte] = match byte as u8 {
            _ if character.is_whitespace() => BLANK,
            byte if fold => byte.to_ascii_lowercase(),
            byte => byte,
        };
        byte += 1;
    }
    table
}

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

    /// Passes ASCII on, in lower case if `fold`. `buffer` is a buffer.
    ///
    /// Every byte is written, and the next one takes the place of a blank behind a blank: whether a
    /// byte is white space is not a branch, because it would be mispredicted once or twice a word.
    pub(super) fn push_ascii(&mut self, text: &str, fold: bool, buffer: &mut Vec<u8>) {
        debug_assert!(text.is_ascii());
        let table = if fold { &FOLDED } else { &AS_IT_IS };
        let is_white = |byte: &u8| table[usize::from(*byte)] == BLANK;
        let bytes = text.as_bytes();
        self.blank |= bytes.first().is_some_and(is_white);
        let inside = bytes.iter().position(|byte| !is_white(byte)).map_or(&[][..], |first| &bytes[first..]);
        buffer.clear();
        buffer.resize(inside.len(), 0);
        let (mut length, mut after_blank) = (0, false);
        for &byte in inside {
            let byte = table[usize::from(byte)];
            let is_blank = byte == BLANK;
            buffer[length] = byte;
            length += usize::from(!(is_blank && after_blank));
            after_blank = is_blank;
        }
        // ASCII is valid.
        let line = str::from_utf8(&buffer[..length]).unwrap_or_default();
        self.push_str(line.strip_suffix(' ').unwrap_or(line));
        self.blank |= after_blank;
    }

    /// Passes text on that neither begins nor ends with white space, nor has two blanks in a row.
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
