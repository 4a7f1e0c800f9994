//! Which documents take part in the search, and in which order they are kept.

use super::{Documents, Fact};
use crate::error::Result;

/// "No document" where a document's number is expected.
pub(crate) const NONE: u32 = u32::MAX;

/// The documents in keep order; `None` if that is input order.
pub(crate) fn keep_order(documents: &Documents, against: u32) -> Result<Option<Vec<u32>>> {
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

/// The documents that take part in the search, numbered in keep order: one of each text, if it has
/// features.
#[derive(Debug)]
pub(crate) struct Ranks {
    /// The document of a rank.
    pub(crate) document: Vec<u32>,
    /// The rank of a document; [`NONE`] if it takes no part.
    pub(crate) rank: Vec<u32>,
    /// Ranks below this are documents that can only be witnesses.
    pub(crate) against: u32,
    /// Which of those have a copy among the inputs, to which their pairs apply.
    has_copy: Vec<bool>,
}

impl Ranks {
    /// Numbers the documents.
    pub(crate) fn new(documents: &Documents, read_against: u32, representative: &[u32]) -> Result<Self> {
        let order = keep_order(documents, read_against)?;
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
        let against = document.iter().take_while(|&&document| document < read_against).count() as u32;
        let mut has_copy = vec![false; against as usize];
        for &first in representative.get(read_against as usize..).unwrap_or_default() {
            if let Some(has_copy) = has_copy.get_mut(rank[first as usize] as usize) {
                *has_copy = true;
            }
        }
        Ok(Ranks { document, rank, against, has_copy })
    }

    /// Whether the document of this rank, or a copy of it, is among the inputs.
    pub(crate) fn speaks_for_input(&self, rank: u32) -> bool {
        self.has_copy.get(rank as usize).copied().unwrap_or(true)
    }

    /// How many documents take part.
    pub(crate) fn len(&self) -> u32 {
        self.document.len() as u32
    }
}
