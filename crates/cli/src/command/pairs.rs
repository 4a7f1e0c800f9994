//! `twindex pairs`

use std::path::PathBuf;

use anyhow::Result;
use twindex_batch::{Mode, Outputs};

use twindex_corpus::STANDARD_STREAM;

use crate::arguments::PairsOptions;
use crate::command::job;
use crate::exit::UsageError;
use crate::words;

/// Lists every pair that passes the rule.
pub(crate) fn run(options: &PairsOptions) -> Result<()> {
    let output = options.output.clone().unwrap_or_else(|| PathBuf::from(STANDARD_STREAM));
    if options.job.json && output.as_os_str() == STANDARD_STREAM {
        return Err(UsageError(
            "--json and the pairs cannot both go to standard output: name a file by --output".to_owned(),
        )
        .into());
    }
    let outputs = Outputs {
        pairs: Some(output),
        families: options.families.clone(),
        report: options.report.clone(),
        ..Outputs::default()
    };
    let job = job::job(&options.job, Mode::Pairs, outputs)?;
    let Some(summary) = job::run(&options.job, &job)? else { return Ok(()) };
    if !options.job.quiet {
        eprintln!(
            "{} = {} + {} skipped: {} in {}",
            words::count(summary.rows, "row"),
            words::count(summary.documents, "document"),
            words::number(summary.skipped_rows),
            words::count(summary.pairs, "pair"),
            words::count(summary.families, "family"),
        );
        job::print_skipped(&summary);
        job::print_without_words(&job, &summary);
        job::print_repeated_ids(&summary);
        job::print_speed(&summary);
        let outputs = [&options.output, &options.families, &options.report].into_iter().flatten();
        for path in outputs.filter(|path| path.as_os_str() != STANDARD_STREAM) {
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(())
}
