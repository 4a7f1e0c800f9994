//! "Have we seen this document, or something like it?" and what is answered.

use serde::{Deserialize, Serialize};
use twindex_index as index;
use utoipa::ToSchema;

use super::document::Markup;

/// Matches that are listed unless the request says otherwise: what a person or a program looks at.
pub(crate) const USUAL_MATCHES: usize = 10;

/// A template's million copies shall not become one response.
pub(crate) const MOST_MATCHES: usize = 1_000;

pub(crate) fn usual_matches() -> usize {
    USUAL_MATCHES
}

/// A text to look for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"text": "The council approved the new bridge on Monday."}))]
pub(crate) struct Check {
    /// The text as it is, markup included.
    pub(crate) text: String,
    /// How the text is written.
    #[serde(default)]
    pub(crate) markup: Markup,
    /// The largest number of matches listed.
    #[serde(default = "usual_matches")]
    #[schema(default = 10, maximum = 1000)]
    pub(crate) limit: usize,
    /// The page that follows the one whose `next` this is.
    #[serde(default)]
    pub(crate) after: Option<u64>,
}

/// What is like the text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer {
    /// Whether the text may go for a document of the index: the rule accepts the two, and enough
    /// of the text is there. Null if nothing was searched (an add with limit 0).
    seen: Option<bool>,
    /// The simhash of the text, 16 hexadecimal digits; null if it has no words, or if the recipe
    /// searches by another method.
    fingerprint: Option<String>,
    /// The documents that match, whichever of the two may go. By simhash the nearest first, by
    /// other methods the oldest first.
    pub(crate) matches: Vec<Match>,
    /// Of the matches listed, the ids of the documents that may go for the text: it covers them.
    covers: Vec<String>,
    /// Whether there may be matches beyond the limit.
    more: bool,
    /// What `after` is for the next page of a check; null if this is the last one.
    next: Option<u64>,
    /// The share of what the recipe's search proposes that this index is expected to propose: 1
    /// unless simhashes are searched by probabilistic matching. It says nothing about duplicates
    /// that the recipe itself misses.
    share_of_candidates: f64,
}

/// A document that matches.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Match {
    /// What it is called.
    id: String,
    /// In how many bits the simhashes of the whole texts differ; null if the method is another.
    distance: Option<u32>,
    /// Whether more than fingerprints was compared.
    verified: bool,
    /// What was compared.
    evidence: DecidedBy,
    /// Whether the whole texts are duplicates by the rule; if not, paragraphs are.
    whole: bool,
    /// Whether the text of the query may be removed on account of this document: the rule
    /// accepts the two, and enough of it is there.
    may_go: bool,
    /// Whether this document may be removed on account of the text of the query.
    covers: bool,
    /// The reason in words; missing if nothing was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// The measures of the whole texts.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    scores: Option<Scores>,
    /// The paragraphs that match, in the order of the text of the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paragraphs: Vec<ParagraphMatch>,
    /// When the document expires, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
}

/// What decided that a document matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DecidedBy {
    /// The two texts.
    Text,
    /// All shingles of both: exact.
    Features,
    /// Two sketches: the scores are estimates unless the documents are short.
    Sketch,
    /// A hash of the text: the texts are equal.
    ContentHash,
    /// The fingerprints alone. Nothing was verified.
    Fingerprint,
}

/// Measures of two texts, from 0 to 1; left is the text of the query.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Scores {
    /// The shared part of all shingles.
    jaccard: f64,
    /// How much of the text of the query is in the document.
    containment_left: f64,
    /// How much of the document is in the text of the query.
    containment_right: f64,
    /// The cosine of the word counts, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cosine: Option<f64>,
}

/// Two paragraphs that match.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ParagraphMatch {
    /// Where the paragraph is in the text of the query.
    left: Place,
    /// Where it is in the document.
    right: Place,
    /// In how many bits their fingerprints differ.
    distance: u32,
    /// The measures of the two paragraphs.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    scores: Option<Scores>,
}

/// A part of a text, in bytes of UTF-8 of what is visible of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Place {
    /// The first byte.
    start: u32,
    /// The byte after the last.
    end: u32,
}

/// What became of a document that was to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// It is in the index now.
    Added,
    /// It was there already, with the same text.
    Unchanged,
    /// It took the place of another text of the same id.
    Replaced,
    /// It was left out: it may go for a document that is there.
    Seen,
}

/// What became of a document, and what it is like.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Verdict {
    /// What the document is called.
    id: String,
    /// What became of it.
    pub(crate) outcome: Outcome,
    /// What it is like, without itself.
    #[serde(flatten)]
    answer: Answer,
}

impl From<index::Answer> for Answer {
    fn from(answer: index::Answer) -> Answer {
        Answer {
            seen: answer.seen,
            fingerprint: answer.fingerprint,
            matches: answer.matches.into_iter().map(Match::from).collect(),
            covers: answer.covers,
            more: answer.more,
            next: answer.next,
            share_of_candidates: answer.share_of_candidates,
        }
    }
}

impl From<index::Match> for Match {
    fn from(found: index::Match) -> Match {
        Match {
            id: found.id,
            distance: found.distance,
            verified: found.verified,
            evidence: found.evidence.into(),
            whole: found.whole,
            may_go: found.may_go,
            covers: found.covers,
            rule: found.rule,
            scores: found.scores.map(Scores::from),
            paragraphs: found.paragraphs.into_iter().map(ParagraphMatch::from).collect(),
            expires: found.expires.map(|time| time.0),
        }
    }
}

impl From<index::DecidedBy> for DecidedBy {
    fn from(decided: index::DecidedBy) -> DecidedBy {
        match decided {
            index::DecidedBy::Text => DecidedBy::Text,
            index::DecidedBy::Features => DecidedBy::Features,
            index::DecidedBy::Sketch => DecidedBy::Sketch,
            index::DecidedBy::ContentHash => DecidedBy::ContentHash,
            index::DecidedBy::Fingerprint => DecidedBy::Fingerprint,
        }
    }
}

impl From<index::MatchScores> for Scores {
    fn from(scores: index::MatchScores) -> Scores {
        let index::MatchScores { jaccard, containment_left, containment_right, cosine } = scores;
        Scores { jaccard, containment_left, containment_right, cosine }
    }
}

impl From<index::ParagraphMatch> for ParagraphMatch {
    fn from(found: index::ParagraphMatch) -> ParagraphMatch {
        let index::ParagraphMatch { left, right, distance, scores } = found;
        ParagraphMatch { left: left.into(), right: right.into(), distance, scores: scores.map(Scores::from) }
    }
}

impl From<index::Place> for Place {
    fn from(index::Place { start, end }: index::Place) -> Place {
        Place { start, end }
    }
}

impl From<index::Outcome> for Outcome {
    fn from(outcome: index::Outcome) -> Outcome {
        match outcome {
            index::Outcome::Added => Outcome::Added,
            index::Outcome::Unchanged => Outcome::Unchanged,
            index::Outcome::Replaced => Outcome::Replaced,
            index::Outcome::Seen => Outcome::Seen,
        }
    }
}

impl From<index::Verdict> for Verdict {
    fn from(verdict: index::Verdict) -> Verdict {
        let answer = Answer::from(verdict.answer);
        Verdict { id: verdict.id, outcome: verdict.outcome.into(), answer }
    }
}
