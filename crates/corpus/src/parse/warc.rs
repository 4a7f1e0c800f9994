//! How does a record of a web archive become a document?
//!
//! Documents are `response`, `resource` and `conversion` records with HTML or plain text. The id is
//! the WARC-Record-ID: a page that was fetched twice has one address and two ids. Any other header
//! of the record can be named as `--id-field` or as a keep policy's field.
//!
//! The records are cut by hand and not by a library, because kept records are passed on byte for
//! byte, which needs every raw byte including those of records that are no documents.

use twindex_core::Markup;

use crate::options::ReadOptions;
use crate::parse::{charset, http};
use crate::row::{FIRST_EXTRA_SLOT, Found, ID_SLOT, Row, TEXT_SLOT, Wanted};
use crate::row_error::RowError;
use crate::span::SpanBatch;

/// What every record begins with.
pub(crate) const VERSION: &[u8] = b"WARC/";

/// What ends a header, here and in HTTP.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// The header lines of a WARC record or an HTTP response.
#[derive(Clone, Copy)]
pub(crate) struct RecordHead<'a>(&'a [u8]);

impl<'a> RecordHead<'a> {
    /// The header that `record` begins with.
    pub(crate) fn of(record: &'a [u8]) -> RecordHead<'a> {
        RecordHead(&record[..RecordHead::length(record).unwrap_or(record.len())])
    }

    /// How long that header is with the empty line after it; `None` if it does not end.
    pub(crate) fn length(record: &[u8]) -> Option<usize> {
        memchr::memmem::find(record, HEAD_END).map(|found| found + HEAD_END.len())
    }

    /// The value of a header line, whatever the case of its name.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        let line = self.0.split(|byte| *byte == b'\n').find(|line| {
            let before = line.get(..name.len()).unwrap_or_default();
            before.eq_ignore_ascii_case(name.as_bytes()) && line.get(name.len()) == Some(&b':')
        })?;
        Some(String::from_utf8_lossy(line[name.len() + 1..].trim_ascii()).into_owned())
    }

    pub(crate) fn content_length(&self) -> Option<usize> {
        self.value("Content-Length")?.parse().ok()
    }

    fn names(&self) -> Vec<String> {
        let lines = self.0.split(|byte| *byte == b'\n');
        lines.filter_map(|line| Some(String::from_utf8_lossy(line).split_once(':')?.0.to_owned())).collect()
    }
}

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
    fn text(&self) -> Result<String, String> {
        let body = match self.response {
            Some(response) => http::body(response, self.body)?,
            None => self.body.into(),
        };
        Ok(charset::decode(&body, self.markup, self.charset.as_deref()))
    }
}

/// Whether a record is a document.
pub(crate) fn is_document(record: &[u8]) -> bool {
    document(record).is_some()
}

fn document(record: &[u8]) -> Option<Document<'_>> {
    let head = RecordHead::of(record);
    let block_start = RecordHead::length(record)?;
    let block = &record[block_start..(block_start + head.content_length()?).min(record.len())];
    let content_type = head.value("Content-Type").unwrap_or_default();
    match head.value("WARC-Type")?.to_ascii_lowercase().as_str() {
        "resource" | "conversion" => content_of(&content_type, None, block),
        "response" if block.starts_with(b"HTTP/") => {
            let response = RecordHead::of(block);
            let body = &block[RecordHead::length(block).unwrap_or(block.len())..];
            content_of(&response.value("Content-Type").unwrap_or_default(), Some(response), body)
        }
        "response" => content_of(&content_type, None, block),
        _ => None,
    }
}

fn content_of<'a>(
    content_type: &str,
    response: Option<RecordHead<'a>>,
    body: &'a [u8],
) -> Option<Document<'a>> {
    if body.is_empty() {
        return None;
    }
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let markup = match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Markup::Html,
        "text/plain" => Markup::None,
        _ => return None,
    };
    Some(Document { markup, charset: charset::charset_parameter(content_type), response, body })
}

/// Parses every document of a batch.
pub(crate) fn parse<'b>(batch: &'b SpanBatch, options: &ReadOptions) -> Vec<Result<Row<'b>, RowError>> {
    let wanted = Wanted::new(options);
    let mut slots = vec![Found::Missing; wanted.paths().len()];
    let one = |row: usize| {
        let position = batch.position(row);
        let head = RecordHead::of(batch.raw(row));
        let Some(document) = document(batch.raw(row)) else {
            return Err(RowError::BadPayload { position, detail: "it is no document".to_owned() });
        };
        match document.text() {
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
    let Some(document) = document(batch.raw(row)) else {
        return String::new();
    };
    document.text().unwrap_or_default()
}

fn found(value: Option<String>) -> Found<'static> {
    value.map_or(Found::Missing, |text| Found::Text(text.into()))
}
