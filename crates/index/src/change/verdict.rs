//! How documents are added, and what became of each.

use serde::Serialize;

use crate::query::Answer;

/// How documents are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddOptions {
    /// Leave out documents that [may go](crate::Match::may_go) for a stored document or an earlier
    /// one of the batch: the first pass of the witness rule. A shared paragraph is no reason.
    pub only_unseen: bool,
    /// The most matches that a verdict lists; 0 saves the search.
    pub matches: usize,
}

impl Default for AddOptions {
    fn default() -> Self {
        AddOptions { only_unseen: false, matches: 10 }
    }
}

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is in the index now.
    Added,
    /// It was there already, with the same text.
    Unchanged,
    /// It took the place of another text of the same id.
    Replaced,
    /// It was left out: a document that covers it is there.
    Seen,
}

/// What became of one document, and what it duplicates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// What the document is called.
    pub id: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The documents that it matches, itself excepted.
    #[serde(flatten)]
    pub answer: Answer,
}
