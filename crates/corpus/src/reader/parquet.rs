//! How is a Parquet file read in bounded memory?
//!
//! Row group by row group, and inside one in record batches of as many rows as the group's average makes
//! `target_bytes`.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use crate::error::CorpusError;
use crate::options::ReadOptions;
use crate::parse::columns::{self, TableBatch};
use crate::source::Source;

/// What a Parquet file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";

/// More rows than this at once gain nothing.
const MOST_ROWS: usize = 1 << 16;

/// Reads one file.
pub(crate) struct ParquetSplitter {
    source: Arc<Source>,
    file: File,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    group: usize,
    current: Option<ParquetRecordBatchReader>,
    next_row: u64,
    counter: Arc<AtomicU64>,
}

/// Opens a Parquet file and reads what it says about itself.
pub(crate) fn open(source: &Source) -> Result<(File, ArrowReaderMetadata), CorpusError> {
    let path = &source.path;
    let mut file = File::open(path).map_err(|error| CorpusError::open(path, error))?;
    let mut ends = [[0; MAGIC.len()]; 2];
    let mut read_ends = || {
        file.read_exact(&mut ends[0])?;
        file.seek(SeekFrom::End(-(MAGIC.len() as i64)))?;
        file.read_exact(&mut ends[1])
    };
    let read = read_ends();
    if read.is_err() || &ends[0] != MAGIC {
        let detail = "it does not begin with PAR1".to_owned();
        return Err(CorpusError::Damaged { path: path.clone(), expected: "a Parquet file", detail });
    }
    if &ends[1] != MAGIC {
        let detail = "a Parquet file ends with PAR1, and this one does not".to_owned();
        return Err(CorpusError::Truncated { path: path.clone(), detail });
    }
    let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
        .map_err(|error| damaged(source, &error))?;
    Ok((file, metadata))
}

fn damaged(source: &Source, error: &dyn std::fmt::Display) -> CorpusError {
    let detail = error.to_string();
    CorpusError::Damaged { path: source.path.clone(), expected: "a Parquet file", detail }
}

impl ParquetSplitter {
    pub(crate) fn new(
        source: &Arc<Source>,
        options: &ReadOptions,
        counter: &Arc<AtomicU64>,
    ) -> Result<Self, CorpusError> {
        let (file, metadata) = open(source)?;
        let roots = columns::check(source, metadata.schema(), options)?;
        let projection = if options.whole_rows {
            ProjectionMask::all()
        } else {
            ProjectionMask::roots(metadata.parquet_schema(), roots)
        };
        Ok(ParquetSplitter {
            source: Arc::clone(source),
            file,
            metadata,
            projection,
            group: 0,
            current: None,
            next_row: 1,
            counter: Arc::clone(counter),
        })
    }

    pub(crate) fn next(&mut self, target: usize) -> Result<Option<TableBatch>, CorpusError> {
        loop {
            if let Some(reader) = &mut self.current {
                if let Some(rows) = reader.next() {
                    let rows = rows.map_err(|error| damaged(&self.source, &error))?;
                    let first_row = self.next_row;
                    self.next_row += rows.num_rows() as u64;
                    return Ok(Some(TableBatch { source: Arc::clone(&self.source), rows, first_row }));
                }
                self.current = None;
            }
            if self.group == self.metadata.metadata().num_row_groups() {
                return Ok(None);
            }
            self.current = Some(self.open_group(target)?);
            self.group += 1;
        }
    }

    fn open_group(&self, target: usize) -> Result<ParquetRecordBatchReader, CorpusError> {
        let group = self.metadata.metadata().row_group(self.group);
        let bytes = usize::try_from(group.total_byte_size()).unwrap_or(usize::MAX).max(1);
        let rows = usize::try_from(group.num_rows()).unwrap_or(usize::MAX);
        let at_once = (rows as f64 * target as f64 / bytes as f64) as usize;
        self.counter.fetch_add(u64::try_from(group.compressed_size()).unwrap_or_default(), Ordering::Relaxed);
        let file = self.file.try_clone().map_err(|error| CorpusError::open(&self.source.path, error))?;
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_row_groups(vec![self.group])
            .with_projection(self.projection.clone())
            .with_batch_size(at_once.clamp(1, MOST_ROWS))
            .build()
            .map_err(|error| damaged(&self.source, &error))
    }
}
