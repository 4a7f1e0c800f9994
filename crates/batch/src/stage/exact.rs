//! Stage two: documents of equal text, and the order in which documents are kept.
//!
//! Equal texts are found by their 128-bit content hash and then compared byte by byte. Only the first of them in keep
//! order, the *representative*, takes part in what follows.
//!
//! Two documents without words (empty, only punctuation) may be equal and still say nothing about each other: rows whose text was lost
//! somewhere are not copies. Each is its own representative, unless the job says otherwise ([`Job::dedup_wordless`]); a row whose
//! text is null always is.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::buckets::{Buckets, Entry};
use crate::documents::Documents;
use crate::error::{BatchError, Result};
use crate::job::Job;
use crate::place::Places;
use crate::progress::{Progress, Unit};
use crate::record::Fact;
use crate::stage::read::ReadState;
use crate::work::{TextScratch, WorkFolder};

/// "No document" where a document's number is expected.
pub(crate) const NONE: u32 = u32::MAX;

/// What the stage found.
pub(crate) struct Exact {
    /// For every document its representative, which may be itself.
    pub(crate) representative: Vec<u32>,
    /// Rows of the inputs whose id an earlier row has.
    pub(crate) repeated_ids: u64,
}

/// What is saved beside the representatives.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ExactState {
    repeated_ids: u64,
}

/// Finds documents of equal text, and counts equal ids, which are an error if the job says so.
pub(crate) fn run(
    job: &Job,
    places: Places<'_>,
    read: &ReadState,
    memory: usize,
    work: &WorkFolder,
    progress: &dyn Progress,
) -> Result<Exact> {
    let documents = places.documents;
    let path = work.file("exact");
    if work.is_done("exact") {
        let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
        let representative = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let state: ExactState = work.checkpoint("exact")?.unwrap_or_default();
        return Ok(Exact { representative, repeated_ids: state.repeated_ids });
    }
    progress.begin("exact", u64::from(read.documents), Unit::Things);
    let repeated = repeated_ids(documents, read.against, memory)?;
    if let Some((first, second)) = repeated.first.filter(|_| job.unique_ids) {
        return Err(BatchError::EqualIds {
            id: documents.id(first)?,
            first: places.of(first)?,
            second: places.of(second)?,
        });
    }

    let mut representative: Vec<u32> = (0..documents.len()).collect();
    let position = keep_positions(documents, read.against)?;
    let mut scratch = [TextScratch::default(), TextScratch::default()];
    for_each_group(
        documents,
        memory,
        |fact| (fact.has_features || job.dedup_wordless && !fact.is_null).then_some(fact.content as u64),
        |group| {
            group.sort_unstable_by_key(|&document| position.of(document));
            // Unequal texts under one 64-bit key are so rare that comparing with every earlier representative is fine.
            let mut firsts: Vec<u32> = vec![];
            for &document in group.iter() {
                let mut equal = None;
                for &first in &firsts {
                    if equal_texts(documents, first, document, &mut scratch)? {
                        equal = Some(first);
                        break;
                    }
                }
                match equal {
                    Some(first) => representative[document as usize] = first,
                    None => firsts.push(document),
                }
            }
            Ok(())
        },
    )?;

    let bytes: Vec<u8> = representative.iter().flat_map(|document| document.to_le_bytes()).collect();
    work.write("exact", &bytes)?;
    work.save_checkpoint("exact", &ExactState { repeated_ids: repeated.rows })?;
    work.mark_done("exact")?;
    progress.end();
    Ok(Exact { representative, repeated_ids: repeated.rows })
}

fn equal_texts(documents: &Documents, a: u32, b: u32, scratch: &mut [TextScratch; 2]) -> Result<bool> {
    if documents.fact(a)?.content != documents.fact(b)?.content {
        return Ok(false);
    }
    let [left, right] = scratch;
    Ok(documents.text(a, left)? == documents.text(b, right)?)
}

/// Ids that come again.
#[derive(Default)]
struct Repeated {
    /// Rows of the inputs whose id an earlier row has.
    rows: u64,
    /// Of all rows that repeat an id the first, after the row whose id it repeats: a message does not depend on hash order.
    first: Option<(u32, u32)>,
}

fn repeated_ids(documents: &Documents, against: u32, memory: usize) -> Result<Repeated> {
    let mut repeated = Repeated::default();
    for_each_group(
        documents,
        memory,
        |fact| Some(fact.id),
        |group| {
            // Every row may have the same id, so only different ones are held; under one 64-bit hash there is hardly ever a second.
            let mut different: Vec<(String, u32)> = vec![];
            for &document in group.iter() {
                let id = documents.id(document)?;
                let Some(&(_, first)) = different.iter().find(|(known, _)| *known == id) else {
                    different.push((id, document));
                    continue;
                };
                repeated.rows += u64::from(document >= against);
                if repeated.first.is_none_or(|(_, earliest)| document < earliest) {
                    repeated.first = Some((first, document));
                }
            }
            Ok(())
        },
    )?;
    Ok(repeated)
}

/// Calls `each` with every group of at least two documents that share a key (without one they share none), in as many passes over key ranges as the
/// memory demands.
fn for_each_group(
    documents: &Documents,
    memory: usize,
    key: impl Fn(&Fact) -> Option<u64>,
    mut each: impl FnMut(&mut Vec<u32>) -> Result<()>,
) -> Result<()> {
    let count = documents.len() as usize;
    // Ranges of keys are never quite equal: leave room for a pass above the mean.
    let passes = (count * size_of::<Entry>() * 2).div_ceil(memory.max(1)).max(1) as u64;
    let mut buckets = Buckets::new(passes, count.div_ceil(passes as usize));
    let mut group = vec![];
    for pass in 0..passes {
        buckets.begin(pass);
        documents.for_each_fact(|document, fact| {
            if let Some(key) = key(&fact) {
                buckets.push(key, document);
            }
        })?;
        for entries in buckets.close() {
            for run in entries.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
                group.clear();
                group.extend(run.iter().map(|&(_, document)| document));
                each(&mut group)?;
            }
        }
    }
    Ok(())
}

/// Where a document stands in keep order.
struct KeepPositions(Option<Vec<u32>>);

impl KeepPositions {
    fn of(&self, document: u32) -> u32 {
        self.0.as_ref().map_or(document, |positions| positions[document as usize])
    }
}

/// Documents of `against` come first, then smaller keep keys, then input order.
fn keep_positions(documents: &Documents, against: u32) -> Result<KeepPositions> {
    let Some(order) = keep_order(documents, against)? else { return Ok(KeepPositions(None)) };
    let mut positions = vec![0; order.len()];
    for (position, document) in order.into_iter().enumerate() {
        positions[document as usize] = position as u32;
    }
    Ok(KeepPositions(Some(positions)))
}

/// The documents in keep order; `None` if that is input order.
fn keep_order(documents: &Documents, against: u32) -> Result<Option<Vec<u32>>> {
    let key =
        |document: u32, fact: Fact| (document >= against, if document < against { 0 } else { fact.keep.0 });
    let (mut is_sorted, mut last) = (true, None);
    documents.for_each_fact(|document, fact| {
        let key = Some(key(document, fact));
        is_sorted &= last <= key;
        last = key;
    })?;
    if is_sorted {
        return Ok(None);
    }
    let mut keys = Vec::with_capacity(documents.len() as usize);
    documents.for_each_fact(|document, fact| keys.push((key(document, fact), document)))?;
    keys.sort_unstable();
    Ok(Some(keys.into_iter().map(|(_, document)| document).collect()))
}

/// The documents that take part in the search, numbered in keep order: one of each text, if it has features.
#[derive(Debug)]
pub(crate) struct Ranks {
    /// The document of a rank.
    pub(crate) document: Vec<u32>,
    /// The rank of a document; [`NONE`] if it takes no part.
    pub(crate) rank: Vec<u32>,
    /// Ranks below this are documents that can only be witnesses.
    pub(crate) against: u32,
    /// Of those, which have a copy among the inputs: what is found out about them is said of the copy.
    has_copy: Vec<bool>,
}

impl Ranks {
    /// Numbers the documents.
    pub(crate) fn new(documents: &Documents, read: &ReadState, representative: &[u32]) -> Result<Self> {
        let order = keep_order(documents, read.against)?;
        let order: Box<dyn Iterator<Item = u32>> = match order {
            Some(order) => Box::new(order.into_iter()),
            None => Box::new(0..documents.len()),
        };
        let mut takes_part = vec![false; representative.len()];
        documents.for_each_fact(|document, fact| {
            takes_part[document as usize] =
                fact.has_features && representative[document as usize] == document;
        })?;
        let document: Vec<u32> = order.filter(|&document| takes_part[document as usize]).collect();
        let mut rank = vec![NONE; representative.len()];
        for (number, &document) in document.iter().enumerate() {
            rank[document as usize] = number as u32;
        }
        let against = document.iter().take_while(|&&document| document < read.against).count() as u32;
        let mut has_copy = vec![false; against as usize];
        for &first in representative.get(read.against as usize..).unwrap_or_default() {
            if let Some(has_copy) = has_copy.get_mut(rank[first as usize] as usize) {
                *has_copy = true;
            }
        }
        Ok(Ranks { document, rank, against, has_copy })
    }

    /// Whether a document of this rank stands for one of the inputs: itself, or a copy.
    pub(crate) fn speaks_for_input(&self, rank: u32) -> bool {
        self.has_copy.get(rank as usize).copied().unwrap_or(true)
    }

    /// How many documents take part.
    pub(crate) fn len(&self) -> u32 {
        self.document.len() as u32
    }
}
