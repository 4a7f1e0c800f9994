//! One figure.

use serde::Serialize;

/// A figure, with its baseline and whether its results were checked.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was run, with its mode: `avx2+fold+stop`.
    pub row: String,
    /// The input: `4KB`, `2^23`.
    pub case: String,
    /// The number of threads.
    pub threads: usize,
    /// The unit of the value.
    pub metric: &'static str,
    /// The figure.
    pub value: f64,
    /// The row that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// How many times better than the baseline in the same run: above 1 is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The results were compared with the oracle's and were equal.
    pub checked: bool,
    /// A note for the reader: the figure of a paper, a limit of this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Row {
    /// A row of one thread, not checked yet.
    pub fn new(row: impl Into<String>, case: impl Into<String>) -> Self {
        Self {
            row: row.into(),
            case: case.into(),
            threads: 1,
            metric: "",
            value: 0.0,
            baseline: None,
            ratio: None,
            checked: false,
            note: None,
        }
    }

    /// Measured with this many threads.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The figure and its unit.
    pub fn metric(self, metric: &'static str, value: f64) -> Self {
        Self { metric, value, ..self }
    }

    /// How many times better than a baseline of the same run.
    pub fn against(self, baseline: impl Into<String>, ratio: f64) -> Self {
        Self { baseline: Some(baseline.into()), ratio: Some(ratio), ..self }
    }

    /// Whether the results were compared with the oracle's and were equal.
    pub fn checked(self, checked: bool) -> Self {
        Self { checked, ..self }
    }

    /// A note for the reader.
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}
