//! Questions and answers.

use serde::Serialize;
use twindex_core::Markup;
use twindex_core::verify::Scores;

use crate::time::Timestamp;

/// Enough for a person to look at, and little enough that a template's million copies do no harm.
pub const DEFAULT_LIMIT: usize = 100;

/// "Have we seen this, or something like it?"
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The text as it came, markup included.
    pub text: &'a str,
    /// How the text is written.
    pub markup: Markup,
    /// At most so many matches are listed, the nearest first.
    pub limit: usize,
}

impl<'a> Query<'a> {
    /// A plain text, up to [`DEFAULT_LIMIT`] matches.
    pub fn new(text: &'a str) -> Query<'a> {
        Query { text, markup: Markup::None, limit: DEFAULT_LIMIT }
    }
}

/// What is like the text that was asked about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The fingerprint of the text, as 16 hexadecimal digits; `None` if it has no words.
    pub fingerprint: Option<String>,
    /// The documents that match, the nearest first; of equally near ones the oldest first.
    pub matches: Vec<Match>,
    /// Whether there may be matches, or pairs of paragraphs, beyond what is listed.
    pub more: bool,
    /// The share of all matches that the search is expected to find: 1 unless the index was opened with
    /// [`Search::Psm`](crate::Search).
    pub recall: f64,
}

/// What decided that a document matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The two texts.
    Text,
    /// Two sketches: the scores are estimates unless both documents have few shingles.
    Sketch,
    /// A 128-bit hash of the text: the texts are equal.
    ContentHash,
    /// The fingerprints alone. Nothing was verified.
    Fingerprint,
}

impl DecidedBy {
    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            DecidedBy::Text => "text",
            DecidedBy::Sketch => "sketch",
            DecidedBy::ContentHash => "content-hash",
            DecidedBy::Fingerprint => "fingerprint",
        }
    }
}

/// A document that matches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// What it is called.
    pub id: String,
    /// In how many bits the fingerprints of the whole texts differ; `None` if one of them has no words.
    pub distance: Option<u32>,
    /// Whether more than fingerprints was compared.
    pub verified: bool,
    /// What was compared.
    pub evidence: DecidedBy,
    /// Whether the whole texts are duplicates by the recipe's rule; if not, paragraphs are.
    pub whole: bool,
    /// Whether the text that was asked about may be removed on account of this document: the rule accepts the two, and enough of
    /// it is there.
    pub may_go: bool,
    /// The reason, as in the removals of `dedup`; `None` if nothing was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The measures of the whole texts; `None` if nothing was verified.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub scores: Option<MatchScores>,
    /// The paragraphs that match, in the order of the text that was asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paragraphs: Vec<ParagraphMatch>,
    /// When the document expires, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// The measures of two texts; left is the one that was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MatchScores {
    /// The shared part of all shingles.
    pub jaccard: f64,
    /// How much of the text that was asked about is in the document.
    pub containment_left: f64,
    /// How much of the document is in the text that was asked about.
    pub containment_right: f64,
    /// The cosine of the word counts; a sketch cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
}

impl From<Scores> for MatchScores {
    fn from(scores: Scores) -> MatchScores {
        let Scores { jaccard, containment_left, containment_right, cosine } = scores;
        MatchScores { jaccard, containment_left, containment_right, cosine: Some(cosine) }
    }
}

/// Two paragraphs that match.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ParagraphMatch {
    /// Where the paragraph is in the text that was asked about.
    pub left: Place,
    /// Where it is in the document.
    pub right: Place,
    /// In how many bits the fingerprints of the paragraphs differ.
    pub distance: u32,
    /// The measures of the two paragraphs; `None` if nothing was verified.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub scores: Option<MatchScores>,
}

/// A part of a text, in bytes of what is visible of it (all of a plain text, no tags of HTML).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// How documents are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddOptions {
    /// Leave out what [may go](Match::may_go) for a document that is there, or that comes earlier in the batch: the first pass of
    /// the witness rule. A paragraph that both have is no reason.
    pub only_unseen: bool,
    /// How many matches each verdict lists. None at all saves the search.
    pub matches: usize,
}

impl Default for AddOptions {
    fn default() -> Self {
        AddOptions { only_unseen: false, matches: 10 }
    }
}

/// What became of a document that was to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is in the index now.
    Added,
    /// It was there already, with the same text.
    Unchanged,
    /// It took the place of another text of the same id.
    Replaced,
    /// It was left out: something like it is there.
    Seen,
}

/// What became of one document, and what it duplicates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// What the document is called.
    pub id: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What it is like, without itself.
    #[serde(flatten)]
    pub answer: Answer,
}
