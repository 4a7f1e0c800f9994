//! Stage two: documents of equal text, and the order in which documents are kept.
//!
//! Equal texts are found by their 128-bit content hash and then compared byte by byte. Only the
//! first of them in keep order, the *representative*, takes part in what follows.
//!
//! Equal documents without words (empty, only punctuation) are no copies: their texts may have been
//! lost. Each is its own representative, unless [`Job::dedup_wordless`] is set; a row whose text is
//! null always is.

use std::fs;

use serde::{Deserialize, Serialize};

use twindex_core::search::candidates::{Buckets, Entry};

use crate::error::{BatchError, Result};
use crate::job::Job;
use crate::join::Pool;
use crate::progress::{Progress, Unit};
use crate::stage::read::ReadState;
use crate::work::{Documents, Fact, Places, TextScratch, WorkFolder, keep_order};

/// What the stage found.
pub(crate) struct Exact {
    /// For every document its representative, which may be itself.
    pub(crate) representative: Vec<u32>,
    /// Rows of the inputs that repeat the id of an earlier row.
    pub(crate) repeated_ids: u64,
}

/// What is saved beside the representatives.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ExactState {
    repeated_ids: u64,
}

/// Finds documents of equal text and counts repeated ids; they are an error if the job has
/// `unique_ids`.
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
    if work.is_finished("exact") {
        let bytes = fs::read(&path).map_err(BatchError::work(&path))?;
        let representative = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let state: ExactState = work.recorded("exact")?.unwrap_or_default();
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
            // Different texts rarely share a 64-bit key, so comparing with every earlier
            // representative is cheap.
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
    fs::write(&path, bytes).map_err(BatchError::work(&path))?;
    work.finish("exact", &ExactState { repeated_ids: repeated.rows })?;
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

/// Repeated ids.
#[derive(Default)]
struct Repeated {
    /// Rows of the inputs that repeat the id of an earlier row.
    rows: u64,
    /// The first row that repeats an id, preceded by the row that it repeats: the message does not
    /// depend on hash order.
    first: Option<(u32, u32)>,
}

fn repeated_ids(documents: &Documents, against: u32, memory: usize) -> Result<Repeated> {
    let mut repeated = Repeated::default();
    for_each_group(
        documents,
        memory,
        |fact| Some(fact.id),
        |group| {
            // All rows may have one id, so only distinct ids are kept; a 64-bit hash rarely has a
            // second one.
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

/// Calls `each` with every group of at least two documents that share a key, in as many passes over
/// key ranges as the memory demands. Documents without a key are in no group.
fn for_each_group(
    documents: &Documents,
    memory: usize,
    key: impl Fn(&Fact) -> Option<u64>,
    mut each: impl FnMut(&mut Vec<u32>) -> Result<()>,
) -> Result<()> {
    let count = documents.len() as usize;
    // Ranges have different numbers of keys: leave room for a pass above the mean.
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
        for entries in buckets.close(&Pool) {
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
