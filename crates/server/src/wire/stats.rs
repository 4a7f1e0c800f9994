//! Figures of the index and of the service.

use serde::Serialize;
use utoipa::ToSchema;

/// How the service is doing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Stats {
    /// The version of twindex.
    pub(crate) version: &'static str,
    /// What the index holds.
    pub(crate) index: IndexFigures,
    /// What counts as a duplicate.
    pub(crate) rules: Rules,
    /// How long `/v1/check` took, since the start.
    pub(crate) check: Latency,
    /// How long adding a document took, since the start.
    pub(crate) add: Latency,
    /// The memory of the whole process, in bytes, where the system reports it.
    pub(crate) resident_bytes: Option<u64>,
}

/// What the index holds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IndexFigures {
    /// Documents, expired ones that were not yet removed included.
    pub(crate) documents: u64,
    /// Removed documents whose fingerprints are still in memory.
    pub(crate) removed: u64,
    /// Fingerprints in memory.
    pub(crate) fingerprints: u64,
    /// Fingerprints of paragraphs in memory.
    pub(crate) paragraphs: u64,
    /// Fresh fingerprints, which are scanned.
    pub(crate) buffered: u64,
    /// Sealed segments.
    pub(crate) segments: u64,
    /// How fingerprints are searched: `exact` or `psm`.
    pub(crate) search: &'static str,
    /// The share of what the recipe's search proposes that this index is expected to propose.
    pub(crate) share_of_candidates: f64,
    /// Bytes of memory that fingerprints take.
    pub(crate) memory_bytes: u64,
    /// Bytes of the files.
    pub(crate) disk_bytes: u64,
    /// Merges of segments since the start.
    pub(crate) merges: u64,
    /// Fingerprints that those merges wrote.
    pub(crate) merged_fingerprints: u64,
    /// Expired documents that were removed since the start.
    pub(crate) expired: u64,
    /// Why segments could not be sealed, merged or saved lately.
    pub(crate) maintenance_failure: Option<String>,
}

/// What counts as a duplicate.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rules {
    /// The name of the recipe.
    pub(crate) recipe: String,
    /// The rule that decides.
    pub(crate) rule: String,
    /// The radius, if the method is simhash: fingerprints that differ in at most this many bits are
    /// compared.
    pub(crate) radius: Option<u32>,
    /// What is kept of a document: `text`, `features`, `sketch` or `none`.
    pub(crate) evidence: &'static str,
    /// Whether paragraphs are found, too.
    pub(crate) paragraphs: bool,
    /// How long a document stays that does not say it itself, in seconds; null: for ever.
    pub(crate) ttl: Option<u64>,
}

/// How long requests of one kind took.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Latency {
    /// How many there were.
    pub(crate) count: u64,
    /// The median, in seconds.
    pub(crate) p50: Option<f64>,
    /// The 99th percentile, in seconds.
    pub(crate) p99: Option<f64>,
    /// The upper bounds of the counts below in seconds; the last count has none.
    pub(crate) bounds: Vec<f64>,
    /// How many took longer than the bound before and at most this one's.
    pub(crate) counts: Vec<u64>,
}
