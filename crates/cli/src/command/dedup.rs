//! `twindex dedup`

use anyhow::Result;
use twindex_batch::{Job, Mode, Outputs, Summary};

use twindex_corpus::STANDARD_STREAM;

use crate::arguments::DedupOptions;
use crate::command::job;
use crate::words;

/// Keeps one of each.
pub(crate) fn run(options: &DedupOptions) -> Result<()> {
    let outputs = Outputs {
        kept: options.output.clone(),
        removed: options.removed.clone(),
        removed_rows: options.removed_rows,
        pairs: options.pairs.clone(),
        families: options.families.clone(),
        report: options.report.clone(),
        ..Outputs::default()
    };
    let job = job::job(&options.job, Mode::Dedup(options.keep.clone()), outputs)?;
    let Some(summary) = job::run(&options.job, &job)? else { return Ok(()) };
    if !options.job.quiet {
        report(options, &job, &summary);
    }
    Ok(())
}

fn report(options: &DedupOptions, job: &Job, summary: &Summary) {
    let would = if options.output.is_none() { "would be " } else { "" };
    eprintln!(
        "{} = {} {would}kept + {} {would}removed + {} skipped; {} of equal text, in {}",
        words::count(summary.rows, "row"),
        words::number(summary.kept),
        words::number(summary.removed),
        words::number(summary.skipped_rows),
        words::number(summary.exact_duplicates),
        words::count(summary.families, "family"),
    );
    if summary.against > 0 {
        eprintln!("compared with {} that could only be witnesses", words::count(summary.against, "document"));
    }
    job::print_skipped(summary);
    job::print_without_words(job, summary);
    job::print_repeated_ids(summary);
    if let Some(field) = options.keep.field().filter(|_| summary.without_keep_field > 0) {
        let documents = words::count(summary.without_keep_field, "document");
        eprintln!(
            "note: {documents} without the field {field}, on which --keep {} decides: kept last",
            options.keep
        );
    }
    if let Some(coverage) = summary.coverage {
        eprintln!("of each removed document {coverage}");
    }
    if let Some(why) = summary.why_kept(job.recipe.rule) {
        let documents = words::count(summary.kept_by_coverage, "near-duplicate");
        eprintln!("note: {documents} {would}kept, {why}");
    }
    if summary.hot_pairs_left_out > 0 {
        eprintln!(
            "note: some buckets were hot: {} candidate pairs left out (recipe: candidates.bucket_limit)",
            words::number(summary.hot_pairs_left_out)
        );
    }
    job::print_speed(summary);
    let outputs = [&options.output, &options.removed, &options.pairs, &options.families, &options.report]
        .into_iter()
        .flatten();
    for path in outputs.filter(|path| path.as_os_str() != STANDARD_STREAM) {
        eprintln!("wrote {}", path.display());
    }
    if options.output.is_none() {
        let report = if options.report.is_none() { ", --report report.html shows the pairs" } else { "" };
        eprintln!("hint: --output KEPT writes the kept rows{report}");
    }
}
