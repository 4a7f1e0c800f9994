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
    /// The most matches to list, the nearest first.
    pub limit: usize,
}

impl<'a> Query<'a> {
    /// A plain text, up to [`DEFAULT_LIMIT`] matches.
    pub fn new(text: &'a str) -> Query<'a> {
        Query { text, markup: Markup::None, limit: DEFAULT_LIMIT }
    }
}

/// The documents that match a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The fingerprint of the text, as 16 hexadecimal digits; `None` if it has no words.
    pub fingerprint: Option<String>,
    /// The documents that match, the nearest first; of equally near ones the oldest first.
    pub matches: Vec<Match>,
    /// Whether there may be matches, or pairs of paragraphs, beyond what is listed.
    pub more: bool,
    /// The share of all matches that the search is expected to find: 1 unless the index was opened
    /// with [`Search::Psm`](crate::Search).
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
    /// In how many bits the fingerprints of the whole texts differ; `None` if only one has words.
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
    /// The cosine of the word counts; `None` if sketches were compared.
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
