//! Rows of compressed inputs, held for the stage that writes them.
//!
//! Unpacking an input takes longer than all that is done with its rows when they are written, and a brief job would do it
//! twice. Plain files are read again: the system has them at hand.

use twindex_corpus::{Batch, Compression, Source};

use crate::documents::HELD_PART;
use crate::job::Job;

/// More than this is not held: a job of that size is not brief.
const MOST_BYTES: u64 = 256 << 20;

/// Text unpacks to at least so many times its size, nearly always: inputs that will not fit are not even begun with.
const UNPACKED: u64 = 2;

/// What is known of a row besides its bytes.
const ROW_BYTES: usize = 32;

/// The memory that a batch takes, about.
pub(crate) fn memory(batch: &Batch) -> usize {
    batch.raw_bytes() + batch.len() * ROW_BYTES
}

/// All batches of the inputs, as they were read.
#[derive(Debug, Default)]
pub(crate) struct HeldRows {
    batches: Vec<HeldBatch>,
    bytes: usize,
}

/// Some rows, and how far into the inputs they go.
#[derive(Debug)]
pub(crate) struct HeldBatch {
    pub(crate) batch: Batch,
    pub(crate) input_position: u64,
}

impl HeldRows {
    /// How many bytes of rows may be held: none if nobody will ask for them.
    pub(crate) fn room(job: &Job, inputs: &[Source]) -> u64 {
        let are_packed = inputs.iter().any(|source| source.compression != Compression::None);
        let room = (job.memory / (2 * HELD_PART as u64)).min(MOST_BYTES);
        let packed_bytes: u64 = inputs.iter().map(|source| source.bytes).sum();
        if job.outputs.want_rows() && are_packed && packed_bytes * UNPACKED <= room { room } else { 0 }
    }

    /// Appends the next rows.
    pub(crate) fn push(&mut self, held: HeldBatch) {
        self.bytes += memory(&held.batch);
        self.batches.push(held);
    }

    /// The memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The rows, in their order.
    pub(crate) fn into_batches(self) -> impl Iterator<Item = HeldBatch> {
        self.batches.into_iter()
    }
}
