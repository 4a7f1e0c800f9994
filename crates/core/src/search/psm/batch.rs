//! PSM in batches: the collection on disk, the queries in memory.
//!
//! New fingerprints are gathered in a batch Q. The collection is read chunk by chunk, each chunk
//! sorted; every query searches the chunk like a collection in memory. Whoever keeps the collection
//! then adds Q to it as another sorted chunk:
//!
//! ```text
//! the k flips of every query are computed once for each chunk: offsets of its headers (it is
//! sorted, so one pass)
//!                  every open query looks up its header and its flips
//!                  (`First`: an answered query is dropped;  if none is left, reading ends)
//! ```
//!
//! Memory is that of Q with its flips and of one chunk. Between two chunks the whole state is the
//! number of the next chunk and the answered queries ([`Progress`]): a killed job resumes from
//! there.

use crate::fingerprint::Margins;
use crate::kernel::Kernel;
use crate::search::hamming::Want;

use super::Settings;
use super::order::Flips;

/// Sorted chunks of fingerprints, wherever they are stored.
pub trait Chunks {
    /// The error of reading a chunk.
    type Error;

    /// How many chunks there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a chunk into `values`, which is empty. Its fingerprints ascend.
    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<(), Self::Error>;
}

/// Chunks in memory.
impl Chunks for Vec<Vec<u64>> {
    type Error = std::convert::Infallible;

    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn read(&mut self, chunk: usize, values: &mut Vec<u64>) -> Result<(), Self::Error> {
        values.extend_from_slice(&self[chunk]);
        Ok(())
    }
}

/// The progress of a batch: all that is needed to resume it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Finished chunks.
    pub chunks_done: usize,
    /// The queries that have their first match, ascending. Empty if all matches are wanted.
    pub answered: Vec<u32>,
}

/// A match in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChunkMatch {
    /// The number of the query in the batch.
    pub query: u32,
    /// The stored fingerprint.
    pub stored: u64,
    /// The chunk it is in.
    pub chunk: u32,
    /// Its place in the chunk.
    pub place: u32,
}

/// The queries of a batch, with their flips.
#[derive(Debug, Clone)]
pub struct Batch {
    fingerprints: Vec<u64>,
    /// The flips of query `i` are `flips[ends[i - 1]..ends[i]]`, the header itself first.
    flips: Vec<u32>,
    ends: Vec<u32>,
    header_bits: u32,
    radius: u32,
    want: Want,
}

impl Batch {
    /// A batch of queries. `settings.header_bits` is that of a chunk.
    pub fn new<'m>(
        queries: impl IntoIterator<Item = &'m Margins>,
        settings: &Settings,
        radius: u32,
        want: Want,
    ) -> Self {
        let header_bits = settings.header_bits;
        let (mut fingerprints, mut flips, mut ends) = (vec![], vec![], vec![]);
        let mut order = Flips::default();
        for margins in queries {
            fingerprints.push(margins.simhash().0);
            flips.push(0);
            order.append(settings.guess(radius, Kernel::best()), margins, settings.flips, &mut flips);
            ends.push(flips.len() as u32);
        }
        Batch { fingerprints, flips, ends, header_bits, radius, want }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of_val(self.fingerprints.as_slice())
            + size_of_val(self.flips.as_slice())
            + size_of_val(self.ends.as_slice())
    }

    /// Searches all unfinished chunks. After each chunk `checkpoint` is called with the progress;
    /// by then `sink` has received all matches of the finished chunks.
    pub fn search<C: Chunks>(
        &self,
        chunks: &mut C,
        progress: &mut Progress,
        sink: &mut dyn FnMut(ChunkMatch),
        checkpoint: &mut dyn FnMut(&Progress) -> Result<(), C::Error>,
    ) -> Result<(), C::Error> {
        let mut open: Vec<u32> = (0..self.fingerprints.len() as u32).collect();
        open.retain(|query| progress.answered.binary_search(query).is_err());
        let (mut values, mut offsets) = (vec![], vec![]);
        while progress.chunks_done < chunks.len() && !open.is_empty() {
            values.clear();
            chunks.read(progress.chunks_done, &mut values)?;
            self.index(&values, &mut offsets);
            let chunk = progress.chunks_done as u32;
            open.retain(|&query| {
                let found = self.look_up(query, &values, &offsets, chunk, sink);
                let answered = found && self.want == Want::First;
                if answered {
                    progress.answered.push(query);
                }
                !answered
            });
            progress.answered.sort_unstable();
            progress.chunks_done += 1;
            checkpoint(progress)?;
        }
        // Every query is answered, so that the unread chunks add nothing.
        progress.chunks_done = chunks.len();
        Ok(())
    }

    /// The start of each header in ascending values.
    fn index(&self, values: &[u64], offsets: &mut Vec<u32>) {
        debug_assert!(values.is_sorted());
        let shift = u64::BITS - self.header_bits;
        offsets.clear();
        for (&value, place) in values.iter().zip(0..) {
            let header = (value >> shift) as usize;
            if offsets.len() <= header {
                offsets.resize(header + 1, place);
            }
        }
        offsets.resize((1 << self.header_bits) + 1, values.len() as u32);
    }

    fn look_up(
        &self,
        query: u32,
        values: &[u64],
        offsets: &[u32],
        chunk: u32,
        sink: &mut dyn FnMut(ChunkMatch),
    ) -> bool {
        let fingerprint = self.fingerprints[query as usize];
        let header = (fingerprint >> (u64::BITS - self.header_bits)) as usize;
        let start = if query == 0 { 0 } else { self.ends[query as usize - 1] };
        let mut found = false;
        for &flip in &self.flips[start as usize..self.ends[query as usize] as usize] {
            let bucket = header ^ flip as usize;
            let run = offsets[bucket]..offsets[bucket + 1];
            for place in run {
                let stored = values[place as usize];
                if (stored ^ fingerprint).count_ones() <= self.radius {
                    sink(ChunkMatch { query, stored, chunk, place });
                    found = true;
                    if self.want == Want::First {
                        return true;
                    }
                }
            }
        }
        found
    }
}
