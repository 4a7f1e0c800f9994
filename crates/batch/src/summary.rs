//! What a finished job has to say.

use serde::Serialize;

/// The figures of a finished job.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// The version of twindex.
    pub version: &'static str,
    /// The name of the recipe.
    pub recipe: String,
    /// Documents of the inputs.
    pub documents: u64,
    /// Documents that could only be witnesses.
    pub against: u64,
    /// Bytes of rows read.
    pub bytes: u64,
    /// Kept documents (`dedup`).
    pub kept: u64,
    /// Removed documents (`dedup`).
    pub removed: u64,
    /// Documents whose text equals an earlier one.
    pub exact_duplicates: u64,
    /// Candidates that the search proposed.
    pub candidates: u64,
    /// Candidates whose texts were compared.
    pub compared: u64,
    /// Listed pairs.
    pub pairs: u64,
    /// Families of at least two documents.
    pub families: u64,
    /// Rows that were left out as bad.
    pub skipped_rows: u64,
    /// The first of them.
    pub skipped: Vec<String>,
    /// Documents without the field that the keep policy reads: they are kept last.
    pub without_keep_field: u64,
    /// Meetings in hot buckets that the bucket limit left out.
    pub hot_meetings_left_out: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Bytes of rows for each second, in millions.
    pub megabytes_per_second: f64,
    /// Documents for each second.
    pub documents_per_second: f64,
    /// Where the time went.
    pub stages: Vec<Stage>,
    /// Whether an earlier run was continued.
    pub resumed: bool,
}

/// The time of one stage.
#[derive(Debug, Clone, Serialize)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}
