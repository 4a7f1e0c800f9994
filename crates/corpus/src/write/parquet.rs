//! Kept rows of Parquet: all columns, by filtering record batches.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::BooleanArray;
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter};
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

use crate::error::CorpusError;
use crate::parse::columns::TableBatch;
use crate::reader;
use crate::source::Source;
use crate::write::atomic::AtomicFile;
use crate::write::bytes::first_difference;
use crate::write::pending::{Finished, Pending};

/// A row group is closed at this size, whatever its number of rows: this is what a reader of one
/// column and we ourselves hold in memory.
const ROW_GROUP_BYTES: usize = 128 << 20;

/// Where kept rows go.
pub(crate) struct ParquetSink {
    path: PathBuf,
    schema: SchemaRef,
    /// The file whose schema it is.
    first: PathBuf,
    writer: ArrowWriter<AtomicFile>,
}

impl ParquetSink {
    /// Begins a file with the schema, the metadata and the compression of the first source. All
    /// sources must have one schema.
    pub(crate) fn create(path: &Path, sources: &[Source]) -> Result<Option<ParquetSink>, CorpusError> {
        let Some(first) = sources.first() else {
            return Ok(None);
        };
        let (_, metadata) = reader::open_parquet(first)?;
        let schema = Arc::clone(metadata.schema());
        for source in &sources[1..] {
            let (_, other) = reader::open_parquet(source)?;
            check_schema(&schema, &first.path, other.schema(), &source.path)?;
        }
        let file_metadata = metadata.metadata().file_metadata();
        // Other programs keep their notes here (pandas its index, Hugging Face its features).
        // Arrow's own schema is written anew.
        let notes = file_metadata.key_value_metadata().cloned().unwrap_or_default();
        let notes = notes.into_iter().filter(|note| note.key != ARROW_SCHEMA_META_KEY).collect();
        let mut properties = properties().set_key_value_metadata(Some(notes));
        if let Some(column) =
            metadata.metadata().row_groups().first().and_then(|group| group.columns().first())
        {
            properties = properties.set_compression(column.compression());
        }
        let file = AtomicFile::create(path)?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties.build()))
            .map_err(|error| parquet_error(path, error))?;
        Ok(Some(ParquetSink { path: path.to_owned(), schema, first: first.path.clone(), writer }))
    }

    pub(crate) fn write(&mut self, batch: &TableBatch, keep: &[bool]) -> Result<(), CorpusError> {
        check_schema(&self.schema, &self.first, &batch.rows.schema(), &batch.source.path)?;
        let wrong = |error: ParquetError| parquet_error(&self.path, error);
        let keep = BooleanArray::from(keep.to_vec());
        let kept = filter_record_batch(&batch.rows, &keep).map_err(|error| wrong(error.into()))?;
        let kept = kept.with_schema(Arc::clone(&self.schema)).map_err(|error| wrong(error.into()))?;
        self.writer.write(&kept).map_err(wrong)?;
        if self.writer.in_progress_size() >= ROW_GROUP_BYTES {
            self.writer.flush().map_err(wrong)?;
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn finish(self) -> Result<Pending, CorpusError> {
        finish(self.writer, &self.path)
    }
}

/// Refuses a file whose columns are not those of the first.
fn check_schema(
    first_schema: &SchemaRef,
    first: &Path,
    second_schema: &SchemaRef,
    second: &Path,
) -> Result<(), CorpusError> {
    // The schemas' own metadata are notes of other programs and may differ.
    if Arc::ptr_eq(first_schema, second_schema) || first_schema.fields() == second_schema.fields() {
        return Ok(());
    }
    let names = |schema: &SchemaRef| -> Vec<String> {
        let shown = schema.fields().iter().map(|field| {
            let null = if field.is_nullable() { "" } else { " not null" };
            format!("{} {}{null}", field.name(), field.data_type())
        });
        shown.collect()
    };
    let difference = first_difference(&names(first_schema), &names(second_schema));
    Err(CorpusError::DifferentColumns { first: first.to_owned(), second: second.to_owned(), difference })
}

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
