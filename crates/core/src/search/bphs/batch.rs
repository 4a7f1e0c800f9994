//! Batch mode: tables of the queries, with the collection streamed past them.
//!
//! With the collection on disk and a batch Q in memory, tables for every chunk that is read would
//! cost T sorts per chunk. So the tables are built from Q, once, and each stored fingerprint is
//! looked up in them:
//!
//! ```text
//! T sorted copies of Q                                            T m (permute + log m)
//! for each chunk of the file, for each stored y: look y up n queries to m fingerprints
//! ```
//!
//! These are the two terms of the paper's equation 17. A stored fingerprint cannot know which
//! queries are still open, so that `First` saves nothing here and equals `All`. Nor need Q be
//! sorted before it is appended to the file.

use crate::fingerprint::Simhash;
use crate::search::hamming::{HammingSearch, Query, Want};

use super::index::BlockIndex;

/// The tables of a batch of queries.
#[derive(Debug, Clone)]
pub struct BlockBatch {
    queries: BlockIndex,
}

impl BlockBatch {
    /// A batch; the index holds the queries' fingerprints.
    pub fn new(queries: BlockIndex) -> Self {
        BlockBatch { queries }
    }

    /// Calls `sink` with the number of a query and the place in `chunk` of every stored fingerprint
    /// within `radius` bits of it. Memory does not grow with the collection: a chunk may be dropped
    /// afterwards.
    pub fn stream(&self, chunk: &[u64], radius: u32, sink: &mut dyn FnMut(u32, usize)) {
        let stored: Vec<Query<'_>> = chunk.iter().map(|&fingerprint| Simhash(fingerprint).into()).collect();
        self.queries.search_batch(&stored, radius, Want::All, &mut |place, found| {
            sink(found.position, place);
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::search::bphs::{BlockTables, Find};
    use crate::search::samples::clustered;

    #[test]
    fn a_streamed_collection_gives_what_an_index_of_it_gives() {
        let stored = clustered(2000);
        let queries: Vec<u64> = stored.iter().step_by(17).map(|fingerprint| fingerprint ^ 1).collect();
        let build = |fingerprints: &[u64]| {
            BlockIndex::build(BlockTables::new(5, 3), fingerprints, Find::DirectAddress, Kernel::best())
        };
        let batch = BlockBatch::new(build(&queries));
        let mut streamed = vec![];
        for (number, chunk) in stored.chunks(300).enumerate() {
            batch.stream(chunk, 3, &mut |query, place| streamed.push((query as usize, number * 300 + place)));
        }
        let online_queries: Vec<Query<'_>> = queries.iter().map(|&query| Simhash(query).into()).collect();
        let mut online = vec![];
        build(&stored).search_batch(&online_queries, 3, Want::All, &mut |query, found| {
            online.push((query, found.position as usize));
            true
        });
        streamed.sort_unstable();
        online.sort_unstable();
        assert!(online.len() > queries.len());
        assert_eq!(streamed, online);
    }
}
