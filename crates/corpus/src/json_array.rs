//! How is a JSON array read as lines of JSON?
//!
//! Many programs export one array of objects, often over many lines. Its elements become lines:
//! what is between them is left out, and a line break inside of one becomes a blank, which JSON
//! allows there, because its strings hold none. Everything behind this reads lines of JSON.

use std::io::{self, Read};

/// A JSON array that ends before it is closed.
#[derive(Debug, thiserror::Error)]
#[error("the JSON array is not closed")]
pub(crate) struct OpenArray;

/// How much is read at once.
const BUFFER: usize = 64 * 1024;

/// Gives a stream as it is, or, if it is a JSON array, the elements as lines.
pub(crate) fn lines(mut stream: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::new();
    stream.by_ref().take(SAMPLE as u64).read_to_end(&mut start)?;
    let is_array = begins_array(&start);
    let stream = io::Cursor::new(start).chain(stream);
    Ok(if is_array { Box::new(ArrayLines::new(stream)) } else { Box::new(stream) })
}

/// How many bytes tell whether a file is an array.
pub(crate) const SAMPLE: usize = 64;

/// Whether a file that begins so is one JSON array of objects.
pub(crate) fn begins_array(start: &[u8]) -> bool {
    let start = start.strip_prefix(crate::span::BYTE_ORDER_MARK).unwrap_or(start).trim_ascii_start();
    start.strip_prefix(b"[").is_some_and(|inside| matches!(inside.trim_ascii_start(), [] | [b'{' | b']', ..]))
}

/// Reads the elements of an array as lines.
struct ArrayLines<R> {
    array: R,
    /// Elements that were read and not yet given out.
    lines: Vec<u8>,
    given: usize,
    /// How many brackets are open.
    depth: usize,
    closed: bool,
    in_string: bool,
    escaped: bool,
    ended: bool,
}

impl<R: Read> ArrayLines<R> {
    fn new(array: R) -> Self {
        ArrayLines {
            array,
            lines: Vec::new(),
            given: 0,
            depth: 0,
            closed: false,
            in_string: false,
            escaped: false,
            ended: false,
        }
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.lines.push(byte);
            if self.escaped {
                self.escaped = false;
            } else {
                self.escaped = byte == b'\\';
                self.in_string = byte != b'"';
            }
            return;
        }
        // Before the array there is at most a byte order mark; what is behind it is passed on, so
        // that the lines of JSON that it is not become errors.
        if self.closed || self.depth == 0 && byte != b'[' {
            if self.closed {
                self.lines.push(byte);
            }
            return;
        }
        match byte {
            b'[' | b'{' => {
                self.depth += 1;
                if self.depth == 1 {
                    return;
                }
            }
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.closed = true;
                    self.lines.push(b'\n');
                    return;
                }
            }
            b'"' => self.in_string = true,
            b',' if self.depth == 1 => return self.lines.push(b'\n'),
            b'\n' | b'\r' => {
                // Outside of elements they are nothing, inside a blank.
                if self.depth > 1 {
                    self.lines.push(b' ');
                }
                return;
            }
            _ => {}
        }
        self.lines.push(byte);
    }
}

impl<R: Read> Read for ArrayLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.lines.len() && !self.ended {
            self.lines.clear();
            self.given = 0;
            let mut piece = Vec::with_capacity(BUFFER);
            self.array.by_ref().take(BUFFER as u64).read_to_end(&mut piece)?;
            piece.iter().for_each(|byte| self.take(*byte));
            if piece.is_empty() {
                self.ended = true;
                if self.depth > 0 {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, OpenArray));
                }
            }
        }
        let count = buffer.len().min(self.lines.len() - self.given);
        buffer[..count].copy_from_slice(&self.lines[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> String {
        let mut text = String::new();
        lines(Box::new(io::Cursor::new(json.to_owned()))).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn elements_become_lines() {
        let array = "\u{feff} [\n  {\"a\": \"x,\\\"]\",\r\n   \"b\": [1,\n2]},\n  {}\n]\n";
        assert!(begins_array(array.as_bytes()));
        let found = read(array);
        let found: Vec<_> = found.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(found, ["{\"a\": \"x,\\\"]\",     \"b\": [1, 2]}", "{}"]);
    }

    #[test]
    fn what_is_no_array_of_objects_stays() {
        for text in ["{\"a\": [1]}\n", "", "\n", "[1, 2]\n[3]\n"] {
            assert_eq!(read(text), text);
        }
        assert_eq!(read("[]").trim(), "");
        assert_eq!(read("[{\"a\": 1}]\n[2]"), "{\"a\": 1}\n\n[2]");
        let mut cut = lines(Box::new(io::Cursor::new("[{\"a\": 1}"))).unwrap();
        assert!(cut.read_to_string(&mut String::new()).is_err());
    }
}
