//! In which character encoding is a text?
//!
//! In this order: a byte order mark; what the sender declared; what an HTML page declares of
//! itself; ISO-2022-JP if the bytes are nothing else; UTF-8 if they are valid UTF-8; else what they
//! look like (the detector that Firefox uses). Bytes that do not fit become U+FFFD: whole files and
//! web pages are never refused for a few bad bytes.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8};
use twindex_core::Markup;

use crate::parse::declaration::{charset_of, declared_in_page, encoding_of};

/// What switches the character set in ISO-2022-JP.
const ESCAPE: u8 = 0x1b;

/// Decodes a text whose sender `declared` an encoding or not.
pub(crate) fn decode(bytes: &[u8], markup: Markup, declared: Option<&str>) -> String {
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| declared.and_then(|label| encoding_of(label.as_bytes())))
        .or_else(|| if markup == Markup::Html { declared_in_page(bytes) } else { None });
    let encoding = match encoding {
        // ASCII with escapes, and so valid UTF-8: it would be taken for that.
        None if memchr::memchr(ESCAPE, bytes).is_some() && guess(bytes) == ISO_2022_JP => Some(ISO_2022_JP),
        declared => declared,
    };
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
    fn a_label_without_a_decoder_is_no_declaration() {
        for label in
            ["iso-2022-kr", "ISO-2022-CN", "iso-2022-cn-ext", "hz-gb-2312", "replacement", "csiso2022kr"]
        {
            for markup in [Markup::None, Markup::Html] {
                assert_eq!(decode("one é".as_bytes(), markup, Some(label)), "one é", "{label}");
            }
            let page = format!("<meta charset={label}>two é");
            assert_eq!(decode(page.as_bytes(), Markup::Html, None), page);
        }
    }

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
        // Only escapes tell ISO-2022-JP from ASCII; those of a terminal do not.
        let iso_2022_jp = b"\x1b$B$3$l$OF|K\\8l$NJ8>O$G$9!#\x1b(B and ASCII";
        for markup in [Markup::None, Markup::Html] {
            assert_eq!(decode(iso_2022_jp, markup, None), "これは日本語の文章です。 and ASCII");
            assert_eq!(decode(b"\x1b[31mred\x1b[0m", markup, None), "\x1b[31mred\x1b[0m");
        }
        assert_eq!(charset_parameter("Text/HTML; Charset=\"UTF-8\"; x=y").as_deref(), Some("utf-8"));
    }
}
