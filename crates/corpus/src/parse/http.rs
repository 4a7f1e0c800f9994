//! What did a server send? Finds the response in a record, and undoes its transfer and content
//! encodings.
//!
//! Many archives hold bodies that were already unpacked under headers that say otherwise, so a body
//! that does not look packed is taken as it is. A name that is no encoding (`utf-8`, `none`) is
//! ignored, as browsers do. Where an encoding was not undone, what is left must be text.

use std::borrow::Cow;
use std::io::{self, Read};

use crate::compression::{GZIP_MAGIC, ZSTD_MAGIC};
use crate::parse::head::RecordHead;

/// What a response begins with.
pub(crate) const VERSION: &[u8] = b"HTTP/";

/// The most that a packed body may unpack to: 64 MiB, fifty times the longest page that is usual. A
/// megabyte of gzip can stand for a gigabyte.
pub(crate) const LONGEST_UNPACKED: usize = 64 << 20;

/// How much of a body shows whether it is binary: what the MIME sniffing standard looks at, twice.
const SAMPLE: usize = 1024;

/// The header and the body of the response in a block. Interim responses (`100 Continue`) come
/// before it.
pub(crate) fn response(mut block: &[u8]) -> (RecordHead<'_>, &[u8]) {
    loop {
        let head = RecordHead::of(block);
        let body = &block[RecordHead::length(block).unwrap_or(block.len())..];
        let is_interim = head.status().is_some_and(|status| (100..200).contains(&status));
        if !(is_interim && body.starts_with(VERSION)) {
            return (head, body);
        }
        block = body;
    }
}

/// Whether bytes are no text, by the rule of the MIME sniffing standard: a control character that
/// no text holds. UTF-16 tells itself by its byte order mark.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    let has_mark = bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"\xff\xfe");
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    !has_mark && bytes[..bytes.len().min(SAMPLE)].iter().any(is_control)
}

/// The body of a response, unpacked: its encodings are undone, the last one first. The error says
/// what cannot be, and what would be longer than `longest`.
pub(crate) fn body<'a>(head: RecordHead<'_>, raw: &'a [u8], longest: usize) -> Result<Cow<'a, [u8]>, String> {
    let longest = longest.min(LONGEST_UNPACKED);
    let listed = |name| head.values(name).collect::<Vec<_>>().join(",").to_ascii_lowercase();
    let encodings = format!("{},{}", listed("Content-Encoding"), listed("Transfer-Encoding"));
    let mut body = Cow::Borrowed(raw);
    let mut left = None;
    for encoding in encodings.split(',').map(str::trim).filter(|name| !name.is_empty()).rev() {
        match undo(encoding, &body, longest)? {
            Some(undone) => body = Cow::Owned(undone),
            None if encoding == "identity" => {}
            None => left = left.or(Some(encoding)),
        }
    }
    // Servers forget to say it, and no text begins so.
    if body.starts_with(GZIP_MAGIC)
        && let Some(undone) = undo("gzip", &body, longest)?
    {
        body = Cow::Owned(undone);
    }
    match left {
        // A server wrote the name: it may hold characters that a terminal obeys.
        Some(encoding) if is_binary(&body) => Err(format!(
            "its body is binary, and its encoding \"{}\" cannot be undone",
            encoding.escape_debug()
        )),
        _ => Ok(body),
    }
}

/// Undoes one encoding; `None` if it is not known, or the body is not encoded that way.
fn undo(encoding: &str, body: &[u8], longest: usize) -> Result<Option<Vec<u8>>, String> {
    let result = match encoding {
        "chunked" => return Ok(join_chunks(body)),
        "gzip" | "x-gzip" if !body.starts_with(GZIP_MAGIC) => return Ok(None),
        "zstd" if !body.starts_with(ZSTD_MAGIC) => return Ok(None),
        "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(body), longest),
        // Servers send both of the formats that the name stands for.
        "deflate" => match read(flate2::read::ZlibDecoder::new(body), longest) {
            Err(error) if error.kind() != io::ErrorKind::FileTooLarge => {
                read(flate2::read::DeflateDecoder::new(body), longest)
            }
            result => result,
        },
        "zstd" => zstd::stream::read::Decoder::new(body).and_then(|unpacked| read(unpacked, longest)),
        "br" => read(brotli_decompressor::Decompressor::new(body, 4096), longest),
        _ => return Ok(None),
    };
    match result {
        Ok(unpacked) => Ok(Some(unpacked)),
        // Neither of these has a magic number: text that is already there is recognised by being
        // text.
        Err(_) if matches!(encoding, "deflate" | "br") && std::str::from_utf8(body).is_ok() => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(format!("its {encoding} body {error}"))
        }
        Err(error) => Err(format!("its {encoding} body is damaged: {error}")),
    }
}

/// Joins the chunks of a chunked body; `None` if it is not chunked. A body that was cut off is
/// joined as far as it goes.
fn join_chunks(mut raw: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(raw.len());
    loop {
        let line_end = memchr::memchr(b'\n', raw);
        let Some(line_end) = line_end else {
            return if joined.is_empty() { None } else { Some(joined) };
        };
        let size = std::str::from_utf8(&raw[..line_end]).ok()?;
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16).ok()?;
        raw = &raw[line_end + 1..];
        if size == 0 {
            return Some(joined);
        }
        joined.extend_from_slice(&raw[..size.min(raw.len())]);
        let Some(after) = raw.get(size..) else {
            return Some(joined);
        };
        raw = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n")).unwrap_or(after);
    }
}

fn read(unpacked: impl Read, longest: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    unpacked.take(longest as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > longest {
        let detail = format!("unpacks to more than {longest} bytes, the most that is read of one");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, detail));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn unpacked(head: &str, raw: &[u8]) -> Result<Vec<u8>, String> {
        let head = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n");
        body(RecordHead::of(head.as_bytes()), raw, usize::MAX).map(Cow::into_owned)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn chunked(bytes: &[u8]) -> Vec<u8> {
        [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n0\r\n\r\n"].concat()
    }

    #[test]
    fn chunks_are_joined() {
        let head = "transfer-encoding: Chunked";
        let chunks = b"3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(unpacked(head, chunks).unwrap(), b"abc0123456789");
        assert_eq!(unpacked(head, b"3\nabc\n2\nde\n0\n\n").unwrap(), b"abcde");
        assert_eq!(unpacked(head, b"3\r\nabc\r\n9\r\ncut").unwrap(), b"abccut");
        assert_eq!(unpacked(head, b"<p>not\r\nchunked").unwrap(), b"<p>not\r\nchunked");
    }

    #[test]
    fn bodies_are_unpacked_only_if_they_are_packed() {
        let packed = gzip(b"hello");
        assert_eq!(unpacked("Content-Encoding: gzip", &packed).unwrap(), b"hello");
        assert_eq!(unpacked("Content-Encoding: gzip", b"hello").unwrap(), b"hello");
        assert_eq!(unpacked("Server: forgetful", &packed).unwrap(), b"hello");
        let cut = unpacked("Content-Encoding: gzip", &packed[..12]).unwrap_err();
        assert!(cut.contains("gzip body is damaged"), "{cut}");
        let zstd = zstd::encode_all(&b"hello"[..], 1).unwrap();
        assert_eq!(unpacked("Content-Encoding: zstd", &zstd).unwrap(), b"hello");
        let brotli = "Content-Encoding: br";
        assert_eq!(unpacked(brotli, b"\x0b\x02\x80hello\x03").unwrap(), b"hello");
        assert_eq!(unpacked(brotli, b"<p>hello, this is text").unwrap(), b"<p>hello, this is text");
    }

    #[test]
    fn names_that_are_no_encoding_are_ignored_but_hide_nothing_binary() {
        for name in ["utf-8", "none", "identity", "UTF-8, none", "rot13"] {
            assert_eq!(unpacked(&format!("Content-Encoding: {name}"), b"hello").unwrap(), b"hello");
        }
        let error = unpacked("Content-Encoding: exi\x1b", b"\x80\0\x01\x02").unwrap_err();
        assert!(error.contains("\"exi\\u{1b}\" cannot be undone"), "{error}");
        // Packed by one, declared as the other.
        assert!(unpacked("Content-Encoding: gzip", b"\x28\xb5\x2f\xfd\x04\0").is_err());
    }

    #[test]
    fn several_encodings_are_undone_in_order() {
        let inner = gzip(b"hello");
        let twice = gzip(&inner);
        assert_eq!(unpacked("Content-Encoding: gzip, gzip", &twice).unwrap(), b"hello");
        assert_eq!(unpacked("Content-Encoding: gzip\r\nContent-Encoding: gzip", &twice).unwrap(), b"hello");
        assert_eq!(unpacked("Transfer-Encoding: gzip, chunked", &chunked(&inner)).unwrap(), b"hello");
        let all = "Content-Encoding: zstd\nTransfer-Encoding: gzip\nTransfer-Encoding: chunked";
        let zstd = zstd::encode_all(&b"hello"[..], 1).unwrap();
        assert_eq!(unpacked(all, &chunked(&gzip(&zstd))).unwrap(), b"hello");
    }

    #[test]
    fn a_body_may_not_unpack_to_any_length() {
        let fits = gzip(&vec![b' '; LONGEST_UNPACKED]);
        assert_eq!(unpacked("Content-Encoding: gzip", &fits).unwrap().len(), LONGEST_UNPACKED);
        for (name, packed) in [
            ("gzip", gzip(&vec![b' '; LONGEST_UNPACKED + 1])),
            ("zstd", zstd::encode_all(&vec![b' '; LONGEST_UNPACKED + 1][..], 1).unwrap()),
        ] {
            let error = unpacked(&format!("Content-Encoding: {name}"), &packed).unwrap_err();
            assert!(error.contains("unpacks to more than 67108864 bytes"), "{error}");
        }
        let head = RecordHead::of(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
        let packed = gzip(b"hello");
        assert_eq!(&*body(head, &packed, 5).unwrap(), b"hello");
        let error = body(head, &packed, 4).unwrap_err();
        assert!(error.contains("unpacks to more than 4 bytes"), "{error}");
    }

    #[test]
    fn interim_responses_are_passed() {
        let block =
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 200 OK\r\n\r\nhi";
        let (head, body) = response(block);
        assert_eq!((head.status(), body), (Some(200), &b"hi"[..]));
        // A page may say anything.
        assert_eq!(response(b"HTTP/1.1 200 OK\n\nHTTP/1.1 200 OK\n\n").1, b"HTTP/1.1 200 OK\n\n");
    }
}
