//! How much of the allowed memory is taken by fixed costs, and how much is left?

use twindex_core::Engine;
use twindex_core::feature::FREQUENCY_BYTES;

use crate::error::{BatchError, Result};
use crate::job::Job;

/// Program, buffers, and for each thread its batches in flight: measured on collections of short
/// and long documents.
const FIXED_BYTES: u64 = 48 << 20;
const THREAD_BYTES: u64 = 24 << 20;

/// Memory for every document: its representative, its rank, the document of a rank, whether it is
/// removed, and the larger of keep order and clusters while they are computed.
const DOCUMENT_BYTES: u64 = 4 + 4 + 4 + 2 + 16;

/// A job does not start with less working memory than this.
const LEAST_WORKING_BYTES: u64 = 16 << 20;

/// How many times its own length a row takes while it is read: the row, its text, the features of
/// its document, and the same of the row that is read meanwhile. Rows of 10 MB under 150 MB of
/// memory peaked at 141 MB, rows of 98 MB under 1 GB at 989 MB.
const PER_ROW_BYTE: u64 = 8;

/// The longest row that can be read within the allowed memory.
pub(crate) fn longest_row(job: &Job) -> usize {
    let left = job.memory.saturating_sub(FIXED_BYTES).max(LEAST_WORKING_BYTES);
    usize::try_from(left / PER_ROW_BYTE).unwrap_or(usize::MAX).min(job.read.longest_row)
}

/// Memory besides sort buffers and caches.
pub(crate) fn held_bytes(job: &Job, engine: &Engine, documents: u64) -> u64 {
    FIXED_BYTES
        + job.threads as u64 * THREAD_BYTES
        + documents * DOCUMENT_BYTES
        + engine.join_bytes(documents as usize) as u64
        + if job.recipe.needs_frequencies() { FREQUENCY_BYTES as u64 } else { 0 }
}

/// How much of the allowed memory is left for sorting and caching.
pub(crate) fn working_memory(job: &Job, engine: &Engine, documents: u64) -> Result<usize> {
    let taken = held_bytes(job, engine, documents);
    match job.memory.checked_sub(taken).filter(|&left| left >= LEAST_WORKING_BYTES) {
        Some(left) => Ok(left as usize),
        None => Err(BatchError::Memory {
            given: megabytes(job.memory),
            documents,
            needed: megabytes(taken + LEAST_WORKING_BYTES),
        }),
    }
}

/// In millions of bytes, rounded up.
pub(crate) fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 { format!("{bytes}") } else { format!("{}M", bytes.div_ceil(1_000_000)) }
}
