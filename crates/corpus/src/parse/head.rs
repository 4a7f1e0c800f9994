//! The header lines of a WARC record or an HTTP response.
//!
//! Both end with an empty line and both should end lines with CRLF. Servers and archives exist that
//! end them with LF; browsers and other readers accept that, and so must we: whoever looks for CRLF
//! alone takes a page up to its first CRLFCRLF for a header.

/// A header, the empty line at its end included.
#[derive(Clone, Copy)]
pub(crate) struct RecordHead<'a>(&'a [u8]);

impl<'a> RecordHead<'a> {
    /// The header that `record` begins with; all of it where no empty line ends a header.
    pub(crate) fn of(record: &'a [u8]) -> RecordHead<'a> {
        RecordHead(&record[..RecordHead::length(record).unwrap_or(record.len())])
    }

    /// How long that header is with the empty line after it; `None` if it does not end.
    pub(crate) fn length(record: &[u8]) -> Option<usize> {
        RecordHead::length_from(record, 0)
    }

    /// The same, where the first `searched` bytes are known to hold no empty line.
    pub(crate) fn length_from(record: &[u8], searched: usize) -> Option<usize> {
        let empty_line = |line_end: usize| match record[line_end + 1..] {
            [b'\n', ..] => Some(line_end + 2),
            [b'\r', b'\n', ..] => Some(line_end + 3),
            _ => None,
        };
        // The line break before the empty line may be the last that was searched.
        let from = searched.saturating_sub(b"\n\r".len());
        memchr::memchr_iter(b'\n', &record[from..]).find_map(|found| empty_line(from + found))
    }

    /// The value of the first line with a name, whatever its case.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.values(name).next()
    }

    /// The values of all lines with a name, in their order.
    pub(crate) fn values<'n>(&self, name: &'n str) -> impl Iterator<Item = String> + use<'a, 'n> {
        let is_named = |found: &[u8]| found.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
        self.lines().filter_map(move |line| {
            let colon = memchr::memchr(b':', line)?;
            is_named(&line[..colon]).then(|| unfolded(&line[colon + 1..]))
        })
    }

    pub(crate) fn content_length(&self) -> Option<usize> {
        self.value("Content-Length")?.parse().ok()
    }

    /// The number behind the version in the first line of a response: `HTTP/1.1 200 OK`.
    pub(crate) fn status(&self) -> Option<u16> {
        let line = self.lines().next()?;
        let status = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(1)?;
        std::str::from_utf8(status).ok()?.parse().ok()
    }

    /// The names of all lines that have one.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lines()
            .filter_map(|line| Some(String::from_utf8_lossy(line).split_once(':')?.0.to_owned()))
            .collect()
    }

    /// The lines with those that continue them: a line that begins with a blank belongs to the one
    /// before.
    fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let mut end = 0;
            loop {
                end += memchr::memchr(b'\n', &rest[end..]).map_or(rest.len() - end, |found| found + 1);
                if !matches!(rest.get(end), Some(b' ' | b'\t')) {
                    break;
                }
            }
            let (line, after) = rest.split_at(end);
            rest = after;
            (!line.is_empty()).then_some(line)
        })
    }
}

/// A value on one line.
fn unfolded(value: &[u8]) -> String {
    let value = String::from_utf8_lossy(value.trim_ascii());
    if !value.contains('\n') {
        return value.into_owned();
    }
    value.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_ends_at_its_first_empty_line() {
        for (record, expected) in [
            ("a: b\r\n\r\nbody", Some(8)),
            ("a: b\n\nbody\r\n\r\nmore", Some(6)),
            ("a: b\r\n\nbody", Some(7)),
            ("a: b\n\r\nbody", Some(7)),
            ("a: b\r\nc: d", None),
            ("a: b\n", None),
            ("a: b\n\r", None),
            ("", None),
        ] {
            assert_eq!(RecordHead::length(record.as_bytes()), expected, "{record:?}");
            // However much of it was there when it was searched before.
            for held in 0..expected.unwrap_or(record.len()) {
                assert_eq!(RecordHead::length_from(record.as_bytes(), held), expected, "{record:?} {held}");
            }
        }
    }

    #[test]
    fn folded_and_repeated_lines_are_read() {
        let text =
            "HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html;\r\n\tcharset=x\r\nVia: a\nvia : b\n\nVia: c";
        let head = RecordHead::of(text.as_bytes());
        assert_eq!(head.value("content-type").as_deref(), Some("text/html; charset=x"));
        assert_eq!(head.values("Via").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(head.value("Vi"), None);
        assert_eq!(head.status(), Some(200));
        assert_eq!(RecordHead::of(b"HTTP/1.1").status(), None);
        assert_eq!(RecordHead::of(b"").names(), Vec::<String>::new());
    }
}
