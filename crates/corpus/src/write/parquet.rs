//! Kept rows of Parquet: all columns, by filtering record batches.

use std::io;
use std::path::Path;

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

use crate::error::CorpusError;
use crate::write::atomic::AtomicFile;
use crate::write::pending::{Finished, Pending};

/// How Parquet is written: Zstandard at its fast default, which every current reader opens.
pub(crate) fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Codec::ZSTD(ZstdLevel::default()))
        .set_created_by("twindex".to_owned())
}

/// Ends a Parquet file.
pub(crate) fn finish(writer: ArrowWriter<AtomicFile>, path: &Path) -> Result<Pending, CorpusError> {
    let file = writer.into_inner().map_err(|error| parquet_error(path, error))?;
    Ok(Pending(Finished::File(file)))
}

/// What went wrong while `path` was written.
pub(crate) fn parquet_error(path: &Path, error: ParquetError) -> CorpusError {
    let source = match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(inner) => *inner,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    };
    CorpusError::write(path, source)
}
