//! The parser of a line of JSON: which values of an object are wanted?
//!
//! One walk from string to string: each key is compared with the wanted paths, other values are
//! passed without being built, and a wanted string stays where it is, unless something in it is
//! escaped. What is wrong with a line that is no object is said by serde_json, which reads it again
//! for that; tests hold the two against each other.

use serde_json::Number;
use twindex_core::kernel::Kernel;

use crate::field::FieldPath;
use crate::parse::json_string::{self, Room};
use crate::row::Found;

/// Fields that can be wanted at once: the bits of a set.
pub(crate) const MOST_FIELDS: usize = u64::BITS as usize;

/// Longer integers may not fit.
const LONGEST_INTEGER: usize = 18;

/// Fills a slot for each path from `line`, one JSON object; `None` if it is none, or holds a wanted
/// number that is too large. Half of a surrogate pair is read as U+FFFD.
pub(crate) fn read<'b>(
    line: &'b str,
    paths: &[&FieldPath],
    slots: &mut [Found<'b>],
    room: &mut Room<'b>,
) -> Option<()> {
    slots.fill(Found::Missing);
    let cursor = Cursor { line, at: 0, kernel: room.kernel };
    let mut walk = Walk { cursor, paths, slots, room, whole: 0 };
    walk.cursor.skip_blanks();
    walk.cursor.expect(b'{')?;
    walk.object(all(paths.len()), 0)?;
    walk.cursor.skip_blanks();
    (walk.cursor.at == line.len()).then_some(())
}

fn all(count: usize) -> u64 {
    if count >= MOST_FIELDS { u64::MAX } else { (1 << count) - 1 }
}

/// A walk over one line.
struct Walk<'w, 'b> {
    cursor: Cursor<'b>,
    paths: &'w [&'w FieldPath],
    /// One per path.
    slots: &'w mut [Found<'b>],
    room: &'w mut Room<'b>,
    /// The slots that were filled by a field with the whole dotted name, which wins over a nested
    /// one.
    whole: u64,
}

/// The wanted paths that a key belongs to.
struct Matched {
    /// Those that end here: the value is theirs.
    ending: u64,
    /// Those that go on inside the value.
    inside: u64,
}

impl<'b> Walk<'_, 'b> {
    /// What follows the opening bracket of an object at some depth of the paths in `active`. Goes
    /// as deep as paths do.
    fn object(&mut self, active: u64, depth: usize) -> Option<()> {
        if self.cursor.take_after_blanks(b'}') {
            return Some(());
        }
        loop {
            self.cursor.skip_blanks();
            self.cursor.expect(b'"')?;
            let (key, end) = self.cursor.key()?;
            let Matched { ending, inside } = self.matched(&key, active, depth);
            self.cursor.at = end;
            self.cursor.colon()?;
            if depth == 0 {
                self.whole |= ending;
            }
            let inside = inside & !self.whole;
            if ending | inside == 0 {
                self.cursor.skip_value()?;
            } else {
                // Of two equal keys the last counts, also when it holds less.
                self.set(inside, &Found::Missing);
                self.value(ending, inside, depth)?;
            }
            if !self.cursor.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    fn matched(&self, key: &str, active: u64, depth: usize) -> Matched {
        let mut matched = Matched { ending: 0, inside: 0 };
        for (slot, path) in self.paths.iter().enumerate() {
            let bit = 1 << slot;
            if active & bit == 0 {
                continue;
            }
            let last = depth + 1 == path.segments().len();
            if depth == 0 && key == path.as_str() || last && key == path.segments()[depth] {
                matched.ending |= bit;
            } else if !last && key == path.segments()[depth] {
                matched.inside |= bit;
            }
        }
        matched
    }

    /// A value that the paths in `ending` end at and those in `inside` go into.
    fn value(&mut self, ending: u64, inside: u64, depth: usize) -> Option<()> {
        let found = match self.cursor.peek()? {
            b'"' => {
                let (text, end) = self.room.text(self.cursor.line, self.cursor.at + 1)?;
                self.cursor.at = end;
                Found::Text(text)
            }
            b'{' => {
                self.set(ending, &Found::Object);
                self.cursor.at += 1;
                return self.object(inside, depth + 1);
            }
            b'n' => {
                self.cursor.skip_value()?;
                // What would be inside of null is null, too, as in a column of objects.
                self.set(inside, &Found::Null);
                Found::Null
            }
            b'[' => {
                let start = self.cursor.at;
                self.cursor.skip_value()?;
                Found::Array(self.cursor.line[start..self.cursor.at].into())
            }
            b't' | b'f' => {
                self.cursor.skip_value()?;
                Found::Boolean
            }
            _ => self.cursor.number_value()?,
        };
        self.set(ending, &found);
        Some(())
    }

    fn set(&mut self, mut which: u64, found: &Found<'b>) {
        while which != 0 {
            self.slots[which.trailing_zeros() as usize].clone_from(found);
            which &= which - 1;
        }
    }
}

/// A place in a line.
struct Cursor<'b> {
    line: &'b str,
    at: usize,
    kernel: Kernel,
}

impl<'b> Cursor<'b> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes `byte`, if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn take_after_blanks(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.take(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    /// Passes the colon behind a key.
    fn colon(&mut self) -> Option<()> {
        self.skip_blanks();
        self.expect(b':')?;
        self.skip_blanks();
        Some(())
    }

    /// Whether a comma follows, after which there is another member, or `close`.
    fn goes_on(&mut self, close: u8) -> Option<bool> {
        self.skip_blanks();
        if self.take(b',') {
            return Some(true);
        }
        self.expect(close).map(|()| false)
    }

    /// A key, and where it ends. Few have escapes, and these need memory of their own.
    fn key(&self) -> Option<(std::borrow::Cow<'b, str>, usize)> {
        Room::none(self.kernel).text(self.line, self.at)
    }

    /// A number: an integer where it is one that fits.
    fn number_value(&mut self) -> Option<Found<'b>> {
        let start = self.at;
        self.skip_number()?;
        let number = &self.line[start..self.at];
        // What has a fraction or an exponent does not parse. (And -0 is no integer.)
        if number.len() <= LONGEST_INTEGER
            && number != "-0"
            && let Ok(integer) = number.parse()
        {
            return Some(Found::Integer(integer));
        }
        let number: Number = serde_json::from_str(number).ok()?;
        let integer = number.as_i64().map(Found::Integer);
        let unsigned = || number.as_u64().map(Found::Unsigned);
        integer.or_else(unsigned).or_else(|| number.as_f64().map(Found::Number))
    }

    /// Passes any value, however deep: what is open is on a stack that only nested values need.
    fn skip_value(&mut self) -> Option<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek()? {
                b'"' => self.skip_string()?,
                first @ (b'{' | b'[') => {
                    self.at += 1;
                    let close = if first == b'{' { b'}' } else { b']' };
                    if !self.take_after_blanks(close) {
                        open.push(close);
                        self.skip_key(close)?;
                        continue;
                    }
                }
                b't' => self.literal("true")?,
                b'f' => self.literal("false")?,
                b'n' => self.literal("null")?,
                _ => self.skip_number()?,
            }
            // The value has ended, and maybe what it is in.
            loop {
                let Some(&close) = open.last() else { return Some(()) };
                if self.goes_on(close)? {
                    self.skip_blanks();
                    self.skip_key(close)?;
                    break;
                }
                open.pop();
            }
        }
    }

    /// Passes the key of a member, if it is one of an object.
    fn skip_key(&mut self, close: u8) -> Option<()> {
        if close != b'}' {
            return Some(());
        }
        if self.peek()? != b'"' {
            return None;
        }
        self.skip_string()?;
        self.colon()
    }

    fn skip_string(&mut self) -> Option<()> {
        self.at = json_string::skip(self.kernel, self.line.as_bytes(), self.at + 1)?;
        Some(())
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        let is_next = self.line.as_bytes().get(self.at..)?.starts_with(literal.as_bytes());
        self.at += literal.len();
        is_next.then_some(())
    }

    fn skip_number(&mut self) -> Option<()> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

#[cfg(test)]
mod tests;
