//! How does a record of a web archive become a document?
//!
//! Documents are `response`, `resource` and `conversion` records with HTML or plain text; where the
//! content type is missing, the content tells, as in browsers. The id is
//! the WARC-Record-ID: a page that was fetched twice has one address and two ids. Any other header
//! of the record can be named as `--id-field` or as a keep policy's field.
//!
//! The records are cut by hand and not by a library, because kept records are passed on byte for
//! byte, which needs every raw byte including those of records that are no documents.

use twindex_core::Markup;

use crate::options::ReadOptions;
use crate::parse::head::RecordHead;
use crate::parse::{charset, http};
use crate::row::{FIRST_EXTRA_SLOT, Found, ID_SLOT, Row, TEXT_SLOT, Wanted};
use crate::row_error::RowError;
use crate::span::{BYTE_ORDER_MARK, SpanBatch};

/// What every record begins with.
pub(crate) const VERSION: &[u8] = b"WARC/";

/// A record that is a document.
struct Document<'a> {
    markup: Markup,
    charset: Option<String>,
    /// The HTTP header of a response.
    response: Option<RecordHead<'a>>,
    body: &'a [u8],
}

impl Document<'_> {
    /// The decoded text; the error says what cannot be decoded.
    fn text(&self, longest: usize) -> Result<String, String> {
        let body = match self.response {
            Some(response) => http::body(response, self.body, longest)?,
            None => self.body.into(),
        };
        Ok(charset::decode(&body, self.markup, self.charset.as_deref()))
    }
}

/// Why a record is no document, in the words that are shown: `request records`.
pub(crate) type Reason = String;

/// Nothing if a record is a document, else why not. No more than `longest` bytes are unpacked.
pub(crate) fn no_document(record: &[u8], longest: usize) -> Option<Reason> {
    document(record, longest).err()
}

fn document(record: &[u8], longest: usize) -> Result<Document<'_>, Reason> {
    let head = RecordHead::of(record);
    let block_start = RecordHead::length(record).unwrap_or(record.len());
    let length = head.content_length().unwrap_or_default();
    let block = &record[block_start..block_start.saturating_add(length).min(record.len())];
    let kind = head.value("WARC-Type").unwrap_or_default().to_ascii_lowercase();
    match kind.as_str() {
        "response" if block.starts_with(http::VERSION) => {
            let (response, body) = http::response(block);
            content_of(response.value("Content-Type"), Some(response), body, longest)
        }
        "response" | "resource" | "conversion" => {
            content_of(head.value("Content-Type"), None, block, longest)
        }
        _ => Err(format!("{} records", shown(&kind))),
    }
}

/// Content types that say nothing, by the MIME sniffing standard.
const UNKNOWN_TYPES: [&str; 4] = ["", "unknown/unknown", "application/unknown", "*/*"];

fn content_of<'a>(
    content_type: Option<String>,
    response: Option<RecordHead<'a>>,
    body: &'a [u8],
    longest: usize,
) -> Result<Document<'a>, Reason> {
    if body.is_empty() {
        return Err("records without content".to_owned());
    }
    let content_type = content_type.unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let markup = match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Markup::Html,
        "text/plain" => Markup::None,
        unknown if UNKNOWN_TYPES.contains(&unknown) => {
            markup_of(response, body, longest).ok_or_else(|| "records of binary content".to_owned())?
        }
        other => return Err(format!("records of {}", shown(other))),
    };
    Ok(Document { markup, charset: charset::charset_parameter(&content_type), response, body })
}

/// What the content itself looks like; `None` if it is binary. What cannot be unpacked is said when
/// its text is wanted.
fn markup_of(response: Option<RecordHead<'_>>, body: &[u8], longest: usize) -> Option<Markup> {
    let body = match response {
        Some(response) => http::body(response, body, longest).unwrap_or_default(),
        None => body.into(),
    };
    if http::is_binary(&body) {
        return None;
    }
    let start = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&body).trim_ascii_start();
    let is_tag = start.len() > 1 && start[0] == b'<' && (start[1].is_ascii_alphabetic() || start[1] == b'!');
    let is_xhtml = start.starts_with(b"<?xml") && memchr::memmem::find(start, b"<html").is_some();
    Some(if is_tag || is_xhtml { Markup::Html } else { Markup::None })
}

/// A name that a server or an archive wrote: short, and without what a terminal obeys.
fn shown(name: &str) -> String {
    const LONGEST: usize = 40;
    if name.is_empty() {
        return "nameless".to_owned();
    }
    name.chars().take(LONGEST).flat_map(char::escape_debug).collect()
}

/// Parses every document of a batch.
pub(crate) fn parse<'b>(batch: &'b SpanBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let wanted = Wanted::new(options);
    let mut slots = vec![Found::Missing; wanted.paths().len()];
    let one = |row: usize| {
        let position = batch.position(row);
        let head = RecordHead::of(batch.raw(row));
        let document = match document(batch.raw(row), options.longest_row) {
            Ok(document) => document,
            Err(reason) => return Err(RowError::BadPayload { position, detail: reason }),
        };
        match document.text(options.longest_row) {
            Ok(text) => slots[TEXT_SLOT] = Found::Text(text.into()),
            Err(detail) => return Err(RowError::BadPayload { position, detail }),
        }
        slots[ID_SLOT] = found(match &options.id_field {
            Some(field) => head.value(field.as_str()),
            None => head.value("WARC-Record-ID").map(|id| id.trim_matches(['<', '>']).to_owned()),
        });
        for (slot, field) in slots[FIRST_EXTRA_SLOT..].iter_mut().zip(&options.extra) {
            *slot = found(head.value(field.as_str()));
        }
        let row = wanted.row(&mut slots, position, || head.names())?;
        Ok(Row { markup: document.markup, ..row })
    };
    (0..batch.rows.len()).map(one).collect()
}

/// The text of a record, empty where it cannot be decoded.
pub(crate) fn text(batch: &SpanBatch, row: usize) -> String {
    let longest = usize::MAX;
    document(batch.raw(row), longest).and_then(|document| document.text(longest)).unwrap_or_default()
}

fn found(value: Option<String>) -> Found<'static> {
    value.map_or(Found::Missing, |text| Found::Text(text.into()))
}
