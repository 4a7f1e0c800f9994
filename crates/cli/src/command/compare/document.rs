//! How a file becomes one document.

use std::path::Path;

use anyhow::{Context, Result};
use twindex_core::Document;
use twindex_corpus::{Format, ReadOptions, Reader, Row, Source, is_stream, open_stream, spool};

use crate::arguments::CompareFormat;
use crate::exit::UsageError;

/// Reads the file, or the stream.
pub(super) fn read(name: &str, chosen: Option<CompareFormat>) -> Result<Document> {
    let format = format(name, chosen)?;
    if is_stream(name) {
        let folder = tempfile::tempdir().context("cannot make a temporary folder for a stream")?;
        let source = spool(&folder.path().join("stream"), name, open_stream(name)?, Some(format))?;
        return read_source(source);
    }
    if Path::new(name).is_dir() {
        let message = format!(
            "{name} is a folder, and compare takes two documents\nhint: `twindex pairs {name}` compares all documents in it"
        );
        return Err(UsageError(message).into());
    }
    read_source(Source::of_file(Path::new(name), Some(format))?)
}

fn format(name: &str, chosen: Option<CompareFormat>) -> Result<Format> {
    if let Some(chosen) = chosen {
        return Ok(chosen.into());
    }
    match Format::of_path(Path::new(name)).0 {
        Some(Format::Html) => Ok(Format::Html),
        Some(collection @ (Format::Parquet | Format::Warc)) => {
            let message = format!(
                "{name} is a collection ({collection}), and compare takes two documents\nhint: `twindex pairs {name}` compares all documents in it"
            );
            Err(UsageError(message).into())
        }
        // A file of any other name is compared as the text that it is.
        _ => Ok(Format::Text),
    }
}

/// The only document of a file: compressed files are decompressed, other encodings decoded.
fn read_source(source: Source) -> Result<Document> {
    let options = ReadOptions::default();
    let mut reader = Reader::open(std::slice::from_ref(&source), &options)?;
    let mut rows = vec![];
    while let Some(batch) = reader.next_batch(usize::MAX)? {
        rows.extend(batch.parse(&options).into_iter().map(|row| row.map(Row::into_owned)));
    }
    let row = rows.into_iter().next().with_context(|| format!("{} holds no document", source.name))??;
    Ok(Document { id: source.name, text: row.text.into_owned(), markup: row.markup })
}

#[cfg(test)]
mod tests {
    use twindex_core::Markup;

    use super::*;

    #[test]
    fn the_name_tells_html_and_everything_else_is_text() {
        let of = |name| format(name, None).ok();
        assert_eq!(of("a.HTML.gz"), Some(Format::Html));
        for name in ["a.txt", "README", "-", "data.json"] {
            assert_eq!(of(name), Some(Format::Text), "{name}");
        }
        assert_eq!(of("a.parquet"), None);
        assert_eq!(format("a.html", Some(CompareFormat::Text)).ok(), Some(Format::Text));
    }

    #[test]
    fn an_empty_file_is_an_empty_document() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty.txt");
        std::fs::write(&path, "").unwrap();
        let document = read(path.to_str().unwrap(), None).unwrap();
        assert_eq!((document.text.as_str(), document.markup), ("", Markup::None));
    }
}
