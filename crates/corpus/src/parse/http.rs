//! What did a server send? Undoes the transfer and content encodings of a stored response.
//!
//! Many archives hold bodies that were already unpacked under headers that say otherwise, so a body
//! that does not look packed is taken as it is.

use std::borrow::Cow;
use std::io::{self, Read};

use crate::compression::{GZIP_MAGIC, ZSTD_MAGIC};
use crate::parse::warc::RecordHead;
use crate::reader::LONGEST_ROW;

/// The body of a response, unpacked; the error says what cannot be.
pub(crate) fn body<'a>(head: RecordHead<'_>, raw: &'a [u8]) -> Result<Cow<'a, [u8]>, String> {
    let header = |name: &str| head.value(name).unwrap_or_default().to_ascii_lowercase();
    let mut body = Cow::Borrowed(raw);
    if header("Transfer-Encoding").contains("chunked")
        && let Some(joined) = join_chunks(raw)
    {
        body = Cow::Owned(joined);
    }
    let encodings = header("Content-Encoding");
    for encoding in encodings.split(',').map(str::trim).filter(|name| !name.is_empty()).rev() {
        if let Some(unpacked) = unpack(encoding, &body)? {
            body = Cow::Owned(unpacked);
        }
    }
    Ok(body)
}

/// Joins the chunks of a chunked body; `None` if it is not chunked. A body that was cut off is
/// joined as far as it goes.
fn join_chunks(mut raw: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(raw.len());
    loop {
        let line_end = memchr::memmem::find(raw, b"\r\n");
        let Some(line_end) = line_end else {
            return if joined.is_empty() { None } else { Some(joined) };
        };
        let size = std::str::from_utf8(&raw[..line_end]).ok()?;
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16).ok()?;
        raw = &raw[line_end + 2..];
        if size == 0 {
            return Some(joined);
        }
        joined.extend_from_slice(&raw[..size.min(raw.len())]);
        let Some(after) = raw.get(size..) else {
            return Some(joined);
        };
        raw = after.strip_prefix(b"\r\n").unwrap_or(after);
    }
}

/// Unpacks a body; `None` if it is not packed that way.
fn unpack(encoding: &str, packed: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let result = match encoding {
        "identity" => return Ok(None),
        "gzip" | "x-gzip" if !packed.starts_with(GZIP_MAGIC) => return Ok(None),
        "zstd" if !packed.starts_with(ZSTD_MAGIC) => return Ok(None),
        "gzip" | "x-gzip" => read(flate2::read::MultiGzDecoder::new(packed)),
        // Servers send both of the formats that the name stands for.
        "deflate" => read(flate2::read::ZlibDecoder::new(packed))
            .or_else(|_| read(flate2::read::DeflateDecoder::new(packed))),
        "zstd" => zstd::stream::read::Decoder::new(packed).and_then(read),
        "br" => read(brotli_decompressor::Decompressor::new(packed, 4096)),
        // A server wrote it: it may hold characters that a terminal obeys.
        other => return Err(format!("the content encoding \"{}\" is not known", other.escape_debug())),
    };
    match result {
        Ok(unpacked) => Ok(Some(unpacked)),
        // Neither of these has a magic number: text that is already there is recognised by being
        // text.
        Err(_) if matches!(encoding, "deflate" | "br") && std::str::from_utf8(packed).is_ok() => Ok(None),
        Err(error) => Err(format!("its {encoding} body is damaged: {error}")),
    }
}

fn read(unpacked: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    unpacked.take(LONGEST_ROW as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LONGEST_ROW {
        return Err(io::Error::other(format!("it unpacks to more than {LONGEST_ROW} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(head: &str, raw: &[u8]) -> Result<Vec<u8>, String> {
        body(RecordHead::of(head.as_bytes()), raw).map(Cow::into_owned)
    }

    #[test]
    fn chunks_are_joined() {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n";
        assert_eq!(
            unpacked(head, b"3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n").unwrap(),
            b"abc0123456789"
        );
        assert_eq!(unpacked(head, b"3\r\nabc\r\n9\r\ncut").unwrap(), b"abccut");
        assert_eq!(unpacked(head, b"<p>not\r\nchunked").unwrap(), b"<p>not\r\nchunked");
    }

    #[test]
    fn bodies_are_unpacked_only_if_they_are_packed() {
        let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
        let mut encoder = flate2::read::GzEncoder::new(&b"hello"[..], flate2::Compression::fast());
        let mut packed = Vec::new();
        encoder.read_to_end(&mut packed).unwrap();
        assert_eq!(unpacked(gzip, &packed).unwrap(), b"hello");
        assert_eq!(unpacked(gzip, b"hello").unwrap(), b"hello");
        assert!(unpacked(gzip, &packed[..12]).unwrap_err().contains("gzip body is damaged"));
        let zstd = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n";
        assert_eq!(unpacked(zstd, &zstd::encode_all(&b"hello"[..], 1).unwrap()).unwrap(), b"hello");
        let brotli = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n";
        assert_eq!(unpacked(brotli, b"\x0b\x02\x80hello\x03").unwrap(), b"hello");
        assert_eq!(unpacked(brotli, b"<p>hello, this is text").unwrap(), b"<p>hello, this is text");
        let other = "HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\n\r\n";
        assert!(unpacked(other, b"uryyb").unwrap_err().contains("rot13"));
    }
}
