//! Which encoding does a page declare of itself?
//!
//! The prescan of the HTML standard: a walk over tags and comments at the beginning of a page, in
//! which only a `meta` element outside of comments and of other tags counts. Where there is none,
//! the declaration of XML does: `<?xml version="1.0" encoding="shift_jis"?>`.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

/// How far into a page its declaration is looked for. Browsers look at 1024 bytes; pages exist that
/// begin with longer comments, and looking further costs nothing.
const DECLARATION_WITHIN: usize = 4096;

/// The encoding in `<meta charset=...>`, in `<meta http-equiv=content-type
/// content="...; charset=...">` or in the declaration of XML.
pub(crate) fn declared_in_page(page: &[u8]) -> Option<&'static Encoding> {
    let start = page[..page.len().min(DECLARATION_WITHIN)].to_ascii_lowercase();
    let encoding = declared_in_meta(&start).or_else(|| declared_in_xml(&start))?;
    // A page that could be read up to here is not UTF-16, whatever it says.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        encoding_rs::WINDOWS_1252
    } else {
        encoding
    })
}

/// The encoding of a label. The labels of encodings that no browser decodes any more (ISO-2022-KR,
/// ISO-2022-CN, HZ) stand for one that turns every page into the same single character: such a
/// label declares nothing.
pub(crate) fn encoding_of(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label)
}

fn declared_in_meta(page: &[u8]) -> Option<&'static Encoding> {
    let mut rest = page;
    while let Some(open) = memchr::memchr(b'<', rest) {
        let tag = &rest[open..];
        if tag.starts_with(b"<!--") {
            // `<!-->` is a whole comment: its end may share the dashes of its beginning.
            let dashes = &tag[b"<!".len()..];
            rest = &dashes[memchr::memmem::find(dashes, b"-->")? + b"-->".len()..];
            continue;
        }
        let name = tag[1..].strip_prefix(b"/").unwrap_or(&tag[1..]);
        if name.first().is_some_and(u8::is_ascii_alphabetic) {
            let length = name.iter().take_while(|byte| !ends_name(**byte)).count();
            let is_meta = &name[..length] == b"meta" && !tag.starts_with(b"</");
            let mut attributes = Attributes { rest: &name[length..] };
            if is_meta {
                if let Some(encoding) = encoding_of_meta(&mut attributes) {
                    return Some(encoding);
                }
            } else {
                attributes.by_ref().for_each(drop);
            }
            rest = attributes.rest;
        } else if tag.len() > 1 && matches!(tag[1], b'!' | b'/' | b'?') {
            rest = &tag[memchr::memchr(b'>', tag)? + 1..];
        } else {
            rest = &tag[1..];
        }
    }
    None
}

fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'/' || byte == b'>'
}

/// The encoding that the attributes of one `meta` element declare. A browser obeys `content` only
/// beside `http-equiv=content-type`; pages that misspell this still mean what they say.
fn encoding_of_meta(attributes: &mut Attributes<'_>) -> Option<&'static Encoding> {
    let (mut charset, mut content) = (None, None);
    for (name, value) in attributes {
        match name {
            b"charset" => charset = charset.or(Some(value)),
            b"content" => content = content.or(charset_of(value)),
            _ => {}
        }
    }
    charset.and_then(encoding_of).or_else(|| content.and_then(encoding_of))
}

/// The attributes of a tag, up to the `>` that ends it.
struct Attributes<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let skip = |bytes: &'a [u8], also: u8| {
            let count = bytes.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == also).count();
            &bytes[count..]
        };
        let rest = skip(self.rest, b'/');
        if rest.first().is_none_or(|byte| *byte == b'>') {
            self.rest = rest.get(1..).unwrap_or_default();
            return None;
        }
        // A name may begin with `=`.
        let length = 1 + rest[1..].iter().take_while(|byte| !ends_name(**byte) && **byte != b'=').count();
        let (name, rest) = rest.split_at(length);
        let after = skip(rest, b' ');
        let Some(value) = after.strip_prefix(b"=") else {
            self.rest = rest;
            return Some((name, b""));
        };
        let value = skip(value, b' ');
        let (value, rest) = match value.first() {
            Some(quote @ (b'"' | b'\'')) => {
                let inside = &value[1..];
                let end = memchr::memchr(*quote, inside).unwrap_or(inside.len());
                (&inside[..end], inside.get(end + 1..).unwrap_or_default())
            }
            _ => {
                let end = value.iter().take_while(|byte| !byte.is_ascii_whitespace() && **byte != b'>');
                value.split_at(end.count())
            }
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// The encoding in `<?xml ... encoding="..."?>` at the very beginning.
fn declared_in_xml(page: &[u8]) -> Option<&'static Encoding> {
    let declaration = page.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    encoding_of(value_after(declaration, b"encoding")?)
}

/// The value after `charset=` in lower case text.
pub(crate) fn charset_of(text: &[u8]) -> Option<&[u8]> {
    value_after(text, b"charset")
}

fn value_after<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let after = &text[memchr::memmem::find(text, name)? + name.len()..];
    let value = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let length =
        value.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte)).count();
    Some(&value[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_meta_element_declares() {
        for (page, expected) in [
            ("<meta charset=gbk>", Some("GBK")),
            ("<META CharSet = 'GBK' />", Some("GBK")),
            ("<meta http-equiv=x content='text/html; charset = windows-1251'>", Some("windows-1251")),
            ("<!-- <meta charset=gbk> --><meta charset=koi8-r>", Some("KOI8-R")),
            ("<!-- <meta charset=gbk> -->", None),
            ("<!-- <meta charset=gbk>", None),
            ("<!--><meta charset=gbk>", Some("GBK")),
            ("<a title='<meta charset=gbk>'>", None),
            ("<a title='a>b' <meta charset=gbk>", None),
            ("</meta charset=gbk>", None),
            ("<metal charset=gbk>", None),
            ("<meta name=x value='charset=gbk'>", None),
            ("<! <meta charset=gbk>", None),
            ("<? charset=gbk ?><meta charset=koi8-r>", Some("KOI8-R")),
            ("<1 <meta charset=gbk>", Some("GBK")),
            ("<meta charset=iso-2022-kr><meta charset=gbk>", Some("GBK")),
            ("<meta charset=hz-gb-2312>", None),
            ("<meta charset=utf-16le>", Some("UTF-8")),
            ("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><html>", Some("Shift_JIS")),
            ("<?xml version='1.0' encoding='shift_jis'?><meta charset=gbk>", Some("GBK")),
            (" <?xml encoding='shift_jis'?>", None),
            ("<?xml version='1.0'?>", None),
            ("<meta", None),
            ("<meta charset", None),
            ("<meta charset=", None),
            ("<meta charset='gbk", Some("GBK")),
            ("<", None),
            ("", None),
        ] {
            let found = declared_in_page(page.as_bytes()).map(Encoding::name);
            assert_eq!(found, expected, "{page}");
        }
    }
}
