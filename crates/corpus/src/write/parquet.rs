//! Kept rows of Parquet: all columns, in files with the schema of the first source.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::error::CorpusError;
use crate::guard;
use crate::parse::columns::TableBatch;
use crate::reader;
use crate::source::Source;
use crate::write::atomic::AtomicFile;
use crate::write::bytes::first_difference;
use crate::write::parquet_copy::{Chosen, CopyError};
use crate::write::pending::{Finished, Pending};

/// A row group is closed at this size, whatever its number of rows: this is what a reader of one
/// column and we ourselves hold in memory.
const ROW_GROUP_BYTES: u64 = 128 << 20;

/// Where kept rows go.
pub(crate) struct ParquetSink {
    path: PathBuf,
    /// The file whose schema it is.
    first: PathBuf,
    schema: Arc<ParquetMetaData>,
    writer: SerializedFileWriter<AtomicFile>,
    /// Rows that were chosen and are not yet written.
    waiting: Vec<Chosen>,
    /// How many bytes all of them but the last take.
    waiting_bytes: u64,
}

impl ParquetSink {
    /// Begins a file with the schema, the notes and the compression of the first source. All
    /// sources must [have one schema](check_schemas).
    pub(crate) fn create(path: &Path, sources: &[Source]) -> Result<Option<ParquetSink>, CorpusError> {
        let Some(first) = sources.first() else {
            return Ok(None);
        };
        let (_, metadata) = reader::open_parquet(first)?;
        let schema = Arc::clone(metadata.metadata());
        let description = schema.file_metadata();
        // Other programs keep their notes here: pandas its index, Hugging Face its features, Arrow
        // its schema.
        let notes = description.key_value_metadata().cloned();
        let mut properties = properties().set_key_value_metadata(notes);
        for column in schema.row_groups().first().into_iter().flat_map(|group| group.columns()) {
            properties =
                properties.set_column_compression(column.column_path().clone(), column.compression());
        }
        let file = AtomicFile::create(path)?;
        let root = description.schema_descr().root_schema_ptr();
        let writer = SerializedFileWriter::new(file, root, Arc::new(properties.build()))
            .map_err(|error| parquet_error(path, error))?;
        let (path, first) = (path.to_owned(), first.path.clone());
        Ok(Some(ParquetSink { path, first, schema, writer, waiting: Vec::new(), waiting_bytes: 0 }))
    }

    /// Chooses rows. They are read again from their file when a row group of them is together.
    pub(crate) fn write(&mut self, batch: &TableBatch, keep: &[bool]) -> Result<(), CorpusError> {
        let path = &batch.source.path;
        for keep in keep {
            let is_whole = self.waiting.last().is_none_or(|last| {
                let rows = last.metadata.row_group(last.group).num_rows();
                last.path != *path || i64::try_from(last.decided).is_ok_and(|decided| decided >= rows)
            });
            if is_whole {
                self.next_group(batch)?;
            }
            if let Some(last) = self.waiting.last_mut() {
                last.push(*keep);
            }
        }
        Ok(())
    }

    /// Goes to the next row group with rows; writes those that wait if they are enough.
    fn next_group(&mut self, batch: &TableBatch) -> Result<(), CorpusError> {
        let path = &batch.source.path;
        let same_file = self.waiting.last().filter(|last| last.path == *path);
        let (metadata, mut group) = match same_file {
            Some(last) => (Arc::clone(&last.metadata), last.group + 1),
            None => {
                let (_, metadata) = reader::open_parquet(&batch.source)?;
                check_schema(&self.schema, &self.first, metadata.metadata(), path)?;
                (Arc::clone(metadata.metadata()), 0)
            }
        };
        while metadata.row_groups().get(group).is_some_and(|group| group.num_rows() == 0) {
            group += 1;
        }
        if group >= metadata.num_row_groups() {
            let detail = "it has fewer rows than were read of it before".to_owned();
            return Err(CorpusError::Damaged { path: path.clone(), expected: "a Parquet file", detail });
        }
        self.waiting_bytes += self.waiting.last().map_or(0, Chosen::bytes);
        if self.waiting_bytes >= ROW_GROUP_BYTES {
            self.write_waiting()?;
        }
        self.waiting.retain(|chosen| chosen.count > 0);
        self.waiting.push(Chosen::new(path.clone(), metadata, group));
        Ok(())
    }

    /// Writes the chosen rows as a row group.
    fn write_waiting(&mut self) -> Result<(), CorpusError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        if waiting.iter().all(|chosen| chosen.count == 0) {
            return Ok(());
        }
        let wrong = |error: ParquetError| parquet_error(&self.path, error);
        let mut group = self.writer.next_row_group().map_err(wrong)?;
        let mut number = 0;
        while let Some(mut column) = group.next_column().map_err(wrong)? {
            for chosen in waiting.iter().filter(|chosen| chosen.count > 0) {
                let copied = guard::foreign(|| chosen.copy(number, &mut column));
                let damaged = |detail| CorpusError::Damaged {
                    path: chosen.path.clone(),
                    expected: "a Parquet file",
                    detail,
                };
                match copied {
                    Ok(Ok(())) => {}
                    Ok(Err(CopyError::Open(error))) => return Err(error),
                    Ok(Err(CopyError::Read(error))) => return Err(damaged(error.to_string())),
                    Ok(Err(CopyError::Write(error))) => return Err(wrong(error)),
                    Err(panic) => return Err(damaged(panic)),
                }
            }
            column.close().map_err(wrong)?;
            number += 1;
        }
        group.close().map_err(wrong)?;
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn finish(mut self) -> Result<Pending, CorpusError> {
        self.write_waiting()?;
        let file = self.writer.into_inner().map_err(|error| parquet_error(&self.path, error))?;
        Ok(Pending(Finished::File(file)))
    }
}

/// Refuses sources whose columns are not those of the first.
pub(crate) fn check_schemas(sources: &[Source]) -> Result<(), CorpusError> {
    let Some((first, others)) = sources.split_first() else { return Ok(()) };
    let (_, metadata) = reader::open_parquet(first)?;
    for source in others {
        let (_, other) = reader::open_parquet(source)?;
        check_schema(metadata.metadata(), &first.path, other.metadata(), &source.path)?;
    }
    Ok(())
}

/// Refuses a file whose columns are not those of the first.
fn check_schema(
    first_metadata: &ParquetMetaData,
    first: &Path,
    second_metadata: &ParquetMetaData,
    second: &Path,
) -> Result<(), CorpusError> {
    let [one, two] =
        [first_metadata, second_metadata].map(|metadata| metadata.file_metadata().schema_descr());
    if same_columns(one, two) {
        return Ok(());
    }
    let shown = |schema: &SchemaDescriptor| -> Vec<String> {
        let shown = schema.columns().iter().map(|column| {
            let null = if column.self_type().is_optional() { "" } else { " not null" };
            let logical =
                column.logical_type_ref().map(|logical| format!(" ({logical:?})")).unwrap_or_default();
            format!("{} {}{logical}{null}", column.path().string(), column.physical_type())
        });
        shown.collect()
    };
    let difference = first_difference(&shown(one), &shown(two));
    Err(CorpusError::DifferentColumns { first: first.to_owned(), second: second.to_owned(), difference })
}

/// Whether values of one schema can stand in columns of the other. Writers name the root as they
/// like, and old ones do not say all that they know of a type.
fn same_columns(one: &SchemaDescriptor, two: &SchemaDescriptor) -> bool {
    let same = |(one, two): (&Arc<ColumnDescriptor>, &Arc<ColumnDescriptor>)| {
        let logical = [one, two].map(|column| column.logical_type_ref());
        one.path() == two.path()
            && one.physical_type() == two.physical_type()
            && one.type_length() == two.type_length()
            && one.max_def_level() == two.max_def_level()
            && one.max_rep_level() == two.max_rep_level()
            && (one.converted_type() == two.converted_type() || logical[0] == logical[1])
            && (logical[0] == logical[1] || logical.contains(&None))
    };
    one.num_columns() == two.num_columns() && one.columns().iter().zip(two.columns()).all(same)
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
