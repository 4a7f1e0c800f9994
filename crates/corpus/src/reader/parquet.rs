//! How is a Parquet file read in bounded memory?
//!
//! Row group by row group, and inside one in units of a few rows that are joined until they make
//! `target_bytes`. How many bytes a row takes is known only once it is decoded: a dictionary stores
//! a text once that a thousand rows repeat. So a unit that turns out far too large is dropped and
//! read again in smaller ones, and units grow again where rows are short. A batch larger than
//! [`MOST_EXCESS`] times the target holds one row.
//!
//! The size of one read cannot follow the average of the rows before it, as in a file sorted by
//! length the next rows may be a thousand times as long; a unit of [`MOST_UNIT`] rows bounds that.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use crate::error::CorpusError;
use crate::guard;
use crate::options::{LONGEST_ROW, ReadOptions};
use crate::parse::cell::Cell;
use crate::parse::columns::{self, TableBatch};
use crate::position::Position;
use crate::reader::encryption::is_encrypted;
use crate::source::Source;

/// What a Parquet file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";

/// And what it begins and ends with when its footer is encrypted.
const ENCRYPTED_MAGIC: &[u8; 4] = b"PARE";

/// More rows than this at once gain nothing.
const MOST_ROWS: usize = 1 << 16;

/// The most rows that are decoded before their size is looked at.
const MOST_UNIT: usize = 64;

/// How many units make a batch when units have the size they should: a batch ends between two, so
/// it fills the target to all but this part.
const UNITS_PER_BATCH: usize = 4;

/// A unit this many times as large as a batch should be is read again in smaller ones. Below it,
/// reading twice costs more than the memory is worth.
const MOST_EXCESS: usize = 2;

/// Units grow only by at least this factor, as the file is opened again for it.
const LEAST_GROWTH: usize = 4;

/// Reads one file.
pub(crate) struct ParquetSplitter {
    source: Arc<Source>,
    file: File,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    /// The row group that is read, and how many of its rows were.
    group: usize,
    group_read: usize,
    /// How many rows are read at once; 0 before a group.
    unit: usize,
    /// Gives the units after `group_read`; `None` where the group must be opened (again).
    current: Option<ParquetRecordBatchReader>,
    /// A unit that had no room in the last batch.
    waiting: Option<Unit>,
    /// How many rows of the file were read.
    read: u64,
    /// The number of the first row of the next batch.
    next_row: u64,
    counter: Arc<AtomicU64>,
    /// The longest row that is read.
    longest: usize,
}

/// A few rows and how many bytes they hold.
struct Unit {
    rows: RecordBatch,
    bytes: usize,
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
    if &ends[0] == ENCRYPTED_MAGIC || &ends[1] == ENCRYPTED_MAGIC {
        return Err(CorpusError::Encrypted { path: path.clone() });
    }
    if read.is_err() || &ends[0] != MAGIC {
        let detail = "it does not begin with PAR1".to_owned();
        return Err(CorpusError::Damaged { path: path.clone(), expected: "a Parquet file", detail });
    }
    if &ends[1] != MAGIC {
        let detail = "a Parquet file ends with PAR1, and this one does not".to_owned();
        return Err(CorpusError::Truncated { path: path.clone(), detail });
    }
    let load = |options| guard::foreign(|| ArrowReaderMetadata::load(&file, options));
    let metadata = match load(ArrowReaderOptions::new()) {
        Ok(Ok(metadata)) => metadata,
        // A file may carry a schema of Arrow with types that this reader does not know (integers of
        // 128 bits, by polars); the schema of Parquet, which every file has, suffices.
        _ => load(ArrowReaderOptions::new().with_skip_arrow_metadata(true))
            .map_err(|panic| damaged(source, &panic))?
            .map_err(|error| damaged(source, &error))?,
    };
    Ok((file, metadata))
}

fn damaged(source: &Source, error: &dyn std::fmt::Display) -> CorpusError {
    if is_encrypted(&source.path) {
        return CorpusError::Encrypted { path: source.path.clone() };
    }
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
            group_read: 0,
            unit: 0,
            current: None,
            waiting: None,
            read: 0,
            next_row: 1,
            counter: Arc::clone(counter),
            longest: options.longest_row,
        })
    }

    /// The next rows; `None` at the end. A reader that panicked is not used again.
    pub(crate) fn next(&mut self, target: usize) -> Result<Option<TableBatch>, CorpusError> {
        let next = guard::foreign(|| self.next_batch(target));
        next.unwrap_or_else(|panic| Err(damaged(&self.source, &panic)))
    }

    fn next_batch(&mut self, target: usize) -> Result<Option<TableBatch>, CorpusError> {
        // Columns have offsets of 31 bits: joined units, and a unit that is not read again, stay
        // far below.
        let target = target.clamp(1, LONGEST_ROW / MOST_EXCESS);
        let mut units: Vec<RecordBatch> = Vec::new();
        let (mut rows, mut bytes) = (0, 0);
        while bytes < target && rows < MOST_ROWS {
            let unit = match self.waiting.take() {
                Some(unit) => Some(unit),
                None => self.next_unit(target)?,
            };
            let Some(unit) = unit else {
                if !units.is_empty() || !self.next_group() {
                    break;
                }
                continue;
            };
            if !units.is_empty() && bytes + unit.bytes > target {
                self.waiting = Some(unit);
                break;
            }
            rows += unit.rows.num_rows();
            bytes += unit.bytes;
            units.push(unit.rows);
        }
        let joined = match units.len() {
            0 => return Ok(None),
            1 => units.remove(0),
            _ => concat_batches(&units[0].schema(), &units).map_err(|error| damaged(&self.source, &error))?,
        };
        let fitting = fitting_unit(rows, bytes, target);
        if fitting >= self.unit * LEAST_GROWTH {
            self.read_on_with(fitting);
        }
        let first_row = self.next_row;
        self.next_row += rows as u64;
        Ok(Some(TableBatch { source: Arc::clone(&self.source), rows: joined, bytes, first_row }))
    }

    /// Goes to the next row group; false after the last.
    fn next_group(&mut self) -> bool {
        let count = self.metadata.metadata().num_row_groups();
        self.group = (self.group + 1).min(count);
        self.group_read = 0;
        self.read_on_with(0);
        self.group < count
    }

    /// The next rows of the group; `None` at its end.
    fn next_unit(&mut self, target: usize) -> Result<Option<Unit>, CorpusError> {
        let groups = self.metadata.metadata().row_groups();
        let Some(group) = groups.get(self.group) else { return Ok(None) };
        if self.group_read as i64 == group.num_rows() {
            return Ok(None);
        }
        loop {
            let mut reader = match self.current.take() {
                Some(reader) => reader,
                None => self.open_group(target)?,
            };
            let rows = match reader.next() {
                None => return Ok(None),
                // Texts of more than 31 bits at once cannot be decoded, each alone can.
                Some(Err(_)) if self.unit > 1 => {
                    self.read_on_with(1);
                    continue;
                }
                Some(Err(error)) if error.to_string().to_lowercase().contains("utf") => {
                    return Err(CorpusError::NotUtf8 {
                        position: Position::numbered(&self.source, self.read + 1),
                    });
                }
                Some(Err(error)) => return Err(damaged(&self.source, &error)),
                Some(Ok(rows)) => rows,
            };
            let bytes = rows.columns().iter().map(content_bytes).sum();
            let count = rows.num_rows();
            if count > 1 && bytes > target.saturating_mul(MOST_EXCESS) {
                self.read_on_with(fitting_unit(count, bytes, target));
                continue;
            }
            if bytes > self.longest {
                let position = Position::numbered(&self.source, self.read + 1);
                return Err(CorpusError::RowTooLong { position, limit: self.longest });
            }
            self.group_read += count;
            self.read += count as u64;
            self.current = Some(reader);
            return Ok(Some(Unit { rows, bytes }));
        }
    }

    /// Reads the rest in units of `unit` rows.
    fn read_on_with(&mut self, unit: usize) {
        self.unit = unit;
        self.current = None;
    }

    /// Opens the group at the rows that were not read yet.
    fn open_group(&mut self, target: usize) -> Result<ParquetRecordBatchReader, CorpusError> {
        let group = self.metadata.metadata().row_group(self.group);
        if self.unit == 0 {
            // Encoded rows are seldom longer than decoded ones, so no larger unit can fit.
            let bytes = usize::try_from(group.total_byte_size()).unwrap_or_default();
            let rows = usize::try_from(group.num_rows()).unwrap_or_default();
            self.unit = fitting_unit(rows, bytes, target);
            let packed = u64::try_from(group.compressed_size()).unwrap_or_default();
            self.counter.fetch_add(packed, Ordering::Relaxed);
        }
        let file = self.file.try_clone().map_err(|error| CorpusError::open(&self.source.path, error))?;
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_row_groups(vec![self.group])
            .with_projection(self.projection.clone())
            .with_offset(self.group_read)
            .with_batch_size(self.unit)
            .build()
            .map_err(|error| damaged(&self.source, &error))
    }
}

/// How many rows a unit should have where `rows` hold `bytes`.
fn fitting_unit(rows: usize, bytes: usize, target: usize) -> usize {
    let fitting = rows as u128 * (target / UNITS_PER_BATCH) as u128 / bytes.max(1) as u128;
    usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, MOST_UNIT)
}

/// How many bytes the values of a column hold, a value that several rows share counted for each:
/// parsed rows do not share it.
fn content_bytes(column: &ArrayRef) -> usize {
    let plain =
        || column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size());
    match column.data_type() {
        DataType::Utf8View => column.as_string_view().iter().flatten().map(str::len).sum(),
        DataType::BinaryView => column.as_binary_view().iter().flatten().map(<[u8]>::len).sum(),
        DataType::Dictionary(_, _) => (0..column.len())
            .map(|row| Cell::of(column, row))
            .filter(|cell| !cell.is_null())
            .map(|cell| cell.byte_length())
            .sum::<Option<usize>>()
            .unwrap_or_else(plain),
        DataType::Struct(_) => column.as_struct().columns().iter().map(content_bytes).sum(),
        DataType::List(_) => content_bytes(column.as_list::<i32>().values()),
        DataType::LargeList(_) => content_bytes(column.as_list::<i64>().values()),
        _ => plain(),
    }
}
