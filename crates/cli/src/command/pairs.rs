//! `twindex pairs`

use std::path::PathBuf;

use anyhow::Result;
use twindex_batch::{Job, Mode, Outputs, Summary};

use twindex_corpus::STANDARD_STREAM;

use crate::arguments::PairsOptions;
use crate::command::job;
use crate::exit::UsageError;
use crate::say::{self, Figures};
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
        clusters: options.clusters.clone(),
        report: options.report.clone(),
        ..Outputs::default()
    };
    let job = job::job(&options.job, Mode::Pairs, outputs)?;
    let Some(summary) = job::run(&options.job, &job)? else { return Ok(()) };
    if !options.job.quiet {
        report(options, &job, &summary);
    }
    Ok(())
}

fn report(options: &PairsOptions, job: &Job, summary: &Summary) {
    let mut figures = Figures::default();
    let among = format!("among {}", words::count(summary.documents, "document"));
    figures.add("pairs", words::number(summary.pairs), among);
    figures.add("clusters", words::number(summary.clusters), "");
    job::add_effort(&mut figures, job, summary);
    figures.print();
    job::print_notes(job, summary);
    say::wrote([&options.output, &options.clusters, &options.report].into_iter().flatten());
}
