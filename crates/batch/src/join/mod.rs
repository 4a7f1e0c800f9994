//! Joins whose entries do not fit into memory.
//!
//! The join itself is [`Engine::candidates`](twindex_core::Engine::candidates), which reads
//! fingerprints in passes. This module has what spills: sorted runs of records, the join of
//! simhashes within a radius, and chunks of fingerprints on disk.

mod chunk_folder;
mod near;
mod spill;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use twindex_core::search::Workers;

pub(crate) use chunk_folder::ChunkFolder;
pub(crate) use near::{NearPairs, Owned};
pub(crate) use spill::{Records, SpillSort};

/// The threads of the job.
pub(crate) struct Pool;

impl Workers for Pool {
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).into_par_iter().for_each(task);
    }
}
