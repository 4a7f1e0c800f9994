//! Strings of JSON: where plain characters end, and the simple escapes replaced by a copy.
//!
//! A *mark* is a byte that is no plain character: a quotation mark, a backslash, or a control
//! character, which no string may hold. A text in JSON has an escape in each of its own lines, and
//! source code two or three: a copy that stops at each of them spends its time on mispredicted
//! branches. A vector kernel classifies a block of bytes at once, translates the escaped ones by a
//! table and leaves the backslashes out by one compression.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
#[cfg(test)]
mod tests;

use super::Kernel;

/// What a one-letter escape stands for; 0 for bytes that are none.
pub const ESCAPED: [u8; 256] = {
    let mut escaped = [0; 256];
    let pairs = *b"\"\"\\\\//b\x08f\x0cn\nr\rt\t";
    let mut pair = 0;
    while pair < pairs.len() {
        escaped[pairs[pair] as usize] = pairs[pair + 1];
        pair += 2;
    }
    escaped
};

/// Whether a byte is a mark.
pub fn is_mark(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

/// How far [`Kernel::unescape`] has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unescaped {
    /// Bytes of the string that are done.
    pub read: usize,
    /// Bytes of the text that they stand for.
    pub written: usize,
}

impl Kernel {
    /// Where the first mark is; the length if there is none.
    ///
    /// ```
    /// assert_eq!(twindex_core::kernel::Kernel::best().to_mark(br#"plain", "#), 5);
    /// ```
    pub fn to_mark(self, bytes: &[u8]) -> usize {
        let done = match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a value of this kernel exists only where the CPU has its features.
            Kernel::Avx512 => unsafe { avx512::to_mark(bytes) },
            _ => 0,
        };
        done + scalar::to_mark(&bytes[done..])
    }

    /// Copies characters and one-letter escapes of a JSON string, from the beginning of `string` to
    /// that of `text`. Stops where the caller has to decide: at the quotation mark that ends the
    /// string, a control character, any other escape, the end of `string`; and where `text` is
    /// full. What is behind `written` in `text` is overwritten.
    ///
    /// ```
    /// use twindex_core::kernel::{Kernel, json::Unescaped};
    ///
    /// let mut text = [0; 8];
    /// let done = Kernel::best().unescape(br#"a\tb\u00e9"#, &mut text);
    /// assert_eq!((done, &text[..3]), (Unescaped { read: 4, written: 3 }, &b"a\tb"[..]));
    /// ```
    pub fn unescape(self, string: &[u8], text: &mut [u8]) -> Unescaped {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => {
                // SAFETY: a value of this kernel exists only where the CPU has its features.
                let done = unsafe { avx512::unescape(string, text) };
                // Less than a block of the string or of the text is left, or a mark follows.
                let rest = scalar::unescape(&string[done.read..], &mut text[done.written..]);
                Unescaped { read: done.read + rest.read, written: done.written + rest.written }
            }
            _ => scalar::unescape(string, text),
        }
    }
}
