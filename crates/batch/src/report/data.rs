//! What a report is made of. The caller gathers it; nothing here opens a file or knows how a run
//! works.

use serde::{Deserialize, Serialize};

/// Everything the page shows about one run.
///
/// Vectors are already in the order in which they should appear, except [`Report::pairs`], which
/// the page sorts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The page's heading, usually the name of the collection.
    pub title: String,
    /// The command as it was typed.
    pub command: String,
    /// The version of twindex.
    pub version: String,
    /// The recipe in force, as TOML text.
    pub recipe: String,
    /// What went in and what came out.
    pub totals: Totals,
    /// Which command wrote the report.
    pub mode: Mode,
    /// The measure that decides: `jaccard`, `containment`, `containment_left`, `containment_right`
    /// or `cosine`.
    pub measure: String,
    /// A pair is accepted when the deciding measure is at least this.
    pub threshold: f64,
    /// How similar the verified candidates were.
    pub histogram: Histogram,
    /// How many clusters have each size, as `(size, count)`.
    pub cluster_sizes: Vec<(u64, u64)>,
    /// The largest clusters, largest first.
    pub largest_clusters: Vec<ClusterRow>,
    /// A bounded selection of the verified candidates, both accepted and rejected.
    pub pairs: Vec<PairRow>,
    /// Where the time went, in the order of the stages.
    pub stages: Vec<StageTime>,
    /// What the reader should know before trusting the figures, such as hot buckets.
    pub notes: Vec<String>,
}

/// Which command wrote the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Documents were kept or removed.
    Dedup,
    /// Pairs were listed and nothing was removed.
    Pairs,
}

/// The counts of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Documents read from the input.
    pub documents: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Documents that go, each with a kept witness.
    pub removed: u64,
    /// How many documents are byte for byte the same as an earlier one.
    pub exact_duplicates: u64,
    /// All accepted pairs of the run, of which [`Report::pairs`] shows some.
    pub pairs: u64,
    /// Connected sets of pairs.
    pub clusters: u64,
    /// Rows that could not be read and were skipped.
    pub skipped_rows: u64,
    /// Wall-clock time of the run.
    pub seconds: f64,
    /// Documents of `--against` collections, which can only be witnesses.
    pub against: u64,
}

/// Verified candidates by their score: equal bins over 0..=1, the last bin closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Candidates that became pairs.
    pub accepted: Vec<u64>,
    /// Candidates that verification refused.
    pub rejected: Vec<u64>,
}

/// One of the largest clusters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterRow {
    /// Number of documents.
    pub size: u64,
    /// The ids of the first members.
    pub members: Vec<String>,
    /// How many members are not listed.
    pub more: u64,
    /// The text of one member.
    pub example_text: String,
}

/// One verified candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// The document that comes first in the input, or the removed one.
    pub left: Side,
    /// The other document, or the witness.
    pub right: Side,
    /// What verification measured.
    pub scores: Scores,
    /// Whether the pair passed the rule.
    pub accepted: bool,
    /// Whether the two are byte for byte the same.
    pub exact: bool,
    /// The decision in words.
    pub why: String,
}

/// One document of a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// The document's id.
    pub id: String,
    /// The visible text, or its beginning.
    pub text: String,
    /// How many characters were cut from the end of the text.
    pub cut: u64,
}

impl Side {
    /// Keeps at most `limit` characters of `text` and counts the rest.
    pub fn new(id: impl Into<String>, text: &str, limit: usize) -> Side {
        let end = text.char_indices().nth(limit).map_or(text.len(), |(offset, _)| offset);
        Side { id: id.into(), text: text[..end].to_owned(), cut: text[end..].chars().count() as u64 }
    }
}

/// What verification measured for a pair.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Shared features over all features of both.
    pub jaccard: f64,
    /// The share of the left document's features that the right one has.
    pub containment_left: f64,
    /// The share of the right document's features that the left one has.
    pub containment_right: f64,
    /// Weighted cosine, where the recipe computes it.
    pub cosine: Option<f64>,
    /// Differing simhash bits, where a simhash was computed.
    pub distance: Option<u32>,
}

impl Scores {
    /// The value of the named measure; `containment` is the larger direction.
    ///
    /// An unknown name, or a cosine that was not computed, gives the Jaccard similarity: the page
    /// must place every pair somewhere, and Jaccard is always there.
    pub fn of(&self, measure: &str) -> f64 {
        match measure {
            "containment" => self.containment_left.max(self.containment_right),
            "containment_left" => self.containment_left,
            "containment_right" => self.containment_right,
            "cosine" => self.cosine.unwrap_or(self.jaccard),
            _ => self.jaccard,
        }
    }
}

/// How long one stage took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// The stage, as the user knows it.
    pub name: String,
    /// Wall-clock time.
    pub seconds: f64,
}
