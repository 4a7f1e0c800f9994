//! What is one input file?

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use twindex_core::Markup;

use crate::compression::Compression;
use crate::error::CorpusError;
use crate::format::Format;
use crate::json_array;

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
        let (by_name, mut compression) = Format::of_path(path);
        if by_name.is_none() && format.is_none() && is_arc(path) {
            return Err(CorpusError::Arc { path: path.to_owned() });
        }
        let format =
            format.or(by_name).ok_or_else(|| CorpusError::UnknownExtension { path: path.to_owned() })?;
        // Pipes are not looked into: what is read of them is gone.
        if compression == Compression::None && format != Format::Parquet && metadata.is_file() {
            compression = sniffed(path, format)?;
        }
        if format == Format::Parquet && compression != Compression::None {
            return Err(CorpusError::CompressedParquet { path: path.to_owned() });
        }
        if format.has_pages() && !Markup::Html.is_supported() {
            return Err(CorpusError::NotCompiled { path: path.to_owned(), format });
        }
        Ok(Source {
            path: path.to_owned(),
            name: name_of(path),
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

/// How a file that is not compressed by its name is compressed by its first bytes, and whether
/// lines of JSON are one array.
fn sniffed(path: &Path, format: Format) -> Result<Compression, CorpusError> {
    let mut start = Vec::new();
    File::open(path)
        .map_err(|error| CorpusError::open(path, error))?
        .take(json_array::SAMPLE as u64)
        .read_to_end(&mut start)
        .map_err(|error| CorpusError::read(path, error))?;
    let compression = Compression::of_magic(&start);
    let is_array = compression == Compression::None && format == Format::Jsonl;
    Ok(if is_array && json_array::begins_array(&start) { Compression::JsonArray } else { compression })
}

/// Whether a file is called like what web archives were before WARC.
fn is_arc(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    Compression::split_extension(&name).0.ends_with(".arc")
}

/// What people call a file. Bytes that are no UTF-8 are written as `\\xff`, and no two paths have
/// one name: where a name could be taken for such a one, its backslashes are doubled.
fn name_of(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    if let Some(name) = path.to_str().filter(|name| !name.contains("\\x")) {
        return name.to_owned();
    }
    let mut name = String::new();
    for chunk in bytes.utf8_chunks() {
        name.push_str(&chunk.valid().replace('\\', "\\\\"));
        chunk.invalid().iter().for_each(|byte| name.push_str(&format!("\\x{byte:02x}")));
    }
    name
}

#[cfg(test)]
mod name_tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn no_two_paths_have_one_name() {
        let paths: [&[u8]; 7] = [b"a", b"a\xff", b"a\xfe", b"a\\xff", b"a\\\xff", b"a\\\\xff", b"a\\b"];
        let mut names: Vec<_> =
            paths.iter().map(|path| name_of(Path::new(OsStr::from_bytes(path)))).collect();
        assert_eq!((names[0].as_str(), names[1].as_str(), names[6].as_str()), ("a", "a\\xff", "a\\b"));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), paths.len());
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
