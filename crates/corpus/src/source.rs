//! What is one input file?

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use twindex_core::Markup;

use crate::compression::Compression;
use crate::error::CorpusError;
use crate::format::Format;

/// One file of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// What people call it: the path as they typed it. Default ids begin with it.
    pub name: String,
    /// Where a copy of it goes below an output folder.
    pub relative: PathBuf,
    /// How its documents are written.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Its size on disk.
    pub bytes: u64,
    /// When it was last written.
    pub modified: SystemTime,
}

impl Source {
    /// What its row of that number is called: `docs.jsonl:17`; without a number, where the file is
    /// the row, the file alone.
    pub fn row_name(&self, number: Option<u64>) -> impl fmt::Display + '_ {
        fmt::from_fn(move |formatter| match number {
            Some(number) => write!(formatter, "{}:{number}", self.name),
            None => formatter.write_str(&self.name),
        })
    }

    /// Describes the file at `path`. HTML and WARC are refused without the cargo feature `html`.
    pub fn of_file(path: &Path, format: Option<Format>) -> Result<Source, CorpusError> {
        let metadata = std::fs::metadata(path).map_err(|source| CorpusError::open(path, source))?;
        let (by_name, compression) = Format::of_path(path);
        let format =
            format.or(by_name).ok_or_else(|| CorpusError::UnknownExtension { path: path.to_owned() })?;
        if format == Format::Parquet && compression != Compression::None {
            return Err(CorpusError::CompressedParquet { path: path.to_owned() });
        }
        if format.has_pages() && !Markup::Html.is_supported() {
            return Err(CorpusError::NotCompiled { path: path.to_owned(), format });
        }
        Ok(Source {
            path: path.to_owned(),
            name: path.to_string_lossy().into_owned(),
            relative: path.file_name().map(PathBuf::from).unwrap_or_default(),
            format,
            compression,
            bytes: metadata.len(),
            modified: metadata.modified().map_err(|source| CorpusError::open(path, source))?,
        })
    }

    /// How many rows it has, if the file says so without being read: Parquet does.
    pub fn row_count(&self) -> Result<Option<u64>, CorpusError> {
        if self.format != Format::Parquet {
            return Ok(None);
        }
        let (_, metadata) = crate::reader::open_parquet(self)?;
        Ok(u64::try_from(metadata.metadata().file_metadata().num_rows()).ok())
    }

    /// A line that changes when the file does: a resumed job compares it with the one it wrote
    /// down.
    pub fn stamp(&self) -> String {
        let since = self.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        format!(
            "{} {} bytes, written at {}.{:09}",
            self.name,
            self.bytes,
            since.as_secs(),
            since.subsec_nanos()
        )
    }
}

#[cfg(all(test, not(feature = "html")))]
mod tests {
    use super::*;

    #[test]
    fn pages_need_a_cargo_feature() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.html", "b.warc.gz"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            let message = Source::of_file(&path, None).unwrap_err().to_string();
            assert!(message.contains("cargo feature `html`"), "{message}");
        }
    }
}
