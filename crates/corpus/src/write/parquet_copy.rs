//! Kept rows of Parquet, value by value as they were stored.
//!
//! Arrow cannot carry everything that Parquet holds (INT96 beyond its nanoseconds, integers of 128
//! bits, UUID and JSON as such), so rows do not pass through it: chosen records of a column go from
//! its pages to a column of the same type, with their definition and repetition levels. A file is
//! written column by column, so rows are first chosen, as runs of row numbers, and read when a row
//! group of them is together; one column of one row group is in memory at a time.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::{ReaderProperties, ReaderPropertiesPtr};
use parquet::file::reader::RowGroupReader;
use parquet::file::serialized_reader::SerializedRowGroupReader;
use parquet::file::writer::SerializedColumnWriter;

use crate::error::CorpusError;

/// How many records are copied at once. Texts are not copied but shared with their page, so that
/// this many of them take no more than their pages do.
const RECORDS: usize = 256;

/// Rows of one row group of a file, chosen to be copied.
pub(super) struct Chosen {
    pub(super) path: PathBuf,
    pub(super) metadata: Arc<ParquetMetaData>,
    pub(super) group: usize,
    /// In turn: rows that are left out, and rows that are copied after them.
    runs: Vec<(usize, usize)>,
    /// How many rows of the group were decided.
    pub(super) decided: usize,
    pub(super) count: usize,
}

impl Chosen {
    pub(super) fn new(path: PathBuf, metadata: Arc<ParquetMetaData>, group: usize) -> Chosen {
        Chosen { path, metadata, group, runs: Vec::new(), decided: 0, count: 0 }
    }

    /// Decides about the next row.
    pub(super) fn push(&mut self, keep: bool) {
        self.decided += 1;
        self.count += usize::from(keep);
        match self.runs.last_mut() {
            Some((_, copied)) if keep => *copied += 1,
            Some((left_out, 0)) => *left_out += 1,
            _ if keep => self.runs.push((0, 1)),
            _ => self.runs.push((1, 0)),
        }
    }

    /// How many bytes the chosen rows take, as far as the file tells.
    pub(super) fn bytes(&self) -> u64 {
        let group = self.metadata.row_group(self.group);
        let bytes = u128::from(u64::try_from(group.total_byte_size()).unwrap_or_default());
        let rows = u128::from(u64::try_from(group.num_rows()).unwrap_or_default()).max(1);
        u64::try_from(bytes * self.count as u128 / rows).unwrap_or(u64::MAX)
    }

    /// Copies the chosen values of a column.
    pub(super) fn copy(&self, column: usize, to: &mut SerializedColumnWriter<'_>) -> Result<(), CopyError> {
        let file =
            File::open(&self.path).map_err(|error| CopyError::Open(CorpusError::open(&self.path, error)))?;
        let group = self.metadata.row_group(self.group);
        let properties: ReaderPropertiesPtr = Arc::new(ReaderProperties::builder().build());
        let reader = SerializedRowGroupReader::new(Arc::new(file), group, None, properties)
            .and_then(|reader| reader.get_column_reader(column))
            .map_err(CopyError::Read)?;
        match reader {
            ColumnReader::BoolColumnReader(from) => self.values(from, to.typed()),
            ColumnReader::Int32ColumnReader(from) => self.values(from, to.typed()),
            ColumnReader::Int64ColumnReader(from) => self.values(from, to.typed()),
            ColumnReader::Int96ColumnReader(from) => self.values(from, to.typed()),
            ColumnReader::FloatColumnReader(from) => self.values(from, to.typed()),
            ColumnReader::DoubleColumnReader(from) => self.values(from, to.typed()),
            ColumnReader::ByteArrayColumnReader(from) => self.values(from, to.typed()),
            ColumnReader::FixedLenByteArrayColumnReader(from) => self.values(from, to.typed()),
        }
    }

    fn values<T: DataType>(
        &self,
        mut from: ColumnReaderImpl<T>,
        to: &mut ColumnWriterImpl<'_, T>,
    ) -> Result<(), CopyError> {
        let ended = || CopyError::Read(ParquetError::EOF("a column ends before its rows do".to_owned()));
        let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        for &(left_out, copied) in &self.runs {
            if from.skip_records(left_out).map_err(CopyError::Read)? < left_out {
                return Err(ended());
            }
            let mut remaining = copied;
            while remaining > 0 {
                values.clear();
                definitions.clear();
                repetitions.clear();
                let (records, _, _) = from
                    .read_records(
                        remaining.min(RECORDS),
                        Some(&mut definitions),
                        Some(&mut repetitions),
                        &mut values,
                    )
                    .map_err(CopyError::Read)?;
                if records == 0 {
                    return Err(ended());
                }
                remaining -= records;
                let levels = |levels| if Vec::is_empty(levels) { None } else { Some(&levels[..]) };
                to.write_batch(&values, levels(&definitions), levels(&repetitions))
                    .map_err(CopyError::Write)?;
            }
        }
        Ok(())
    }
}

/// Which side of a copy failed.
pub(super) enum CopyError {
    Open(CorpusError),
    Read(ParquetError),
    Write(ParquetError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_become_runs() {
        let metadata = {
            use parquet::file::metadata::{FileMetaData, ParquetMetaData};
            use parquet::schema::types::{SchemaDescriptor, Type};
            let root = Type::group_type_builder("root").build().unwrap();
            let schema = Arc::new(SchemaDescriptor::new(Arc::new(root)));
            Arc::new(ParquetMetaData::new(FileMetaData::new(1, 0, None, None, schema, None), vec![]))
        };
        for (decisions, runs) in [
            (&[][..], &[][..]),
            (&[true, true], &[(0, 2)]),
            (&[false, true, true, false, false, true], &[(1, 2), (2, 1)]),
            (&[true, false], &[(0, 1), (1, 0)]),
        ] {
            let mut chosen = Chosen::new(PathBuf::new(), Arc::clone(&metadata), 0);
            decisions.iter().for_each(|keep| chosen.push(*keep));
            assert_eq!(chosen.runs, runs, "{decisions:?}");
            assert_eq!(chosen.decided, decisions.len());
        }
    }
}
