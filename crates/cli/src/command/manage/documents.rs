//! The documents of the inputs, batch by batch.

use std::path::Path;

use anyhow::Result;
use twindex_corpus::{ReadOptions, Row};

use crate::arguments::{OnError, ReadArguments};
use crate::command::choice;
use crate::command::input::Input;

/// Some thousands of documents, which share the cost of a commit.
const BATCH_BYTES: usize = 8 << 20;

/// Calls `each` with the documents of each batch; returns the number of bad rows.
pub(super) fn for_each_batch(
    inputs: &[String],
    output: &Path,
    read: &ReadArguments,
    on_error: OnError,
    mut each: impl FnMut(Vec<Row<'_>>) -> Result<()>,
) -> Result<u64> {
    let options = ReadOptions { whole_rows: false, ..choice::read(read) };
    let mut input = Input::open(inputs, &[("--output", output)], &options)?;
    let mut skipped = 0;
    while let Some((batch, _)) = input.next_batch(BATCH_BYTES)? {
        let mut rows = Vec::with_capacity(batch.len());
        for row in batch.parse(&options) {
            match row {
                Ok(row) => rows.push(row),
                Err(error) if on_error == OnError::Skip => {
                    eprintln!("skipped: {error}");
                    skipped += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
        each(rows)?;
    }
    Ok(skipped)
}
