//! Stage three: documents that share a bucket.
//!
//! Keys are recomputed from the fingerprints in passes over key ranges, so that the entries of one pass fit into memory;
//! the pairs are sorted on disk. `candidates` holds them as 64-bit numbers, the rank of the later document above that of
//! the earlier one.
//!
//! Where the method is simhash and every pair is wanted, [`near`] finds exactly the pairs within the radius instead.

use serde::{Deserialize, Serialize};
use twindex_core::search::hamming::LARGEST_RADIUS;
use twindex_core::search::{Edge, HashFrequencies, Method, bucket_edges};

use crate::buckets::{Buckets, Entry};
use crate::documents::Documents;
use crate::error::Result;
use crate::progress::{Progress, Unit};
use crate::spill::SpillSort;
use crate::stage::Ranks;
use crate::stage::exact::NONE;
use crate::stage::near;
use crate::work::WorkFolder;

/// What the stage found.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Candidates {
    /// Distinct pairs.
    pub(crate) pairs: u64,
    /// Meetings in hot buckets that the bucket limit left out.
    pub(crate) left_out: u64,
}

/// Finds the candidates. With a `bucket_limit`, each document meets at most so many of each of its buckets.
pub(crate) fn run(
    documents: &Documents,
    ranks: &Ranks,
    method: &Method,
    bucket_limit: Option<usize>,
    memory: usize,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<Candidates> {
    if work.is_done("candidates") {
        return Ok(work.checkpoint("candidates")?.unwrap_or_default());
    }
    let found = match method.radius().filter(|&radius| radius <= LARGEST_RADIUS && bucket_limit.is_none()) {
        Some(radius) => by_join(documents, ranks, method, radius, memory, work, progress)?,
        None => by_buckets(documents, ranks, method, bucket_limit, memory, work, progress)?,
    };
    work.save_checkpoint("candidates", &found)?;
    work.mark_done("candidates")?;
    progress.end();
    Ok(found)
}

/// Every pair within the radius of simhash.
fn by_join(
    documents: &Documents,
    ranks: &Ranks,
    method: &Method,
    radius: u32,
    memory: usize,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<Candidates> {
    progress.begin("candidates", 1, Unit::Things);
    let mut edges = SpillSort::new(work, "candidates", memory / 4);
    near::edges(documents, ranks, method, radius, memory - memory / 4, work, &mut |edge| {
        if matters(edge, ranks, true) { edges.push(encode(edge)) } else { Ok(()) }
    })?;
    progress.position(1);
    Ok(Candidates { pairs: edges.finish(&work.file("candidates"))?, left_out: 0 })
}

/// Two documents that can only be witnesses have nothing to say to each other, unless every pair is listed and one of them
/// stands for its copy among the inputs.
fn matters(edge: Edge, ranks: &Ranks, every_pair: bool) -> bool {
    edge.later >= ranks.against
        || every_pair && [edge.later, edge.earlier].into_iter().any(|rank| ranks.speaks_for_input(rank))
}

/// The pairs that share a bucket.
fn by_buckets(
    documents: &Documents,
    ranks: &Ranks,
    method: &Method,
    bucket_limit: Option<usize>,
    memory: usize,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<Candidates> {
    let frequencies = frequencies(documents, ranks, method)?;
    let entries_in_all = expected_entries(documents, ranks, method)?;
    // Half of the memory for the entries of a pass, half for the pairs that they make. (A single key that more documents
    // share than fit is not split.)
    let passes = with_slack(entries_in_all * size_of::<Entry>()).div_ceil((memory / 2).max(1)).max(1) as u64;
    progress.begin("candidates", passes, Unit::Things);

    let mut edges = SpillSort::new(work, "candidates", memory / 2);
    let mut buckets = Buckets::new(passes, entries_in_all.div_ceil(passes as usize));
    let mut keys = vec![];
    let mut left_out = 0;
    for pass in 0..passes {
        buckets.begin(pass);
        documents.for_each_fingerprint(|document, fingerprint| {
            let rank = ranks.rank[document as usize];
            if rank != NONE {
                keys.clear();
                method.keys(fingerprint, &frequencies, &mut keys);
                keys.iter().for_each(|&key| buckets.push(key, rank));
            }
        })?;
        let mut failure = Ok(());
        let mut propose = |edge: Edge| {
            if failure.is_ok() && matters(edge, ranks, bucket_limit.is_none()) {
                failure = edges.push(encode(edge));
            }
        };
        for entries in buckets.close() {
            for bucket in entries.chunk_by(|a, b| a.0 == b.0) {
                if !method.is_common(bucket[0].0, bucket.len()) {
                    left_out += bucket_edges(bucket, bucket_limit, &mut propose);
                }
            }
        }
        failure?;
        progress.position(pass + 1);
    }
    drop(buckets);
    let pairs = edges.finish(&work.file("candidates"))?;
    Ok(Candidates { pairs, left_out })
}

/// Counts what the keys of the method depend on, in a pass of its own. The copies of a text do not take part.
fn frequencies(documents: &Documents, ranks: &Ranks, method: &Method) -> Result<HashFrequencies> {
    let mut frequencies = method.frequencies(ranks.len() as usize);
    if method.counts_frequencies() {
        documents.for_each_fingerprint(|document, fingerprint| {
            if ranks.rank[document as usize] != NONE {
                method.count(fingerprint, &mut frequencies);
            }
        })?;
    }
    Ok(frequencies)
}

/// About how many keys all documents have: some methods give short ones fewer, so some are asked.
fn expected_entries(documents: &Documents, ranks: &Ranks, method: &Method) -> Result<usize> {
    let count = ranks.len() as usize;
    let asked = count.min(ASKED_FOR_KEYS);
    if asked == 0 {
        return Ok(0);
    }
    let (mut buffer, mut keys) = (vec![], vec![]);
    for number in 0..asked {
        let document = ranks.document[number * count / asked];
        method.keys(documents.fingerprint(document, &mut buffer)?, &HashFrequencies::default(), &mut keys);
    }
    Ok((keys.len() * count).div_ceil(asked))
}

/// Documents whose keys are counted, evenly spread: their mean is within a few hundredths of that of all.
const ASKED_FOR_KEYS: usize = 1024;

/// Ranges of keys are never quite equal: a quarter more than the mean is set aside.
fn with_slack(mean: usize) -> usize {
    mean + mean / 4
}

fn encode(edge: Edge) -> u64 {
    u64::from(edge.later) << 32 | u64::from(edge.earlier)
}

/// The edge that a stored number stands for.
pub(crate) fn decode(number: u64) -> Edge {
    Edge { later: (number >> 32) as u32, earlier: number as u32 }
}
