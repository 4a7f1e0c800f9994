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
    /// What happens to a document whose id belongs to another text.
    pub taken_id: TakenId,
}

impl AddOptions {
    /// Whose matches do not count: the document that the new one would replace.
    pub(super) fn left_out(self, id: &str) -> Option<&str> {
        (self.taken_id == TakenId::Replace).then_some(id)
    }
}

/// What happens to a document whose id belongs to another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TakenId {
    /// It takes the place of the other.
    #[default]
    Replace,
    /// Both stay: the new one is called by its id and the hash of its text ([`given_id`] gives the
    /// id back), so that adding it again changes nothing.
    Rename,
}

/// Separates an id from the hash of the text: the ASCII unit separator.
const RENAMED: char = '\u{1f}';

/// Hexadecimal digits of a content hash.
const HASH_DIGITS: usize = 32;

/// The name of a document whose id belongs to another text.
pub(super) fn renamed(id: &str, content: u128) -> String {
    format!("{id}{RENAMED}{content:0HASH_DIGITS$x}")
}

/// The id that a document came with, of one that [`TakenId::Rename`] may have renamed.
pub fn given_id(name: &str) -> &str {
    match name.rsplit_once(RENAMED) {
        Some((id, hash)) if hash.len() == HASH_DIGITS && hash.bytes().all(|it| it.is_ascii_hexdigit()) => id,
        _ => name,
    }
}

impl Default for AddOptions {
    fn default() -> Self {
        AddOptions { only_unseen: false, matches: 10, taken_id: TakenId::Replace }
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
