//! Queries and answers.

use serde::Serialize;
use twindex_core::Markup;
use twindex_core::verify::Scores;

use crate::document::Place;
use crate::time::Timestamp;

/// The default limit of matches: enough to look at, and few enough that a template with a million
/// copies costs little.
pub const DEFAULT_LIMIT: usize = 100;

/// "Have we seen this, or something like it?"
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The text as it came, markup included.
    pub text: &'a str,
    /// How the text is written.
    pub markup: Markup,
    /// The most matches to list.
    pub limit: usize,
    /// The page after the one whose [`Answer::next`] this is; `None`: the first page.
    pub after: Option<u64>,
}

impl<'a> Query<'a> {
    /// A plain text, up to [`DEFAULT_LIMIT`] matches.
    pub fn new(text: &'a str) -> Query<'a> {
        Query { text, markup: Markup::None, limit: DEFAULT_LIMIT, after: None }
    }
}

/// The documents that match a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Whether the text may go for a stored document: the rule accepts the two, and enough of the
    /// text is there. `None` if nothing was searched.
    ///
    /// Compared are the documents that are listed, and of each posting list that the search probes
    /// the first `candidates.bucket_limit` that still exist: a text that a million documents
    /// resemble is not compared with all of them.
    pub seen: Option<bool>,
    /// The simhash of the text, as 16 hexadecimal digits; `None` if it has no words, or if the
    /// method of the recipe is another.
    pub fingerprint: Option<String>,
    /// The documents that match. By simhash the nearest first, of equally near ones the oldest
    /// first; by keys the oldest first.
    pub matches: Vec<Match>,
    /// Of those that are listed, the ids of the documents that may go for the text.
    pub covers: Vec<String>,
    /// Whether there may be matches, or pairs of paragraphs, beyond what is listed.
    pub more: bool,
    /// What [`Query::after`] is for the page that follows; `None` if this is the last one.
    pub next: Option<u64>,
    /// The share of what the recipe's search proposes that this index is expected to propose: 1
    /// unless it was opened with [`Search::Psm`](crate::Search). It says nothing about how many
    /// duplicates the recipe itself misses.
    pub share_of_candidates: f64,
}

/// What decided that a document matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The two texts.
    Text,
    /// All shingles of both: exact.
    Features,
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
            DecidedBy::Features => "features",
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
    /// In how many bits the simhashes of the whole texts differ; `None` if only one has words, or
    /// the method is another.
    pub distance: Option<u32>,
    /// Whether more than fingerprints was compared.
    pub verified: bool,
    /// What was compared.
    pub evidence: DecidedBy,
    /// Whether the whole texts are duplicates by the recipe's rule; if not, paragraphs are.
    pub whole: bool,
    /// Whether the text of the query may be removed on account of this document: the rule accepts
    /// the two, and the document covers enough of the text.
    pub may_go: bool,
    /// Whether the document may be removed on account of the text of the query.
    pub covers: bool,
    /// The reason, as in the removals of `dedup`; `None` if nothing was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The measures of the whole texts; `None` if nothing was verified.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub scores: Option<MatchScores>,
    /// The paragraphs that match, in the order of the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paragraphs: Vec<ParagraphMatch>,
    /// When the document expires, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// The measures of two texts; left is the query.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MatchScores {
    /// The shared part of all shingles.
    pub jaccard: f64,
    /// How much of the query is in the document.
    pub containment_left: f64,
    /// How much of the document is in the query.
    pub containment_right: f64,
    /// The cosine of the word counts; `None` if texts were not compared.
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
    /// Where the paragraph is in the query.
    pub left: Place,
    /// Where it is in the document.
    pub right: Place,
    /// In how many bits the fingerprints of the paragraphs differ.
    pub distance: u32,
    /// The measures of the two paragraphs; `None` if nothing was verified.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub scores: Option<MatchScores>,
}
