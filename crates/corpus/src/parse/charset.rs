//! In which character encoding is a text?
//!
//! In this order: a byte order mark; what the sender declared; what an HTML page declares of
//! itself; UTF-8 if the bytes are valid UTF-8; else what they look like (the detector that Firefox
//! uses). Bytes that do not fit become U+FFFD: whole files and web pages are never refused for a
//! few bad bytes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use twindex_core::Markup;

/// How far into a page its declaration is looked for. Browsers look at 1024 bytes; pages exist that
/// begin with longer comments, and looking further costs nothing.
const DECLARATION_WITHIN: usize = 4096;

/// Decodes a text whose sender `declared` an encoding or not.
pub(crate) fn decode(bytes: &[u8], markup: Markup, declared: Option<&str>) -> String {
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| declared.and_then(|label| Encoding::for_label(label.as_bytes())))
        .or_else(|| if markup == Markup::Html { declared_in_page(bytes) } else { None });
    if encoding.is_none() || encoding == Some(UTF_8) {
        let text = bytes.strip_prefix(crate::span::BYTE_ORDER_MARK).unwrap_or(bytes);
        if let Ok(text) = std::str::from_utf8(text) {
            return text.to_owned();
        }
    }
    let encoding = encoding.unwrap_or_else(|| guess(bytes));
    encoding.decode(bytes).0.into_owned()
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// The encoding in `<meta charset=...>` or `<meta http-equiv=... content="...; charset=...">`.
fn declared_in_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(DECLARATION_WITHIN)].to_ascii_lowercase();
    let mut rest = &start[..];
    while let Some(found) = memchr::memmem::find(rest, b"<meta") {
        rest = &rest[found + b"<meta".len()..];
        let tag = &rest[..memchr::memchr(b'>', rest).unwrap_or(rest.len())];
        if let Some(encoding) = charset_of(tag).and_then(Encoding::for_label) {
            // A page that could be read up to here is not UTF-16, whatever it says.
            return Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding });
        }
    }
    None
}

/// The value after `charset=` in lower case text.
fn charset_of(text: &[u8]) -> Option<&[u8]> {
    let after = &text[memchr::memmem::find(text, b"charset")? + b"charset".len()..];
    let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let length =
        value.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte)).count();
    Some(&value[..length])
}

/// The `charset` of a content type like `text/html; charset=utf-8`.
pub(crate) fn charset_parameter(content_type: &str) -> Option<String> {
    let lower = content_type.to_ascii_lowercase();
    let (_, parameters) = lower.split_once(';')?;
    charset_of(parameters.as_bytes()).map(|label| String::from_utf8_lossy(label).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_in_their_order() {
        let latin = b"<html><META http-equiv=x content='text/html; charset = windows-1252'>caf\xe9";
        assert!(decode(latin, Markup::Html, None).ends_with("café"));
        assert!(decode(b"<meta charset=\"gbk\">\xd6\xd0\xce\xc4", Markup::Html, None).ends_with("中文"));
        let declared_otherwise = b"<meta charset=utf-8>\xd6\xd0\xce\xc4";
        assert!(decode(declared_otherwise, Markup::Html, Some("gb18030")).ends_with("中文"));
        assert_eq!(decode(b"\xef\xbb\xbfcaf\xc3\xa9", Markup::None, Some("latin1")), "café");
        assert_eq!(decode(b"\xff\xfea\0b\0", Markup::None, None), "ab");
        assert_eq!(decode("中文\0".as_bytes(), Markup::None, None), "中文\0");
        // The detector needs a sentence or two to be sure.
        let japanese =
            "これは日本語の文章です。文字の符号を自動的に判定するためには、もう少し長い文章が必要です。";
        let shift_jis = encoding_rs::SHIFT_JIS.encode(japanese).0;
        assert_eq!(decode(&shift_jis, Markup::None, None), japanese);
        assert_eq!(charset_parameter("Text/HTML; Charset=\"UTF-8\"; x=y").as_deref(), Some("utf-8"));
    }
}
