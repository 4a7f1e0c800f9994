//! The quick way through a line of JSON, for the lines that nearly all collections consist of.
//!
//! A general parser looks at every byte of every value. Of most rows only the ends of strings
//! matter: the next quotation mark or backslash, which a search with vectors finds. So this walk
//! goes from string to string, and those that are wanted stay where they are, unless something in
//! them is escaped.
//!
//! It answers only where there is no doubt. Whatever it does not know (a wanted field inside
//! another one, an escape in a key, half of a surrogate pair, a tab between values, anything that
//! is wrong) is left to [`Walk`](super::json_fields::Walk), which also says what is wrong: a test
//! holds the two against each other. Rows of 125,000 posts are made by 257 million instructions
//! instead of 434 (callgrind, AVX2), checking UTF-8 a batch at a time included.

use std::borrow::Cow;

use crate::field::FieldPath;
use crate::row::Found;

/// Longer lines are mostly one long text with an escape in each of its own lines, where finding the
/// next escape gains nothing: RFCs of 57 KB were read no faster, and in some runs slower. (Where
/// exactly the line is was not measured.)
const LONGEST_LINE: usize = 4 << 10;

/// Deeper values are left to the general parser, which has a limit of its own: no row that is made
/// by hand is deeper.
const DEEPEST: usize = 16;

/// Longer integers may not fit, and are left to the general parser, too.
const LONGEST_INTEGER: usize = 18;

/// Fills a slot for each path from `line`, one JSON object; `None` if the general parser must read
/// it.
pub(crate) fn read<'l>(line: &'l str, paths: &[&FieldPath], slots: &mut [Found<'l>]) -> Option<()> {
    let is_simple = line.len() <= LONGEST_LINE && paths.iter().all(|path| path.segments().len() == 1);
    if !is_simple || has_control(line.as_bytes()) {
        return None;
    }
    slots.fill(Found::Missing);
    let mut cursor = Cursor { line, at: 0 };
    cursor.skip_blanks();
    cursor.expect(b'{')?;
    cursor.members(b'}', |cursor| {
        let key = cursor.plain_string()?;
        let wanted = paths.iter().position(|path| path.as_str() == key);
        cursor.skip_blanks();
        cursor.expect(b':')?;
        cursor.skip_blanks();
        let Some(slot) = wanted else { return cursor.skip_value(DEEPEST) };
        let found = cursor.value()?;
        // Several slots may want the same field; of two equal keys the last counts.
        for (slot, path) in slots.iter_mut().zip(paths).skip(slot + 1) {
            if path.as_str() == key {
                slot.clone_from(&found);
            }
        }
        slots[slot] = found;
        Some(())
    })?;
    cursor.skip_blanks();
    (cursor.at == line.len()).then_some(())
}

/// Whether there is a byte that no string may hold. (As white space it may stand between values.)
fn has_control(line: &[u8]) -> bool {
    // The smallest of all, which vectors find.
    line.iter().copied().min().is_some_and(|least| least < b' ')
}

/// A place in a line.
struct Cursor<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Cursor<'l> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    /// Passes `byte`, if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// What follows an opening bracket: members with commas between them, up to the closing one.
    #[inline(always)]
    fn members(&mut self, close: u8, mut member: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.skip_blanks();
        if self.take(close) {
            return Some(());
        }
        loop {
            self.skip_blanks();
            member(self)?;
            self.skip_blanks();
            if self.take(close) {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    /// What is between quotation marks, if there is no escape in it.
    fn plain_string(&mut self) -> Option<&'l str> {
        self.expect(b'"')?;
        let plain = self.up_to_mark()?;
        self.expect(b'"')?;
        Some(plain)
    }

    /// Passes everything up to the next quotation mark or backslash.
    #[inline(always)]
    fn up_to_mark(&mut self) -> Option<&'l str> {
        let start = self.at;
        self.at += memchr::memchr2(b'"', b'\\', self.line.as_bytes().get(start..)?)?;
        self.line.get(start..self.at)
    }

    /// Passes a string: calls `piece` with everything up to an escape and up to the end, and
    /// `character` with what an escape stands for.
    #[inline(always)]
    fn string<T>(
        &mut self,
        text: &mut T,
        piece: impl Fn(&mut T, &str),
        character: impl Fn(&mut T, char),
    ) -> Option<()> {
        loop {
            piece(text, self.up_to_mark()?);
            if self.take(b'"') {
                return Some(());
            }
            character(text, self.escape()?);
        }
    }

    /// Passes an escape: the character that it stands for.
    fn escape(&mut self) -> Option<char> {
        self.expect(b'\\')?;
        let escaped = self.peek()?;
        self.at += 1;
        Some(match escaped {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(escaped),
            b'u' => {
                let unit = self.unit()?;
                match char::from_u32(unit) {
                    Some(character) => character,
                    // Half of a pair: the other half must follow.
                    None => {
                        self.expect(b'\\')?;
                        self.expect(b'u')?;
                        let pair = [unit, self.unit()?].map(|unit| unit as u16);
                        char::decode_utf16(pair).next()?.ok()?
                    }
                }
            }
            _ => return None,
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.line.as_bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
    }

    /// A wanted value: a string, an integer of ordinary size, or null.
    fn value(&mut self) -> Option<Found<'l>> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                let plain = self.up_to_mark()?;
                if self.take(b'"') {
                    return Some(Found::Text(Cow::Borrowed(plain)));
                }
                // No string is longer than the rest of its line.
                let mut text = String::with_capacity(self.line.len() - self.at + plain.len());
                text.push_str(plain);
                text.push(self.escape()?);
                self.string(&mut text, String::push_str, String::push)?;
                Some(Found::Text(Cow::Owned(text)))
            }
            b'n' => self.literal("null").map(|()| Found::Null),
            _ => {
                let start = self.at;
                self.number()?;
                let number = &self.line[start..self.at];
                if number.len() > LONGEST_INTEGER {
                    return None;
                }
                // What has a fraction or an exponent does not parse. (And -0 is no integer.)
                number.parse().ok().filter(|_| number != "-0").map(Found::Integer)
            }
        }
    }

    /// Passes any value, `depth` levels deep at most.
    fn skip_value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.string(&mut (), |(), _| {}, |(), _| {})
            }
            b'{' => {
                self.at += 1;
                self.members(b'}', |cursor| {
                    cursor.skip_value_if(b'"', depth)?;
                    cursor.skip_blanks();
                    cursor.expect(b':')?;
                    cursor.skip_blanks();
                    cursor.skip_value(depth)
                })
            }
            b'[' => {
                self.at += 1;
                self.members(b']', |cursor| cursor.skip_value(depth))
            }
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.number(),
        }
    }

    fn skip_value_if(&mut self, first: u8, depth: usize) -> Option<()> {
        if self.peek() == Some(first) { self.skip_value(depth) } else { None }
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        let is_next = self.line.as_bytes().get(self.at..)?.starts_with(literal.as_bytes());
        self.at += literal.len();
        is_next.then_some(())
    }

    fn number(&mut self) -> Option<()> {
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
