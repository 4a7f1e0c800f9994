//! Which formats are there, and which extension means which format?

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::compression::Compression;

/// How the documents of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// One JSON object per line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// Comma separated values with a header, quoted as in RFC 4180.
    Csv,
    /// Tab separated values with a header. One row is one line: there are no quotes.
    Tsv,
    /// Plain text, one document per file.
    Text,
    /// Plain text, one document per line.
    Lines,
    /// HTML, one document per file.
    Html,
    /// Web archives (ISO 28500): the HTML and plain text records are documents.
    Warc,
}

/// Every format with its name, the name being its usual extension too.
const NAMES: [(Format, &str); 8] = [
    (Format::Jsonl, "jsonl"),
    (Format::Parquet, "parquet"),
    (Format::Csv, "csv"),
    (Format::Tsv, "tsv"),
    (Format::Text, "text"),
    (Format::Lines, "lines"),
    (Format::Html, "html"),
    (Format::Warc, "warc"),
];

/// The extensions that name a format. `.json` is what many published collections call their JSON
/// Lines; `Lines` has none, because `.txt` files are whole documents unless the user says
/// otherwise.
const EXTENSIONS: [(&str, Format); 16] = [
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("json", Format::Jsonl),
    ("parquet", Format::Parquet),
    ("pq", Format::Parquet),
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("tab", Format::Tsv),
    ("txt", Format::Text),
    ("text", Format::Text),
    ("md", Format::Text),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("xhtml", Format::Html),
    ("warc", Format::Warc),
    ("wet", Format::Warc),
];

impl Format {
    /// The format and compression of a file by its name; `None` for an unknown extension.
    pub fn of_path(path: &Path) -> (Option<Format>, Compression) {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let (stem, compression) = Compression::split_extension(&name);
        let extension = stem.rsplit_once('.').map(|(_, extension)| extension);
        let known = EXTENSIONS.iter().find(|(known, _)| Some(*known) == extension);
        (known.map(|(_, format)| *format), compression)
    }

    /// Whether a whole file is one document.
    pub fn is_file_per_document(self) -> bool {
        matches!(self, Format::Text | Format::Html)
    }

    /// Whether documents of this format may be HTML, so that it needs the cargo feature `html`.
    pub fn has_pages(self) -> bool {
        matches!(self, Format::Html | Format::Warc)
    }

    /// Whether a row says everything by itself: it needs neither a header nor its neighbours.
    pub fn rows_stand_alone(self) -> bool {
        matches!(self, Format::Jsonl | Format::Lines)
    }

    /// The extensions that a written file of this format may have, without compression.
    pub fn extensions(self) -> impl Iterator<Item = &'static str> {
        let plain_text = (self == Format::Lines).then_some("txt");
        EXTENSIONS.iter().filter(move |(_, format)| *format == self).map(|(name, _)| *name).chain(plain_text)
    }

    fn name(self) -> &'static str {
        NAMES.iter().find(|(format, _)| *format == self).map_or("unknown", |(_, name)| name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A format name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format \"{found}\": expected one of jsonl, parquet, csv, tsv, text, lines, html, warc")]
pub struct UnknownFormat {
    /// What was given.
    pub found: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        known.map(|(format, _)| *format).ok_or_else(|| UnknownFormat { found: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (format, name) in NAMES {
            assert_eq!(format.to_string(), name);
            assert_eq!(name.parse(), Ok(format));
        }
        assert!("docx".parse::<Format>().unwrap_err().to_string().contains("jsonl, parquet"));
    }

    #[test]
    fn extensions_are_seen_through_compression_and_case() {
        let of = |name: &str| Format::of_path(Path::new(name));
        assert_eq!(of("a/b.jsonl"), (Some(Format::Jsonl), Compression::None));
        assert_eq!(of("B.JSON.GZ"), (Some(Format::Jsonl), Compression::Gzip));
        assert_eq!(of("x.warc.wet.gz"), (Some(Format::Warc), Compression::Gzip));
        assert_eq!(of("x.tsv.zst"), (Some(Format::Tsv), Compression::Zstd));
        assert_eq!(of("x.docx"), (None, Compression::None));
        assert_eq!(of("README"), (None, Compression::None));
    }
}
