//! `twindex hamming`

mod matches;
mod pairs;
mod plan;
mod store;

use std::path::{Path, PathBuf};

use anyhow::Result;
use twindex_batch::BatchError;
use twindex_corpus::STANDARD_STREAM;

use crate::arguments::{HammingAction, HammingOptions};
use crate::exit::UsageError;
use crate::say::{self, Figures};
use crate::words;

/// Runs a search of fingerprints.
pub(crate) fn run(options: &HammingOptions) -> Result<()> {
    match &options.action {
        HammingAction::Pairs(options) => pairs::run(options),
        HammingAction::Match(options) => matches::run(options),
        HammingAction::Store(options) => store::run(options),
        HammingAction::Plan(options) => plan::run(options),
    }
}

/// Where results go, which is not where a summary goes.
pub(super) fn output(given: Option<&PathBuf>, json: bool, what: &str) -> Result<PathBuf> {
    let output = given.cloned().unwrap_or_else(|| PathBuf::from(STANDARD_STREAM));
    if json && is_standard(&output) {
        let message =
            format!("--json and the {what} cannot both go to standard output: name a file by --output");
        return Err(UsageError(message).into());
    }
    Ok(output)
}

pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD_STREAM
}

/// The errors that the command line is to blame for.
pub(super) fn failure(error: BatchError) -> anyhow::Error {
    match error {
        BatchError::StandardInputTwice | BatchError::Overwrites { .. } | BatchError::FewTables { .. } => {
            UsageError::from_cause(error)
        }
        error => error.into(),
    }
}

/// Adds what was left out.
pub(super) fn add_left_out(figures: &mut Figures, without: u64, skipped: u64) {
    if without > 0 {
        figures.add("empty", words::number(without), "rows without a fingerprint, left out");
    }
    if skipped > 0 {
        figures.add("skipped", words::number(skipped), words::bad_rows(skipped, "listed above"));
    }
}

/// Lists the bad rows.
pub(super) fn print_skipped(skipped: &[String]) {
    skipped.iter().for_each(|line| eprintln!("skipped: {line}"));
}

/// Names the output.
pub(super) fn wrote(output: &PathBuf) {
    say::wrote([output].into_iter());
}
