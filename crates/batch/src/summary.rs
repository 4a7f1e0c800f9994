//! The figures of a finished job.

use std::collections::BTreeMap;

use serde::Serialize;
use twindex_core::recipe::Rule;

use crate::error::{BatchError, Result};

/// The figures of a finished job.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// The version of twindex.
    pub version: &'static str,
    /// The name of the recipe.
    pub recipe: String,
    /// Rows of the inputs: kept, removed, or left out as bad.
    pub rows: u64,
    /// Documents of the inputs: the rows that were not left out.
    pub documents: u64,
    /// Documents that could only be witnesses.
    pub against: u64,
    /// Bytes of rows read.
    pub bytes: u64,
    /// Kept documents (`dedup`).
    pub kept: u64,
    /// Removed documents (`dedup`).
    pub removed: u64,
    /// Kept documents that are in the index that remembers them.
    pub remembered: u64,
    /// Documents whose text equals an earlier one.
    pub exact_duplicates: u64,
    /// How much of the removed documents is in their witnesses, equal texts aside; `None` if there
    /// are no others.
    pub coverage: Option<Coverage>,
    /// Near-duplicates that stay, because their coverage by a kept document is below the recipe's
    /// `coverage`, or they would lose more than its `most_lost` features.
    pub kept_by_coverage: u64,
    /// Candidates that the search proposed.
    pub candidates: u64,
    /// Candidates whose texts were compared.
    pub compared: u64,
    /// Listed pairs.
    pub pairs: u64,
    /// Clusters of at least two documents.
    pub clusters: u64,
    /// Rows of the inputs that were left out as bad.
    pub skipped_rows: u64,
    /// Bad rows of collections that can only be witnesses.
    pub against_skipped_rows: u64,
    /// Messages about the first of both kinds of bad rows.
    pub skipped: Vec<String>,
    /// The file with all of these messages, if there are more.
    pub skipped_file: Option<String>,
    /// Rows of the inputs that repeat the id of an earlier row, of any collection.
    pub repeated_ids: u64,
    /// Documents of the inputs whose text is null: they are kept.
    pub null_texts: u64,
    /// Documents of the inputs that have a text, and no words in it.
    pub without_words: u64,
    /// Records of web archives in the inputs that are no documents, by reason: they are passed on.
    pub other_records: BTreeMap<String, u64>,
    /// Documents without the field that the keep policy reads: last in keep order.
    pub without_keep_field: u64,
    /// Candidate pairs of hot buckets that the bucket limit left out.
    pub hot_pairs_left_out: u64,
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

impl Summary {
    /// Sets the time of the job, and its speed.
    pub(crate) fn took(&mut self, time: std::time::Duration) {
        self.seconds = time.as_secs_f64();
        self.megabytes_per_second = self.bytes as f64 / 1e6 / self.seconds;
        self.documents_per_second = (self.documents + self.against) as f64 / self.seconds;
    }

    /// Fails if a row is lost or counted twice. The figures are independent: rows come from the
    /// column of their statuses, kept ones from what was written, removed ones from the list of
    /// removals, skipped ones from their messages.
    pub(crate) fn must_add_up(&self) -> Result<()> {
        let Summary { rows, kept, removed, skipped_rows: skipped, .. } = *self;
        if kept + removed + skipped == rows {
            return Ok(());
        }
        Err(BatchError::Unaccounted { rows, kept, removed, skipped })
    }
}

impl Summary {
    /// Why near-duplicates stay, and what changes that; `None` if none do. Names the bounds that
    /// the rule has.
    pub fn why_kept(&self, rule: Rule) -> Option<String> {
        if self.kept_by_coverage == 0 {
            return None;
        }
        let bounds = [
            (
                rule.coverage > 0.0,
                format!("less than {} of each is in a kept document", rule.coverage),
                "a lower --coverage",
            ),
            (
                rule.most_lost > 0,
                format!("more than {} of its features are not", rule.most_lost),
                "--most-lost 0",
            ),
        ];
        let has = |bound: &&(bool, String, &str)| bound.0;
        let reasons: Vec<&str> = bounds.iter().filter(has).map(|(_, reason, _)| reason.as_str()).collect();
        let options: Vec<&str> = bounds.iter().filter(has).map(|(_, _, option)| *option).collect();
        Some(format!("because {}; {} removes more", reasons.join(", or "), options.join(" or ")))
    }
}

/// Which share of a removed document is in its witness.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// The least.
    pub least: f64,
    /// The mean.
    pub mean: f64,
}

impl Coverage {
    /// Least and mean, rounded down, so that a bound that is not reached does not look reached.
    pub fn rounded_down(&self) -> [String; 2] {
        // Keeps a quotient whose own rounding error puts it just below a hundredth.
        const ROUNDING: f64 = 1e-9;
        [self.least, self.mean].map(|share| format!("{:.2}", ((share + ROUNDING) * 100.0).floor() / 100.0))
    }
}

/// The time of one stage.
#[derive(Debug, Clone, Serialize)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// The time of all threads together on their CPUs, in seconds.
    pub cpu_seconds: f64,
}

/// The time that the threads of this process have spent on CPUs so far, in seconds.
pub(crate) fn cpu_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_lost_or_counted_twice_is_an_error() {
        let summary = |kept| Summary { rows: 10, kept, removed: 3, skipped_rows: 1, ..Summary::default() };
        assert!(summary(6).must_add_up().is_ok());
        for kept in [5, 7] {
            let message = summary(kept).must_add_up().unwrap_err().to_string();
            assert!(message.contains(&format!("10 rows were read, and {kept} kept + 3 removed + 1 skipped")));
        }
    }
}
