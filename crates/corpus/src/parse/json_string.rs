//! Strings of JSON: where does one end, and what do its escapes stand for?
//!
//! Nearly all bytes of a collection are in strings: the kernels pass plain characters and replace
//! simple escapes ([`twindex_core::kernel::json`]), what is left is here.

use std::borrow::Cow;

use twindex_core::kernel::Kernel;
use twindex_core::kernel::json::{ESCAPED, Unescaped};

/// Memory for the unescaped texts of a batch, reused for the next one: memory that is allocated
/// again costs page faults.
#[derive(Debug, Default)]
pub struct TextBuffer {
    bytes: Vec<u8>,
}

/// A buffer this many times as large as a batch needs is given back: one long row among short ones
/// must not hold its memory for ever.
const MOST_EXCESS: usize = 4;

/// Behind the last text a kernel still writes whole blocks: with this much room its last block is
/// no slower than the others.
const ROOM: usize = 64;

/// Smaller buffers are not worth it.
const LEAST_BYTES: usize = 1 << 20;

impl TextBuffer {
    /// Room for all texts in `bytes` bytes of JSON.
    pub(crate) fn room(&mut self, bytes: usize) -> Room<'_> {
        // No text is longer than its string.
        let least = bytes + ROOM;
        let most = least.max(LEAST_BYTES).saturating_mul(MOST_EXCESS);
        if !(least..=most).contains(&self.bytes.len()) {
            self.bytes = vec![0; least];
        }
        Room { rest: &mut self.bytes, kernel: Kernel::best() }
    }
}

/// The part of a [`TextBuffer`] that holds no text yet. Texts that do not fit get memory of their
/// own.
pub(crate) struct Room<'b> {
    rest: &'b mut [u8],
    pub(crate) kernel: Kernel,
}

impl Default for Room<'_> {
    fn default() -> Self {
        Room::none(Kernel::best())
    }
}

impl<'b> Room<'b> {
    /// No room: each text that has an escape gets memory of its own.
    pub(crate) fn none(kernel: Kernel) -> Self {
        Room { rest: &mut [], kernel }
    }

    /// Passes the string whose first character is at `start`: its text, and where it ends, with the
    /// quotation mark.
    pub(crate) fn text(&mut self, line: &'b str, start: usize) -> Option<(Cow<'b, str>, usize)> {
        let bytes = line.as_bytes().get(start..)?;
        let end = self.kernel.to_mark(bytes);
        if bytes.get(end) == Some(&b'"') {
            return Some((Cow::Borrowed(line.get(start..start + end)?), start + end + 1));
        }
        let most = bytes.len() + ROOM;
        if self.rest.len() < most {
            let mut text = vec![0; most];
            let (length, end) = unescape(self.kernel, bytes, &mut text)?;
            text.truncate(length);
            return Some((Cow::Owned(String::from_utf8(text).ok()?), start + end));
        }
        let (length, end) = unescape(self.kernel, bytes, self.rest)?;
        let (text, rest) = std::mem::take(&mut self.rest).split_at_mut(length);
        self.rest = rest;
        Some((Cow::Borrowed(simdutf8::basic::from_utf8(text).ok()?), start + end))
    }
}

/// Passes a string without reading it: where it ends, with the quotation mark. Half of a surrogate
/// pair is no error.
pub(crate) fn skip(kernel: Kernel, bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += kernel.to_mark(bytes.get(at..)?);
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = escape(bytes, at)?.1,
            _ => return None,
        }
    }
}

/// Writes the text of the string that `bytes` begin with. Returns its length and where the string
/// ends, with the quotation mark.
fn unescape(kernel: Kernel, bytes: &[u8], text: &mut [u8]) -> Option<(usize, usize)> {
    let (mut at, mut length) = (0, 0);
    loop {
        let Unescaped { read, written } = kernel.unescape(bytes.get(at..)?, text.get_mut(length..)?);
        at += read;
        length += written;
        match bytes.get(at)? {
            b'"' => return Some((length, at + 1)),
            b'\\' => {
                let (character, end) = escape(bytes, at)?;
                length += character.encode_utf8(text.get_mut(length..)?.first_chunk_mut::<4>()?).len();
                at = end;
            }
            _ => return None,
        }
    }
}

/// Passes the escape at `at`: the character that it stands for, and where it ends. Half of a
/// surrogate pair stands for U+FFFD.
pub(crate) fn escape(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let letter = *bytes.get(at + 1)?;
    let simple = ESCAPED[usize::from(letter)];
    if simple != 0 {
        return Some((char::from(simple), at + 2));
    }
    let unit = unit(bytes, at)?;
    let end = at + UNIT_ESCAPE;
    if let Some(character) = char::from_u32(u32::from(unit)) {
        return Some((character, end));
    }
    let pair = self::unit(bytes, end).and_then(|low| char::decode_utf16([unit, low]).next()?.ok());
    Some(match pair {
        Some(character) => (character, end + UNIT_ESCAPE),
        None => (char::REPLACEMENT_CHARACTER, end),
    })
}

/// How long an escape of a UTF-16 unit is.
pub(crate) const UNIT_ESCAPE: usize = "\\u0000".len();

/// The value of the `\uXXXX` at `at`.
pub(crate) fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + UNIT_ESCAPE)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)? as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_reused_and_large_ones_are_given_back() {
        let mut buffer = TextBuffer::default();
        for (bytes, expected) in
            [(100, 100), (50, 100), (5 << 20, 5 << 20), (2 << 20, 5 << 20), (1_000, 1_000), (900, 1_000)]
        {
            assert_eq!(buffer.room(bytes).rest.len(), expected + ROOM, "{bytes}");
        }
    }

    #[test]
    fn texts_are_equal_with_room_and_without() {
        for length in 0..3 * ROOM {
            for escape in ["", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\\"\\\\", "é"] {
                let string = format!("{}{escape}{}\"", "a".repeat(length), "b".repeat(length % 7));
                let expected = string.replace("\\ud83d\\ude00", "😀").replace("\\ud83d", "\u{fffd}");
                let expected: String = serde_json::from_str(&format!("\"{expected}")).unwrap();
                let mut buffer = TextBuffer::default();
                for mut room in [buffer.room(string.len()), Room::default()] {
                    assert_eq!(room.text(&string, 0), Some((expected.as_str().into(), string.len())));
                    assert_eq!(room.text(&string[..string.len() - 1], 0), None);
                }
                assert_eq!(skip(Kernel::best(), string.as_bytes(), 0), Some(string.len()));
            }
        }
    }
}
